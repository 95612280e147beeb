from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import ndtri
from scipy.stats import chi2

from karat.guarantees.score import quantile_below, score_interval, steepness, variance_of

Z = np.array([1.959963984540054])


def one(value: float) -> np.ndarray:
    return np.array([value])


def interval(squared: float, plug_in: float, second_order: float, z: np.ndarray = Z) -> tuple[float, float]:
    low, high = score_interval(one(squared), one(squared + 1.0), one(plug_in), one(second_order), quantile=z)
    return float(low[0]), float(high[0])


@pytest.mark.parametrize(("squared", "plug_in", "second_order"), [(0.04, 1e-4, 1e-6), (0.001, 3e-6, 1e-6)])
def test_the_ends_solve_the_equation_that_defines_them(
    squared: float, plug_in: float, second_order: float
) -> None:
    """(estimate - theta)^2 = z^2 tau^2 theta + q^2 V2 at both ends that are not clipped at 0."""
    tau2 = steepness(one(squared), one(squared + 1.0), one(plug_in), one(second_order))[0]
    q = max(Z[0], (Z[0] ** 2 - 1.0) / math.sqrt(2.0))
    for end in interval(squared, plug_in, second_order):
        if end > 0.0:
            assert (squared - end) ** 2 == pytest.approx(Z[0] ** 2 * tau2 * end + q**2 * second_order)


def test_a_negative_estimate_gives_an_interval_from_zero() -> None:
    low, high = interval(-0.0005, 2e-6, 1e-6)
    assert low == 0.0
    assert 0.0 < high < interval(0.0005, 2e-6, 1e-6)[1]


def test_without_second_order_the_interval_in_mmd_is_symmetric_about_a_shifted_centre() -> None:
    """V2 = 0: sqrt(theta) lies within z tau / 2 of sqrt(estimate + z^2 tau^2 / 4)."""
    low, high = interval(0.04, 1e-4, 0.0)
    tau = math.sqrt(1e-4 / 0.04)
    centre = math.sqrt(0.04 + Z[0] ** 2 * tau**2 / 4.0)
    assert math.sqrt(low) == pytest.approx(centre - Z[0] * tau / 2.0)
    assert math.sqrt(high) == pytest.approx(centre + Z[0] * tau / 2.0)


def test_far_from_zero_steepness_is_the_first_order_variance_over_theta() -> None:
    far = steepness(one(100.0), one(101.0), one(3.0 + 2e-6), one(1e-6))[0]
    assert far == pytest.approx(3.0 / 100.0, rel=1e-3)


@pytest.mark.parametrize(("directions", "expected"), [(1, 4.0), (16, 8.0), (81, 12.0)])
def test_at_zero_steepness_lies_between_the_average_eigenvalue_and_the_bound(
    directions: int, expected: float
) -> None:
    """Equal eigenvalues, D of them: average 1, bound sqrt(D), geometric mean D^(1/4); V2 = 2 tr H^2."""
    eigenvalue = 0.01
    v2, total = 2.0 * directions * eigenvalue**2, directions * eigenvalue
    found = steepness(one(0.0), one(total), one(2.0 * v2), one(v2))[0]
    assert found == pytest.approx(expected * eigenvalue)


def test_steepness_never_exceeds_four_times_all_the_noise_there_is() -> None:
    """Noise in one direction of eigenvalue B = c'Vc - c'Gc has tau^2 = 4 B; no noise has more."""
    assert steepness(one(1e-9), one(1e-9 + 0.01), one(1e-3), one(0.0))[0] == pytest.approx(0.04)


@pytest.mark.parametrize("dimension", [1, 2, 5, 50])
@pytest.mark.parametrize("confidence", [0.9, 0.95, 0.99, 0.999])
def test_at_distance_zero_the_lower_end_stays_zero_often_enough(dimension: int, confidence: float) -> None:
    """At theta = 0 the estimate is (chi-square_D - D) * lambda; V2 = 2 D lambda^2; it may exceed q sqrt(V2)
    with probability at most 1 - confidence.
    """
    z = float(ndtri((1.0 + confidence) / 2.0))
    q = max(z, (z**2 - 1.0) / math.sqrt(2.0))
    exceeds = chi2.sf(dimension + q * math.sqrt(2.0 * dimension), dimension)
    assert exceeds <= (1.0 - confidence) * 1.3


def test_variance_is_the_plug_in_less_the_second_order_term() -> None:
    np.testing.assert_allclose(
        variance_of(np.array([5.0, 5.0, 1.0, 1.0]), np.array([1.0, 4.0, 0.9, -0.2])), [4.0, 4.0, 0.9, 1.0]
    )


@pytest.mark.parametrize("z", [0.3, 1.0, 1.9, 1.96, 3.0, 6.0])
@pytest.mark.parametrize("squared", [-0.0005, 0.0, 0.0004, 0.02])
@pytest.mark.parametrize(("plug_in", "second_order"), [(3e-6, 1e-6), (1e-5, 0.0), (2e-6, 1e-6)])
def test_the_quantile_below_an_edge_is_the_one_whose_interval_ends_there(
    z: float, squared: float, plug_in: float, second_order: float
) -> None:
    edge = interval(squared, plug_in, second_order, one(z))[1]
    found = quantile_below(one(squared), one(squared + 1.0), one(plug_in), one(second_order), edge=one(edge))
    assert edge == 0.0 or found[0] == pytest.approx(z, rel=1e-9)


def test_no_quantile_ends_below_the_estimate_and_every_one_does_where_nothing_varies() -> None:
    none, all_ = (
        quantile_below(one(0.04), one(0.04), one(0.0), one(0.0), edge=one(edge))[0] for edge in (0.03, 0.05)
    )
    assert none == -math.inf
    assert all_ == math.inf
    unknown = quantile_below(one(0.04), one(0.05), one(math.nan), one(math.nan), edge=one(0.1))
    assert math.isnan(unknown[0])
