"""How many rows settle a question: before any data, and from the moments at hand.

Before any data only the kernel's bound K, the gap g beyond the margin and the confidence 1 - delta are known:

    guaranteed:  s = sum_j c_j^2 / m_j <= g^2 / (K (1 + 2 sqrt(log(2/delta)))^2),  m = 2 / s rows each
    asymptotic:  var(d_b - d_a) <= K/m + 2 K/m_anchor, so m = 3 K (z_{1-delta/2} + z_power)^2 / g^2.

With moments, sizes are multiplied by x until the noise fits into the gap. Asymptotically, with tau the gap in
squared MMD over z_{1-delta/2} + z_power and y = 1/x, the variance a0 + a1 y + a2 y^2 has to fall to tau^2; a0
is the anchor's own part where only the vendors send more. Where that is not enough, the anchor's parts fall
with its own factor, and of all pairs of factors that do the fewest rows are asked for.
docs/theory/guarantees.md, "Sample sizes".
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.special import ndtri

from karat.errors import DecisionError, GuaranteeError
from karat.guarantees.asymptotic import SquaredDistances, check_confidence
from karat.guarantees.finite import FiniteDistances
from karat.guarantees.score import quantile_below
from karat.typing import Matrix

MOST_GROWTH = 1e9
"""Sizes are not multiplied by more than this: such a gap is out of reach."""

ENOUGH_OF_VENDORS = 100.0
"""Up to so many times their rows are asked of the vendors alone; the buyer's own are harder to come by."""

FACTORS = 181
"""Growths of the vendors that are tried, a factor of 1.12 apart."""

HALVINGS = 60
"""Bisection steps for a growth factor; each halves its logarithm's range."""


def rows_before_data(
    *, bound: float, gap: float, confidence: float = 0.95, margin: float = 0.0, directions: Literal[1, 2] = 1
) -> int:
    """Rows of each preview, and of the anchor, that surely settle a gap under the guaranteed policy.

    gap: the estimated difference of the two distances; it must exceed the margin. directions: 1 for one claim
    named beforehand ("a beats b by the margin"), 2 for a verdict either way by bounded differences.

    >>> rows_before_data(bound=1.0, gap=0.1)
    4688
    """
    beyond = _beyond(gap, margin)
    delta = 1.0 - check_confidence(confidence)
    radii = 1.0 + 2.0 * math.sqrt(math.log(2.0 * directions / delta))  # of both vendors, over sqrt(K s)
    return math.ceil(2.0 * _check_bound(bound) * radii**2 / beyond**2)


def rows_before_data_asymptotic(
    *, bound: float, gap: float, confidence: float = 0.95, power: float = 0.8, margin: float = 0.0
) -> int:
    """Rows of each preview, and of the anchor, that decide with the given power in the worst case.

    >>> rows_before_data_asymptotic(bound=1.0, gap=0.1)
    2355
    """
    beyond = _beyond(gap, margin)
    quantiles = _quantiles(confidence, power)
    return math.ceil(3.0 * _check_bound(bound) * quantiles**2 / beyond**2)


@dataclass(frozen=True)
class Growth:
    """By what factor sizes have to grow.

    vendors: the factor for the vendors' previews. anchor: for the anchor, 1 where it is large enough. Both
    are inf where no number of rows is enough.
    """

    vendors: float
    anchor: float

    @property
    def is_possible(self) -> bool:
        return math.isfinite(self.vendors)


def asymptotic_growth(
    distances: SquaredDistances,
    near: int,
    far: int,
    *,
    gap: float,
    on_near: float = 1.0,
    on_far: float = 1.0,
    confidence: float = 0.95,
    power: float = 0.8,
) -> Growth:
    """Growth that decides "far is farther than near" when on_far theta_far - on_near theta_near = gap.

    The gap is in squared MMD; the factors are those of the margin's linearisation (`Pairs.statistic`). Where
    the vendors alone cannot do it, or not with a hundred times their rows, the anchor grows too, so that the
    fewest rows are asked for in all.
    """
    level = (abs(gap) / _quantiles(confidence, power)) ** 2
    signs = np.array([-on_near, on_far])
    pick = np.ix_([near, far], [near, far])

    def form(matrix: Matrix) -> float:
        return float(signs @ matrix[pick] @ signs)

    p, v2 = form(distances.plug_in), max(form(distances.second_order), 0.0)
    everything = _solve(0.0, max(p - 2.0 * v2, 0.0), v2, level)
    share = distances.anchor
    if share is None:
        return Growth(everything, everything)
    fixed_v2, mixed = max(form(share.second_order), 0.0), max(form(share.mixed), 0.0)
    fixed = max(form(share.plug_in) - 2.0 * fixed_v2 - mixed, 0.0)
    own_v2 = max(v2 - fixed_v2 - mixed, 0.0)
    own = max(p - form(share.plug_in) - 2.0 * own_v2 - mixed, 0.0)
    vendors = _solve(fixed + fixed_v2, own + mixed, own_v2, level)
    if vendors <= ENOUGH_OF_VENDORS:
        return Growth(vendors, 1.0)
    found = Growth(everything, everything)
    least = everything * (rows := float(distances.sizes[[near, far]].sum())) + everything * share.rows
    for grown in np.geomspace(1.0, MOST_GROWTH, FACTORS).tolist():
        left = own / grown + own_v2 / grown**2
        anchor = max(_solve(left, fixed + mixed / grown, fixed_v2, level), 1.0)
        if grown * rows + anchor * share.rows < least:
            found, least = Growth(grown, anchor), grown * rows + anchor * share.rows
    return found


