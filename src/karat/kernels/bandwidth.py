"""Bandwidths from the rows of a reference, so that no vendor can move them.

The rule is the median distance between two different rows. With an anchor those are the anchor's own rows;
without one, rows of all vendors with equal weight.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from karat.errors import KernelError
from karat.kernels.distances import manhattan_row_distances, squared_row_distances
from karat.typing import Matrix, Rows

MOST_ROWS = 2000
"""Rows that the median is taken over: two million pairs, whose median moves by less than a per cent."""


def median_distance(sources: Sequence[Rows], *, manhattan: bool = False, most_rows: int = MOST_ROWS) -> float:
    """The median distance between two different rows of the pooled sources, as many rows from each.

    Independent of the order of rows, columns and sources: where there are too many rows, those at even steps
    of a content order are taken. Equal rows count; only if half of all pairs are equal, so that the median
    is 0, is the median taken over unequal pairs.

    >>> median_distance([np.array([[0.0], [1.0], [5.0]])])
    4.0
    """
    share = min(min(len(rows) for rows in sources), max(2, most_rows // len(sources)))
    pooled = np.concatenate([evenly_spaced(rows, share).astype(np.float64) for rows in sources])
    distance: Callable[[Rows, Rows], Matrix] = manhattan_row_distances if manhattan else _euclidean
    upper = distance(pooled, pooled)[np.triu_indices(len(pooled), k=1)]
    median = float(np.median(upper)) if len(upper) else 0.0
    if median > 0.0:
        return median
    unequal = upper[upper > 0.0]
    if len(unequal) == 0:
        raise KernelError(
            "all rows of the reference are equal, so no bandwidth follows from them.",
            hint="Name a bandwidth, as in gaussian:1.0, or bring a reference with some spread.",
        )
    return float(np.median(unequal))


def _euclidean(a: Rows, b: Rows) -> Matrix:
    distances: Matrix = np.sqrt(squared_row_distances(a, b))
    return distances


def evenly_spaced(rows: Rows, most: int) -> Rows:
    """At most so many rows, at even steps along an order that depends on the rows' content alone."""
    if len(rows) <= most:
        return rows
    order = np.argsort(_row_hashes(rows), kind="stable")
    return rows[order[np.linspace(0, len(rows) - 1, most).round().astype(np.intp)]]


def _row_hashes(rows: Rows) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    """A hash per row that does not depend on the order of the columns (sum of mixed bits)."""
    total = np.zeros(len(rows), dtype=np.uint64)
    for column in np.asarray(rows, dtype=np.float64).T:
        bits = (np.ascontiguousarray(column) + 0.0).view(np.uint64)
        for shift, factor in ((33, 0xFF51AFD7ED558CCD), (33, 0xC4CEB9FE1A85EC53)):
            bits = (bits ^ (bits >> np.uint64(shift))) * np.uint64(factor)
        total += bits ^ (bits >> np.uint64(33))
    return total
