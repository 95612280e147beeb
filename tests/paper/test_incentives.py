from __future__ import annotations

import numpy as np
import pytest

from karat.baselines.base import moments_of
from karat.kernels import kernel_named
from karat.paper.incentives import FIRST, WAYS, Incentives, cases, changed, code_ways, kernel_ways
from karat.values import reference_named, squared_mmd, value
from karat.vendors import Market
from paper_sets import put_in_place


@pytest.fixture
def previews():
    rng = np.random.default_rng(0)
    honest = [rng.normal(shift, 1.0, (60, 2)).astype(np.float32) for shift in (0.0, 0.5, 1.0)]
    noisy = [(rows + rng.normal(0.0, 1.0, rows.shape)).astype(np.float32) for rows in honest]
    return honest, noisy, rng.normal(0.0, 1.0, (80, 2)).astype(np.float32)


def test_one_set_of_moments_answers_every_case_as_markets_of_their_own_do(previews):
    honest, noisy, test = previews
    found = kernel_ways(honest, noisy, {"test": test})
    for case, by_test, by_all in zip(cases(3), found["test"], found["uniform"], strict=True):
        shown = {str(i): [*honest, *noisy][j] for i, j in enumerate(case)}
        for rows, anchor, scores in ((test, test, by_test), (honest, None, by_all)):
            kernel = kernel_named("default", [rows] if anchor is not None else rows)
            moments = moments_of(Market.from_arrays(shown, anchor=anchor), kernel)
            squared = squared_mmd(moments.gram, reference_named(moments, None).contrasts)
            # Near 0 the root turns rounding of the square into a visible difference.
            np.testing.assert_allclose(value(squared), scores, atol=2e-3)


def test_every_vendor_misreports_in_turn():
    assert cases(2) == [[0, 1], [2, 1], [0, 3]]
    assert changed([[1.0, 2.0], [0.5, 2.0], [1.0, 1.0]]) == [[-0.5, 0.0], [0.0, -1.0]]


def test_the_authors_values_have_a_row_per_case(previews):
    honest, noisy, test = previews
    found = code_ways(honest, noisy, test, seed=0)
    assert [len(row) for row in found["code"]] == [3, 3, 3, 3]
    assert found["code test"][0][1:] == found["code test"][1][1:]


def test_the_preview_of_vendor_1_as_reference_gives_vendor_1_nothing_to_lose(previews):
    honest, noisy, test = previews
    found = kernel_ways(honest, noisy, {"test": test})
    assert [values[0] for values in found[FIRST]] == [0.0] * 4
    assert found[FIRST][1] != found[FIRST][0]


def test_noise_costs_its_vendor_value_under_every_reference(monkeypatch):
    put_in_place(monkeypatch)
    settings = {"name": "incentives-x", "scale": "quick", "trials": 2, "pair": "calih-kingh"}
    experiment = Incentives(**settings, n_vendors=5, rows=200, variance=4.0)
    summary = experiment.summary({cell: experiment.run(cell) for cell in experiment.cells()})
    assert set(summary["falls"]) == set(WAYS)
    assert summary["falls"]["test"]
    assert len(summary["correlation"]) == 5
