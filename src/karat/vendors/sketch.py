"""Hashes of more rows than memory should hold: those that end in enough zeros.

Equal rows have equal hashes, so they are kept or left out together, and the equal pairs among those kept are
the same share of all equal pairs. Sketches of one level can be compared; a finer one is thinned first.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from karat.typing import Rows
from karat.vendors.sample import Hashes


@dataclass(frozen=True, eq=False)
class Sketch:
    """Hashes of a source's rows.

    level: one hash in 2^level is here, and at level 0 all, in the order of the rows.
    total: the sum of the hashes of all rows, modulo 2^64: equal for equal sets of rows.
    """

    hashes: Hashes
    level: int = 0
    total: int = 0

    @property
    def share(self) -> float:
        """Of the rows' hashes that are here."""
        return 0.5**self.level

    def thinned(self, level: int) -> Sketch:
        """The sketch at this level, or at its own where that is higher."""
        if level <= self.level:
            return self
        return Sketch(_ending_in_zeros(self.hashes, level), level, self.total)


class Sketching:
    """A sketch of rows that pass by, of at most so many hashes."""

    def __init__(self, most: int) -> None:
        self.most, self.level, self.total, self.count = most, 0, 0, 0
        self._parts: list[Hashes] = []

    def add(self, rows: Rows) -> None:
        """Some more rows."""
        from karat.vendors.hashes import row_hashes  # numba, which import karat does not pay

        hashes = row_hashes(rows)
        self.total = (self.total + int(hashes.sum(dtype=np.uint64))) % 2**64
        self._parts.append(_ending_in_zeros(hashes, self.level))
        self.count += len(self._parts[-1])
        while self.count > self.most:
            self.level += 1
            self._parts = [_ending_in_zeros(part, self.level) for part in self._parts]
            self.count = sum(map(len, self._parts))

    def result(self) -> Sketch:
        """The sketch of all rows so far."""
        return Sketch(np.concatenate([np.empty(0, np.uint64), *self._parts]), self.level, self.total)


def _ending_in_zeros(hashes: Hashes, level: int) -> Hashes:
    return hashes[hashes & np.uint64(2**level - 1) == 0] if level else hashes
