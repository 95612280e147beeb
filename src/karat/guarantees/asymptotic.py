"""Standard errors and intervals of squared distances, from moments alone.

The squared distance of a contrast c is theta = c' G c. Row x of source j moves it by the influence
psi_j(x) = 2 c_j sum_l c_l h_l(x), and what no row mean explains adds a second-order term. For two contrasts a
and b over sources with m_j rows, row-mean covariances S_j and interaction variances eta,

    P_ab  = 4 sum_j a_j b_j (a' S_j b) / m_j                       the plug-in covariance of the influences
    V2_ab = 2 sum_jl (a_j b_j)(a_l b_l) eta_jl / (m_j (m_l - [j = l])).

The covariance of the two estimates is V1 + V2. The row means in P are themselves estimated, so P has
expectation V1 + 2 V2, and the covariance is P - V2: the second-order term is taken off. Derivations:
docs/theory/variance.md and docs/theory/intervals.md.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import stdtrit

from karat.errors import DecisionError, GuaranteeError
from karat.gram import Moments
from karat.gram.packing import pack, unpack
from karat.guarantees.influence import AnchorShare, anchor_share, degrees_of_freedom, plug_in, second_order
from karat.guarantees.score import score_interval, steepness, variance_of
from karat.typing import Matrix, Vector

FEWEST_ROWS = 4
"""Below this the interaction variance within a source has no degree of freedom: no variance, no interval."""

FEWEST_ROWS_TO_REPORT = 10
"""Below this an interval could be computed but is not shown: t quantiles with a handful of degrees of freedom
are wider than any difference that a buyer cares for."""

ROUNDING = 1e-12
"""Biased squared distances below this share of the largest gram entry are rounding, not distance."""


def check_confidence(confidence: object) -> float:
    """The confidence, if it is one.

    >>> check_confidence(0.95)
    0.95
    """
    # So near 1 that both are the same number, no quantile is finite.
    if isinstance(confidence, (int, float)) and 0.0 < confidence < 1.0 and (1.0 + confidence) / 2.0 < 1.0:
        return float(confidence)
    raise DecisionError(
        f"the confidence is {confidence!r}, which is not between 0 and 1.",
        hint="Pass a share such as 0.95 for 95 %: wrong at most once in twenty.",
    )


@dataclass(frozen=True)
class Intervals:
    """Score intervals of several contrasts at one confidence.

    squared_lower, squared_upper: (k,), ends for the squared MMD; nan where there is no interval.
    reasons: per contrast why there is no interval, or what is odd about it; None where all is plain.
    """

    confidence: float
    squared_lower: Vector
    squared_upper: Vector
    reasons: tuple[str | None, ...]

    @property
    def lower(self) -> Vector:
        """The lower ends in MMD."""
        ends: Vector = np.sqrt(self.squared_lower)
        return ends

    @property
    def upper(self) -> Vector:
        """The upper ends in MMD."""
        ends: Vector = np.sqrt(self.squared_upper)
        return ends

    def pair(self, i: int) -> tuple[float, float] | None:
        """The MMD interval of one contrast as plain numbers; None where there is none."""
        if math.isnan(self.squared_lower[i]):
            return None
        return float(self.lower[i]), float(self.upper[i])


@dataclass(frozen=True)
class SquaredDistances:
    """Squared distances of k contrasts with all that intervals and asymptotic decisions need.

    squared, biased: (k,), c' G c without bias and c' V c, the square of an actual norm.
    plug_in, second_order: (k, k), P and V2 above; nan where a source with weight has fewer than four rows.
    degrees: (k,), Welch-Satterthwaite degrees of freedom of P's diagonal.
    sizes: (k,), rows of the vendor that the contrast is about (its largest weight).
    fewest: (k,), the smallest effective size among the sources with weight.
    approximation: (k,), how far an approximated gram matrix may move each squared distance (standard error).
    anchor: the part of P and V2 that more vendor rows leave as it is; None without an anchor.
    """

    names: tuple[str, ...]
    squared: Vector
    biased: Vector
    plug_in: Matrix
    second_order: Matrix
    degrees: Vector
    sizes: Vector
    fewest: Vector
    approximation: Vector
    anchor: AnchorShare | None = None

    @property
    def variance(self) -> Vector:
        """(k,), variance of each squared distance: max(P - V2, V2)."""
        return variance_of(np.diag(self.plug_in), np.diag(self.second_order))

    @property
    def standard_errors(self) -> Vector:
        """(k,), standard errors of the squared distances."""
        errors: Vector = np.sqrt(self.variance) + self.approximation
        return errors

    @property
    def mmd_standard_errors(self) -> Vector:
        """(k,), standard errors of the MMD along its own witness: half the square root of `steepness`.

        Finite at distance zero, where dividing the squared standard error by twice the distance is not.
        """
        errors: Vector = np.sqrt(self._steepness) / 2.0
        return errors

    @property
    def _steepness(self) -> Vector:
        return steepness(self.squared, self.biased, np.diag(self.plug_in), np.diag(self.second_order))

    @property
    def mmd(self) -> Vector:
        """(k,), the distances: 0 where noise makes the square negative."""
        distances: Vector = np.sqrt(np.maximum(self.squared, 0.0))
        return distances

    def index(self, name: str) -> int:
        """Where a vendor stands, or an error that lists who there is."""
        if name not in self.names:
            raise DecisionError(
                f"there is no vendor {name!r} in this appraisal.",
                hint=f"It knows {', '.join(self.names[:12])}{', ...' if len(self.names) > 12 else ''}.",
                vendor=name,
            )
        return self.names.index(name)

    def to_dict(self) -> dict[str, object]:
        """Plain JSON values; arrays keep every bit."""
        plain: dict[str, object] = {a: pack(getattr(self, a)) for a in _ARRAYS}
        plain["names"] = list(self.names)
        plain["anchor"] = None if self.anchor is None else self.anchor.to_dict()
        return plain

    @classmethod
    def from_dict(cls, saved: Mapping[str, Any]) -> SquaredDistances:
        """The inverse of `to_dict`."""
        share = None if saved["anchor"] is None else AnchorShare.from_dict(saved["anchor"])
        return cls(names=tuple(saved["names"]), anchor=share, **{a: unpack(saved[a]) for a in _ARRAYS})

    def subset(self, indices: Sequence[int]) -> SquaredDistances:
        """The same for some of the contrasts, in the order given."""
        pick = np.asarray(indices, dtype=np.intp)
        square = np.ix_(pick, pick)
        return SquaredDistances(
            names=tuple(self.names[i] for i in pick),
            squared=self.squared[pick],
            biased=self.biased[pick],
            plug_in=self.plug_in[square],
            second_order=self.second_order[square],
            degrees=self.degrees[pick],
            sizes=self.sizes[pick],
            fewest=self.fewest[pick],
            approximation=self.approximation[pick],
            anchor=None if self.anchor is None else self.anchor.subset(pick),
        )

    def select(self, names: Sequence[str]) -> SquaredDistances:
        """The same for the vendors named, in the order given."""
        return self.subset([self.index(name) for name in names])

    def mmd_intervals(self, confidence: float = 0.95) -> tuple[Vector, Vector]:
        """Lower and upper ends for the MMD of every contrast; nan where there is no interval."""
        found = self.intervals(confidence)
        return found.lower, found.upper

    def intervals(self, confidence: float = 0.95, *, fewest_rows: int = FEWEST_ROWS_TO_REPORT) -> Intervals:
        """Score intervals for every contrast; see `score_interval`."""
        tail = (1.0 + check_confidence(confidence)) / 2.0
        quantile = stdtrit(self.degrees, tail)
        lower, upper = score_interval(
            self.squared, self.biased, np.diag(self.plug_in), np.diag(self.second_order), quantile=quantile
        )
        lower = np.maximum(lower - quantile * self.approximation, 0.0)
        upper = upper + quantile * self.approximation
        reasons = tuple(
            _reason(fewest, biased, variance, fewest_rows)
            for fewest, biased, variance in zip(self.fewest, self.biased, self.variance, strict=True)
        )
        missing = self.fewest < max(fewest_rows, FEWEST_ROWS)
        lower[missing], upper[missing] = np.nan, np.nan
        return Intervals(confidence, lower, upper, reasons)


_ARRAYS = (
    "squared",
    "biased",
    "plug_in",
    "second_order",
    "degrees",
    "sizes",
    "fewest",
    "approximation",
)


def _reason(fewest: float, biased: float, variance: float, fewest_rows: int) -> str | None:
    if fewest < FEWEST_ROWS:
        return f"a source with weight has {fewest:.3g} rows; a variance needs {FEWEST_ROWS}"
    if fewest < fewest_rows:
        return f"a source with weight has {fewest:.3g} rows; intervals are shown from {fewest_rows}"
    if biased <= 0.0:
        return "the preview and the reference hold the same values in the same shares"
    if math.isnan(variance):
        return "the moments of so many sources keep no covariance for this reference"
    return None


def squared_distances(
    moments: Moments,
    contrasts: Matrix,
    names: Sequence[str],
    *,
    row_means: Sequence[Matrix] | None = None,
) -> SquaredDistances:
    """Squared distances of the contrasts (k, sources) with their joint uncertainty.

    row_means: per source (m_j, n) the row means h_l(x); needed only where `moments` keeps no covariance (more
    than 64 sources). Cost O(k^2 n^2) from the covariance, O(N k^2) from row means.
    """
    if len(names) != len(contrasts):
        raise GuaranteeError(
            f"{len(contrasts)} contrasts came with {len(names)} names.", hint="Name every contrast."
        )
    sizes = moments.effective_sizes
    carries = contrasts != 0.0
    fewest = np.where(carries, sizes, np.inf).min(axis=1)
    influence = plug_in(moments, contrasts, row_means)
    interactions = second_order(moments, contrasts)
    blank = fewest < FEWEST_ROWS
    for matrix in (influence.total, interactions):
        matrix[blank, :], matrix[:, blank] = np.nan, np.nan
    gram_size = float(np.abs(moments.gram_biased).max())
    biased = np.einsum("ij,ij->i", contrasts @ moments.gram_biased, contrasts)
    return SquaredDistances(
        names=tuple(names),
        squared=np.einsum("ij,ij->i", contrasts @ moments.gram, contrasts),
        biased=np.where(biased <= ROUNDING * gram_size, 0.0, biased),
        plug_in=influence.total,
        second_order=interactions,
        degrees=degrees_of_freedom(influence.shares, sizes, fewest),
        sizes=moments.sizes[np.argmax(contrasts, axis=1)],
        fewest=fewest,
        approximation=_approximation(moments, contrasts),
        anchor=None if moments.anchor is None else anchor_share(moments, contrasts, influence, interactions),
    )


def _approximation(moments: Moments, contrasts: Matrix) -> Vector:
    """sum_jl |c_j c_l| se(G_jl): errors of an approximated gram matrix may all point the same way."""
    if moments.approximation is None:
        return np.zeros(len(contrasts))
    size = np.abs(contrasts)
    errors: Vector = np.einsum("ij,ij->i", size @ moments.approximation, size)
    return errors
