from __future__ import annotations

import json
import math

import numpy as np
import pytest
from scipy.stats import t as student

from karat.errors import DecisionError, GuaranteeError
from karat.gram import Moments
from karat.guarantees import SquaredDistances, squared_distances
from karat.guarantees.influence import SharedReference
from karat.guarantees.score import score_interval
from slow_moments import gaussian, kernel_matrix, moments_from_kernel_matrix, slow_moments

SIZES = (6, 5, 8, 7)


def rows(seed: int = 0, sizes: tuple[int, ...] = SIZES) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    return [rng.normal(0.4 * j, 1.0, size=(m, 2)) for j, m in enumerate(sizes)]


def market(seed: int = 0, sizes: tuple[int, ...] = SIZES) -> Moments:
    return slow_moments(rows(seed, sizes), gaussian(1.3))


AGAINST_ANCHOR = np.eye(4)[:3] - np.eye(4)[3]
AGAINST_MIXTURE = np.eye(4)[:3] - np.array([0.5, 0.2, 0.3, 0.0])
ANYTHING = np.array([[1.0, -0.5, -0.5, 0.0], [0.3, 0.3, 0.4, -1.0], [0.0, 1.0, -1.0, 0.0]])


def of(moments: Moments, contrasts: np.ndarray) -> SquaredDistances:
    return squared_distances(moments, contrasts, [f"v{i}" for i in range(len(contrasts))])


