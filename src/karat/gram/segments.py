"""Sums of kernel values and of residuals, row by row, over the rows of each source: one pass over a strip."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(nogil=True, cache=True, fastmath={"reassoc"})
def segment_sums(values, products, starts):  # type: ignore[no-untyped-def]
    """(4, rows, n): sums of v - p, v, (v - p)^2 and v^2 over each run of columns from one start to the next.

    values, products: (rows, Q) of float32; starts: (n,), increasing, the first is 0. Sums are float64.
    """
    rows, width = values.shape
    sums = np.zeros((4, rows, len(starts)))
    for i in range(rows):
        for s in range(len(starts)):
            stop = starts[s + 1] if s + 1 < len(starts) else width
            residual, value, residual_square, square = 0.0, 0.0, 0.0, 0.0
            for q in range(starts[s], stop):
                v = np.float64(values[i, q])
                r = v - np.float64(products[i, q])
                residual += r
                value += v
                residual_square += r * r
                square += v * v
            sums[0, i, s], sums[1, i, s] = residual, value
            sums[2, i, s], sums[3, i, s] = residual_square, square
    return sums
