"""Distances of transport between a vendor's rows and the reference's, without labels."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from karat.baselines.base import Case, Valuation, rows_of
from karat.baselines.reference import drawn_rows
from karat.baselines.transport import (
    Ground,
    entropic_transport,
    entropy,
    exact_transport,
    self_transport,
    sinkhorn_divergence,
)
from karat.baselines.transport.ground import uniform
from karat.typing import Matrix, Vector
from karat.values import Values


def vendor_rows(case: Case, most: int) -> list[Matrix]:
    """At most so many rows of every vendor, drawn by the seed where there are more."""
    samples = case.market.samples
    return [rows_of(sample)[drawn_rows(sample, most, case.seed)] for sample in samples]


@dataclass(frozen=True, kw_only=True)
class Wasserstein(Valuation):
    """Minus the 2-Wasserstein distance, v_i = -W_2(D_i, reference), the linear program solved exactly.

    Its bias falls like m^(-1/d) only, so previews of different sizes would not be comparable: every vendor
    shows as many rows as the smallest (equal_sizes=False takes all). most_rows caps both sides; rows beyond
    it are left out by a draw, and the rest is solved without approximation.
    """

    name: ClassVar[str] = "wasserstein"
    needs: ClassVar[tuple[str, ...]] = ("reference", "ot")
    converges_to: ClassVar[str] = "-W_2(P_i, reference), at the rate m^(-1/d)"
    cost: ClassVar[str] = "about O(m^2 d + m^2.3) per vendor in practice; memory O(m d)"
    citation: ClassVar[str] = "Villani 2009; solver of Bonneel et al. 2011"

    most_rows: int = 5_000
    equal_sizes: bool = True

    def run(self, case: Case) -> Values:
        smallest = min(sample.size for sample in case.market.samples)
        most = min(self.most_rows, smallest) if self.equal_sizes else self.most_rows
        reference = case.reference.drawn(self.most_rows, case.seed).rows
        scores, is_converged = [], True
        for i, rows in enumerate(vendor_rows(case, most)):
            weights = uniform(len(rows)), uniform(len(reference))
            solved = exact_transport(Ground.between(rows, reference), *weights)
            scores.append(-math.sqrt(2.0 * max(solved.cost, 0.0)))
            is_converged &= solved.is_converged
            case.tell(i + 1, len(case.market.samples))
        return case.values(
            self,
            scores,
            reference=case.reference.name,
            rows=[most, len(reference)],
            is_converged=is_converged,
        )


@dataclass(frozen=True, kw_only=True)
class Sinkhorn(Valuation):
    """Minus the root of the debiased Sinkhorn divergence, v_i = -sqrt(2 S_eps(D_i, reference)).

    S_eps = OT_eps(a, b) - (OT_eps(a, a) + OT_eps(b, b)) / 2 under the cost |x - y|^2 / 2: zero between equal
    sets, half of W_2^2 as eps falls, and as eps grows half the squared distance of the means.
    eps is `regularisation` times the mean cost within the reference, so that no vendor moves it.
    """

    name: ClassVar[str] = "sinkhorn"
    needs: ClassVar[tuple[str, ...]] = ("reference",)
    converges_to: ClassVar[str] = "-sqrt(2 S_eps(P_i, reference)), between W_2 and the distance of the means"
    cost: ClassVar[str] = "O(m^2 d) per round and vendor, tens of rounds; memory O(m d)"
    citation: ClassVar[str] = "Feydy et al. 2019; Genevay et al. 2018"

    regularisation: float = 0.05
    most_rows: int = 10_000

    def run(self, case: Case) -> Values:
        reference = case.reference.drawn(self.most_rows, case.seed).rows
        own_ground, share = Ground.between(reference, reference), uniform(len(reference))
        epsilon = entropy(own_ground, share, share, self.regularisation)
        own = self_transport(own_ground, share, epsilon)
        scores, is_converged = [], own.is_converged
        for i, rows in enumerate(vendor_rows(case, self.most_rows)):
            weights = uniform(len(rows))
            across = entropic_transport(Ground.between(rows, reference), weights, share, epsilon)
            within = self_transport(Ground.between(rows, rows), weights, epsilon)
            divergence = sinkhorn_divergence(across, within, own)
            scores.append(-math.sqrt(2.0 * max(divergence, 0.0)))
            is_converged &= across.is_converged and within.is_converged
            case.tell(i + 1, len(case.market.samples))
        return case.values(
            self, scores, reference=case.reference.name, epsilon=epsilon, is_converged=is_converged
        )


@dataclass(frozen=True, kw_only=True)
class SlicedWasserstein(Valuation):
    """Minus the sliced 2-Wasserstein distance: the mean of W_2^2 over random directions, and its root.

    In one dimension W_2^2 is the integral of the squared difference of the quantile functions, exact for any
    two sizes. All vendors are seen from the same directions.
    """

    name: ClassVar[str] = "sliced-wasserstein"
    needs: ClassVar[tuple[str, ...]] = ("reference",)
    converges_to: ClassVar[str] = "-SW_2(P_i, reference), from the directions drawn"
    cost: ClassVar[str] = "O(projections (m d + m log m)) per vendor"
    citation: ClassVar[str] = "Bonneel et al. 2015"

    projections: int = 200
    most_rows: int = 50_000

    def run(self, case: Case) -> Values:
        reference = case.reference.drawn(self.most_rows, case.seed).rows
        directions = np.random.default_rng(case.seed).normal(size=(reference.shape[1], self.projections))
        directions /= np.linalg.norm(directions, axis=0)
        scores = []
        for i, rows in enumerate(vendor_rows(case, self.most_rows)):
            scores.append(-math.sqrt(float(sliced_squares(rows, reference, directions).mean())))
            case.tell(i + 1, len(case.market.samples))
        return case.values(self, scores, reference=case.reference.name, projections=self.projections)


def sliced_squares(x: Matrix, y: Matrix, directions: Matrix) -> Vector:
    """W_2^2 between the projections of x (n, d) and of y (m, d) on each direction (d, p): (p,).

    >>> sliced_squares(np.array([[0.0], [1.0]]), np.array([[2.0], [3.0]]), np.array([[1.0]]))
    array([4.])
    """
    centre = y.mean(axis=0)
    n, m = len(x), len(y)
    steps = np.union1d(np.arange(1, n + 1) * m, np.arange(1, m + 1) * n)  # quantile levels times n m: whole
    widths = np.diff(steps, prepend=0) / (n * m)
    at_x, at_y = (steps - 1) // m, (steps - 1) // n
    squares = np.empty(directions.shape[1])
    for p, direction in enumerate(directions.T):
        first, second = np.sort((x - centre) @ direction), np.sort((y - centre) @ direction)
        squares[p] = widths @ (first[at_x] - second[at_y]) ** 2
    return squares
