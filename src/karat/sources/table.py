"""A table: named columns of numbers or text, and where they came from.

Nothing is decided here about use: text stays text, a missing number is NaN, and what was odd
about the reading is noted, so that later rooms can name columns, rows and remedies.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from karat.typing import Matrix, Vector


@dataclass(frozen=True, eq=False)
class Numbers:
    """A column of numbers.

    kind: "number", "bool" (0 and 1), "time" (seconds since 1970, UTC) or "empty" (all missing).
    values: (m,), NaN where missing; infinities are kept for the schema to judge.
    """

    name: str
    values: Vector
    kind: str = "number"


@dataclass(frozen=True, eq=False)
class Text:
    """A column of text: codes (m,) into `words`, -1 where missing.

    stray: for a column of numbers with a few cells that are not: how many there are,
    and the row (from 0) and content of the first.
    """

    name: str
    codes: NDArray[np.int32]
    words: tuple[str, ...]
    stray: Stray | None = None
    kind: ClassVar[str] = "text"


@dataclass(frozen=True)
class Stray:
    """Cells that keep a column from being numbers."""

    count: int
    row: int
    word: str


@dataclass(frozen=True)
class Unreadable:
    """A column whose cells are neither numbers nor text: lists, bytes, mixed objects."""

    name: str
    reason: str
    kind: ClassVar[str] = "other"


Column = Numbers | Text | Unreadable


@dataclass(frozen=True)
class SourceFile:
    """A file as it was read: its name without folder, SHA-256 of its bytes, rows it gave."""

    path: str
    sha256: str
    rows: int


@dataclass(frozen=True)
class Note:
    """Something odd about the reading, that did not stop it."""

    kind: str
    message: str
    column: str | None = None
    count: int = 0


@dataclass(frozen=True, eq=False)
class Table:
    """Columns of equal length.

    files: what was read, in order; empty for data frames. notes: what was odd.
    before: rows of the same file that stand above these, where the table is a part of it; is_part: then true.
    matrix: (m, columns), the same numbers as one array, where the file holds them so.
    """

    columns: tuple[Column, ...]
    rows: int
    files: tuple[SourceFile, ...] = ()
    notes: tuple[Note, ...] = field(default=())
    before: int = 0
    matrix: Matrix | None = None
    is_part: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    @cached_property
    def by_name(self) -> Mapping[str, Column]:
        return {column.name: column for column in self.columns}

    def place(self, row: int) -> str:
        """Where row `row` (from 0) stands, in words that count from 1.

        >>> two = (SourceFile("a.csv", "", 10), SourceFile("b.csv", "", 10))
        >>> Table((), 20, files=two).place(12)
        'row 3 of b.csv'
        """
        for file in self.files:
            if row < file.rows:
                return f"row {self.before + row + 1} of {file.path}"
            row -= file.rows
        return f"row {self.before + row + 1}"

    @property
    def so_far(self) -> str:
        """What is said after a count of cells: in a part, those below it are not counted."""
        return " so far" if self.is_part else ""

    @classmethod
    def of(cls, **columns: Sequence[float] | Sequence[str]) -> Table:
        """A small table by hand.

        >>> Table.of(age=[1.0, 2.0], town=["A", "B"]).names
        ('age', 'town')
        """
        made = tuple(_column_of(name, cells) for name, cells in columns.items())
        return cls(made, rows=len(next(iter(columns.values()), ())))


def text_column(name: str, cells: Sequence[str | None]) -> Text:
    """A text column from its cells; None is missing."""
    places: dict[str, int] = {}
    codes = [-1 if cell is None else places.setdefault(cell, len(places)) for cell in cells]
    return Text(name, np.array(codes, dtype=np.int32), tuple(places))


def _column_of(name: str, cells: Sequence[float] | Sequence[str]) -> Column:
    if any(isinstance(cell, str) for cell in cells):
        return text_column(name, [str(cell) for cell in cells])
    return Numbers(name, np.array(cells, dtype=np.float64))
