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
    """

    sizes: Vector
    self_sums: Vector
    row_sums: tuple[Matrix, ...]
    squares: Matrix
    seen: Matrix

    @classmethod
    def nothing(cls, sizes: Sequence[int], self_sums: Vector) -> KernelSums:
        """The sums before any pair was seen: the neutral element of `+`."""
        n = len(sizes)
        return cls(
            np.array(sizes, dtype=np.float64),
            np.array(self_sums, dtype=np.float64),
            tuple(np.zeros((m, n)) for m in sizes),
            np.zeros((n, n)),
            np.zeros((n, n)),
        )

    def __add__(self, other: KernelSums) -> KernelSums:
        if not np.array_equal(self.sizes, other.sizes):
            raise IncompleteSumsError(
                f"sums over {self.sizes.tolist()} and over {other.sizes.tolist()} rows do not add up.",
                hint="Add only parts of one and the same computation.",
            )
        return KernelSums(
            self.sizes,
            self.self_sums,
            tuple(a + b for a, b in zip(self.row_sums, other.row_sums, strict=True)),
            self.squares + other.squares,
            self.seen + other.seen,
        )

    def with_room_for(self, sizes: Sequence[int], self_sums: Vector) -> KernelSums:
        """The same sums with the new sources' rows and columns still at zero; the known ones come first."""
        n = len(sizes)
        wide = KernelSums.nothing(sizes, self_sums)
        known = len(self.sizes)
        if not np.array_equal(wide.sizes[:known], self.sizes):
            raise IncompleteSumsError(
                f"the known sums are over {self.sizes.tolist()} rows, the sources have {list(sizes)}.",
                hint="Keep the known sources first, in their order and with their rows, and append new ones.",
            )
        for new, old in zip(wide.row_sums, self.row_sums, strict=False):
            new[:, :known] = old
        wide.squares[:known, :known], wide.seen[:known, :known] = self.squares, self.seen
        assert wide.squares.shape == (n, n)
        return wide

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
