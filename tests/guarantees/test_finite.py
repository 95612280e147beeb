from __future__ import annotations

import math

import numpy as np
import pytest

from karat.errors import GuaranteeError
from karat.gram import Moments
from karat.guarantees import FiniteDistances, finite_distances
from slow_moments import gaussian, slow_moments


def single(
    contrast: list[float],
    sizes: list[float],
    spread: list[float],
    *,
    bound: float = 1.0,
    nonnegative: bool = True,
    has_copies: bool = False,
) -> FiniteDistances:
    return FiniteDistances(
        names=("a",),
        biased=np.array([0.04]),
        contrasts=np.array([contrast]),
        sizes=np.array(sizes),
        spread=np.array(spread),
        bound=bound,
        nonnegative=nonnegative,
        has_copies=has_copies,
    )


VENDOR = single([1.0, -1.0], [100.0, 400.0], [0.3, 0.2])


def test_bounded_difference_radii_are_the_closed_forms() -> None:
    s = 1 / 100 + 1 / 400
    log = math.log(1 / 0.05)
    assert VENDOR.bounded_difference_radius(0.05)[0] == pytest.approx(math.sqrt(s) + math.sqrt(s * log))
    assert VENDOR.deviation(0.05)[0] == pytest.approx(math.sqrt(s * log))


def test_the_variance_aware_radius_is_its_closed_form() -> None:
    log = math.log(3 / 0.05)
    step, factor = math.sqrt(2.0) / 100, 100 / 99
    w = 0.3 / 100 + 0.2 / 400
    width = math.sqrt(factor * step**2 * log / 2) + math.sqrt(w + factor * step**2 * log / 2)
    expected = step * log / 3 + math.sqrt((step * log / 3) ** 2 + 2 * width**2 * log)
    assert VENDOR.variance_aware_radius(0.05)[0] == pytest.approx(expected)
    simpler = math.sqrt(2 * w * log) + (2 * math.sqrt(factor) + 2 / 3) * step * log
    assert expected <= simpler


def test_kernels_that_may_be_negative_get_wider_radii() -> None:
    either = single([1.0, -1.0], [100.0, 400.0], [0.3, 0.2], nonnegative=False)
    s, log = 1 / 100 + 1 / 400, math.log(1 / 0.05)
    assert either.deviation(0.05)[0] == pytest.approx(math.sqrt(2 * s * log))
    assert either.bounded_difference_radius(0.05)[0] == pytest.approx(math.sqrt(s) + math.sqrt(2 * s * log))
    assert either.variance_aware_radius(0.05)[0] > VENDOR.variance_aware_radius(0.05)[0]


def test_radii_scale_with_the_root_of_the_bound() -> None:
    """A kernel times 4 has distances times 2."""
    four = single([1.0, -1.0], [100.0, 400.0], [1.2, 0.8], bound=4.0)
    for radius in ("bounded_difference_radius", "variance_aware_radius", "deviation"):
        assert getattr(four, radius)(0.01)[0] == pytest.approx(2.0 * getattr(VENDOR, radius)(0.01)[0])


@pytest.mark.parametrize("spread", [0.01, 1.0])
def test_the_shares_of_an_interval_add_up_to_what_was_asked(spread: float) -> None:
    """With a small spread the variance-aware radius is the smaller, with a large one bounded differences."""
    vendor = single([1.0, -1.0], [100.0, 400.0], [spread, spread])
    down, up = vendor.radii(0.95)
    bounded, aware = vendor.bounded_difference_radius(0.0125)[0], vendor.variance_aware_radius(0.025)[0]
    assert (aware < bounded) == (spread == 0.01)
    assert down[0] == pytest.approx(min(bounded, aware))
    assert up[0] == pytest.approx(min(vendor.deviation(0.0125)[0], aware))


def test_bounded_differences_alone_halve_what_was_asked() -> None:
    plain_down, plain_up = VENDOR.radii(0.95, form="bounded differences")
    assert plain_down[0] == pytest.approx(VENDOR.bounded_difference_radius(0.025)[0])
    assert plain_up[0] == pytest.approx(VENDOR.deviation(0.025)[0])


def test_a_family_of_intervals_takes_its_share_each() -> None:
    np.testing.assert_allclose(VENDOR.radii(0.95, family=5), VENDOR.radii(0.99, family=1))


