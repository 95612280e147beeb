"""Bandwidths from the rows of a reference, so that no vendor can move them.

The rule is the median distance between two different rows. With an anchor those are the anchor's own rows;
without one, rows of all vendors with equal weight.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from karat.errors import KernelError
from karat.kernels.distances import manhattan_row_distances, squared_row_distances
from karat.typing import Matrix, Rows, Vector

Hashes = NDArray[np.uint64]

MOST_ROWS = 2000
"""Rows that the median is taken over: two million pairs, whose median moves by less than a per cent."""


def median_distance(sources: Sequence[Rows], *, manhattan: bool = False, most_rows: int = MOST_ROWS) -> float:
    """The median distance between two different rows of the pooled sources, all sources weighing the same.

    A source of few rows weighs as much as one of many: each of its rows counts for more. Independent of the
    order of rows, columns and sources: where there are too many rows, those at even steps of a content order
    are taken. Equal rows count; only if half of all pairs are equal, so that the median is 0, is the median
    taken over unequal pairs.

    >>> median_distance([np.array([[0.0], [1.0], [5.0]])])
    4.0
    """
    some = [evenly_spaced(rows, max(2, most_rows // len(sources))).astype(np.float64) for rows in sources]
    if sum(map(len, some)) > most_rows:  # too many sources for two rows of each: some rows of all
        some = [evenly_spaced(np.concatenate(some), most_rows).astype(np.float64)]
    pooled = np.concatenate(some)
    weights = np.concatenate([np.full(len(rows), 1.0 / len(rows)) for rows in some])
    order, content = _by_content(pooled)
    pooled, content, weights = pooled[order], content[order], weights[order]
    distance: Callable[[Rows, Rows], Matrix] = manhattan_row_distances if manhattan else _euclidean
    pairs = np.triu_indices(len(pooled), k=1)
    upper = distance(pooled, pooled)[pairs]
    upper[(content[:, None] == content)[pairs]] = 0.0  # where rounding left 1e-9 between equal rows
    shares = np.outer(weights, weights)[pairs]
    median = weighted_median(upper, shares) if len(upper) else 0.0
    if median > 0.0:
        return median
    is_unequal = upper > 0.0
    if not is_unequal.any():
        raise KernelError(
            "all rows of the reference are equal, so no bandwidth follows from them.",
            hint="Name a bandwidth, as in gaussian:1.0, or bring a reference with some spread.",
        )
    return weighted_median(upper[is_unequal], shares[is_unequal])


def weighted_median(values: Vector, weights: Vector) -> float:
    """The point with half of the weight on either side; between two values, their mean.

    >>> weighted_median(np.array([1.0, 2.0, 9.0]), np.array([1.0, 1.0, 3.0]))
    9.0
    """
    if weights.min() == weights.max():
        return float(np.median(values))
    order = np.argsort(values)
    below = np.cumsum(weights[order])
    half = below[-1] / 2.0
    first = int(np.searchsorted(below, half * (1.0 - 1e-12)))
    last = int(np.searchsorted(below, half * (1.0 + 1e-12)))
    return float(values[order[first]] + values[order[min(last, len(values) - 1)]]) / 2.0


def _euclidean(a: Rows, b: Rows) -> Matrix:
    distances: Matrix = np.sqrt(squared_row_distances(a, b))
    return distances


def evenly_spaced(rows: Rows, most: int) -> Rows:
    """At most so many rows, at even steps along an order that depends on the rows' content alone."""
    if len(rows) <= most:
        return rows
    order, _ = _by_content(rows)
    return rows[order[np.linspace(0, len(rows) - 1, most).round().astype(np.intp)]]


def _by_content(rows: Rows) -> tuple[NDArray[np.intp], Hashes]:
    """An order of the rows by their content, and a hash per row that equal rows share.

    Rows are sorted by a sum of cell hashes, each mixed with the hash of its whole column: the order of the
    columns does not enter, yet one-hot rows differ. Only what this leaves equal (where columns hold the same
    values in another order) is told apart by a hash that knows the columns' places.
    """
    free, placed = np.zeros(len(rows), dtype=np.uint64), np.zeros(len(rows), dtype=np.uint64)
    for column in np.asarray(rows, dtype=np.float64).T:
        cells = _mixed((np.ascontiguousarray(column) + 0.0).view(np.uint64))  # + 0.0 makes -0.0 into 0.0
        free += _mixed(cells ^ cells.sum())
        placed = _mixed(placed + cells)
    return np.lexsort((placed, free)), placed


def _mixed(bits: Hashes) -> Hashes:
    """Every bit of the input in every bit of the output: the finalizer of MurmurHash3."""
    for factor in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53):
        bits = (bits ^ (bits >> np.uint64(33))) * np.uint64(factor)
    return bits ^ (bits >> np.uint64(33))
