"""A 64-bit hash per row, to find equal rows without sorting wide arrays."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from karat.typing import Rows

Hashes = NDArray[np.uint64]


def row_hashes(rows: Rows) -> Hashes:
    """(m,), equal for equal rows; unequal rows share a hash with a chance of 2^-64 a pair.

    The values are hashed as float64, so float32 rows equal the same numbers in float64; 0 and -0 are one.
    """
    return np.asarray(_hashed(np.ascontiguousarray(rows, dtype=np.float64) + 0.0).copy())


def _hashed(rows: NDArray[np.float64]) -> Hashes:
    result: Hashes = _mix(rows.view(np.uint64))
    return result


@njit(nogil=True, cache=True)
def _mix(bits):  # type: ignore[no-untyped-def]
    """Each word is stirred into the hash of the words before it (the finaliser of MurmurHash3)."""
    hashes = np.empty(bits.shape[0], np.uint64)
    for i in range(bits.shape[0]):
        h = np.uint64(0x9E3779B97F4A7C15)
        for j in range(bits.shape[1]):
            h = (h ^ bits[i, j]) * np.uint64(0xFF51AFD7ED558CCD)
            h ^= h >> np.uint64(33)
            h *= np.uint64(0xC4CEB9FE1A85EC53)
            h ^= h >> np.uint64(29)
        hashes[i] = h
    return hashes
