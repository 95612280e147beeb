"""The numbers that the page computes are the library's."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest

import karat
from karat.guarantees import squared_distances
from karat.report.html import report
from markets import contaminated

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def appraisal():
    return contaminated(5, rows=60)


MIXTURES = (
    {"anchor": 1.0},
    {f"vendor {i}": 0.2 for i in range(5)},
    {"anchor": 0.5, "vendor 0": 0.3, "vendor 4": 0.2},
    {"vendor 2": 1.0},
)


@pytest.mark.parametrize("percent", [0, 10])
def test_what_if_numbers_are_the_librarys(appraisal, open_report, percent):
    page = open_report(report(appraisal)).page
    for mixture, confidence in itertools.product(MIXTURES, (0.8, 0.95, 0.999)):
        weights = [mixture.get(name, 0.0) for name in appraisal.moments.names]
        asked = {"margin": percent, "confidence": confidence}
        found = page.evaluate("([w, asked]) => karat.whatIf(w, asked)", [weights, asked])
        expected = appraisal.what_if(mixture)
        assert_same(found, expected, margin=f"{percent}%", confidence=confidence)


def assert_same(found, expected, *, margin, confidence):
    distances = expected.distances
    close = {"rtol": 1e-9, "atol": 1e-9}
    np.testing.assert_allclose(found["squared"], distances.squared, rtol=0, atol=1e-12)
    np.testing.assert_allclose(found["values"], [v.value for v in expected.vendors], **close)
    intervals = distances.intervals(confidence)
    ends = np.column_stack([intervals.lower, intervals.upper])
    assert [None if e is None else len(e) for e in found["intervals"]] == [
        None if math.isnan(e[0]) else 2 for e in ends
    ]
    known = np.reshape([e for e in found["intervals"] if e], (-1, 2))
    np.testing.assert_allclose(known, ends[~np.isnan(ends[:, 0])], **close)
    assert set(found["candidates"]) == {
        distances.names.index(name) for name in expected.best(confidence=confidence).names
    }
    matrix = expected.matrix(margin=margin, confidence=confidence)
    for i, a in enumerate(found["shown"]):
        for j, b in enumerate(found["shown"]):
            if a == b:
                continue
            assert found["verdicts"][i][j] == matrix.verdict(matrix.names[a], matrix.names[b])
            if np.isnan(matrix.lower[a, b]):
                assert found["pValues"][i][j] is None or math.isnan(found["pValues"][i][j])
                assert found["gaps"][i][j] is None
                continue
            p = min(matrix.p_values[a, b], matrix.p_values[b, a])
            assert found["pValues"][i][j] == pytest.approx(p, rel=1e-9, abs=1e-12)
            np.testing.assert_allclose(found["gaps"][i][j], [matrix.lower[a, b], matrix.upper[a, b]], **close)


def odd(kind):
    """Appraisals off the usual path: tiny previews, copies, an approximated gram matrix, identical rows."""
    rng = np.random.default_rng(2)
    rows = {
        "a": rng.normal(size=(40, 2)),
        "b": rng.normal(1.0, size=(30, 2)),
        "c": rng.normal(2.0, size=(9, 2)),
    }
    if kind == "tiny":
        rows["d"] = rng.normal(size=(3, 2))
    if kind == "identical":
        rows["d"] = rows["a"].copy()
    made = karat.appraise(rows, anchor=rng.normal(size=(35, 2)), keep_copies=True)
    moments = made.moments
    if kind == "copies":
        moments = replace(moments, effective_sizes=moments.effective_sizes * np.array([1.0, 0.5, 1.0, 0.8]))
    if kind == "approximated":
        error = np.abs(rng.normal(scale=1e-3, size=moments.gram.shape))
        moments = replace(moments, approximation=error + error.T)
    return replace(
        made,
        moments=moments,
        distances=squared_distances(moments, made.reference.contrasts, moments.vendor_names),
    )


@pytest.mark.parametrize("kind", ["tiny", "identical", "copies", "approximated"])
def test_odd_moments_give_the_librarys_numbers_too(open_report, kind):
    appraisal = odd(kind)
    page = open_report(report(appraisal)).page
    for mixture in ({"anchor": 1.0}, {"a": 0.6, "b": 0.4}, {"anchor": 0.9, "c": 0.1}):
        weights = [mixture.get(name, 0.0) for name in appraisal.moments.names]
        found = page.evaluate("(w) => karat.whatIf(w, { margin: 5 })", weights)
        assert_same(found, appraisal.what_if(mixture), margin="5%", confidence=0.95)


def test_beyond_thirty_vendors_there_are_values_and_order_without_intervals(open_report):
    appraisal = contaminated(33, rows=12, anchor=20)
    page = open_report(report(appraisal)).page
    weights = np.full(34, 1.0 / 34)
    found = page.evaluate("(w) => karat.whatIf(w)", weights.tolist())
    expected = appraisal.what_if(dict(zip(appraisal.moments.names, weights.tolist(), strict=True)))
    np.testing.assert_allclose(found["squared"], expected.distances.squared, rtol=0, atol=1e-12)
    assert [appraisal.moments.names[a] for a in found["order"]] == [v.name for v in expected.ranking]
    assert set(found["intervals"]) == {None}
