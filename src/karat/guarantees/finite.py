"""Radii and intervals that hold at every sample size, for any distribution.

With probability at least 1 - delta over the draw of the rows, | |mu^_c| - |mu_c| | <= radius, where
mu_c = sum_j c_j mu_j and |mu^_c| = sqrt(c' V c). Conditions: rows of a source are independent draws, sources
are independent, the kernel is bounded and exact, and kernel, encoder and reference weights do not depend on
these rows. With s = sum_j c_j^2 / m_j and K = sup k(x, x), for a kernel >= 0:

    bounded differences  r_bd = sqrt(K s) + sqrt(K s log(1/delta))
    upwards              t_up = sqrt(K s log(1/delta)),                   |mu_c| <= |mu^_c| + t_up
    variance-aware       r_va = M L / 3 + sqrt((M L / 3)^2 + 2 w^2 L),    L = log(3/delta)
        M = sqrt(2 K) max_j |c_j| / m_j,  W = sum_j c_j^2 v_j / m_j,  a = max_j m_j / (m_j - 1),
        w = sqrt(a M^2 L / 2) + sqrt(W + a M^2 L / 2).

Where the kernel may be negative two rows lie up to 2 sqrt(K) apart instead of sqrt(2 K), and the constants
change with it. Proofs: docs/theory/guarantees.md.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from karat.errors import GuaranteeError
from karat.gram import Moments
from karat.guarantees.asymptotic import Intervals, check_confidence
from karat.typing import Matrix, Vector

Form = Literal["sharpest", "bounded differences"]
"""Which radii an interval uses: the smaller of both kinds, or the paper's kind alone."""


