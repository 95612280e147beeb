"""Draws of vendors from pools, and what is exactly true of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from karat.gram import Moments, kernel_sums, moments_from_sums
from karat.kernels import Kernel
from karat.paper.pools import PairPools, Part
from karat.typing import Matrix, Rows, Vector
from karat.vendors.huber import contaminated_draw


@dataclass(frozen=True, eq=False)
class Vendors:
    """What each vendor's distribution is, over pools.

    kind: "huber", "noise", "classes" or "interpolated"; levels: (n,), see `karat.paper.schedules`.
    """

    pools: PairPools
    kind: str
    levels: Vector
    own_labels: bool

    @property
    def n(self) -> int:
        return len(self.levels)

    def draw(self, i: int, rows: int, rng: np.random.Generator) -> Part:
        """So many independent rows of vendor i (from 0), with labels."""
        clean, level = self.pools.clean.vendor, float(self.levels[i])
        if self.kind == "huber":
            return self._contaminated(level, rows, rng)
        if self.kind == "noise":
            drawn = clean.take(rng.integers(clean.size, size=rows))
            noise = rng.normal(0.0, level, drawn.rows.shape) if level > 0.0 else 0.0
            return Part((drawn.rows + noise).astype(np.float32), drawn.labels)
        allowed = np.flatnonzero(clean.labels < level)
        picked = allowed[rng.integers(len(allowed), size=rows)]
        if self.kind == "interpolated":
            is_free = np.arange(rows) >= rows // 2
            picked = np.where(is_free, rng.integers(clean.size, size=rows), picked)
        return clean.take(picked)

    def _contaminated(self, share: float, rows: int, rng: np.random.Generator) -> Part:
        clean, foreign = self.pools.clean.vendor, self.pools.foreign
        assert foreign is not None
        other = foreign.vendor
        draw = contaminated_draw(clean.size, other.size, contamination=share, rows=rows, seed=rng)
        labels = draw.choose(clean.labels, other.labels)
        if not self.own_labels:
            assert self.pools.n_classes is not None
            labels[draw.is_foreign] = rng.integers(self.pools.n_classes, size=int(draw.is_foreign.sum()))
        return Part(draw.choose(clean.rows, other.rows), labels)

    def truth(self, kernel: Kernel) -> Vector | None:
        """d(P_i, P*) of the pools, exactly; None for noise, which is no mixture of pools.

        Every other P_i is a mixture of pools with weights w_i, so d^2 = (w_i - w*)' V (w_i - w*), with V the
        inner products of the pools, every pair of rows counted.
        """
        if self.kind == "noise":
            return None
        parts, weights, target = self._mixture()
        gram = pool_moments(parts, kernel).gram_biased
        gaps = weights - target
        squares: Vector = np.einsum("ij,ij->i", gaps @ gram, gaps)
        return np.sqrt(np.maximum(squares, 0.0))

    def _mixture(self) -> tuple[list[Rows], Matrix, Vector]:
        """Pools, the weights (n, pools) of every vendor on them, and the weights of P*."""
        clean = self.pools.clean.vendor
        if self.kind == "huber":
            assert self.pools.foreign is not None
            weights = np.column_stack([1.0 - self.levels, self.levels])
            return [clean.rows, self.pools.foreign.vendor.rows], weights, np.array([1.0, 0.0])
        codes = np.unique(clean.labels)
        shares = np.array([(clean.labels == code).mean() for code in codes])
        allowed = np.array([np.where(codes < level, shares, 0.0) for level in self.levels])
        limited = allowed / allowed.sum(axis=1, keepdims=True)
        weights = limited if self.kind == "classes" else (limited + shares) / 2.0
        return [clean.rows[clean.labels == code] for code in codes], weights, shares


def pool_moments(parts: list[Rows], kernel: Kernel) -> Moments:
    """The moments of whole pools."""
    sums = kernel_sums(parts, kernel)
    return moments_from_sums(sums, names=[str(j) for j in range(len(parts))], kernel=kernel, anchor=None)
