"""Exact transport: a linear program, solved by POT's network simplex, in memory that stays bounded.

Small problems go to the solver whole. Large ones are solved by column generation: the program is restricted
to a short list of promising pairs, its dual prices are checked against all pairs in strips, pairs that would
lower the cost join the list, and the program is solved again until no pair would. The result is the optimum
of the whole program, not an approximation; what is stored is a few dozen pairs per row.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from karat.baselines.transport.entropic import entropic_transport
from karat.baselines.transport.ground import Ground, Transport
from karat.typing import Matrix, Vector

WHOLE_CELLS = 4_000_000
"""Up to so many pairs the solver gets all costs; it needs about 50 bytes for each."""

STRIP_CELLS = 1 << 21
"""Costs made at a time when pairs are priced: 16 MB."""

NEAREST = 12
"""Pairs that each row, and each column, brings to the first list: one round is nearly always enough then."""

JOINING = 4
"""Pairs that each row, and each column, may add in a later round."""

START_EPSILON = 0.01
"""Entropy, as a share of the mean cost, of the approximate prices that the first list is made with."""

OPTIMALITY = 1e-9
"""A pair may lower the cost by so little, relative to the mean cost: rounding."""

MOST_ROUNDS = 200
MOST_PIVOTS = 100_000_000

Pairs = NDArray[np.int64]


def exact_transport(ground: Ground, a: Vector, b: Vector, *, whole_cells: int = WHOLE_CELLS) -> Transport:
    """The optimal cost of moving weights a (n,) to weights b (m,), and the dual prices of rows and columns.

    Equal rows are moved as one: with ties the prices have many optima, and the list would grow for long.
    """
    if ground.shape[0] * ground.shape[1] <= whole_cells:
        return _solve_whole(ground, a, b)
    rows, columns = _equal(ground.p, ground.u), _equal(ground.q, ground.v)
    merged = Ground(
        ground.p[rows.first], ground.q[columns.first], ground.u[rows.first], ground.v[columns.first]
    )
    row_weights: Vector = np.bincount(rows.group, a).astype(np.float64)
    column_weights: Vector = np.bincount(columns.group, b).astype(np.float64)
    is_small = merged.shape[0] * merged.shape[1] <= whole_cells
    solved = (_solve_whole if is_small else _solve_by_list)(merged, row_weights, column_weights)
    return Transport(
        solved.cost,
        solved.source[rows.group],
        solved.target[columns.group],
        solved.rounds,
        solved.is_converged,
    )


def _solve_whole(ground: Ground, a: Vector, b: Vector) -> Transport:
    import ot

    _, log = ot.emd(a, b, ground.block(0, len(a)), numItermax=MOST_PIVOTS, log=True)
    return Transport(float(log["cost"]), log["u"], log["v"], 1, log["warning"] is None)


def _solve_by_list(ground: Ground, a: Vector, b: Vector) -> Transport:
    import ot
    from scipy.sparse import coo_array

    n, m = ground.shape
    mean = ground.mean(a, b)
    start = entropic_transport(ground, a, b, START_EPSILON * mean, tolerance=0.05, most_rounds=40)
    pairs = np.union1d(_staircase(ground, a, b), _cheapest(ground, start.source, start.target, NEAREST))
    rounds = 0
    while True:
        rounds += 1
        k, l = np.divmod(pairs, m)
        costs = coo_array((_costs(ground, k, l), (k, l)), shape=(n, m))
        _, log = ot.emd(a, b, costs, numItermax=MOST_PIVOTS, log=True)
        joining = _cheapest(ground, log["u"], log["v"], JOINING, below=-OPTIMALITY * mean)
        if len(joining) == 0 or rounds == MOST_ROUNDS:
            return Transport(float(log["cost"]), log["u"], log["v"], rounds, len(joining) == 0)
        pairs = np.union1d(pairs, joining)


@dataclass(frozen=True, eq=False)
class _Groups:
    """Equal rows: the place of the first of each group, and the group of each row."""

    first: NDArray[np.intp]
    group: NDArray[np.intp]


def _equal(offsets: Vector, factors: Matrix) -> _Groups:
    _, first, group = np.unique(
        np.column_stack([offsets, factors]), axis=0, return_index=True, return_inverse=True
    )
    return _Groups(first, group.reshape(-1))


def _costs(ground: Ground, k: Pairs, l: Pairs) -> Vector:
    """The costs of listed pairs, column by column: a few numbers per pair in memory."""
    costs = ground.p[k] + ground.q[l]
    for u, v in zip(ground.u.T, ground.v.T, strict=True):
        costs -= u[k] * v[l]
    return np.maximum(costs, 0.0)


def _staircase(ground: Ground, a: Vector, b: Vector) -> Pairs:
    """Pairs that carry a plan whatever the costs, so that the first program has a solution.

    Rows and columns are filled up in the order of their projection on the widest direction; in one dimension
    that plan is the optimal one.
    """
    widest = np.linalg.eigh(
        np.cov(np.vstack([ground.u, ground.v]), rowvar=False).reshape(ground.u.shape[1], -1)
    )
    direction = widest.eigenvectors[:, -1]
    row_order, column_order = np.argsort(ground.u @ direction), np.argsort(ground.v @ direction)
    row_ends, column_ends = np.cumsum(a[row_order]), np.cumsum(b[column_order])
    ends = np.union1d(row_ends, column_ends)
    middles = (np.concatenate([[0.0], ends[:-1]]) + ends) / 2.0
    k = row_order[np.minimum(np.searchsorted(row_ends, middles), len(a) - 1)]
    l = column_order[np.minimum(np.searchsorted(column_ends, middles), len(b) - 1)]
    return np.unique(k.astype(np.int64) * len(b) + l)


def _cheapest(ground: Ground, f: Vector, g: Vector, count: int, below: float = np.inf) -> Pairs:
    """The pairs of least c_kl - f_k - g_l of each row and of each column, as k m + l; only those `below`."""
    n, m = ground.shape
    height = max(1, STRIP_CELLS // m)
    chosen: list[Pairs] = []
    per_column = np.full((0, m), np.inf), np.zeros((0, m), dtype=np.int64)
    for start in range(0, n, height):
        slack = ground.block(start, start + height)
        slack -= g
        slack -= f[start : start + height, None]
        here = np.arange(start, start + len(slack), dtype=np.int64)[:, None]
        near = _least(slack, count, axis=1)
        flat = here * m + near
        chosen.append(flat[np.take_along_axis(slack, near, axis=1) < below])
        low = _least(slack, count, axis=0)
        values = np.concatenate([per_column[0], np.take_along_axis(slack, low, axis=0)])
        places = np.concatenate([per_column[1], (low + start) * m + np.arange(m)])
        kept = _least(values, count, axis=0)
        per_column = np.take_along_axis(values, kept, axis=0), np.take_along_axis(places, kept, axis=0)
    chosen.append(per_column[1][per_column[0] < below])
    return np.unique(np.concatenate(chosen))


def _least(values: Matrix, count: int, axis: int) -> NDArray[np.intp]:
    """The places of the `count` least values along an axis, all where there are no more."""
    size = values.shape[axis]
    if size <= count:
        shape = (-1, 1) if axis == 0 else (1, -1)
        return np.broadcast_to(np.arange(size).reshape(shape), values.shape)
    return np.take(np.argpartition(values, count, axis=axis), np.arange(count), axis=axis)
