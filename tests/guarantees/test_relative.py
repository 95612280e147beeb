from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t as student

from karat.guarantees import Pairs, SquaredDistances


def distances(
    squared: list[float],
    plug_in: np.ndarray,
    second_order: np.ndarray | float = 0.0,
    degrees: float = 1e9,
    approximation: float = 0.0,
) -> SquaredDistances:
    k = len(squared)
    v2 = np.broadcast_to(np.asarray(second_order, dtype=float), (k, k)).copy()
    return SquaredDistances(
        names=tuple("abcdefgh"[:k]),
        squared=np.array(squared),
        biased=np.abs(np.array(squared)) + 0.01,
        plug_in=np.asarray(plug_in, dtype=float),
        second_order=v2,
        degrees=np.full(k, degrees),
        sizes=np.full(k, 100.0),
        fewest=np.full(k, 100.0),
        approximation=np.full(k, approximation),
    )


P = np.array([[4e-5, 2e-5], [2e-5, 9e-5]])


def pair(a: float = 0.04, b: float = 0.09, **options: float) -> Pairs:
    return Pairs.of(distances([a, b], P, **options), 0, 1)


def test_without_a_margin_the_statistic_is_the_difference_over_its_standard_error() -> None:
    z = pair().statistic()[0]
    assert z == pytest.approx((0.09 - 0.04) / np.sqrt(4e-5 + 9e-5 - 2 * 2e-5))


def test_without_a_margin_no_square_root_is_taken() -> None:
    """Two squared distances below zero still differ."""
    assert pair(-0.002, -0.001).statistic()[0] == pytest.approx(0.001 / np.sqrt(9e-5))
    assert pair(-0.002, -0.001).gap[0] == 0.0


def test_a_positive_margin_is_linearised_at_the_larger_distance() -> None:
    """d_b = 0.3, margin 0.06: f = 0.8, T = 0.24^2 - 0.04."""
    z = pair().statistic(0.06)[0]
    assert z == pytest.approx((0.24**2 - 0.04) / np.sqrt(0.64 * 9e-5 + 4e-5 - 2 * 0.8 * 2e-5))


def test_a_negative_margin_is_linearised_at_the_other_one() -> None:
    """d_a = 0.2, margin -0.05: f = 0.75, T = theta_b - 0.15^2."""
    z = pair(0.04, 0.0324).statistic(-0.05)[0]
    assert z == pytest.approx((0.0324 - 0.15**2) / np.sqrt(9e-5 + 0.5625 * 4e-5 - 2 * 0.75 * 2e-5))


def test_a_margin_that_the_larger_distance_does_not_reach_is_never_claimed() -> None:
    assert pair().statistic(0.3)[0] == -np.inf
    assert pair().p_value(0.3)[0] == 1.0


def test_what_noise_takes_below_zero_is_no_part_of_a_lead() -> None:
    """theta_a = -0.02 is noise: with d_b = 0.3 a margin of 0.299 leaves 0.001^2 and no more."""
    noisy = Pairs.of(distances([-0.02, 0.09], np.diag([1e-4, 1e-4])), 0, 1)
    assert noisy.statistic(0.299)[0] == pytest.approx(1e-6 / np.sqrt(1e-4), rel=1e-3)
    assert noisy.statistic()[0] == pytest.approx(0.11 / np.sqrt(2e-4))


@pytest.mark.parametrize("margin", [-0.01, -0.04, -0.3])
def test_what_is_better_is_not_worse_by_any_margin(margin: float) -> None:
    """The two share nearly all their noise, which no statistic with a margin can use where d_a is small."""
    shared = np.array([[1.0, 0.95], [0.95, 1.0]]) * 1e-4
    near = Pairs.of(distances([0.001, 0.011], shared), 0, 1)
    assert near.p_value()[0] < 0.001
    assert near.p_value(margin)[0] <= near.p_value()[0]


def test_the_second_order_term_is_taken_off_the_difference_too() -> None:
    v2 = np.array([[2e-5, 1e-5], [1e-5, 3e-5]])
    with_v2 = Pairs.of(distances([0.04, 0.09], P, v2), 0, 1)
    assert with_v2.standard_error()[0] ** 2 == pytest.approx(9e-5 - 3e-5)


