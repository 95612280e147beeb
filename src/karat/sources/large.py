"""Tables too large to hold: their rows some at a time, as often as asked.

Every pass opens the files anew. A chunk is a `Table` of the columns that were asked for, so that later rooms
read it like any other, and may say of a cell where it stands in its file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from karat.errors import SourceError
from karat.sources.table import Note, SourceFile, Table

CELLS_AT_ONCE = 1 << 21
"""Cells of a chunk: 16 MB as float64."""


@dataclass(frozen=True, eq=False)
class LargeFile:
    """A file that is never whole in memory.

    names: of all its columns; chunks: from the columns wanted to tables of them, first rows first.
    """

    path: str
    sha256: str
    names: tuple[str, ...]
    chunks: Callable[[Sequence[str]], Iterator[Table]]
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True, eq=False)
class LargeTable:
    """The files of one source, rows below rows."""

    files: tuple[LargeFile, ...]

    def __post_init__(self) -> None:
        first = self.files[0]
        for file in self.files[1:]:
            other = set(file.names) ^ set(first.names)
            if other:
                column = min(other)
                said = "lacks the column" if column in first.names else "has a further column"
                raise SourceError(
                    f"{file.path} {said} {column!r}, compared with {first.path}.",
                    hint="Files of one vendor need the same columns; "
                    "give files that differ as vendors of their own.",
                    column=column,
                )

    @classmethod
    def of(cls, table: Table) -> LargeTable:
        """A table in memory, as if it were large: one chunk."""

        def whole(wanted: Sequence[str]) -> Iterator[Table]:
            yield replace(table, columns=tuple(table.by_name[name] for name in wanted))

        name = table.files[0].path if table.files else "a table"
        return cls((LargeFile(name, "", table.names, whole, table.notes),))

    @property
    def names(self) -> tuple[str, ...]:
        """The columns, in the order of the first file."""
        return self.files[0].names

    @property
    def notes(self) -> tuple[Note, ...]:
        return tuple(note for file in self.files for note in file.notes)

    def head(self) -> Table:
        """The first rows, with all columns."""
        for table in self.chunks(self.names):
            return table
        raise SourceError(f"{self.files[0].path} has no rows.", hint="Ask the vendor for rows.")

    def chunks(self, wanted: Sequence[str]) -> Iterator[Table]:
        """One pass over the wanted columns; a column is one kind of thing from the first row to the last.

        Only truths may be numbers in another file.
        """
        units: dict[str, str] = {}
        for file in self.files:
            kinds: dict[str, str] = {}
            before = 0
            for table in file.chunks(wanted):
                if table.rows == 0:
                    continue
                _refuse_other_kinds(table, kinds, units, file.path, before)
                origin = table.files or (SourceFile(file.path, file.sha256, table.rows),)
                yield replace(table, files=origin, before=before, is_part=True)
                before += table.rows


def _refuse_other_kinds(
    table: Table, kinds: dict[str, str], units: dict[str, str], path: str, before: int
) -> None:
    """Text, which may be a stray word among numbers, is left to the schema, which names the cell.

    kinds: seen in this file; units: in all files, times or numbers.
    """
    for column in table.columns:
        if column.kind in ("empty", "text", "other"):
            continue
        unit = "time" if column.kind == "time" else "number"
        expected, usual = kinds.setdefault(column.name, column.kind), units.setdefault(column.name, unit)
        if column.kind == expected and unit == usual:
            continue
        said = f"holds {expected}s at first, and {column.kind}s from about row {before + 1}"
        if unit != usual and column.kind == expected:
            said = f"holds {unit}s, and {usual}s in the files before"
        raise SourceError(
            f"column {column.name!r} of {path} {said}.",
            hint="Write it in one way, or leave it out.",
            column=column.name,
            row=before + 1,
        )
