"""Hashes of more rows than memory should hold: those that end in enough zeros.

Equal rows have equal hashes, so they are kept or left out together, and the equal pairs among those kept are
the same share of all equal pairs. Sketches of one level can be compared.
"""

from __future__ import annotations

from dataclasses import dataclass
from threading import Lock

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


class Room:
    """What several sketches may keep together: at most so many hashes, all of one level.

    The level is the lowest at which all hashes fit, in whatever order the rows come.
    """

    def __init__(self, most: int) -> None:
        self.most, self.level, self.count, self.lock = most, 0, 0, Lock()
        self._sketchings: list[Sketching] = []

    def sketching(self) -> Sketching:
        """One more sketch."""
        self._sketchings.append(Sketching(self))
        return self._sketchings[-1]

    def took(self, count: int) -> None:
        """Make room after so many more hashes; by whoever holds the lock."""
        self.count += count
        while self.count > self.most:
            self.level += 1
            self.count = sum(sketching.thin() for sketching in self._sketchings)


class Sketching:
    """A sketch of rows that pass by, in a room with others."""

    def __init__(self, room: Room) -> None:
        self.room, self.total = room, 0
        self._parts: list[Hashes] = []

    def add(self, rows: Rows) -> None:
        """Some more rows."""
        from karat.vendors.hashes import row_hashes  # numba, which import karat does not pay

        hashes = row_hashes(rows)
        self.total = (self.total + int(hashes.sum(dtype=np.uint64))) % 2**64
        with self.room.lock:
            self._parts.append(_ending_in_zeros(hashes, self.room.level))
            self.room.took(len(self._parts[-1]))

    def thin(self) -> int:
        """Keep what belongs to the room's level, and count it."""
        self._parts = [_ending_in_zeros(part, self.room.level) for part in self._parts]
        return sum(map(len, self._parts))

    def result(self) -> Sketch:
        """The sketch of all rows so far."""
        hashes = np.concatenate([np.empty(0, np.uint64), *self._parts])
        return Sketch(hashes, self.room.level, self.total)


def _ending_in_zeros(hashes: Hashes, level: int) -> Hashes:
    return hashes[hashes & np.uint64(2**level - 1) == 0] if level else hashes
