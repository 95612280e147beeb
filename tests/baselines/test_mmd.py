from __future__ import annotations

import numpy as np
import pytest

from karat.baselines import moments_of, value
from karat.baselines.mmd import TAY_LENGTHSCALES
from karat.errors import ValuationError
from karat.kernels import Gaussian
from karat.vendors import Market


@pytest.fixture(scope="module")
def market():
    rng = np.random.default_rng(0)
    shifts = {"near": 0.1, "far": 1.0, "middle": 0.5}
    vendors = {
        name: rng.normal(shift, 1.0, size=(30 + 10 * i, 2)) for i, (name, shift) in enumerate(shifts.items())
    }
    return Market.from_arrays(vendors, anchor=rng.normal(size=(25, 2)))


def distances(x, y):
    return np.sqrt(((x[:, None, :] - y[None, :, :]) ** 2).sum(axis=2))


def off_diagonal_mean(matrix):
    return matrix[~np.eye(len(matrix), dtype=bool)].mean()


def slow_squared(x, y, bandwidth, *, biased):
    """MMD^2 of one Gaussian, pair by pair."""
    k_xx, k_yy, k_xy = (np.exp(-(distances(*p) ** 2) / (2 * bandwidth**2)) for p in ((x, x), (y, y), (x, y)))
    mean = np.mean if biased else off_diagonal_mean
    return mean(k_xx) + mean(k_yy) - 2.0 * k_xy.mean()


def test_ours_is_minus_the_root_of_the_unbiased_square(market):
    values = value(market, "mmd", kernel=Gaussian(1.5))
    slow = [slow_squared(s.rows, market.anchor.rows, 1.5, biased=False) for s in market.samples]
    np.testing.assert_allclose(values.details["squared"], slow, atol=2e-6)
    np.testing.assert_allclose(values.scores, -np.sqrt(np.maximum(slow, 0.0)), atol=1e-4)


def test_mmd2_is_minus_the_biased_square(market):
    values = value(market, "mmd2", kernel=Gaussian(1.5))
    slow = [-slow_squared(s.rows, market.anchor.rows, 1.5, biased=True) for s in market.samples]
    np.testing.assert_allclose(values.scores, slow, atol=2e-6)


def test_moments_that_are_given_are_used(market):
    moments = moments_of(market, Gaussian(0.7))
    given = value(market, "mmd", moments=moments)
    assert given.scores.tolist() == value(market, "mmd", kernel=Gaussian(0.7)).scores.tolist()


def test_moments_of_another_market_are_refused(market):
    other = Market.from_arrays({"x": [[0.0], [1.0]], "y": [[2.0], [3.0]]})
    with pytest.raises(ValuationError, match="moments are of x, y, the market has near, far, middle, anchor"):
        value(market, "mmd", moments=moments_of(other))


def test_every_reference_of_values_can_be_asked_for(market):
    weighted = value(market, "mmd2", reference={"near": 0.5, "far": 0.5}, kernel=Gaussian(1.0))
    assert weighted.details["reference"] == "weights"
    near, far = market.samples[0].rows, market.samples[1].rows
    halves = slow_squared(near, far, 1.0, biased=True) / 4.0  # both are half of their gap from its middle
    np.testing.assert_allclose(weighted.scores[:2], [-halves, -halves], atol=2e-6)
    assert value(market, "mmd", reference="uniform").details["reference"] == "uniform"


def test_the_search_of_tay_finds_the_smallest_lengthscale_without_a_negative_value(market):
    def slow(lengthscale):
        def mean(x, y):
            return np.exp(-(distances(x, y) ** 2) / (2 * lengthscale**2)).mean()

        t = market.anchor.rows
        return np.array([2 * mean(s.rows, t) - mean(s.rows, s.rows) for s in market.samples])

    values = value(market, "mmd2", tay=True)
    found = values.details["lengthscale"]
    np.testing.assert_allclose(values.scores, slow(found), atol=1e-6)
    assert values.scores.min() >= 0.0
    step = (TAY_LENGTHSCALES[1] - TAY_LENGTHSCALES[0]) / 2**20
    assert slow(found - 2 * step).min() < 0.0


def test_the_dropped_term_of_tay_does_not_change_the_order():
    rng = np.random.default_rng(1)
    vendors = {f"v{i}": rng.normal(0.5 * i, 1.0, size=(40, 2)) for i in range(4)}
    market = Market.from_arrays(vendors, anchor=rng.normal(size=(40, 2)))
    tay = value(market, "mmd2", tay=True)
    plain = value(market, "mmd2", kernel=Gaussian(tay.details["lengthscale"]))
    np.testing.assert_allclose(np.diff(tay.scores), np.diff(plain.scores), atol=1e-6)


def test_tay_needs_one_reference_for_all(market):
    with pytest.raises(ValuationError, match="needs one reference for all, not 'leave-one-out'"):
        value(market, "mmd2", tay=True, reference="leave-one-out")


def test_energy_is_the_energy_distance(market):
    slow = []
    for sample in market.samples:
        x, y = sample.rows, market.anchor.rows
        within = off_diagonal_mean(distances(x, x)) + off_diagonal_mean(distances(y, y))
        slow.append(within - 2.0 * distances(x, y).mean())
    np.testing.assert_allclose(value(market, "energy").scores, slow, atol=1e-5)


def test_one_block_that_holds_all_rows_is_the_biased_estimate():
    rng = np.random.default_rng(2)
    rows, own = rng.normal(0.3, 1.0, size=(50, 2)), rng.normal(size=(50, 2))
    market = Market.from_arrays({"a": rows, "b": own + 1.0}, anchor=own)
    values = value(market, "mmd-block", kernel=Gaussian(1.0))
    assert values.scores[0] == pytest.approx(-np.sqrt(slow_squared(rows, own, 1.0, biased=True)), rel=1e-6)
    scaled = value(market, "mmd-block", kernel=Gaussian(1.0), compat="xu2024")
    np.testing.assert_allclose(scaled.scores, values.scores / np.sqrt(1024), rtol=1e-6)
