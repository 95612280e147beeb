"""References as contrasts: what each holds a vendor against, and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest

from karat.errors import MarketError, UnknownReferenceError, WeightsError
from karat.gram import kernel_sums, moments_from_sums
from karat.kernels import Gaussian
from karat.values import REFERENCES, reference_named, squared_mmd
from karat.values.reference import check_weights


def market(n_vendors=5, anchor=True, seed=0):
    rng = np.random.default_rng(seed)
    sources = [rng.normal(i / 5, 1.0, size=(30 + i, 2)) for i in range(n_vendors)]
    names = [f"v{i}" for i in range(n_vendors)]
    if anchor:
        sources, names = [*sources, rng.normal(size=(25, 2))], [*names, "anchor"]
    kernel = Gaussian(1.5)
    sums = kernel_sums(sources, kernel, precision="float64")
    return moments_from_sums(sums, names=names, kernel=kernel, anchor=n_vendors if anchor else None)


@pytest.mark.parametrize("name", REFERENCES)
@pytest.mark.parametrize("anchor", [True, False])
def test_contrasts_of_every_reference_sum_to_zero(name, anchor):
    if name == "anchor" and not anchor:
        pytest.skip("there is none")
    moments = market(anchor=anchor)
    contrasts = reference_named(moments, name).contrasts
    assert contrasts.shape == (5, moments.n_sources)
    np.testing.assert_allclose(contrasts.sum(axis=1), 0.0, atol=1e-12)


def test_the_default_is_the_anchor_where_there_is_one_and_the_uniform_mixture_else():
    assert reference_named(market(), None).name == "anchor"
    assert reference_named(market(anchor=False), None).name == "uniform"


def test_leave_one_out_only_rescales_the_distances_to_the_uniform_mixture():
    """d(mu_i, mean of the others) = n / (n - 1) d(mu_i, mean of all)."""
    moments = market(anchor=False)
    uniform = squared_mmd(moments.gram_biased, reference_named(moments, "uniform").contrasts)
    others = squared_mmd(moments.gram_biased, reference_named(moments, "leave-one-out").contrasts)
    by_hand = []
    for i in range(5):
        contrast = np.full(5, -0.25)
        contrast[i] = 1.0
        by_hand.append(contrast @ moments.gram_biased @ contrast)
    np.testing.assert_allclose(others, by_hand, rtol=1e-12)
    np.testing.assert_allclose(others, uniform * (5 / 4) ** 2, rtol=1e-12)


def test_two_vendors_are_equally_far_from_their_average():
    moments = market(n_vendors=2, anchor=False)
    squared = squared_mmd(moments.gram, reference_named(moments, "uniform").contrasts)
    assert squared[0] == pytest.approx(squared[1], rel=1e-12)


def test_weights_may_leave_vendors_out_and_may_put_shares_on_the_anchor():
    moments = market()
    reference = reference_named(moments, {"v1": 0.25, "anchor": 0.75})
    assert reference.weights.tolist() == [0.0, 0.25, 0.0, 0.0, 0.0, 0.75]
    assert squared_mmd(moments.gram, reference_named(moments, {"v1": 1.0}).contrasts)[1] == 0.0


def test_weights_that_do_not_sum_to_one_say_so_and_help():
    with pytest.raises(WeightsError, match=r"sum to 0\.9, not 1.*equal shares"):
        check_weights(np.array([0.4, 0.5]), names=("acme", "globex"))


@pytest.mark.parametrize("bad", [-0.1, np.nan, -np.inf])
def test_a_weight_that_is_no_share_names_its_vendor(bad):
    with pytest.raises(WeightsError, match="'globex'"):
        check_weights(np.array([0.4, bad]), names=("acme", "globex"))


def test_infinite_weights_are_refused():
    with pytest.raises(WeightsError):
        check_weights(np.array([0.4, np.inf]), names=("acme", "globex"))


def test_a_stranger_among_the_weights_is_named_with_the_vendors_there_are():
    with pytest.raises(WeightsError, match=r"'stranger'.*v0, v1"):
        reference_named(market(), {"stranger": 1.0})


def test_an_unknown_reference_lists_the_known_ones():
    with pytest.raises(UnknownReferenceError, match=r"'best'.*anchor, uniform"):
        reference_named(market(), "best")


def test_the_anchor_as_reference_asks_for_an_anchor_where_there_is_none():
    with pytest.raises(UnknownReferenceError, match="needs rows of the buyer's own"):
        reference_named(market(anchor=False), "anchor")


def test_a_mixture_of_one_vendor_asks_for_an_anchor():
    with pytest.raises(MarketError, match="Pass an anchor"):
        reference_named(market(n_vendors=1), "uniform")


def test_robust_refuses_fewer_than_five_vendors():
    with pytest.raises(UnknownReferenceError, match="at least 5 vendors, this market has 4"):
        reference_named(market(n_vendors=4), "robust")
