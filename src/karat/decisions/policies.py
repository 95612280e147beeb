"""What may be claimed about pairs of vendors, and on what grounds: asymptotic, guaranteed, or as printed.

A policy answers for many pairs at once. Everywhere the gap of a pair (a, b) is d_b - d_a, the difference of
the distances to the reference: positive where a is nearer, that is better. With margin g the claims are

    a is better:  gap > g          a is worse:  gap < -|g|

so a positive margin asks for a lead in either direction, and a negative one reads "a is not worse than b by
more than |g|". Each claim has error probability at most half of 1 - confidence, whatever the truth.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from karat.errors import DecisionError
from karat.gram import Moments
from karat.guarantees import (
    FiniteDistances,
    Pairs,
    SquaredDistances,
    check_confidence,
    finite_distances,
    squared_distances,
)
from karat.guarantees.asymptotic import FEWEST_ROWS_TO_REPORT
from karat.guarantees.finite import Form
from karat.guarantees.printed import bias_for, printed_margin, reference_rows
from karat.typing import Matrix, Vector

Indices = NDArray[np.intp]

ONE_STANDARD_ERROR = 0.6827
"""What an interval of plus or minus one standard error covers in a normal law."""

INDEPENDENCE = "rows of a source are independent draws of its distribution, and sources are independent"


@dataclass(frozen=True)
class Evidence:
    """What the data say about some pairs, one entry per pair.

    gap: d_b - d_a. lower, upper: its interval; nan where there is none. better, worse: the claims.
    p_better, p_worse: one-sided p-values of the two claims; nan where a policy has none.
    """

    gap: Vector
    lower: Vector
    upper: Vector
    better: NDArray[np.bool_]
    worse: NDArray[np.bool_]
    p_better: Vector
    p_worse: Vector

    def reversed(self) -> Evidence:
        """The same about the pairs (b, a), where the margin is not negative."""
        return Evidence(
            gap=-self.gap,
            lower=-self.upper,
            upper=-self.lower,
            better=self.worse,
            worse=self.better,
            p_better=self.p_worse,
            p_worse=self.p_better,
        )

    @property
    def p_value(self) -> Vector:
        """1 - the largest confidence at which either claim would be made."""
        smaller: Vector = np.minimum(2.0 * np.minimum(self.p_better, self.p_worse), 1.0)
        return smaller


class Policy(Protocol):
    """Claims about pairs of vendors at a confidence.

    holds: on what grounds the confidence holds, in a few words.
    """

    @property
    def name(self) -> str: ...

    @property
    def holds(self) -> str: ...

    @property
    def names(self) -> tuple[str, ...]: ...

    @property
    def assumptions(self) -> tuple[str, ...]: ...

    def evidence(self, a: Indices, b: Indices, *, margin: float, confidence: float) -> Evidence: ...

    def reason(self, a: int, b: int) -> str | None:
        """Why no claim about this pair is possible; None where one is."""
        ...


@dataclass(frozen=True)
class AsymptoticPolicy:
    """The relative similarity test: sharp, and right up to the error of large-sample approximations."""

    distances: SquaredDistances
    fewest_rows: int = FEWEST_ROWS_TO_REPORT

    name: ClassVar[str] = "asymptotic"
    holds: ClassVar[str] = "for large samples; simulated down to 20 rows"

    @property
    def names(self) -> tuple[str, ...]:
        return self.distances.names

    @property
    def assumptions(self) -> tuple[str, ...]:
        return (INDEPENDENCE, "sums over rows are near enough to normal")

    def evidence(self, a: Indices, b: Indices, *, margin: float, confidence: float) -> Evidence:
        half = (1.0 - check_confidence(confidence)) / 2.0
        pairs = Pairs.of(self.distances, a, b)
        p_better, p_worse = self.p_values(a, b, margin), self.p_values(b, a, abs(margin))
        lower, upper = pairs.gap_interval(confidence)
        lower[np.isnan(p_better)], upper[np.isnan(p_better)] = np.nan, np.nan
        return Evidence(pairs.gap, lower, upper, p_better <= half, p_worse <= half, p_better, p_worse)

    def p_values(self, a: Indices, b: Indices, margin: float = 0.0) -> Vector:
        """One-sided p-values of "a is better than b by the margin"; nan where there are too few rows."""
        p = Pairs.of(self.distances, a, b).p_value(margin)
        p[np.minimum(self.distances.fewest[a], self.distances.fewest[b]) < self.fewest_rows] = np.nan
        return p

    def reason(self, a: int, b: int) -> str | None:
        found = self.distances.subset([a, b]).intervals(fewest_rows=self.fewest_rows)
        return next((r for r, end in zip(found.reasons, found.upper, strict=True) if np.isnan(end)), None)


@dataclass(frozen=True)
class GuaranteedPolicy:
    """Intervals that hold at every sample size; a pair is decided where they stand apart by the margin.

    reference_bias: B, an upper bound of the distance between the reference and the buyer's distribution, for
        mixtures; 0 where the claim is about the reference itself.
    chosen: what was chosen from the rows judged (bandwidth, encoder): the guarantee is then asymptotic.
    distances, anchor: estimates without bias, and the anchor's place, for the rows that would settle a pair.
    copies: vendor -> why its rows and the reference's are not independent draws; no radius is proved for it.
    """

    finite: FiniteDistances
    reference_bias: float = 0.0
    form: Form = "sharpest"
    chosen: tuple[str, ...] = ()
    distances: SquaredDistances | None = None
    anchor: int | None = None
    copies: Mapping[str, str] = field(default_factory=dict)

    name: ClassVar[str] = "guaranteed"

    @property
    def holds(self) -> str:
        if self.chosen:
            return f"for large samples: {' and '.join(self.chosen)} chosen from the rows judged"
        return "at every sample size"

    @property
    def names(self) -> tuple[str, ...]:
        return self.finite.names

    @property
    def assumptions(self) -> tuple[str, ...]:
        fixed = "kernel and encoder do not depend on the rows judged"
        weights = "the reference may depend on them" if self.finite.chosen_from_data else "nor do the weights"
        bound = f"the kernel is at most {self.finite.bound:.6g}"
        return (INDEPENDENCE, f"{fixed}; {weights}", bound)

    def evidence(self, a: Indices, b: Indices, *, margin: float, confidence: float) -> Evidence:
        return self.from_intervals(a, b, margin=margin, confidence=confidence, family=2)

    def from_intervals(
        self, a: Indices, b: Indices, *, margin: float, confidence: float, family: int
    ) -> Evidence:
        """Evidence from intervals of which so many hold together: 2 for one pair, n for all pairs of n."""
        found = self.finite.intervals(confidence, family=family, form=self.form)
        d = self.finite.mmd
        lower = found.lower[b] - found.upper[a] - 2.0 * self.reference_bias
        upper = found.upper[b] - found.lower[a] + 2.0 * self.reference_bias
        is_copied = np.array([name in self.copies for name in self.names])
        unknown = is_copied[a] | is_copied[b]
        lower[unknown], upper[unknown] = np.nan, np.nan
        return _from_bounds(d[b] - d[a], lower, upper, margin)

    def reason(self, a: int, b: int) -> str | None:
        return next((self.copies[self.names[i]] for i in (a, b) if self.names[i] in self.copies), None)

    @property
    def unbiased(self) -> Vector:
        """(k,), the best estimates of the distances at hand; norms of noisy means are too large."""
        return self.finite.mmd if self.distances is None else self.distances.mmd

    def scatter(self, a: int, b: int) -> float:
        """One standard error of the gap: half the interval that covers what one covers in a normal law."""
        if self.distances is None:
            return 0.0
        lower, upper = Pairs.of(self.distances, a, b).gap_interval(ONE_STANDARD_ERROR)
        half = float(upper[0] - lower[0]) / 2.0
        return half if np.isfinite(half) else 0.0


@dataclass(frozen=True)
class PaperPolicy:
    """Proposition 2 and Theorem 4 of Xu et al. 2024 as printed, for comparison with the other two.

    eps_bias is the one at which the printed confidence is the one asked for. The printed confidence uses the
    larger preview's rows; its proof does not support that (see `karat.guarantees.printed`).
    """

    finite: FiniteDistances
    rows: Vector
    reference_rows: float
    reference_bias: float = 0.0

    name: ClassVar[str] = "paper"
    holds: ClassVar[str] = "as printed; the proof supports less"

    @property
    def names(self) -> tuple[str, ...]:
        return self.finite.names

    @property
    def assumptions(self) -> tuple[str, ...]:
        return (
            INDEPENDENCE,
            "the preview is independent of the reference's rows",
            "the confidence is printed with the larger of the two previews; the proof needs the smaller",
        )

    def evidence(self, a: Indices, b: Indices, *, margin: float, confidence: float) -> Evidence:
        m, other, bound = self.rows[a], self.rows[b], self.finite.bound
        bias = bias_for(check_confidence(confidence), m, other, self.reference_rows, bound=bound)
        radius = printed_margin(
            m, other, self.reference_rows, bias=bias, bound=bound, reference_bias=self.reference_bias
        )
        gap = self.finite.mmd[b] - self.finite.mmd[a]
        return _from_bounds(gap, gap - radius, gap + radius, margin)

    def reason(self, a: int, b: int) -> str | None:
        return None


def _from_bounds(gap: Vector, lower: Vector, upper: Vector, margin: float) -> Evidence:
    none = np.full(len(gap), np.nan)
    return Evidence(gap, lower, upper, lower > margin, upper < -abs(margin), none, none.copy())


POLICIES = ("asymptotic", "guaranteed", "paper")


def policy_named(
    name: str,
    moments: Moments,
    contrasts: Matrix,
    names: Sequence[str],
    *,
    distances: SquaredDistances | None = None,
    weights: Vector | None = None,
    chosen_from_data: bool = False,
    chosen: Sequence[str] = (),
    reference_bias: float = 0.0,
    copies: Mapping[str, str] | None = None,
) -> AsymptoticPolicy | GuaranteedPolicy | PaperPolicy:
    """The policy of that name for these contrasts.

    distances: what the appraisal holds already, for the asymptotic policy. weights: of the reference, for the
    paper's policy (None: each vendor has its own reference, and the paper has no policy for that).
    chosen_from_data: the weights were chosen from the rows. chosen: what else was. copies: vendors whose rows
    are no independent draws, and why.
    """
    if name == "asymptotic":
        return AsymptoticPolicy(distances or squared_distances(moments, contrasts, names))
    if name == "guaranteed":
        finite = finite_distances(moments, contrasts, names, chosen_from_data=chosen_from_data)
        return GuaranteedPolicy(
            finite,
            reference_bias=reference_bias,
            chosen=tuple(chosen),
            distances=distances or squared_distances(moments, contrasts, names),
            anchor=moments.anchor,
            copies=copies or {},
        )
    if name == "paper":
        if weights is None:
            raise DecisionError(
                "the paper's policy needs one reference that all vendors share.",
                hint="Choose the reference 'anchor' or 'uniform'.",
            )
        finite = finite_distances(moments, contrasts, names)
        rows = moments.sizes[np.argmax(contrasts, axis=1)]
        return PaperPolicy(finite, rows, reference_rows(weights, moments.sizes), reference_bias)
    raise DecisionError(f"there is no policy {name!r}.", hint=f"Choose one of {', '.join(POLICIES)}.")
