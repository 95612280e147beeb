"""Simple random samples from rows that pass by, without knowing how many there will be.

Row i has in sample k a priority, a hash of (seed, k, i), and the rows with the smallest are kept. So neither
the size of chunks nor the number of rows changes what is drawn, and samples are independent of one another.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


class Kept:
    """The rows with the smallest priorities so far.

    rows: (q, d), in the order of their priorities, which is random; places: (q,), where they stood.
    """

    def __init__(self, count: int, seed: int, sample: int = 0) -> None:
        self.count, self.seed, self.sample = count, seed, sample
        self.priorities = np.empty(0, dtype=np.uint64)
        self.places = np.empty(0, dtype=np.int64)
        self.rows: NDArray[Any] = np.empty((0, 0))

    def offer(self, piece: NDArray[Any], first: int) -> None:
        """Some more rows, the first of which stands at this place."""
        new = priorities(self.seed, self.sample, first, len(piece))
        some = np.arange(len(piece))
        if len(self.priorities) >= self.count > 0:
            some = np.flatnonzero(new < self.priorities[-1])
        everyone = np.concatenate([self.priorities, new[some]])
        best = np.argsort(everyone)[: self.count]
        rows = piece[some] if len(self.rows) == 0 else np.concatenate([self.rows, piece[some]])
        self.places = np.concatenate([self.places, first + some])[best]
        self.rows, self.priorities = rows[best], everyone[best]


def priorities(seed: int, sample: int, first: int, count: int) -> NDArray[np.uint64]:
    """(count,), of the rows from the first on."""
    places = np.arange(first, first + count, dtype=np.uint64)
    salt = mixed(np.array([seed], dtype=np.uint64)) + np.uint64(sample)
    return mixed(places ^ mixed(salt))


def mixed(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """A one-to-one hash of 64 bits (splitmix64; Steele, Lea and Flood 2014)."""
    z = numbers + np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    hashed: NDArray[np.uint64] = z ^ (z >> np.uint64(31))
    return hashed
