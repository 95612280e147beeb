"""Which of two vendors is nearer to a reference: the relative similarity statistic, with and without margin.

Two vendors held against the same reference share most of their noise, and the covariance of their squared
distances knows it (Bounliphone et al. 2016). For vendors a and b with distances d_a, d_b the claim
"d_b > d_a + g" has the statistic

    g = 0:  T = theta_b - theta_a
    g > 0:  T = (d_b - g)^2 - d_a^2,               f = 1 - g / d_b on b
    g < 0:  T = theta_b - max(d_a + g, 0)^2,       f = max(1 + g / d_a, 0) on a,

whose variance is that of f theta_b - theta_a (or theta_b - f theta_a): each is linearised at the larger of
the two distances, which on the boundary of the claim is at least |g| and so never near zero. The delta method
on d_b - d_a itself errs at more than twice its level there. A claim with g < 0 is also made where the one
with g = 0 is, and where d_a alone is surely below |g|, for d_b is never negative. docs/theory/decisions.md.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtr, stdtrit

from karat.guarantees.asymptotic import SquaredDistances
from karat.guarantees.score import quantile_below, score_interval, variance_of
from karat.typing import Matrix, Vector

HALVINGS = 32
"""Bisection steps: the ends of a gap interval are exact to 1e-9 of the distances."""


@dataclass(frozen=True)
class Side:
    """One vendor of each pair: squared distance, its square as a norm, P, V2, degrees and approximation."""

    squared: Vector
    biased: Vector
    plug_in: Vector
    second_order: Vector
    degrees: Vector
    approximation: Vector

    @classmethod
    def of(cls, distances: SquaredDistances, indices: NDArray[np.intp]) -> Side:
        return cls(
            distances.squared[indices],
            distances.biased[indices],
            np.diag(distances.plug_in)[indices],
            np.diag(distances.second_order)[indices],
            distances.degrees[indices],
            distances.approximation[indices],
        )

    @property
    def mmd(self) -> Vector:
        distances: Vector = np.sqrt(np.maximum(self.squared, 0.0))
        return distances

    @property
    def clipped(self) -> Side:
        """The same with squared distances of at least 0, which no distribution's is below; as much noise."""
        lift = np.maximum(-self.squared, 0.0)
        return replace(self, squared=self.squared + lift, biased=self.biased + lift)

    def upper(self, quantile: Vector) -> Vector:
        """The upper end of the score interval, in MMD."""
        _, upper = score_interval(
            self.squared, self.biased, self.plug_in, self.second_order, quantile=quantile
        )
        end: Vector = np.sqrt(upper + quantile * self.approximation)
        return end

    def below(self, edge: Vector) -> Vector:
        """The Z of the claim "d < edge": the largest quantile whose interval ends below the edge (>= 0)."""
        room = edge**2 - self.squared
        z = quantile_below(self.squared, self.biased, self.plug_in, self.second_order, edge=edge**2)
        is_positive = np.isfinite(z) & (z > 0.0)
        error = np.divide(room, z, out=np.zeros_like(room), where=is_positive) + self.approximation
        widened: Vector = np.divide(room, error, out=z.copy(), where=is_positive)
        return widened


