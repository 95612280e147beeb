"""Large arrays of sums: in memory while they are small, in a temporary file beyond."""

from __future__ import annotations

import mmap
import tempfile

import numpy as np

from karat.typing import Matrix

MOST_BYTES = 1 << 30
"""Row sums above this go to a file: 1,000 vendors of 500 rows have 4 GB."""

STEPS_HELD = 128
"""Tasks, or sources, after which the pages that they touched are let go."""


def zeros(shape: tuple[int, int]) -> Matrix:
    """A matrix of zeros; a large one lives in a file that vanishes with it, and memory only caches it."""
    size = 8 * shape[0] * shape[1]
    if size <= MOST_BYTES:
        return np.zeros(shape)
    with tempfile.TemporaryFile(prefix="karat-") as file:
        file.truncate(size)
        return np.memmap(file, dtype=np.float64, mode="r+", shape=shape)


def let_go(matrix: Matrix) -> None:
    """Of a matrix in a file, keep no page in memory: the system caches the file as long as it has room."""
    pages = getattr(matrix, "_mmap", None)
    if pages is not None and hasattr(mmap, "MADV_DONTNEED"):
        pages.madvise(mmap.MADV_DONTNEED)
