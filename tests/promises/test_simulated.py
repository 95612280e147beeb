"""The simulated markets are what they claim to be: moments as by the oracle, truths as by long sums."""

from __future__ import annotations

import numpy as np
import pytest

from karat.gram import kernel_sums, moments_from_sums
from karat.kernels import GaussianMean, default_kernel
from karat.promises import markets
from karat.promises.batches import (
    batched_moments,
    default_kernel_values,
    median_distances,
    squared_distances_within,
)
from karat.promises.markets import Setting, simulate
from karat.promises.populations import Pools, Population, discrete, heavy_tails, normal
from slow_moments import kernel_matrix, moments_from_kernel_matrix

FIELDS = ("gram", "gram_biased", "self_mean", "covariance", "interaction")
SIZES = (5, 8, 6)


def small_pools() -> Pools:
    rng = np.random.default_rng(5)
    return Pools("pools", rng.normal(size=(60, 3)), rng.normal(1.0, 1.5, size=(50, 3)))


def test_batched_moments_are_those_of_the_oracle_and_of_the_engine() -> None:
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(2, sum(SIZES), 3))
    squares = squared_distances_within(rows)
    bandwidth = median_distances(squared_distances_within(rows[:, -6:]))
    found = list(batched_moments(default_kernel_values(squares, bandwidth), SIZES, anchor=True))
    for run in range(2):
        kernel = default_kernel([rows[run, -6:]])
        assert kernel.bandwidths[1] == pytest.approx(bandwidth[run])

        def value(x: np.ndarray, y: np.ndarray, kernel: GaussianMean = kernel) -> float:
            return float(kernel.block(x[None], y[None])[0, 0])

        slow = moments_from_kernel_matrix(kernel_matrix(rows[run], value), SIZES)
        parts = np.split(rows[run], np.cumsum(SIZES)[:-1])
        sums = kernel_sums(parts, kernel, precision="float64")
        engine = moments_from_sums(sums, names=found[run].names, kernel=kernel, anchor=2)
        for field in FIELDS:
            np.testing.assert_allclose(
                getattr(found[run], field), getattr(slow, field), rtol=1e-9, atol=1e-12
            )
            np.testing.assert_allclose(
                getattr(found[run], field), getattr(engine, field), rtol=1e-9, atol=1e-12
            )


def test_medians_of_mostly_equal_rows_are_taken_over_unequal_ones() -> None:
    rows = np.zeros((1, 6, 1))
    rows[0, 0, 0] = 3.0
    assert median_distances(squared_distances_within(rows))[0] == pytest.approx(3.0)


@pytest.mark.parametrize(
    "population", [normal(), heavy_tails(), discrete(), small_pools()], ids=lambda p: p.name
)
def test_products_are_what_long_sums_tend_to(population: Population) -> None:
    rng = np.random.default_rng(1)
    clean, other = (population.draw(rng, 1, 3000, share)[0] for share in (0.0, 1.0))
    kernel = GaussianMean([1.0, 2.0, 4.0])
    exact = population.products(np.array([2.0, 2.2]), None)[0]
    for i, a in enumerate((clean, other)):
        for j, b in enumerate((clean, other)):
            if i == j:
                a, b = a[:1500], a[1500:]
            assert kernel.block(a, b).mean() == pytest.approx(exact[i, j], abs=0.02)


def test_products_of_pools_are_interpolated_closely() -> None:
    pools = small_pools()
    bandwidths = np.array([1.0, 2.0, 2.4, 5.0])
    found = pools.products(bandwidths, None)
    for bandwidth, products in zip(bandwidths, found, strict=True):
        kernel = GaussianMean([0.5 * bandwidth, bandwidth, 2.0 * bandwidth])
        parts = (pools.clean, pools.other)
        exact = [[kernel.block(a, b).mean() for b in parts] for a in parts]
        np.testing.assert_allclose(products, exact, rtol=1e-6)


def test_columns_divided_by_a_scale_have_the_products_of_the_divided_distributions() -> None:
    scale = np.array([[1.0, 10.0, 0.1, 3.0]])
    made = normal().products(np.array([1.5]), scale)[0]
    plain = normal()
    divided = type(plain)(
        "divided",
        type(plain.clean)(plain.clean.weights, plain.clean.means / scale, plain.clean.variances / scale**2),
        type(plain.clean)(plain.other.weights, plain.other.means / scale, plain.other.variances / scale**2),
    )
    np.testing.assert_allclose(made, divided.products(np.array([1.5]), None)[0])


@pytest.mark.parametrize("anchor", [True, False])
def test_small_and_large_markets_take_different_roads_to_the_same_moments(
    anchor: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    setting = Setting(normal(), (0.3, 0.0, 0.0), (12, 12, 12), anchor=anchor, encode=True)
    batches = list(simulate(setting, 3, np.random.default_rng(2)))
    monkeypatch.setattr(markets, "ENGINE_ROWS", 1)
    monkeypatch.setattr(markets, "runs_per_batch", lambda rows: 3)
    engine = list(simulate(setting, 3, np.random.default_rng(2)))
    for a, b in zip(batches, engine, strict=True):
        np.testing.assert_allclose(a.truth, b.truth, rtol=1e-9)
        assert a.moments.names == b.moments.names
        for field in FIELDS:
            np.testing.assert_allclose(
                getattr(a.moments, field), getattr(b.moments, field), rtol=1e-8, atol=1e-12
            )


def test_estimates_lie_around_the_truth_without_bias() -> None:
    setting = Setting(heavy_tails(), (0.4, 0.0), (30, 40), encode=True)
    contrast = np.array([[1.0, -1.0]])
    errors = [
        float(contrast[0] @ run.moments.gram @ contrast[0] - run.squared(contrast)[0])
        for run in simulate(setting, 400, np.random.default_rng(3))
    ]
    assert abs(np.mean(errors)) < 3.5 * np.std(errors) / 20.0
