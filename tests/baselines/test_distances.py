from __future__ import annotations

import numpy as np
import pytest

from karat.baselines import value
from karat.baselines.distances import sliced_squares
from karat.vendors import Market

ot = pytest.importorskip("ot")


@pytest.fixture(scope="module")
def market():
    rng = np.random.default_rng(0)
    vendors = {"near": rng.normal(0.0, 1.0, (60, 3)), "far": rng.normal(1.0, 1.0, (60, 3))}
    return Market.from_arrays(vendors, anchor=rng.normal(size=(40, 3)))


SHIFT = np.array([3.0, -4.0, 0.0])


@pytest.fixture(scope="module")
def shifted_market():
    rows = np.random.default_rng(1).normal(size=(50, 3))
    return Market.from_arrays({"same": rows, "shifted": rows + SHIFT}, anchor=rows)


def test_wasserstein_is_that_of_another_library(market):
    own = market.anchor.rows
    expected = [-np.sqrt(ot.emd2([], [], ot.dist(s.rows, own))) for s in market.samples]
    np.testing.assert_allclose(value(market, "wasserstein").scores, expected, rtol=1e-9)


@pytest.mark.parametrize("name", ["wasserstein", "sinkhorn"])
def test_a_shifted_copy_is_as_far_as_its_shift(shifted_market, name):
    """A translation moves all rows alike: W_2 = |shift|, and so is the debiased divergence for any eps."""
    scores = value(shifted_market, name).scores
    assert scores[0] == pytest.approx(0.0, abs=1e-3)
    assert scores[1] == pytest.approx(-5.0, rel=1e-3)


def test_the_sliced_distance_of_a_shift_is_its_mean_over_directions(shifted_market):
    """Each direction sees |shift| cos, whose square averages |shift|^2 / d."""
    scores = value(shifted_market, "sliced-wasserstein", projections=4000).scores
    assert scores[0] == pytest.approx(0.0, abs=1e-12)
    assert scores[1] == pytest.approx(-5.0 / np.sqrt(3.0), rel=0.03)


def test_much_entropy_leaves_the_distance_of_the_means(market):
    """As eps grows all mass goes everywhere, and S_eps falls to half the squared gap of the means."""
    gaps = [np.linalg.norm(s.rows.mean(axis=0) - market.anchor.rows.mean(axis=0)) for s in market.samples]
    np.testing.assert_allclose(
        value(market, "sinkhorn", regularisation=1e4).scores, -np.array(gaps), rtol=1e-3
    )


def test_little_entropy_leaves_the_wasserstein_distance(market):
    exact = value(market, "wasserstein").scores
    np.testing.assert_allclose(value(market, "sinkhorn", regularisation=1e-3).scores, exact, rtol=0.03)


@pytest.mark.parametrize(("n", "m"), [(7, 7), (6, 9), (1, 5), (12, 5)])
def test_sliced_squares_are_those_of_another_library(n, m):
    rng = np.random.default_rng(2)
    x, y = rng.normal(size=(n, 3)), rng.normal(size=(m, 3))
    directions = rng.normal(size=(3, 4))
    directions /= np.linalg.norm(directions, axis=0)
    expected = [ot.emd2_1d(x @ v, y @ v, metric="sqeuclidean") for v in directions.T]
    np.testing.assert_allclose(sliced_squares(x, y, directions), expected, rtol=1e-9)


def test_vendors_of_different_sizes_are_compared_at_the_smallest():
    """Both hold rows of the anchor's own distribution; more rows alone would bring one nearer."""
    rng = np.random.default_rng(3)
    market = Market.from_arrays(
        {"few": rng.normal(size=(40, 5)), "many": rng.normal(size=(400, 5))}, anchor=rng.normal(size=(200, 5))
    )
    fair = value(market, "wasserstein").scores
    unfair = value(market, "wasserstein", equal_sizes=False).scores
    assert abs(fair[1] - fair[0]) < 0.1 < unfair[1] - unfair[0]


def test_rows_beyond_the_cap_are_drawn_by_the_seed(market):
    capped = [value(market, "wasserstein", most_rows=20, seed=s).scores.tolist() for s in (0, 0, 1)]
    assert capped[0] == capped[1] != capped[2]


def test_without_an_anchor_the_union_is_the_reference():
    rng = np.random.default_rng(4)
    vendors = {name: rng.normal(shift, 0.3, (30, 2)) for name, shift in [("a", -2.0), ("b", 0.0), ("c", 2.0)]}
    for name in ("wasserstein", "sinkhorn", "sliced-wasserstein"):
        values = value(vendors, name)
        assert values.details["reference"] == "uniform"
        assert values.scores.argmax() == 1


def test_a_reference_of_equal_rows_is_no_trouble():
    market = Market.from_arrays({"a": [[0.0], [0.0]], "b": [[1.0], [3.0]]}, anchor=[[0.0], [0.0]])
    assert value(market, "sinkhorn").scores[0] == 0.0
    assert value(market, "wasserstein").scores[1] == pytest.approx(-np.sqrt(5.0))
