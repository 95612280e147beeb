from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from karat.errors import DecisionError, GuaranteeError
from karat.gram import Moments
from karat.guarantees import (
    FiniteDistances,
    Pairs,
    SquaredDistances,
    asymptotic_growth,
    finite_distances,
    growth_below,
    guaranteed_growth,
    rows_before_data,
    rows_before_data_asymptotic,
    squared_distances,
)
from karat.guarantees.score import score_interval
from slow_moments import gaussian, slow_moments


def test_rows_before_any_data_are_those_of_the_derivation() -> None:
    """g = 0.1, K = 1, 95 %: about 4,700 guaranteed, 2,400 asymptotically with 80 % power."""
    assert rows_before_data(bound=1.0, gap=0.1) == 4688
    assert rows_before_data_asymptotic(bound=1.0, gap=0.1) == 2355


@pytest.mark.parametrize("bound", [1.0, 4.0])
def test_rows_before_any_data_make_the_radii_fit_the_gap_and_one_row_less_does_not(bound: float) -> None:
    rows = rows_before_data(bound=bound, gap=0.3, margin=0.05, confidence=0.9, directions=2)

    def radii(m: int) -> float:
        finite = FiniteDistances(
            names=("a", "b"),
            biased=np.zeros(2),
            contrasts=np.array([[1.0, 0.0, -1.0], [0.0, 1.0, -1.0]]),
            sizes=np.full(3, float(m)),
            spread=np.full(3, bound),
            bound=bound,
            nonnegative=True,
        )
        down, up = finite.radii(0.9, family=2, form="bounded differences")
        return float(down[0] + up[1])

    assert radii(rows) <= 0.25
    assert radii(rows - 1) > 0.25


def test_a_claim_named_beforehand_needs_fewer_rows_than_a_verdict_either_way() -> None:
    assert rows_before_data(bound=1.0, gap=0.1) < rows_before_data(bound=1.0, gap=0.1, directions=2)


def test_impossible_questions_say_what_to_change() -> None:
    with pytest.raises(DecisionError, match=r"gap of 0\.1 does not exceed the margin of 0\.2"):
        rows_before_data(bound=1.0, gap=0.1, margin=0.2)
    with pytest.raises(GuaranteeError, match=r"bound.*inf.*gaussian"):
        rows_before_data(bound=math.inf, gap=0.1)
    with pytest.raises(DecisionError, match=r"power is 1\.0"):
        rows_before_data_asymptotic(bound=1.0, gap=0.1, power=1.0)
    with pytest.raises(DecisionError, match="confidence"):
        rows_before_data(bound=1.0, gap=0.1, confidence=1.5)


CONTRASTS = np.array([[1.0, 0.0, -1.0], [0.0, 1.0, -1.0]])


def market(*, anchor: bool = True) -> Moments:
    rng = np.random.default_rng(2)
    rows = [rng.normal(shift, 1.0, size=(m, 1)) for shift, m in ((0.3, 12), (0.8, 14), (0.0, 16))]
    return slow_moments(rows, gaussian(1.0), anchor=anchor)


def parts(moments: Moments) -> tuple[float, float]:
    """P and V2 of theta_2 - theta_1."""
    found = squared_distances(moments, CONTRASTS, ["a", "b"])
    signs = np.array([-1.0, 1.0])
    return float(signs @ found.plug_in @ signs), float(signs @ found.second_order @ signs)


def test_growing_everything_reaches_the_variance_that_power_asks_for() -> None:
    """V1 = P - 2 V2 of the present sizes falls as 1/x; V2 is taken from the grown sizes themselves."""
    moments = market(anchor=False)
    found = squared_distances(moments, CONTRASTS, ["a", "b"])
    growth = asymptotic_growth(found, 0, 1, gap=0.02)
    assert growth.anchor == growth.vendors
    sizes = moments.sizes * growth.vendors
    p, v2 = parts(moments)
    _, v2_grown = parts(Moments(**{**vars(moments), "sizes": sizes, "effective_sizes": sizes}))
    variance = (p - 2.0 * v2) / growth.vendors + v2_grown
    assert variance == pytest.approx((0.02 / (1.959964 + 0.841621)) ** 2, rel=0.01)