def by_rows(contrasts: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """theta, P and V2 from the definitions: influences of all rows, interactions of all pairs of sources."""
    whole = kernel_matrix(np.concatenate(rows()), gaussian(1.3))
    moments = moments_from_kernel_matrix(whole, SIZES)
    ends = np.cumsum(SIZES)
    parts = [range(e - m, e) for e, m in zip(ends, SIZES, strict=True)]
    k = len(contrasts)
    theta, p, v2 = np.zeros(k), np.zeros((k, k)), np.zeros((k, k))
    means = [
        np.array([[np.mean([whole[x, y] for y in part if y != x]) for part in parts] for x in own])
        for own in parts
    ]
    for a, c in enumerate(contrasts):
        theta[a] = sum(
            c[j] * c[l] * np.mean([whole[x, y] for x in parts[j] for y in parts[l] if x != y])
            for j in range(4)
            for l in range(4)
        )
        for b, e in enumerate(contrasts):
            for j in range(4):
                first = [2.0 * c[j] * sum(c[l] * h[l] for l in range(4)) for h in means[j]]
                second = [2.0 * e[j] * sum(e[l] * h[l] for l in range(4)) for h in means[j]]
                p[a, b] += np.cov(first, second, ddof=1)[0, 1] / SIZES[j]
                for l in range(4):
                    weight = c[j] * c[l] * e[j] * e[l]
                    pairs = SIZES[j] * (SIZES[l] - (j == l))
                    v2[a, b] += 2.0 * weight * moments.interaction[j, l] / pairs
    return theta, p, v2


@pytest.mark.parametrize("contrasts", [AGAINST_ANCHOR, AGAINST_MIXTURE, ANYTHING, AGAINST_MIXTURE * 1.5])
def test_distances_and_both_parts_of_their_covariance_follow_the_definitions(contrasts: np.ndarray) -> None:
    theta, p, v2 = by_rows(contrasts)
    found = of(market(), contrasts)
    np.testing.assert_allclose(found.squared, theta, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(found.plug_in, p, rtol=1e-10, atol=1e-15)
    np.testing.assert_allclose(found.second_order, v2, rtol=1e-10, atol=1e-15)


def test_a_shared_reference_is_recognised_and_anything_else_is_not() -> None:
    assert SharedReference.of(AGAINST_MIXTURE) is not None
    assert SharedReference.of(AGAINST_MIXTURE * 1.5) is not None
    assert SharedReference.of(ANYTHING) is None
    assert SharedReference.of(AGAINST_ANCHOR[:1]) is None


def test_row_means_give_what_the_covariance_gives() -> None:
    whole = kernel_matrix(np.concatenate(rows()), gaussian(1.3))
    ends = np.cumsum(SIZES)
    parts = [range(e - m, e) for e, m in zip(ends, SIZES, strict=True)]
    means = [
        np.array([[np.mean([whole[x, y] for y in part if y != x]) for part in parts] for x in own])
        for own in parts
    ]
    moments = market()
    without = Moments(**{**vars(moments), "covariance": None})
    names = ["a", "b", "c"]
    streamed = squared_distances(without, AGAINST_MIXTURE, names, row_means=means)
    direct = squared_distances(moments, AGAINST_MIXTURE, names)
    np.testing.assert_allclose(streamed.plug_in, direct.plug_in, rtol=1e-10, atol=1e-16)
    np.testing.assert_allclose(streamed.degrees, direct.degrees, rtol=1e-10)


def test_without_covariance_or_row_means_there_are_values_but_no_intervals() -> None:
    without = Moments(**{**vars(market()), "covariance": None})
    found = of(without, AGAINST_MIXTURE)
    assert np.isfinite(found.squared).all()
    intervals = found.intervals(fewest_rows=4)
    assert intervals.pair(0) is None
    assert "covariance" in str(intervals.reasons[0])


def test_the_second_order_term_is_taken_off_and_never_below_itself() -> None:
    found = of(market(), AGAINST_ANCHOR)
    p, v2 = np.diag(found.plug_in), np.maximum(np.diag(found.second_order), 0.0)
    np.testing.assert_allclose(found.variance, np.maximum(p - v2, v2))
    np.testing.assert_allclose(found.standard_errors, np.sqrt(found.variance))


def test_the_parts_of_the_anchor_add_up_with_the_rest_to_the_whole() -> None:
    """With infinitely many vendor rows only the anchor's part is left."""
    moments = market()
    found = of(moments, AGAINST_ANCHOR)
    assert found.anchor is not None
    huge = np.array([1e12, 1e12, 1e12, moments.sizes[3]])
    endless = Moments(**{**vars(moments), "sizes": huge, "effective_sizes": huge})
    left = of(endless, AGAINST_ANCHOR)
    np.testing.assert_allclose(left.plug_in, found.anchor.plug_in, rtol=1e-6, atol=1e-12)
    np.testing.assert_allclose(left.second_order, found.anchor.second_order, rtol=1e-6, atol=1e-12)
    double = np.array([2.0, 2.0, 2.0, 1.0]) * moments.sizes
    grown = of(Moments(**{**vars(moments), "sizes": double, "effective_sizes": double}), AGAINST_ANCHOR)
    vendors = found.plug_in - found.anchor.plug_in
    np.testing.assert_allclose(grown.plug_in, found.anchor.plug_in + vendors / 2.0, rtol=1e-10)


def test_identical_previews_have_an_interval_from_zero_and_a_remark() -> None:
    """Not [0, 0]: in discrete data independent previews can be equal by chance, at a distance above 0."""
    same = rows()[0]
    moments = slow_moments([same, rows()[1], same], gaussian(1.3))
    found = squared_distances(moments, np.array([[1.0, 0.0, -1.0], [0.0, 1.0, -1.0]]), ["copy", "other"])
    intervals = found.intervals(fewest_rows=4)
    assert found.biased[0] == 0.0
    assert intervals.lower[0] == 0.0
    assert 0.0 < intervals.upper[0] < math.sqrt(2.0)
    assert intervals.reasons[0] == "the preview and the reference hold the same values in the same shares"
    assert intervals.pair(1) is not None


@pytest.mark.parametrize(("fewest", "words"), [(3, "a variance needs 4"), (6, "intervals are shown from 10")])
def test_too_few_rows_give_no_interval_but_a_reason(fewest: int, words: str) -> None:
    found = of(market(sizes=(12, fewest, 12, 12)), AGAINST_ANCHOR)
    intervals = found.intervals()
    assert intervals.pair(1) is None
    assert words in str(intervals.reasons[1])
    assert intervals.pair(0) is not None
    assert intervals.reasons[0] is None


def test_a_tiny_vendor_spoils_only_the_references_that_contain_it() -> None:
    moments = market(sizes=(12, 3, 12, 12))
    assert of(moments, AGAINST_ANCHOR).intervals().pair(0) is not None
    assert of(moments, AGAINST_MIXTURE).intervals().pair(0) is None


def test_higher_confidence_gives_wider_intervals_that_contain_the_estimate() -> None:
    found = of(market(sizes=(12, 15, 12, 20)), AGAINST_ANCHOR)
    low, high = found.intervals(0.8), found.intervals(0.99)
    assert (high.lower <= low.lower).all()
    assert (high.upper >= low.upper).all()
    assert (low.lower <= found.mmd + 1e-12).all()
    assert (low.upper >= found.mmd - 1e-12).all()


@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.99])
def test_each_side_of_an_interval_has_half_of_the_error_by_students_t(confidence: float) -> None:
    found = of(market(sizes=(12, 15, 12, 20)), AGAINST_ANCHOR)
    quantile = student.isf((1.0 - confidence) / 2.0, found.degrees)
    lower, upper = score_interval(
        found.squared, found.biased, np.diag(found.plug_in), np.diag(found.second_order), quantile=quantile
    )
    intervals = found.intervals(confidence)
    np.testing.assert_allclose(intervals.squared_lower, lower)
    np.testing.assert_allclose(intervals.squared_upper, upper)