def test_copies_exclude_the_variance_aware_radius() -> None:
    copies = single([1.0, -1.0], [100.0, 400.0], [0.001, 0.001], has_copies=True)
    assert copies.radii(0.95)[1][0] == copies.deviation(0.0125)[0]


def test_radii_for_weights_chosen_from_the_data_add_up_per_source() -> None:
    chosen = FiniteDistances(**{**vars(VENDOR), "chosen_from_data": True})
    alone = [
        min(
            single([1.0], [m], [v]).bounded_difference_radius(0.05 / 4)[0],
            single([1.0], [m], [v]).variance_aware_radius(0.05 / 4)[0],
        )
        for m, v in ((100.0, 0.3), (400.0, 0.2))
    ]
    down, up = chosen.radii(0.95, family=10)
    assert down[0] == up[0] == pytest.approx(sum(alone))
    assert down[0] > VENDOR.radii(0.95)[0][0]


def test_an_interval_is_never_below_zero_and_contains_the_estimate() -> None:
    found = VENDOR.intervals(0.95)
    assert 0.0 <= found.lower[0] <= 0.2 <= found.upper[0]


def market(**changes: object) -> Moments:
    rng = np.random.default_rng(0)
    moments = slow_moments([rng.normal(size=(m, 1)) for m in (5, 6, 7)], gaussian(1.0))
    return Moments(**{**vars(moments), **changes})


CONTRASTS = np.array([[1.0, 0.0, -1.0], [0.0, 1.0, -1.0]])


def test_moments_give_the_distance_of_actual_vectors() -> None:
    moments = market()
    found = finite_distances(moments, CONTRASTS, ["a", "b"])
    assert found.mmd[0] == pytest.approx(math.sqrt(CONTRASTS[0] @ moments.gram_biased @ CONTRASTS[0]))
    np.testing.assert_allclose(found.spread, moments.self_mean - np.diag(moments.gram))
    assert not found.has_copies


def test_unbounded_kernels_are_refused_with_what_to_change() -> None:
    with pytest.raises(GuaranteeError, match=r"unbounded.*k\(x, x\).*gaussian.*'asymptotic'"):
        finite_distances(market(bound=math.inf), CONTRASTS, ["a", "b"])


def test_approximated_sums_are_refused() -> None:
    with pytest.raises(GuaranteeError, match=r"approximated.*exact method"):
        finite_distances(market(approximation=np.zeros((3, 3))), CONTRASTS, ["a", "b"])


def test_effective_sizes_smaller_than_rows_mean_copies() -> None:
    assert finite_distances(
        market(effective_sizes=np.array([4.0, 6.0, 7.0])), CONTRASTS, ["a", "b"]
    ).has_copies


@pytest.mark.parametrize("bias", ["fair", "rare"])
def test_each_radius_fails_no_more_often_than_it_may_and_is_not_vacuous(bias: str) -> None:
    """Bernoulli rows with the kernel [x = y]: |mu^ - mu|^2 = 2 (p^ - p)^2, computed in closed form.

    The worst case of the bounded-difference argument: noise in a single direction.
    """
    p = {"fair": 0.5, "rare": 0.02}[bias]
    rows, delta = 200, 0.2
    shares = np.random.default_rng(1).binomial(rows, p, size=20_000) / rows
    errors = math.sqrt(2.0) * np.abs(shares - p)
    failures = {}
    spreads = 2.0 * shares * (1.0 - shares) * rows / (rows - 1)
    for name in ("bounded_difference_radius", "variance_aware_radius"):
        radii = np.array([getattr(single([1.0], [rows], [v]), name)(delta)[0] for v in np.unique(spreads)])
        radius = radii[np.searchsorted(np.unique(spreads), spreads)]
        failures[name] = float((errors > radius).mean())
        assert failures[name] <= delta
    one_sided = single([1.0], [rows], [0.0]).deviation(delta)[0]
    assert (math.sqrt(2.0) * (shares - p) > one_sided).mean() <= delta
    if bias == "rare":
        average = np.mean([single([1.0], [rows], [v]).variance_aware_radius(delta)[0] for v in spreads[:200]])
        assert average < single([1.0], [rows], [0.0]).bounded_difference_radius(delta)[0]