def with_more_of_the_vendors(found: SquaredDistances, factor: float) -> SquaredDistances:
    """As if the vendors showed so many times their rows: their parts of the variance fall."""
    share = found.anchor
    assert share is not None
    own_v2 = found.second_order - share.second_order - share.mixed
    own = found.plug_in - share.plug_in - 2.0 * own_v2 - share.mixed
    mixed = share.mixed / factor
    v2 = share.second_order + mixed + own_v2 / factor**2
    fixed = share.plug_in - 2.0 * share.second_order - share.mixed
    fixed_p = fixed + 2.0 * share.second_order + mixed
    p = fixed_p + own / factor + 2.0 * own_v2 / factor**2 + mixed
    anchor = replace(share, plug_in=fixed_p, mixed=mixed)
    return replace(found, sizes=found.sizes * factor, plug_in=p, second_order=v2, anchor=anchor)


def variance_parts(
    found: SquaredDistances, signs: np.ndarray[tuple[int, ...], np.dtype[np.float64]]
) -> tuple[tuple[float, float], float, tuple[float, float]]:
    """Of the gap: the vendors' first and second order, what they share with the anchor, the anchor's."""
    share = found.anchor
    assert share is not None
    p, v2, of_anchor, anchor_v2, mixed = (
        float(signs @ m @ signs)
        for m in (found.plug_in, found.second_order, share.plug_in, share.second_order, share.mixed)
    )
    own_v2 = v2 - anchor_v2 - mixed
    fixed = max(of_anchor - 2.0 * anchor_v2 - mixed, 0.0)
    return (max(p - of_anchor - 2.0 * own_v2 - mixed, 0.0), own_v2), mixed, (fixed, anchor_v2)


def test_growing_the_vendors_alone_leaves_the_anchors_noise() -> None:
    moments = market()
    found = squared_distances(moments, CONTRASTS, ["a", "b"])
    assert found.anchor is not None
    signs = np.array([-1.0, 1.0])
    p = {
        "all": signs @ found.plug_in @ signs,
        "anchor": signs @ found.anchor.plug_in @ signs,
        "v2": signs @ found.second_order @ signs,
        "v2 anchor": signs @ found.anchor.second_order @ signs,
        "v2 mixed": signs @ found.anchor.mixed @ signs,
    }
    own_v2 = p["v2"] - p["v2 anchor"] - p["v2 mixed"]
    fixed = max(p["anchor"] - 2 * p["v2 anchor"] - p["v2 mixed"], 0.0) + p["v2 anchor"]
    own = max(p["all"] - p["anchor"] - 2 * own_v2 - p["v2 mixed"], 0.0)
    gap = 0.9 * 2.801585 * math.sqrt(fixed + own + p["v2 mixed"] + own_v2)
    growth = asymptotic_growth(found, 0, 1, gap=gap)
    assert growth.anchor == 1.0
    assert growth.vendors > 1.0
    x = growth.vendors
    variance = fixed + (own + p["v2 mixed"]) / x + own_v2 / x**2
    assert variance == pytest.approx((gap / 2.801585) ** 2, rel=1e-4)


@pytest.mark.parametrize("ample", [1.0, 1000.0])
def test_where_the_anchor_alone_is_too_noisy_it_grows_so_that_the_fewest_rows_are_asked_for(
    ample: float,
) -> None:
    """By brute force over both factors; vendors that show plenty are asked for little."""
    found = squared_distances(market(), CONTRASTS, ["a", "b"])
    found = with_more_of_the_vendors(found, ample)
    assert found.anchor is not None
    growth = asymptotic_growth(found, 0, 1, gap=2e-3)

    def variance(x: float, y: float) -> float:
        signs = np.array([-1.0, 1.0])
        own, mixed, fixed = variance_parts(found, signs)
        return own[0] / x + own[1] / x**2 + mixed / (x * y) + fixed[0] / y + fixed[1] / y**2

    level, rows = (2e-3 / 2.801585) ** 2, float(found.sizes.sum())
    assert variance(growth.vendors, growth.anchor) <= level * (1.0 + 1e-4)
    factors = np.geomspace(1.0, 1e6, 400)
    fewest = min(x * rows + y * 16.0 for x in factors for y in factors if variance(x, y) <= level)
    assert growth.vendors * rows + growth.anchor * 16.0 <= 1.02 * fewest
    if ample > 1.0:
        assert growth.vendors < 0.2 * growth.anchor


