"""Kernel sums between sources, in a form that can be added.

A worker that has seen some pairs of rows holds one KernelSums. Two of them add up to what one worker would
hold after both sets of pairs; so the map step is "sum your tiles" and the reduce step is `+`. Only moments
need every pair to be seen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from karat.errors import IncompleteSumsError
from karat.typing import Matrix, Vector


@dataclass(frozen=True)
class KernelSums:
    """Sums of k and k^2 over the pairs of rows seen so far; a row never meets itself.

    sizes: (n,), rows of each source.
    self_sums: (n,), sum of k(x, x), known from the start.
    row_sums: per source (m_j, n), for each of its rows the sum of k over the rows of every source.
    squares: (n, n), sum of k^2 over ordered pairs of rows.
    seen: (n, n), ordered pairs of rows seen so far.
    centre: (d,), what was subtracted from the rows where the kernel allows it; sums add only around the same.
    """

    sizes: Vector
    self_sums: Vector
    row_sums: tuple[Matrix, ...]
    squares: Matrix
    seen: Matrix
    centre: Vector

    @classmethod
    def nothing(cls, sizes: Sequence[int], self_sums: Vector, centre: Vector) -> KernelSums:
        """The sums before any pair was seen: the neutral element of `+`."""
        n = len(sizes)
        return cls(
            np.array(sizes, dtype=np.float64),
            np.array(self_sums, dtype=np.float64),
            tuple(np.zeros((m, n)) for m in sizes),
            np.zeros((n, n)),
            np.zeros((n, n)),
            np.array(centre, dtype=np.float64),
        )

    def __add__(self, other: KernelSums) -> KernelSums:
        if not np.array_equal(self.sizes, other.sizes):
            raise IncompleteSumsError(
                f"sums over {_counts(self.sizes)} and over {_counts(other.sizes)} rows do not add up.",
                hint="Add only parts of one and the same computation.",
            )
        self._check_same_centre(other)
        return KernelSums(
            self.sizes,
            self.self_sums,
            tuple(a + b for a, b in zip(self.row_sums, other.row_sums, strict=True)),
            self.squares + other.squares,
            self.seen + other.seen,
            self.centre,
        )

    def with_room_for(self, empty: KernelSums) -> KernelSums:
        """These sums inside the `empty` ones of a larger market, whose first sources are known here."""
        known = len(self.sizes)
        if not np.array_equal(empty.sizes[:known], self.sizes):
            raise IncompleteSumsError(
                f"known sums are over {_counts(self.sizes)} rows, the sources have {_counts(empty.sizes)}.",
                hint="Keep the known sources first, in their order and with their rows, and append new ones.",
            )
        self._check_same_centre(empty)
        row_sums = tuple(rows.copy() for rows in empty.row_sums)
        squares, seen = empty.squares.copy(), empty.seen.copy()
        for new, old in zip(row_sums, self.row_sums, strict=False):
            new[:, :known] = old
        squares[:known, :known], seen[:known, :known] = self.squares, self.seen
        return KernelSums(empty.sizes, empty.self_sums, row_sums, squares, seen, empty.centre)

    def of_sources(self, chosen: Sequence[int]) -> KernelSums:
        """The sums of these sources alone, in this order: leaves vendors out, or moves the anchor last."""
        of = np.array(chosen, dtype=np.intp)
        across = np.ix_(of, of)
        row_sums = tuple(self.row_sums[j][:, of] for j in of)
        return KernelSums(
            self.sizes[of], self.self_sums[of], row_sums, self.squares[across], self.seen[across], self.centre
        )

    def _check_same_centre(self, other: KernelSums) -> None:
        if not np.array_equal(self.centre, other.centre):
            raise IncompleteSumsError(
                "sums over rows that were shifted by different centres do not add up.",
                hint="Pass the centre of the first computation to the others, or leave it to the known sums.",
            )

    def check_complete(self, names: Sequence[str]) -> None:
        """Raise unless every pair of rows was seen exactly once."""
        expected = np.outer(self.sizes, self.sizes) - np.diag(self.sizes)
        if not np.array_equal(self.seen, expected):
            i, j = np.argwhere(self.seen != expected)[0]
            raise IncompleteSumsError(
                f"of {expected[i, j]:.0f} pairs of rows of {names[i]!r} and {names[j]!r}, "
                f"{self.seen[i, j]:.0f} were seen.",
                hint="Add up all parts, each once, before asking for moments.",
            )


def _counts(sizes: Vector) -> str:
    return ", ".join(f"{size:.0f}" for size in sizes)