def growth_below(
    distances: SquaredDistances,
    vendor: int,
    *,
    distance: float,
    edge: float,
    confidence: float = 0.95,
    power: float = 0.8,
) -> Growth:
    """Growth of everything at which the vendor's own interval ends below the edge, if its distance is that.

    With y = 1 / x the noise is V1 y + V2 y^2. The estimate may lie z_power of it above the truth, and the
    score interval around it, whose variance is that at the edge, has to end below. By bisection.
    """
    if not distance < edge:
        return Growth(math.inf, math.inf)
    p, v2 = float(distances.plug_in[vendor, vendor]), max(float(distances.second_order[vendor, vendor]), 0.0)
    first, total = max(p - 2.0 * v2, 0.0), float(distances.biased[vendor] - distances.squared[vendor])
    z = float(ndtri((1.0 + check_confidence(confidence)) / 2.0))

    def is_enough(factor: float) -> bool:
        y = 1.0 / factor
        seen = distance**2 + float(ndtri(power)) * math.sqrt(first * y + v2 * y**2)
        parts = (seen, seen + total * y, first * y + 2.0 * v2 * y**2, v2 * y**2)
        reached = quantile_below(*(np.array([part]) for part in parts), edge=np.array([edge**2]))
        return bool(reached[0] >= z)

    if not is_enough(MOST_GROWTH):
        return Growth(math.inf, math.inf)
    factor = _bisect(is_enough)
    return Growth(factor, factor)


def guaranteed_growth(
    finite: FiniteDistances,
    near: int,
    far: int,
    *,
    gap: float,
    margin: float,
    confidence: float,
    family: int = 2,
    anchor: int | None = None,
    noise: float = 0.0,
) -> Growth:
    """Growth at which the intervals of the two stand apart by the margin, if the gap d_far - d_near is right.

    noise: what to allow for the estimate's own scatter at present sizes, z_power times its standard error; it
    falls with the root of the sizes. Found by bisection on the very radii that the policy uses.
    """
    beyond = gap - margin
    if beyond <= 0.0:
        return Growth(math.inf, math.inf)
    pair = finite.subset([near, far])

    def is_enough(vendors: float, whole: float) -> bool:
        factors = np.full(len(finite.sizes), vendors)
        if anchor is not None:
            factors[anchor] = whole
        down, up = pair.grown(factors).radii(confidence, family=family)
        return float(up[0] + down[1]) + noise / math.sqrt(vendors) <= beyond

    if anchor is not None and is_enough(MOST_GROWTH, 1.0):
        return Growth(_bisect(lambda x: is_enough(x, 1.0)), 1.0)
    if not is_enough(MOST_GROWTH, MOST_GROWTH):
        return Growth(math.inf, math.inf)
    whole = _bisect(lambda x: is_enough(x, x))
    return Growth(whole, whole)


def _bisect(is_enough: Callable[[float], bool]) -> float:
    """The smallest factor that is enough, up to MOST_GROWTH, on a logarithmic scale."""
    low, high = -math.log(MOST_GROWTH), math.log(MOST_GROWTH)
    for _ in range(HALVINGS):
        middle = (low + high) / 2.0
        low, high = (low, middle) if is_enough(math.exp(middle)) else (middle, high)
    return math.exp(high)


def _solve(fixed: float, first: float, second: float, level: float) -> float:
    """The smallest x with fixed + first / x + second / x^2 <= level."""
    if level <= fixed:
        return math.inf
    room = level - fixed
    return (first + math.sqrt(first**2 + 4.0 * second * room)) / (2.0 * room)


def _quantiles(confidence: float, power: float) -> float:
    """z_{1 - delta/2} + z_power: how many standard errors a gap must be wide."""
    if not 0.0 < power < 1.0:
        raise DecisionError(
            f"the power is {power!r}, which is not between 0 and 1.",
            hint="Pass the chance of a decision that you want, such as 0.8.",
        )
    return float(ndtri((1.0 + check_confidence(confidence)) / 2.0) + ndtri(power))


def _beyond(gap: float, margin: float) -> float:
    if gap - margin > 0.0:
        return gap - margin
    raise DecisionError(
        f"a gap of {gap:.4g} does not exceed the margin of {margin:.4g}, so no number of rows settles it.",
        hint="Ask for a smaller margin, or name a larger gap.",
    )


def _check_bound(bound: float) -> float:
    if bound > 0.0 and math.isfinite(bound):
        return bound
    raise GuaranteeError(
        f"the kernel's bound sup k(x, x) is {bound!r}; sample sizes need a finite one above 0.",
        hint="Choose a bounded kernel such as gaussian (bound 1).",
    )
