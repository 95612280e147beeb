"""What an appraisal says of itself: ties, references, and on what grounds its decisions hold."""

from __future__ import annotations

import numpy as np
import pytest

import karat


@pytest.mark.parametrize("seed", [4, 17, 28, 41])
@pytest.mark.parametrize("reference", ["anchor", "uniform", "leave-one-out"])
def test_equal_previews_share_a_rank_against_every_reference(seed, reference):
    """Their sums are added in another order, and float32 sums differ by some 1e-8 then."""
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(rng.integers(12, 300), 3))
    sizes = rng.integers(12, 200, size=4)
    others = {f"v{i}": rng.normal(0.1 * i, 1.0, size=(m, 3)) for i, m in enumerate(sizes)}
    market = {"first": rows, **others, "last": rows}
    appraisal = karat.appraise(market, anchor=rng.normal(size=(50, 3))).against(reference)
    ranks = dict(zip(appraisal.moments.vendor_names, appraisal._ranks(), strict=True))
    assert ranks["first"] == ranks["last"]


def shifted(rng, shift, rows):
    return rng.normal(shift, 1.0, size=(rows, 2))


@pytest.fixture
def market():
    rng = np.random.default_rng(0)
    return {
        name: shifted(rng, shift, 3000) for name, shift in (("near", 0.1), ("far", 2.0), ("farther", 3.0))
    }


@pytest.fixture
def anchor():
    return shifted(np.random.default_rng(1), 0.0, 3000)


def guaranteed(market, a, b, *, anchor=None, reference=None):
    appraisal = karat.appraise(market, anchor=anchor, reference=reference, kernel="gaussian:1.5")
    return appraisal.compare(a, b, policy="guaranteed"), appraisal


@pytest.mark.parametrize("shown", [3000, 1000], ids=["all", "some"])
def test_a_vendor_that_shows_the_buyers_own_rows_gets_no_guaranteed_verdict(market, anchor, shown):
    """Its rows and the anchor's are not independent: distance 0 is no evidence at any number of rows."""
    answer, appraisal = guaranteed(market | {"copy": anchor[:shown]}, "copy", "far", anchor=anchor)
    assert answer.verdict == "undecided"
    assert answer.interval is None
    assert answer.rows_needed is None
    assert "copy" in answer.reason
    assert appraisal.compare("near", "far", policy="guaranteed").verdict == "better"
    matrix = appraisal.matrix(policy="guaranteed")
    assert matrix.verdict("near", "far") == "better"
    assert matrix.verdict("copy", "far") == "undecided"
    assert set(appraisal.best(policy="guaranteed").names) == {"near", "copy"}


def test_rows_of_the_buyers_that_could_be_left_out_leave_the_guarantee(market, anchor):
    mixed = np.concatenate([market["near"], anchor[:1000]])
    answer, _ = guaranteed(market | {"near": mixed}, "near", "far", anchor=anchor)
    assert answer.verdict == "better"
    assert answer.reason is None


@pytest.mark.parametrize("shown", [3000, 500], ids=["all", "some"])
def test_rows_that_two_vendors_share_spoil_guarantees_against_mixtures_alone(market, anchor, shown):
    """Against the anchor each vendor's distance rests on its own rows; a mixture holds both vendors'."""
    rng = np.random.default_rng(2)
    twin = np.concatenate([market["far"][:shown], shifted(rng, 2.0, 3000 - shown)])
    answer, appraisal = guaranteed(market | {"twin": twin}, "near", "farther", anchor=anchor)
    assert answer.verdict == "better"
    spoilt = appraisal.against("uniform").compare("near", "farther", policy="guaranteed")
    assert spoilt.verdict == "undecided"
    assert "far" in spoilt.reason


def test_a_union_of_the_vendors_rows_is_nobodys_anchor(market):
    union = karat.appraise(market, reference="equal-size")
    assert union.ruler.noise_floor is None
    assert "anchor" not in union.to_dict()["references"]
    with pytest.raises(karat.KaratError, match="needs rows of the buyer's own"):
        union.against("anchor")
    mixture = union.against("uniform")
    alone = karat.appraise(market, reference="uniform")
    np.testing.assert_allclose(mixture.squared, alone.squared, rtol=1e-6)
    assert mixture.compare("near", "farther").interval is not None
    assert [v.low for v in mixture.vendors] == pytest.approx([v.low for v in alone.vendors], rel=1e-5)


def test_an_interval_that_is_zero_has_no_minus_zero(market, anchor):
    """Under a kernel that is 1 everywhere no vendor lies anywhere."""
    vendor = karat.appraise(market, anchor=anchor, kernel="gaussian:1e200").vendors[0]
    assert (vendor.value, vendor.low, vendor.high) == (0.0, 0.0, 0.0)
    assert not np.signbit([vendor.value, vendor.low, vendor.high]).any()