def test_a_zero_gap_is_out_of_reach() -> None:
    found = squared_distances(market(), CONTRASTS, ["a", "b"])
    assert not asymptotic_growth(found, 0, 1, gap=0.0).is_possible


@pytest.mark.parametrize("distance", [0.0, 0.08])
def test_growth_below_an_edge_makes_an_unlucky_vendors_interval_end_there(distance: float) -> None:
    """Estimated z_0.8 standard errors too far, the vendor's score interval ends at the edge."""
    found = squared_distances(market(anchor=False), CONTRASTS, ["a", "b"])
    growth = growth_below(found, 0, distance=distance, edge=0.15)
    assert growth.vendors == growth.anchor > 1.0
    y = 1.0 / growth.vendors
    v2 = float(found.second_order[0, 0])
    v1 = max(float(found.plug_in[0, 0]) - 2.0 * v2, 0.0)
    estimate = distance**2 + 0.841621 * math.sqrt(v1 * y + v2 * y**2)
    noise = float(found.biased[0] - found.squared[0]) * y
    arrays = (np.array([x]) for x in (estimate, estimate + noise, v1 * y + 2 * v2 * y**2, v2 * y**2))
    _, upper = score_interval(*arrays, quantile=np.array([1.959964]))
    assert math.sqrt(upper[0]) == pytest.approx(0.15, rel=1e-5)
    assert not growth_below(found, 0, distance=0.15, edge=0.15).is_possible


def test_the_guaranteed_growth_makes_the_policys_own_intervals_stand_apart_and_no_more() -> None:
    finite = finite_distances(market(), CONTRASTS, ["a", "b"])
    growth = guaranteed_growth(finite, 0, 1, gap=0.5, margin=0.1, confidence=0.95)
    for factor, is_enough in ((growth.vendors * 1.001, True), (growth.vendors * 0.999, False)):
        down, up = finite.grown(np.full(3, factor)).radii(0.95, family=2)
        assert bool(up[0] + down[1] <= 0.4) is is_enough


def test_the_guaranteed_growth_asks_for_an_anchor_only_where_the_vendors_cannot_do_it() -> None:
    finite = finite_distances(market(), CONTRASTS, ["a", "b"])
    wide = guaranteed_growth(finite, 0, 1, gap=2.5, margin=0.0, confidence=0.95, anchor=2)
    narrow = guaranteed_growth(finite, 0, 1, gap=0.3, margin=0.0, confidence=0.95, anchor=2)
    assert wide.anchor == 1.0
    assert narrow.anchor == narrow.vendors > 1.0
    assert not guaranteed_growth(finite, 0, 1, gap=0.1, margin=0.2, confidence=0.95).is_possible


def test_a_statistic_on_grown_data_needs_no_growth() -> None:
    """The factor 1 is where Z equals the sum of both quantiles."""
    found = squared_distances(market(anchor=False), CONTRASTS, ["a", "b"])
    pair = Pairs.of(found, 0, 1)
    p = found.plug_in[0, 0] + found.plug_in[1, 1] - 2 * found.plug_in[0, 1]
    v2 = found.second_order[0, 0] + found.second_order[1, 1] - 2 * found.second_order[0, 1]
    if p - 2 * v2 > 0:
        gap = (1.959964 + 0.841621) * float(pair.standard_error()[0])
        assert asymptotic_growth(found, 0, 1, gap=gap).vendors == pytest.approx(1.0, rel=1e-5)
