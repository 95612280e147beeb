from __future__ import annotations

import math

import numpy as np
import pytest

from karat.baselines import value
from karat.errors import ValuationError
from karat.vendors import Market


def market_of(*shifts, rows=150):
    rng = np.random.default_rng(0)
    vendors = {f"v{i}": rng.normal(shift, 1.0, size=(rows, 1)) for i, shift in enumerate(shifts)}
    return Market.from_arrays(vendors, anchor=rng.normal(size=(rows, 1)))


def test_the_auc_of_a_shift_is_the_textbook_one():
    """AUC = P(x > y) = Phi(shift / sqrt 2) for two normals; a logistic model of one column orders by it."""
    scores = value(market_of(0.5, 1.5, rows=1000), "classifier-two-sample", model="logistic").scores
    expected = [0.5 - 0.5 * (1.0 + math.erf(shift / 2.0)) for shift in (0.5, 1.5)]
    np.testing.assert_allclose(scores, expected, atol=0.035)


@pytest.mark.parametrize("model", ["boosting", "logistic"])
def test_equal_distributions_are_not_told_apart_and_far_ones_always(model):
    values = value(market_of(0.0, 50.0), "classifier-two-sample", model=model)
    assert values.scores[0] == pytest.approx(0.0, abs=0.1)
    assert values.scores[1] == -0.5


def test_a_difference_of_spread_is_seen_by_trees_alone():
    rng = np.random.default_rng(1)
    market = Market.from_arrays({"wide": rng.normal(0.0, 4.0, (200, 1))}, anchor=rng.normal(size=(200, 1)))
    assert value(market, "classifier-two-sample").scores[0] < -0.15
    assert value(market, "classifier-two-sample", model="logistic").scores[0] > -0.12


def test_too_few_rows_are_named():
    market = Market.from_arrays({"tiny": [[0.0], [1.0]]}, anchor=np.arange(10.0)[:, None])
    with pytest.raises(ValuationError, match="needs 4 rows on each side, and vendor 'tiny' has 2"):
        value(market, "classifier-two-sample")


def test_a_small_anchor_is_enough_to_run():
    rng = np.random.default_rng(2)
    market = Market.from_arrays({"a": rng.normal(size=(100, 2))}, anchor=rng.normal(size=(5, 2)))
    assert -0.5 <= value(market, "classifier-two-sample").scores[0] <= 0.5
