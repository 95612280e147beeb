"""KNN-Shapley: the exact Shapley value of every row for a nearest-neighbour classifier, averaged per vendor.

Jia et al. 2019, theorem 1. For one test row, with the N training rows sorted by distance, I_j = 1 where the
j-th nearest has the right class, and w_j = min(K, j) / (j K), the recursion of the paper sums up to

    value of the i-th nearest  =  w_i I_i  +  sum over j > i of  (w_j - w_{j-1}) I_j.

Rows at equal distance are in no order. Vendors that draw from one pool share rows, so their ties are
common; each tied row gets its mean over all orders of the tie, also in closed form, and no vendor gains by
its place.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from karat.baselines.base import Case, Valuation
from karat.baselines.task import task_of
from karat.typing import Matrix
from karat.values import Values

CELLS_AT_ONCE = 1 << 21
"""Distances handled in one step: some 16 MB for each of a dozen arrays."""

TIE = 1e-12
"""Squared distances that differ by less than this share of their rows' squared norms are equal."""


@dataclass(frozen=True, kw_only=True)
class KnnShapley(Valuation):
    """The mean over a vendor's rows of their KNN-Shapley values, on rows from all vendors together.

    neighbours: K. The values of all rows sum to the share of right votes among the K nearest of each test
    row.
    """

    name: ClassVar[str] = "knn-shapley"
    needs: ClassVar[tuple[str, ...]] = ("reference", "classes")
    converges_to: ClassVar[str] = "mean marginal share of right votes of a vendor's rows, times 1 / N"
    cost: ClassVar[str] = "O(t N (d + log N)) for t test rows and N rows in all"
    citation: ClassVar[str] = "Jia et al. 2019"

    neighbours: int = 5

    def run(self, case: Case) -> Values:
        task = task_of(case)
        test_rows, test_labels = task.test
        centre = test_rows.mean(axis=0, dtype=np.float64)
        rows = np.concatenate([rows for rows, _ in task.vendors]) - centre
        labels = np.concatenate([labels for _, labels in task.vendors])
        owner = np.repeat(np.arange(len(task.vendors)), [len(rows) for rows, _ in task.vendors])
        norms = np.einsum("ij,ij->i", rows, rows)
        totals = np.zeros(len(task.vendors))
        step = max(1, CELLS_AT_ONCE // len(rows))
        for start in range(0, len(test_rows), step):
            stop = min(start + step, len(test_rows))
            tests = test_rows[start:stop] - centre
            scale = np.einsum("ij,ij->i", tests, tests)[:, None] + norms
            is_right = test_labels[start:stop, None] == labels
            order, values = sorted_values(
                scale - 2.0 * (tests @ rows.T), is_right, self.neighbours, TIE * scale
            )
            shares = values * task.weights[start:stop, None]
            totals += np.bincount(owner[order].ravel(), shares.ravel(), minlength=len(totals))
            case.tell(stop, len(test_rows))
        return case.values(self, totals / np.bincount(owner), reference=case.reference.name)


def sorted_values(
    squares: Matrix, is_right: NDArray[np.bool_], neighbours: int, tolerance: Matrix
) -> tuple[NDArray[np.intp], Matrix]:
    """The order of the training rows by distance, and their values in that order; both (t, N).

    squares: (t, N) squared distances; tolerance: how much larger than the one before a distance has to be.

    >>> squares = np.array([[4.0, 1.0]])
    >>> sorted_values(squares, np.array([[True, False]]), 1, np.zeros((1, 2)))
    (array([[1, 0]]), array([[-0.5,  0.5]]))
    """
    order = np.argsort(squares, axis=1, kind="stable")
    right = np.take_along_axis(is_right, order, axis=1).astype(np.float64)
    gaps = np.diff(np.take_along_axis(squares, order, axis=1), axis=1)
    is_new = np.ones(right.shape, dtype=bool)
    is_new[:, 1:] = gaps > np.take_along_axis(tolerance, order, axis=1)[:, 1:]
    starts = np.flatnonzero(is_new)  # of the ties, a row on its own being one of size 1
    sizes = np.diff(np.append(starts, right.size))

    n = right.shape[1]
    places = np.arange(1.0, n + 1.0)
    weights = np.minimum(neighbours, places) / (places * neighbours)
    steps = np.diff(weights, prepend=weights[0])
    count = np.add.reduceat(right.ravel(), starts)
    expected = np.repeat(count / sizes, sizes).reshape(right.shape)
    after = np.zeros(right.shape)
    after[:, :-1] = np.cumsum((expected * steps)[:, :0:-1], axis=1)[:, ::-1]
    last = starts + sizes - 1
    tail = after.ravel()[last]
    mean_weight = np.add.reduceat(np.broadcast_to(weights, right.shape).ravel(), starts) / sizes
    rest = weights[last % n] - mean_weight
    others = (np.repeat(count, sizes) - right.ravel()) / np.repeat(np.maximum(sizes - 1, 1), sizes)
    values = np.repeat(mean_weight, sizes) * right.ravel() + np.repeat(rest, sizes) * others
    values += np.repeat(tail, sizes)
    return order, values.reshape(right.shape)
