"""Distances between two blocks of rows, in float64: the slow form that kernels define themselves by."""

from __future__ import annotations

import numpy as np

from karat.typing import Matrix, Rows


def squared_row_distances(a: Rows, b: Rows) -> Matrix:
    """|x - y|^2 for all pairs, float64 (m, l), never negative; O(m l d).

    The rows are centred on a's median first: without it a column of epoch seconds drowns every other column
    in rounding, and around the mean one cell of 1e15 would.
    """
    centre = np.median(a.astype(np.float64), axis=0)
    a, b = a - centre, b - centre
    squares = np.einsum("ij,ij->i", a, a)[:, None] + np.einsum("ij,ij->i", b, b)[None, :] - 2.0 * (a @ b.T)
    clipped: Matrix = np.maximum(squares, 0.0)
    return clipped


def manhattan_row_distances(a: Rows, b: Rows) -> Matrix:
    """The sum of absolute differences for all pairs, float64 (m, l); column by column in one block."""
    total = np.zeros((len(a), len(b)))
    for x, y in zip(a.T.astype(np.float64), b.T.astype(np.float64), strict=True):
        total += np.abs(x[:, None] - y[None, :])
    return total
