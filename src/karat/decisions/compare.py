"""Is one vendor better than another: yes, no, or undecided and what would settle it."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Literal

import numpy as np

from karat.decisions.looks import Look, Unplanned
from karat.decisions.needed import RowsNeeded, rows_needed
from karat.decisions.policies import AsymptoticPolicy, Evidence, Policy
from karat.errors import DecisionError
from karat.guarantees import check_confidence
from karat.shown import Shown

Verdict = Literal["better", "worse", "undecided"]


@dataclass(frozen=True)
class Comparison(Shown):
    """The answer to "is a better than b?".

    verdict: "better" if a is nearer to the reference than b by more than the margin, "worse" if b is nearer
        than a by more than it, else "undecided". With a negative margin "better" reads "not worse by more
        than that", and "worse" is its opposite.
    gap: d_b - d_a in MMD, positive where a is nearer. interval: of the gap, at the confidence; None where
        there is none.
    p_value: 1 - the largest confidence at which the verdict would be the same; None where a policy has none.
    margin: in MMD. policy, holds: by which rule, and on what grounds the confidence holds.
    rows_needed: what would settle it; None unless undecided.
    reason: why nothing could be claimed at all; None otherwise.
    break_even_bias: how far the reference may lie from the buyer's true need before the verdict is in doubt
        (half of what the interval leaves beyond the margin); None unless decided.
    look: which look at growing data this is, if there are several.
    """

    a: str
    b: str
    verdict: Verdict
    gap: float
    interval: tuple[float, float] | None
    p_value: float | None
    margin: float
    confidence: float
    policy: str
    holds: str
    assumptions: tuple[str, ...]
    rows_needed: RowsNeeded | None = None
    reason: str | None = None
    break_even_bias: float | None = None
    look: Look | None = None

    @property
    def is_decided(self) -> bool:
        return self.verdict != "undecided"

    @property
    def better(self) -> str | None:
        """The name of the better vendor; None while undecided."""
        return {"better": self.a, "worse": self.b, "undecided": None}[self.verdict]

    def to_dict(self) -> dict[str, object]:
        """Plain JSON values."""
        plain = asdict(self)
        plain["interval"] = None if self.interval is None else list(self.interval)
        plain["assumptions"] = list(self.assumptions)
        plain["rows_needed"] = None if self.rows_needed is None else self.rows_needed.to_dict()
        plain["look"] = None if self.look is None else self.look.to_dict()
        return plain


def compare(
    policy: Policy,
    a: str,
    b: str,
    *,
    margin: float = 0.0,
    confidence: float = 0.95,
    power: float = 0.8,
    visible_gap: float | None = None,
    look: Look | None = None,
) -> Comparison:
    """Compare two vendors by a policy.

    margin: in MMD (`Margin.parse` reads "5%"). power: with which chance the rows needed would decide.
    visible_gap: the gap that rows are asked for where no difference is visible. look: for data that are
    looked at again as they grow; its level takes the place of the confidence.
    """
    i, j = check_pair(policy, a, b)
    _check_look(policy, look)
    if not math.isfinite(margin):
        raise DecisionError(
            f"the margin is {margin!r}, which is not a number.", hint="Pass an MMD such as 0.02, or 0."
        )
    level = check_confidence(confidence if look is None else look.confidence)
    found = policy.evidence(np.array([i]), np.array([j]), margin=margin, confidence=level)
    verdict = verdict_of(found)
    needed = None
    if verdict == "undecided":
        needed = rows_needed(
            policy, i, j, margin=margin, confidence=level, power=power, visible_gap=visible_gap
        )
    return Comparison(
        a=a,
        b=b,
        verdict=verdict,
        gap=float(found.gap[0]),
        interval=_interval(found),
        p_value=_finite(found.p_value[0]),
        margin=float(margin),
        confidence=level,
        policy=policy.name,
        holds=policy.holds,
        assumptions=policy.assumptions,
        rows_needed=needed,
        reason=policy.reason(i, j) if verdict == "undecided" else None,
        break_even_bias=_break_even(found, verdict, margin),
        look=look,
    )


def check_pair(policy: Policy, a: str, b: str) -> tuple[int, int]:
    """Where the two stand, or an error that lists who there is."""
    for name in (a, b):
        if name not in policy.names:
            known = ", ".join(policy.names[:12]) + (", ..." if len(policy.names) > 12 else "")
            raise DecisionError(
                f"there is no vendor {name!r} in this appraisal.", hint=f"It knows {known}.", vendor=name
            )
    if a == b:
        raise DecisionError(
            f"vendor {a!r} is compared with itself.", hint="Name two different vendors.", vendor=a
        )
    return policy.names.index(a), policy.names.index(b)


def _check_look(policy: Policy, look: Look | None) -> None:
    """Levels that add up serve every policy; the other rules are about normal statistics and no others."""
    if look is None or look.rule == Unplanned.name or isinstance(policy, AsymptoticPolicy):
        return
    raise DecisionError(
        f"a look by the rule {look.rule!r} was asked for with the policy {policy.name!r}: the rule's levels "
        "add up to more than the error that it allows, which is made up for by normal statistics alone.",
        hint="Look by the rule Unplanned, which serves every policy, or choose the policy 'asymptotic'.",
    )


def verdict_of(found: Evidence, k: int = 0) -> Verdict:
    """The verdict on one of the pairs.

    With a negative margin both claims can be made at once only if the interval of the gap is empty; that is
    no verdict.
    """
    if found.better[k] == found.worse[k]:
        return "undecided"
    return "better" if found.better[k] else "worse"


def _interval(found: Evidence) -> tuple[float, float] | None:
    if math.isnan(found.lower[0]) or math.isnan(found.upper[0]):
        return None
    return float(found.lower[0]), float(found.upper[0])


def _finite(number: float) -> float | None:
    return float(number) if math.isfinite(number) else None


def _break_even(found: Evidence, verdict: Verdict, margin: float) -> float | None:
    """A reference off by B moves the gap by at most 2 B."""
    if verdict == "undecided" or math.isnan(found.lower[0]):
        return None
    left = found.lower[0] - margin if verdict == "better" else -abs(margin) - found.upper[0]
    return max(float(left) / 2.0, 0.0)