@dataclass(frozen=True)
class Pairs:
    """Pairs of vendors (a, b) against one reference; every method answers for all pairs at once.

    shared_plug_in, shared_second_order: P_ab and V2_ab.
    """

    a: Side
    b: Side
    shared_plug_in: Vector
    shared_second_order: Vector

    @classmethod
    def of(cls, distances: SquaredDistances, a: ArrayLike, b: ArrayLike) -> Pairs:
        """The pairs (a[0], b[0]), (a[1], b[1]), ... of the contrasts, by index."""
        i, j = np.atleast_1d(np.asarray(a, dtype=np.intp)), np.atleast_1d(np.asarray(b, dtype=np.intp))
        return cls(
            Side.of(distances, i),
            Side.of(distances, j),
            distances.plug_in[i, j],
            distances.second_order[i, j],
        )

    def swapped(self) -> Pairs:
        """The pairs (b, a)."""
        return Pairs(self.b, self.a, self.shared_plug_in, self.shared_second_order)

    @property
    def clipped(self) -> Pairs:
        """The pairs without what noise takes below zero: it is part of no gap that more rows would show."""
        return replace(self, a=self.a.clipped, b=self.b.clipped)

    @property
    def gap(self) -> Vector:
        """d_b - d_a: positive where a is nearer to the reference, that is better."""
        return self.b.mmd - self.a.mmd

    @property
    def degrees(self) -> Vector:
        """The smaller degrees of freedom of the two."""
        return np.minimum(self.a.degrees, self.b.degrees)

    def standard_error(self, on_a: ArrayLike = 1.0, on_b: ArrayLike = 1.0) -> Vector:
        """Standard error of on_b theta_b - on_a theta_a, approximation error included."""
        f, g = np.asarray(on_a, dtype=np.float64), np.asarray(on_b, dtype=np.float64)
        p = f**2 * self.a.plug_in + g**2 * self.b.plug_in - 2.0 * f * g * self.shared_plug_in
        v = f**2 * self.a.second_order + g**2 * self.b.second_order - 2.0 * f * g * self.shared_second_order
        error: Vector = np.sqrt(variance_of(p, v)) + f * self.a.approximation + g * self.b.approximation
        return error

    def linearisation(self, margin: ArrayLike) -> tuple[Vector, Vector]:
        """The factors (on a, on b) of the statistic: f on the larger distance, 1 on the other.

        Where no margin makes the stronger claim they are 1 on both, where d_a alone does 1 on a and 0 on b.
        """
        g = np.broadcast_to(np.asarray(margin, dtype=np.float64), self.gap.shape)
        on_a, on_b = self._at_the_larger(g)
        strongest = self._candidates(g).argmax(axis=0)
        return np.where(strongest > 0, 1.0, on_a), np.choose(strongest, [on_b, 1.0, 0.0])

    def _at_the_larger(self, g: Vector) -> tuple[Vector, Vector]:
        d_a, d_b = self.a.mmd, self.b.mmd
        on_a: Vector = np.where(g < 0.0, _share(d_a + g, d_a), 1.0)
        on_b: Vector = np.where(g > 0.0, _share(d_b - g, d_b), 1.0)
        return on_a, on_b

    def statistic(self, margin: ArrayLike = 0.0) -> Vector:
        """Z of the claim "d_b > d_a + margin", margins in MMD.

        Large values speak for it; -inf where d_b itself does not reach a positive margin. With a negative one
        it is the largest of three: "d_b > d_a" is enough, and so is d_a alone below |margin|, because d_b is
        at least 0. Two vendors that no row tells apart (variance 0) have Z = 0.
        """
        g = np.broadcast_to(np.asarray(margin, dtype=np.float64), self.gap.shape)
        strongest: Vector = self._candidates(g).max(axis=0)
        return strongest

    def _candidates(self, g: Vector) -> Matrix:
        """(3, pairs): Z at the larger distance and, where g < 0, of no margin and of "d_a < |g|"."""
        z = self._linearised(g)
        if not (g < 0.0).any():
            return np.stack([z, *[np.where(np.isnan(z), np.nan, -np.inf)] * 2])
        implied = [self._linearised(np.zeros_like(g)), self.a.below(np.abs(g))]
        return np.stack([z, *(np.where((g < 0.0) | np.isnan(z), one, -np.inf) for one in implied)])

    def _linearised(self, g: Vector) -> Vector:
        """Z at the larger distance."""
        d_a, d_b = self.a.mmd, self.b.mmd
        on_a, on_b = self._at_the_larger(g)
        theta_b = np.where(g > 0.0, (d_b * on_b) ** 2, self.b.squared)
        theta_a = np.where(g == 0.0, self.a.squared, (d_a * on_a) ** 2)
        difference, error = theta_b - theta_a, self.standard_error(on_a, on_b)
        with np.errstate(divide="ignore", invalid="ignore"):
            z = difference / error
        z = np.where((error == 0.0) & (difference == 0.0), 0.0, z)
        out_of_reach = (g > 0.0) & (d_b <= g)
        return np.where(out_of_reach & ~np.isnan(z), -np.inf, z)

    def p_value(self, margin: ArrayLike = 0.0) -> Vector:
        """One-sided p-value of the claim "d_b > d_a + margin", from Student's t with the pair's degrees."""
        return upper_tail(self.statistic(margin), self.degrees)

    def gap_interval(self, confidence: ArrayLike) -> tuple[Vector, Vector]:
        """The margins that neither direction rejects at (1 - confidence) / 2 each, as (lower, upper)."""
        tail = np.broadcast_to((1.0 + np.asarray(confidence)) / 2.0, self.gap.shape)
        quantile: Vector = stdtrit(self.degrees, tail)
        return self._lower_gap(quantile), -self.swapped()._lower_gap(quantile)

    def _lower_gap(self, quantile: Vector) -> Vector:
        """The largest margin g with "d_b > d_a + g" claimed, by bisection; at least minus d_a's upper end."""
        claimed_at_zero = self.statistic(0.0) > quantile
        low = np.where(claimed_at_zero, 0.0, -self.a.upper(quantile))
        high = np.where(claimed_at_zero, self.b.mmd, 0.0)
        for _ in range(HALVINGS):
            middle = (low + high) / 2.0
            claimed = self.statistic(middle) > quantile
            low, high = np.where(claimed, middle, low), np.where(claimed, high, middle)
        ends: Vector = np.where(np.isnan(self.statistic(0.0)), np.nan, low)
        return ends


def upper_tail(z: Vector, degrees: Vector) -> Vector:
    """P(T > z) for Student's t, accurate far out."""
    with np.errstate(invalid="ignore"):
        tail: Vector = stdtr(degrees, -z)
    return tail


def _share(part: Vector, whole: Vector) -> Vector:
    """The ratio clipped at 0; 0 where the whole is 0."""
    zeros = np.zeros(np.broadcast(part, whole).shape)
    ratio: Vector = np.divide(part, whole, out=zeros, where=whole > 0.0)
    return np.maximum(ratio, 0.0)
