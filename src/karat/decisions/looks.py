"""Looking again when more rows arrive, without paying for it in wrong decisions.

Ten uncorrected looks at 95 % err 16 % of the time. A rule gives every look its own level, so that the chance
of any wrong decision over all looks stays at most 1 - confidence. The differences of distances have
independent increments in the information I = 1 / variance; t = I / I_planned is the share of what was planned
(rows over planned rows where all sources grow together). With alpha = (1 - confidence) / comparisons:

    PlannedMaximum   |Z| sqrt(t) > z_{1 - alpha/4}                     any looks up to t = 1, then no more
    Unplanned        look k at level alpha / (k (k + 1))               also for the guaranteed policy
    Mixture          |Z| > sqrt((1 + rho/I) log((1 + I/rho) / alpha^2))   any number of looks, no plan

    rules = PlannedMaximum(0.95).at(0.5); compare(policy, "a", "b", look=rules.current)
    rules = rules.at(1.0); compare(policy_on_all_rows, "a", "b", look=rules.current)

Proofs and citations: docs/theory/looking-again.md.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import asdict, dataclass, replace
from typing import ClassVar

from scipy.special import lambertw, log_ndtr, ndtri

from karat.errors import DecisionError
from karat.guarantees import check_confidence

MOST_CONFIDENCE = 1.0 - 2.0**-50
"""Levels closer to 1 cannot be told from it in double precision; a look that needs one decides nothing."""


@dataclass(frozen=True)
class Look:
    """One look: which it is, at how much information, and how strong evidence has to be.

    critical: |Z| beyond this decides. confidence: the level of a single comparison with that critical value.
    spent: of the error probability 1 - confidence, what the looks so far may have used.
    """

    rule: str
    number: int
    information: float
    critical: float
    confidence: float
    spent: float

    def to_dict(self) -> dict[str, object]:
        """Plain JSON values."""
        return asdict(self)


@dataclass(frozen=True)
class Rule(ABC):
    """A plan for looks and the looks taken so far; `at` gives the rule after one more look.

    confidence: over all looks and comparisons together. comparisons: pairs that are watched at once.
    """

    confidence: float = 0.95
    comparisons: int = 1
    looks: tuple[Look, ...] = ()

    name: ClassVar[str]

    def __post_init__(self) -> None:
        check_confidence(self.confidence)
        if self.comparisons < 1:
            raise DecisionError(
                f"{self.comparisons} comparisons are watched.", hint="Pass the number of pairs, at least 1."
            )

    @property
    def alpha(self) -> float:
        """The error probability of one comparison over all looks."""
        return (1.0 - self.confidence) / self.comparisons

    @property
    def current(self) -> Look:
        """The latest look."""
        if not self.looks:
            raise DecisionError("no look was taken yet.", hint="Call at(information) for the first one.")
        return self.looks[-1]

    def at(self, information: float) -> Rule:
        """The rule after a look at so much information, which has to grow from look to look."""
        before = self.looks[-1].information if self.looks else 0.0
        if not (math.isfinite(information) and information > before):
            raise DecisionError(
                f"a look at information {information:.6g} does not come after one at {before:.6g}.",
                hint="Look again when rows were added: information grows with the rows.",
            )
        critical, spent = self.boundary(information, len(self.looks) + 1)
        confidence = min(1.0 - 2.0 * math.exp(log_ndtr(-critical)), MOST_CONFIDENCE)
        look = Look(self.name, len(self.looks) + 1, information, critical, confidence, spent)
        return replace(self, looks=(*self.looks, look))

    @abstractmethod
    def boundary(self, information: float, number: int) -> tuple[float, float]:
        """(critical |Z|, alpha spent so far) of this look."""


@dataclass(frozen=True)
class PlannedMaximum(Rule):
    """Any number of looks up to a planned amount of information (t = 1), then no more: the default.

    |Z| sqrt(t) is a Brownian motion at time t, and by the reflection principle it leaves [-c, c] before t = 1
    with probability at most 4 (1 - Phi(c)).

    >>> round(PlannedMaximum(0.95).at(1.0).current.critical, 2)
    2.24
    """

    name: ClassVar[str] = "planned maximum"

    def boundary(self, information: float, number: int) -> tuple[float, float]:
        if information > 1.0 + 1e-9:
            raise DecisionError(
                f"this look is at {information:.3g} times the planned information; the plan ends at 1.",
                hint="Plan for more rows from the start, or use the rule without a plan.",
            )
        end = -float(ndtri(self.alpha / 4.0))
        return end / math.sqrt(information), 4.0 * math.exp(log_ndtr(-end / math.sqrt(information)))


@dataclass(frozen=True)
class Unplanned(Rule):
    """Look k at level alpha / (k (k + 1)), which sums to alpha over all k; needs nothing about the statistic.

    >>> [round(look.confidence, 4) for look in Unplanned(0.95).at(1.0).at(2.0).looks]
    [0.975, 0.9917]
    """

    name: ClassVar[str] = "no plan"

    def boundary(self, information: float, number: int) -> tuple[float, float]:
        level = self.alpha / (number * (number + 1))
        return -float(ndtri(level / 2.0)), self.alpha * number / (number + 1)


@dataclass(frozen=True)
class Mixture(Rule):
    """Very many looks and no plan: Robbins' normal mixture, sharpest at the information named.

    >>> look = Mixture(0.95, sharpest_at=100.0).at(100.0).current
    >>> round(look.critical, 2)
    3.04
    """

    sharpest_at: float = 1.0

    name: ClassVar[str] = "mixture boundary"

    def boundary(self, information: float, number: int) -> tuple[float, float]:
        rho = self.sharpest_at / _ratio(self.alpha)
        inner = math.log1p(information / rho) - 2.0 * math.log(self.alpha)
        return math.sqrt((1.0 + rho / information) * inner), self.alpha


def look_again(number: int | None, *, planned: float | None, confidence: float) -> Look | None:
    """The look of who asks for the number-th time, or at this share of a plan; None for a single one.

    >>> round(look_again(2, planned=None, confidence=0.95).confidence, 4)
    0.9917
    """
    if number is not None and planned is not None:
        raise DecisionError(
            "a look is counted and planned for at once.",
            hint="Give the share of the plan (--planned), or how often you have asked (--look).",
        )
    if planned is not None:
        return PlannedMaximum(confidence).at(planned).current
    if number is None:
        return None
    if number < 1:
        raise DecisionError(
            f"the look is number {number}.", hint="Count from 1, the first time that you ask."
        )
    rule: Rule = Unplanned(confidence)
    for k in range(1, number + 1):
        rule = rule.at(float(k))
    return rule.current


def _ratio(alpha: float) -> float:
    """I_0 / rho with the lowest boundary at I_0: -W_{-1}(-alpha^2 / e) - 1 (Howard et al. 2021, section 3.5).

    >>> round(_ratio(0.05), 2)
    8.21
    """
    return float(-lambertw(-(alpha**2) / math.e, k=-1).real) - 1.0
