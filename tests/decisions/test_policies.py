from __future__ import annotations

import math

import numpy as np
import pytest

from karat.decisions import AsymptoticPolicy, GuaranteedPolicy, PaperPolicy, policy_named
from karat.errors import DecisionError, GuaranteeError
from karat.gram import Moments
from karat.guarantees.printed import bias_for, printed_margin
from slow_moments import gaussian, slow_moments

CONTRASTS = np.array([[1.0, 0.0, -1.0], [0.0, 1.0, -1.0]])
ANCHOR = np.array([0.0, 0.0, 1.0])


def market(**changes: object) -> Moments:
    rng = np.random.default_rng(0)
    moments = slow_moments([rng.normal(s, 1.0, size=(12, 1)) for s in (0.1, 1.0, 0.0)], gaussian(1.0))
    return Moments(**{**vars(moments), **changes})


def test_policies_are_made_by_name() -> None:
    kinds = {"asymptotic": AsymptoticPolicy, "guaranteed": GuaranteedPolicy, "paper": PaperPolicy}
    for name, kind in kinds.items():
        policy = policy_named(name, market(), CONTRASTS, ["a", "b"], weights=ANCHOR)
        assert isinstance(policy, kind)
        assert policy.name == name
        assert policy.names == ("a", "b")
        assert policy.assumptions
        assert policy.holds


def test_an_unknown_policy_is_refused_with_the_known_ones() -> None:
    with pytest.raises(DecisionError, match=r"no policy 'bayes'.*asymptotic, guaranteed, paper"):
        policy_named("bayes", market(), CONTRASTS, ["a", "b"])


def test_unbounded_kernels_are_refused_by_policies_with_radii_only() -> None:
    unbounded = market(bound=math.inf)
    assert policy_named("asymptotic", unbounded, CONTRASTS, ["a", "b"])
    for name in ("guaranteed", "paper"):
        with pytest.raises(GuaranteeError, match="unbounded"):
            policy_named(name, unbounded, CONTRASTS, ["a", "b"], weights=ANCHOR)


def test_the_papers_policy_needs_one_reference_for_all() -> None:
    with pytest.raises(DecisionError, match="one reference"):
        policy_named("paper", market(), CONTRASTS, ["a", "b"])


def test_the_papers_interval_is_its_margin_either_way() -> None:
    policy = policy_named("paper", market(), CONTRASTS, ["a", "b"], weights=ANCHOR)
    found = policy.evidence(np.array([0]), np.array([1]), margin=0.0, confidence=0.95)
    margin = printed_margin(12, 12, 12, bias=bias_for(0.95, 12, 12, 12, bound=1.0), bound=1.0)
    assert (found.upper[0] - found.lower[0]) / 2.0 == pytest.approx(float(margin))


def test_evidence_turned_round_is_the_evidence_of_the_turned_pairs() -> None:
    policy = AsymptoticPolicy(
        policy_named("asymptotic", market(), CONTRASTS, ["a", "b"]).distances  # type: ignore[union-attr]
    )
    a, b = np.array([0]), np.array([1])
    turned = policy.evidence(a, b, margin=0.02, confidence=0.9).reversed()
    direct = policy.evidence(b, a, margin=0.02, confidence=0.9)
    for name in ("gap", "lower", "upper", "better", "worse", "p_better", "p_worse"):
        np.testing.assert_allclose(getattr(turned, name), getattr(direct, name), atol=1e-12)


def test_the_guaranteed_policy_knows_the_scatter_of_the_gap() -> None:
    policy = policy_named("guaranteed", market(), CONTRASTS, ["a", "b"])
    assert isinstance(policy, GuaranteedPolicy)
    assert 0.0 < policy.scatter(0, 1) < 1.0
    assert GuaranteedPolicy(policy.finite).scatter(0, 1) == 0.0
