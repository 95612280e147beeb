"""What would settle an undecided pair: rows per vendor, from the present estimates."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.special import ndtri

from karat.decisions.policies import ONE_STANDARD_ERROR, AsymptoticPolicy, GuaranteedPolicy, Policy
from karat.guarantees import (
    Growth,
    Pairs,
    SquaredDistances,
    asymptotic_growth,
    growth_below,
    guaranteed_growth,
)
from karat.guarantees.sample_size import MOST_GROWTH
from karat.typing import Vector

Kind = Literal["present gap", "no visible difference", "inside the margin", "unknown"]

VISIBLE_SHARE = 0.1
"""Where no difference is visible and no gap was named, rows are asked for a gap of this share of the larger
distance."""


@dataclass(frozen=True)
class RowsNeeded:
    """Rows that would settle a pair, if the gap is what it is taken to be.

    kind: "present gap": the estimates at hand are right. "no visible difference": the gap lies within one
        standard error of the margin, so rows are for `gap` beyond it, not for the present one. "inside the
        margin": the vendors differ by less than the margin, by a standard error or more, and more rows will
        not make either better by it.
        "unknown": too few rows to say.
    gap: the difference of distances that the rows are for, in MMD. power: the chance that they then decide.
    rows: per vendor, in all (not in addition); None where no number of rows is enough.
    anchor_rows: rows that the anchor has to grow to; None where it is large enough or there is none.
    """

    kind: Kind
    gap: float
    power: float
    rows: dict[str, int] | None
    anchor_rows: int | None = None

    @property
    def message(self) -> str:
        """The same in a sentence."""
        if self.kind == "unknown":
            return "too few rows to say how many would do"
        if self.kind == "inside the margin":
            return "the difference is smaller than the margin; more rows will not make either better by it"
        if self.rows is None:
            return f"no number of rows settles a gap of {self.gap:.3g}"
        asked = ", ".join(f"{name} {rows:,}" for name, rows in self.rows.items())
        anchor = f", and {self.anchor_rows:,} rows of your own" if self.anchor_rows else ""
        if self.kind == "present gap":
            return f"with {asked} rows in all{anchor} this is decided {100.0 * self.power:.0f} % of the time"
        if self.gap > 0.0:
            return f"no difference visible; to see a gap of {self.gap:.3g} takes {asked} rows in all{anchor}"
        if_so = f"if the gap is {self.gap:.3g}" if self.gap < 0.0 else "if there is none"
        return f"no difference visible; {if_so}, {asked} rows in all{anchor} would show it"

    def to_dict(self) -> dict[str, object]:
        """Plain JSON values."""
        return {
            "kind": self.kind,
            "gap": self.gap,
            "power": self.power,
            "rows": self.rows,
            "anchor_rows": self.anchor_rows,
            "message": self.message,
        }


def rows_needed(
    policy: Policy,
    i: int,
    j: int,
    *,
    margin: float,
    confidence: float,
    power: float = 0.8,
    visible_gap: float | None = None,
) -> RowsNeeded | None:
    """Rows for the pair under the policy; None where no rows help, or a policy has no plan (the paper's)."""
    if isinstance(policy, AsymptoticPolicy):
        return _asymptotic(policy.distances, i, j, margin, confidence, power, visible_gap)
    if isinstance(policy, GuaranteedPolicy) and policy.reason(i, j) is None:
        return _guaranteed(policy, i, j, margin, confidence, power, visible_gap)
    return None


def _asymptotic(
    distances: SquaredDistances,
    i: int,
    j: int,
    margin: float,
    confidence: float,
    power: float,
    visible_gap: float | None,
) -> RowsNeeded:
    """Growth for the claim that the estimates lean to: "far" is farther than "near" by `lead`."""
    if math.isnan(distances.variance[i] + distances.variance[j]):
        return RowsNeeded("unknown", math.nan, power, None)
    near, far, lead = _leaning(distances.mmd, i, j, margin)
    pair = Pairs.of(distances, near, far)
    d = distances.mmd
    gap, z = float(pair.gap[0]), float(pair.clipped.statistic(lead)[0])
    if pair.clipped.gap_interval(ONE_STANDARD_ERROR)[1][0] < lead:
        return RowsNeeded("inside the margin", gap, power, None)
    if gap > lead and z >= 1.0:
        kind: Kind = "present gap"
        d_near, d_far = float(d[near]), float(d[far])
    else:
        kind = "no visible difference"
        gap = lead + (visible_gap or _default_gap(pair))
        d_near = float(min(d[near], d[far])) + max(-gap, 0.0)
        d_far = d_near + gap
    on_near = max(1.0 + lead / d_near, 0.0) if lead < 0.0 and d_near > 0.0 else 1.0
    on_far = max(1.0 - lead / d_far, 0.0) if lead > 0.0 and d_far > 0.0 else 1.0
    growth = asymptotic_growth(
        distances,
        near,
        far,
        gap=(on_far * d_far) ** 2 - (on_near * d_near) ** 2,
        on_near=on_near,
        on_far=on_far,
        confidence=confidence,
        power=power,
    )
    if lead < 0.0:
        alone = growth_below(distances, near, distance=d_near, edge=-lead, confidence=confidence, power=power)
        growth = min(growth, alone, key=lambda one: one.vendors)
    anchor = None if distances.anchor is None else distances.anchor.rows
    return _rows(kind, gap, power, growth, distances.names, distances.sizes, (i, j), anchor)


def _guaranteed(
    policy: GuaranteedPolicy,
    i: int,
    j: int,
    margin: float,
    confidence: float,
    power: float,
    visible_gap: float | None,
) -> RowsNeeded:
    """Growth at which the guaranteed intervals stand apart, with room for the estimate's own scatter."""
    finite, d = policy.finite, policy.unbiased
    near, far, lead = _leaning(d, i, j, margin)
    lead = lead + 2.0 * policy.reference_bias
    gap, scatter = float(d[far] - d[near]), policy.scatter(near, far)
    kind: Kind = "present gap"
    if abs(gap - lead) <= scatter:
        kind, gap = "no visible difference", lead + (visible_gap or VISIBLE_SHARE * float(max(d[i], d[j])))
    if gap <= lead:
        return RowsNeeded("inside the margin", gap, power, None)
    growth = guaranteed_growth(
        finite,
        near,
        far,
        gap=gap,
        margin=lead,
        confidence=confidence,
        anchor=policy.anchor,
        noise=float(ndtri(power)) * scatter,
    )
    anchor = None if policy.anchor is None else float(finite.sizes[policy.anchor])
    own = finite.sizes[np.argmax(finite.contrasts, axis=1)]
    return _rows(kind, gap, power, growth, finite.names, own, (i, j), anchor)


def _leaning(d: Vector, i: int, j: int, margin: float) -> tuple[int, int, float]:
    """(near, far, lead) of the claim that the estimates lean to."""
    if margin < 0.0 and d[j] - d[i] < margin:
        return j, i, -margin
    if margin < 0.0 or d[j] >= d[i]:
        return i, j, margin
    return j, i, margin


def _default_gap(pair: Pairs) -> float:
    """A share of the larger distance, or, where both are 0, what one standard error of it spans."""
    larger = float(max(pair.a.mmd[0], pair.b.mmd[0]))
    if larger > 0.0:
        return VISIBLE_SHARE * larger
    return math.sqrt(float(pair.standard_error()[0]))


def _rows(
    kind: Kind,
    gap: float,
    power: float,
    growth: Growth,
    names: tuple[str, ...],
    sizes: Vector,
    pair: tuple[int, int],
    anchor: float | None,
) -> RowsNeeded:
    if not growth.is_possible or growth.vendors > MOST_GROWTH:
        return RowsNeeded(kind, gap, power, None)
    factor = max(growth.vendors, 1.0)
    rows = {names[k]: math.ceil(sizes[k] * factor) for k in pair}
    more_anchor = math.ceil(anchor * growth.anchor) if anchor and growth.anchor > 1.0 else None
    return RowsNeeded(kind, gap, power, rows, more_anchor)