def test_approximation_error_widens_intervals_and_standard_errors() -> None:
    moments = market(sizes=(12, 15, 12, 20))
    rough = Moments(**{**vars(moments), "approximation": np.full((4, 4), 1e-3)})
    exact, approximated = of(moments, AGAINST_ANCHOR), of(rough, AGAINST_ANCHOR)
    np.testing.assert_allclose(approximated.standard_errors - exact.standard_errors, 4e-3)
    assert (approximated.intervals().squared_upper > exact.intervals().squared_upper + 4e-3).all()


def test_a_source_where_all_comes_from_counts_its_own_degrees_of_freedom() -> None:
    """Two sources of variance p each with f degrees of freedom have 2 f together (Welch 1938)."""
    moments = market(sizes=(12, 12, 12, 12))
    covariance = np.zeros((4, 4, 4))
    covariance[0] = covariance[3] = np.eye(4)
    even = Moments(**{**vars(moments), "covariance": covariance})
    assert of(even, AGAINST_ANCHOR).degrees[0] == pytest.approx(22.0)
    assert of(even, AGAINST_ANCHOR).degrees[1] == pytest.approx(11.0)


def test_subsets_are_the_same_numbers() -> None:
    found = of(market(), AGAINST_ANCHOR)
    part = found.select(["v2", "v0"])
    assert part.names == ("v2", "v0")
    assert part.plug_in[0, 1] == found.plug_in[2, 0]
    assert part.anchor is not None
    assert found.anchor is not None
    assert part.anchor.mixed[0, 0] == found.anchor.mixed[2, 2]
    with pytest.raises(DecisionError, match=r"no vendor 'nobody'.*It knows v0"):
        found.index("nobody")


def test_saved_distances_come_back_bit_for_bit() -> None:
    found = of(market(), AGAINST_ANCHOR)
    again = SquaredDistances.from_dict(json.loads(json.dumps(found.to_dict())))
    assert again.names == found.names
    for name in (
        "squared",
        "biased",
        "plug_in",
        "second_order",
        "degrees",
        "sizes",
        "fewest",
        "approximation",
    ):
        np.testing.assert_array_equal(getattr(again, name), getattr(found, name))
    assert again.anchor is not None
    assert found.anchor is not None
    np.testing.assert_array_equal(again.anchor.mixed, found.anchor.mixed)


@pytest.mark.parametrize("confidence", [0.0, 1.0, -0.5, 95.0, math.nan])
def test_a_confidence_outside_0_and_1_is_refused(confidence: float) -> None:
    with pytest.raises(DecisionError, match=r"not between 0 and 1.*0\.95"):
        of(market(), AGAINST_ANCHOR).intervals(confidence)


def test_names_and_contrasts_have_to_match() -> None:
    with pytest.raises(GuaranteeError, match="3 contrasts came with 1 names"):
        squared_distances(market(), AGAINST_ANCHOR, ["one"])
