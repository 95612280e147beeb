"""Why a market misses what it must reach: the same vendors, with one source of noise at a time.

The ceiling knows P_i and P* exactly; a buyer has neither. Between the two stand the rows of D_val, and those
of the previews. Here each is put right alone. It is run after a miss, to explain it, and changes no verdict.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from karat.kernels import Kernel, kernel_named
from karat.paper.base import Cell, Experiment, parts
from karat.paper.drawing import pool_moments
from karat.paper.lines import LINES
from karat.paper.ranking import Ranking
from karat.paper.statistics import mean, spearman
from karat.typing import Matrix, Rows, Vector
from karat.values import value

PREFIX = "reasons-"
"""Before the name of the market that is explained."""

ANCHOR_ROWS = (20, 50, 100, 200, 500, 1000)

MMD = next(line for line in LINES if line.label == "mmd")

PIECE = 256
"""Rows of the anchor pool that meet a vendor pool at once."""


@dataclass(frozen=True, kw_only=True)
class Reasons(Experiment):
    """`mmd` of the ranking's vendors: as whole distributions, and from larger previews.

    rows: m of the larger previews; anchors: sizes of anchors that whole distributions are ordered by;
    picks: anchors drawn of each size.
    """

    family: ClassVar[str] = "reasons"

    ranking: Ranking
    rows: tuple[int, ...]
    anchors: tuple[int, ...] = ANCHOR_ROWS
    picks: int = 200

    def cells(self) -> tuple[str, ...]:
        return ("whole", *(f"rows-{m}-{t}" for m in self.rows for t in range(self.trials)))

    def run(self, cell: str) -> dict[str, Any]:
        kind, numbers = parts(cell)
        if kind == "whole":
            return self._whole()
        rows, trial = numbers
        bench = replace(self.ranking, rows=rows).bench(trial)
        return {"scores": bench.scores(MMD, "validation").tolist()}

    def _whole(self) -> dict[str, Any]:
        """No previews: P_i itself, against all of D_val and against anchors drawn from it."""
        vendors = self.ranking.vendors
        clean, foreign = vendors.pools.clean, vendors.pools.foreign
        assert foreign is not None
        anchor = clean.anchor.rows
        kernel = kernel_named("default", [anchor])
        gram = pool_moments([clean.vendor.rows, foreign.vendor.rows], kernel).gram_biased
        means = np.column_stack([row_means(anchor, pool.vendor.rows, kernel) for pool in (clean, foreign)])
        weights = np.column_stack([1.0 - vendors.levels, vendors.levels])
        order: dict[str, Any] = {}
        for size in (size for size in self.anchors if size <= len(anchor)):
            found = []
            for pick in range(self.picks):
                chosen = self.generator(size, pick).permutation(len(anchor))[:size]
                scores = against(anchor[chosen], means[chosen], gram, weights, kernel)
                found.append(spearman(scores, -vendors.levels))
            order[str(size)] = {"mean": mean(found), "no_order": found.count(None)}
        scores = against(anchor, means, gram, weights, kernel)
        return {"scores": scores.tolist(), "rows": len(anchor), "order": order}

    def summary(self, cells: Mapping[str, Cell]) -> dict[str, Any]:
        scores = {str(m): [cells[f"rows-{m}-{t}"]["scores"] for t in range(self.trials)] for m in self.rows}
        return {"whole": cells["whole"], "scores": scores}


def row_means(rows: Rows, pool: Rows, kernel: Kernel) -> Vector:
    """Mean kernel value of each row with all rows of a pool; O(rows * pool), a piece at a time."""
    pieces = [kernel.block(rows[at : at + PIECE], pool).mean(axis=1) for at in range(0, len(rows), PIECE)]
    joined: Vector = np.concatenate(pieces)
    return joined


def against(anchor: Rows, means: Matrix, gram: Matrix, weights: Matrix, kernel: Kernel) -> Vector:
    """Minus the distance of each mixture of pools to the distribution that the anchor is drawn from.

    means: (q, pools), of each anchor row with each pool; gram: of the pools; weights: (n, pools). Mixtures
    are exact, and no anchor row meets itself: w'Gw - 2 w'(mean of means) + mean over x != y of k(x, y).
    """
    q = len(anchor)
    own = sum(float(kernel.block(anchor[at : at + PIECE], anchor).sum()) for at in range(0, q, PIECE))
    own = (own - float(kernel.diagonal(anchor).sum())) / (q * (q - 1))
    squares: Vector = np.einsum("ij,jk,ik->i", weights, gram, weights)
    return value(squares - 2.0 * weights @ means.mean(axis=0) + own)
