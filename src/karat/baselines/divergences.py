"""The Kullback-Leibler divergence from nearest neighbours."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from karat.baselines.base import Case, Valuation, rows_of
from karat.baselines.reference import drawn_rows
from karat.kernels.distances import squared_row_distances
from karat.typing import Matrix
from karat.values import Values

STRIP_CELLS = 1 << 21
"""Distances held at a time: 16 MB."""

ROUNDING = 1e-12
"""Squared distances below this, relative to the spread of the rows, are those of equal rows."""


@dataclass(frozen=True, kw_only=True)
class KullbackLeibler(Valuation):
    """Minus the Kullback-Leibler divergence, v_i = -KL(P_i | reference), from k nearest neighbours.

    direction: "vendor" is KL(P_i | reference), large where the vendor has rows that the reference lacks;
    "reference" is KL(reference | P_i), large where the vendor lacks what the reference has. Without an anchor
    the reference is the union of the *other* vendors: a row that met itself there would be infinitely close.
    adaptive: count neighbours within one radius, which needs no dimension; see `kl_divergence`.
    """

    name: ClassVar[str] = "kl"
    needs: ClassVar[tuple[str, ...]] = ("reference",)
    converges_to: ClassVar[str] = "-KL(P_i | reference), infinite where supports differ"
    cost: ClassVar[str] = "O(m (m + l) d) per vendor, l rows of the reference"
    citation: ClassVar[str] = "Wang et al. 2009"
    least: ClassVar[Mapping[str, float]] = {"most_rows": 2}

    neighbours: int = 5
    adaptive: bool = True
    direction: Literal["vendor", "reference"] = "vendor"
    most_rows: int = 10_000

    def run(self, case: Case) -> Values:
        scores, names = [], set()
        for i, sample in enumerate(case.market.samples):
            others = case.reference.without(sample)
            names.add(others.name)
            reference = others.drawn(self.most_rows, case.seed).rows
            rows = rows_of(sample)[drawn_rows(sample, self.most_rows, case.seed)]
            pair = (rows, reference) if self.direction == "vendor" else (reference, rows)
            scores.append(-kl_divergence(*pair, neighbours=self.neighbours, adaptive=self.adaptive))
            case.tell(i + 1, len(case.market.samples))
        return case.values(self, scores, reference=names.pop(), neighbours=self.neighbours)


def kl_divergence(x: Matrix, y: Matrix, *, neighbours: int = 5, adaptive: bool = True) -> float:
    """KL(P | Q) from x (m, d) of P and y (l, d) of Q (Wang et al. 2009).

    With rho(x) the distance to the k-th neighbour among the other rows of x, nu(x) that among the rows of y,

        adaptive   KL = mean over x of  psi(a) - psi(b)    +  log(l / (m - 1))
        fixed      KL = mean over x of  d log(nu / rho)    +  log(l / (m - 1)),

    a and b being the numbers of rows of x and of y within the larger of rho and nu. The fixed form takes rows
    to fill d dimensions: where columns are discrete or depend on each other it is off by about
    (d / true dimension - 1) log(m / l), which favours the vendor with fewer rows. Counting asks for no
    dimension, and on discrete rows gives the log of the ratio of frequencies; it also serves the fixed form
    where a distance is 0. Where there are fewer rows than k, k is smaller. Far from all rows of y nobody
    knows how improbable a row is: both forms fall short there, counting more so.
    """
    from scipy.special import digamma

    m, l, d = len(x), len(y), x.shape[1]
    k = min(neighbours, m - 1, l)
    centre = y.mean(axis=0)
    x, y = x - centre, y - centre
    least = ROUNDING * max(float((x * x).sum(axis=1).max()), float((y * y).sum(axis=1).max()))
    total = 0.0
    height = max(1, STRIP_CELLS // max(m, l))
    for start in range(0, m, height):
        strip = x[start : start + height]
        within, across = squared_row_distances(strip, x), squared_row_distances(strip, y)
        within[np.arange(len(strip)), np.arange(start, start + len(strip))] = np.inf
        rho = np.partition(within, k - 1, axis=1)[:, k - 1]
        nu = np.partition(across, k - 1, axis=1)[:, k - 1]
        counted = (rho <= least) | (nu <= least) | adaptive
        total += 0.5 * d * float(np.log(nu[~counted] / rho[~counted]).sum())
        reach = np.maximum(np.maximum(rho, nu)[counted] * (1.0 + ROUNDING), least)[:, None]
        counts = (within[counted] <= reach).sum(axis=1), (across[counted] <= reach).sum(axis=1)
        total += float((digamma(counts[0]) - digamma(counts[1])).sum())
    return total / m + float(np.log(l / (m - 1)))
