"""The numbers that the page computes are the library's."""

from __future__ import annotations

import math

import numpy as np
import pytest

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


@pytest.mark.parametrize("confidence", [0.8, 0.95, 0.999])
@pytest.mark.parametrize("percent", [0, 10])
def test_what_if_numbers_are_the_librarys(appraisal, open_report, confidence, percent):
    page = open_report(report(appraisal)).page
    for mixture in MIXTURES:
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
    np.testing.assert_allclose([e for e in found["intervals"] if e], ends[~np.isnan(ends[:, 0])], **close)
    assert set(found["candidates"]) == {
        distances.names.index(name) for name in expected.best(confidence=confidence).names
    }
    matrix = expected.matrix(margin=margin, confidence=confidence)
    for i, a in enumerate(found["shown"]):
        for j, b in enumerate(found["shown"]):
            if a == b:
                continue
            assert found["verdicts"][i][j] == matrix.verdict(matrix.names[a], matrix.names[b])
            p = np.nanmin([matrix.p_values[a, b], matrix.p_values[b, a]])
            assert found["pValues"][i][j] == pytest.approx(p, rel=1e-9, abs=1e-12)
            np.testing.assert_allclose(found["gaps"][i][j], [matrix.lower[a, b], matrix.upper[a, b]], **close)