def test_swapping_the_vendors_swaps_the_claims() -> None:
    there = pair()
    back = there.swapped()
    assert back.gap[0] == -there.gap[0]
    assert back.statistic()[0] == pytest.approx(-there.statistic()[0])
    lower, upper = there.gap_interval(0.95)
    other = back.gap_interval(0.95)
    assert (other[0][0], other[1][0]) == (pytest.approx(-upper[0]), pytest.approx(-lower[0]))


def test_p_values_come_from_students_t() -> None:
    few = pair(degrees=7.0)
    assert few.p_value()[0] == pytest.approx(student.sf(few.statistic()[0], 7.0))


def test_two_vendors_that_no_row_tells_apart_have_no_evidence_either_way() -> None:
    same = Pairs.of(distances([0.04, 0.04], np.full((2, 2), 1e-5)), 0, 1)
    assert same.statistic()[0] == 0.0
    assert same.p_value()[0] == 0.5


def test_approximation_error_weakens_every_claim() -> None:
    assert pair(approximation=1e-3).statistic()[0] < pair().statistic()[0]
    narrow, wide = pair().gap_interval(0.95), pair(approximation=1e-3).gap_interval(0.95)
    assert wide[0][0] < narrow[0][0] < narrow[1][0] < wide[1][0]


def test_where_neither_distance_is_told_from_zero_the_gap_is_bounded_by_their_upper_ends() -> None:
    small = Pairs.of(distances([-1e-4, -2e-4], P), 0, 1)
    lower, upper = small.gap_interval(0.95)
    assert lower[0] == pytest.approx(-small.a.upper(np.array([1.959964]))[0], rel=1e-5)
    assert upper[0] == pytest.approx(small.b.upper(np.array([1.959964]))[0], rel=1e-5)


def test_unknown_variances_give_nan_not_a_claim() -> None:
    unknown = Pairs.of(distances([0.04, 0.09], np.full((2, 2), np.nan)), 0, 1)
    assert np.isnan(unknown.p_value()[0])
    assert np.isnan(unknown.gap_interval(0.95)[0][0])


noise = st.floats(1e-6, 1e-3)
theta = st.floats(-0.01, 0.5)


@given(a=theta, b=theta, p_a=noise, p_b=noise, rho=st.floats(-0.9, 0.9), margin=st.floats(-0.3, 0.3))
def test_margins_inside_the_gap_interval_are_not_claimed_and_those_outside_are(
    a: float, b: float, p_a: float, p_b: float, rho: float, margin: float
) -> None:
    cross = rho * np.sqrt(p_a * p_b)
    found = Pairs.of(distances([a, b], np.array([[p_a, cross], [cross, p_b]])), 0, 1)
    lower, upper = found.gap_interval(0.95)
    assert lower[0] <= upper[0]
    claimed = found.p_value(margin)[0] < 0.025
    refuted = found.swapped().p_value(-margin)[0] < 0.025
    assert claimed == (margin < lower[0]) or margin == pytest.approx(lower[0], abs=1e-6)
    assert refuted == (margin > upper[0]) or margin == pytest.approx(upper[0], abs=1e-6)
    assert not (claimed and refuted)


def test_two_vendors_as_near_as_can_be_are_not_worse_by_more_than_either_could_be_off() -> None:
    """d_b is never negative, so d_a alone below the margin is enough; and no smaller margin is claimed."""
    near = Pairs.of(distances([-1e-4, -2e-4], P, 1e-5), 0, 1)
    for found in (near.swapped(), near):
        end = found.a.upper(np.array([1.959964]))[0]
        assert found.p_value(-1.001 * end)[0] < 0.025 < found.p_value(-0.999 * end)[0]
    on_a, on_b = near.linearisation(-1.001 * end)
    assert (on_a[0], on_b[0]) == (1.0, 0.0)


def test_many_pairs_at_once_are_the_same_as_one_by_one() -> None:
    rng = np.random.default_rng(0)
    root = rng.normal(size=(6, 6)) * 0.005
    found = distances(list(rng.uniform(0.0, 0.2, 6)), root @ root.T + 1e-6 * np.eye(6), 1e-8)
    i, j = np.triu_indices(6, 1)
    together = Pairs.of(found, i, j).gap_interval(0.9)
    alone = [Pairs.of(found, a, b).gap_interval(0.9) for a, b in zip(i, j, strict=True)]
    np.testing.assert_allclose(together[0], [x[0][0] for x in alone])
    np.testing.assert_allclose(together[1], [x[1][0] for x in alone])