@dataclass(frozen=True)
class FiniteDistances:
    """The distances of k contrasts as norms of actual vectors, with what their radii need.

    biased: (k,), c' V c. contrasts: (k, n). sizes: (n,), rows that count as independent draws. spread: (n,),
    the variance v_j of each source in the feature space. bound: K.
    has_copies: rows were found to be copies; the variance-aware radius is not proved then and not used.
    chosen_from_data: the weights were chosen from these rows; radii then hold for all weights at once.
    """

    names: tuple[str, ...]
    biased: Vector
    contrasts: Matrix
    sizes: Vector
    spread: Vector
    bound: float
    nonnegative: bool
    has_copies: bool = False
    chosen_from_data: bool = False

    @property
    def mmd(self) -> Vector:
        """(k,), the distances, as the paper estimates them."""
        norms: Vector = np.sqrt(np.maximum(self.biased, 0.0))
        return norms

    @property
    def apart(self) -> float:
        """How far two rows can lie apart in the feature space."""
        return math.sqrt((2.0 if self.nonnegative else 4.0) * self.bound)

    @property
    def mean_noise(self) -> Vector:
        """(k,), sqrt(K s): no expected error of the mean embedding of a contrast is larger."""
        noise: Vector = np.sqrt(self.bound * (self.contrasts**2 / self.sizes).sum(axis=1))
        return noise

    def deviation(self, delta: float) -> Vector:
        """(k,), t_up: how far a sum of bounded terms strays from its mean to one side."""
        stray: Vector = self.apart * np.sqrt(
            (self.contrasts**2 / self.sizes).sum(axis=1) * _log_inverse(delta) / 2.0
        )
        return stray

    def bounded_difference_radius(self, delta: float) -> Vector:
        """(k,), r_bd, to both sides (McDiarmid 1989, on the norm of the error)."""
        return self.mean_noise + self.deviation(delta)

    def variance_aware_radius(self, delta: float) -> Vector:
        """(k,), r_va, to both sides (Pinelis 1994, Theorem 3.4; Maurer and Pontil 2009, Theorem 7)."""
        if self.has_copies:
            return np.full(len(self.names), np.inf)
        log = math.log(3.0) + _log_inverse(delta)
        step = self.apart * (np.abs(self.contrasts) / self.sizes).max(axis=1)
        carries = self.contrasts != 0.0
        with np.errstate(divide="ignore"):
            factor = np.where(carries, self.sizes / (self.sizes - 1.0), 1.0).max(axis=1)
        slack = factor * step**2 * log / 2.0
        observed = (self.contrasts**2 * self.spread / self.sizes).sum(axis=1)
        width = np.sqrt(slack) + np.sqrt(observed + slack)
        third = step * log / 3.0
        radius: Vector = third + np.sqrt(third**2 + 2.0 * width**2 * log)
        return radius

    def all_weights_radius(self, delta: float) -> Vector:
        """(k,), sum_j |c_j| r_j, each source's radius r_j at delta / n: for weights chosen from the data."""
        n = len(self.sizes)
        singles = replace(self, names=("",) * n, biased=np.zeros(n), contrasts=np.eye(n))
        share = delta / (2.0 * n)
        own = np.minimum(singles.bounded_difference_radius(share), singles.variance_aware_radius(share))
        radius: Vector = np.abs(self.contrasts) @ own
        return radius

    def radii(self, confidence: float, *, family: int = 1, form: Form = "sharpest") -> tuple[Vector, Vector]:
        """How far each distance can lie below and above its estimate, as (down, up).

        Any `family` of the intervals hold together with the confidence (union bound). The share of each,
        delta = (1 - confidence) / family, is divided over the radii that are compared:

            down = min(r_bd(delta/4), r_va(delta/2)),    up = min(t_up(delta/4), r_va(delta/2)),

        or, with bounded differences alone, delta/2 downwards and delta/2 upwards. Radii for weights chosen
        from the data hold for all contrasts at once and are not divided.
        """
        delta = (1.0 - confidence) / family
        if self.chosen_from_data:
            down = up = self.all_weights_radius(1.0 - confidence)
        elif form == "bounded differences":
            down, up = self.bounded_difference_radius(delta / 2.0), self.deviation(delta / 2.0)
        else:
            aware = self.variance_aware_radius(delta / 2.0)
            down = np.minimum(self.bounded_difference_radius(delta / 4.0), aware)
            up = np.minimum(self.deviation(delta / 4.0), aware)
        return down, up

    def intervals(self, confidence: float, *, family: int = 1, form: Form = "sharpest") -> Intervals:
        """Guaranteed intervals of all distances; `radii` says what holds together."""
        down, up = self.radii(check_confidence(confidence), family=family, form=form)
        lower = np.maximum(self.mmd - down, 0.0)
        return Intervals(confidence, lower**2, (self.mmd + up) ** 2, (None,) * len(self.names))

    def subset(self, indices: Sequence[int]) -> FiniteDistances:
        """The same for some of the contrasts, in the order given."""
        pick = list(indices)
        return replace(
            self,
            names=tuple(self.names[i] for i in pick),
            biased=self.biased[pick],
            contrasts=self.contrasts[pick],
        )

    def grown(self, factors: Vector) -> FiniteDistances:
        """The same distances and spreads if every source had so many times its rows."""
        return replace(self, sizes=self.sizes * factors)


def finite_distances(
    moments: Moments, contrasts: Matrix, names: Sequence[str], *, chosen_from_data: bool = False
) -> FiniteDistances:
    """The contrasts' distances with what their guaranteed radii need; refuses where no radius exists."""
    check_bounded(moments)
    return FiniteDistances(
        names=tuple(names),
        biased=np.einsum("ij,ij->i", contrasts @ moments.gram_biased, contrasts),
        contrasts=contrasts,
        sizes=moments.effective_sizes,
        spread=moments.spread,
        bound=moments.bound,
        nonnegative=moments.nonnegative,
        has_copies=bool((moments.effective_sizes < moments.sizes).any()),
        chosen_from_data=chosen_from_data,
    )


def check_bounded(moments: Moments) -> None:
    """Raise unless the kernel is bounded and its sums are exact."""
    if not math.isfinite(moments.bound):
        raise GuaranteeError(
            "this kernel is unbounded: sup k(x, x) is infinite, so one row could move a distance by any "
            "amount, and no guarantee exists at any sample size.",
            hint="Choose a bounded kernel such as gaussian or laplace, or the policy 'asymptotic'.",
        )
    if moments.approximation is not None:
        raise GuaranteeError(
            "these kernel sums are approximated, and their error is estimated, not bounded.",
            hint="Appraise with the exact method, or choose the policy 'asymptotic'.",
        )


def _log_inverse(delta: float) -> float:
    return -math.log(delta)
