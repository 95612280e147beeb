"""Rows below rows: several tables of the same columns become one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from karat.errors import SourceError
from karat.sources.budget import Budget
from karat.sources.table import Column, Numbers, Table, Text, Unreadable


def stack_tables(tables: Sequence[Table]) -> Table:
    """One table of all rows; columns are matched by name, in the order of the first table."""
    names = tables[0].names
    for table in tables[1:]:
        _refuse_other_columns(names, table, tables[0])
    rows = sum(table.rows for table in tables)
    files = tuple(file for table in tables for file in table.files)
    Budget.of(f"a source of {len(files)} files").take_cells(rows * len(names))
    parts = [table.by_name for table in tables]
    columns = tuple(_stack([part[name] for part in parts], tables) for name in names)
    return Table(columns, rows, files, tuple(note for table in tables for note in table.notes))


def _refuse_other_columns(names: Sequence[str], table: Table, first: Table) -> None:
    absent = [name for name in names if name not in table.names]
    surplus = [name for name in table.names if name not in names]
    if not absent and not surplus:
        return
    said = f"lacks the column {absent[0]!r}" if absent else f"has a further column {surplus[0]!r}"
    raise SourceError(
        f"{_origin(table)} {said}, compared with {_origin(first)}.",
        hint="Files of one vendor need the same columns; give files that differ as vendors of their own.",
        column=(absent or surplus)[0],
    )


def _stack(columns: Sequence[Column], tables: Sequence[Table]) -> Column:
    name = columns[0].name
    filled = [column for column in columns if column.kind != "empty"] or list(columns)
    kinds = {column.kind for column in filled}
    if kinds <= {"number", "bool", "time", "empty"} and ("time" not in kinds or kinds == {"time"}):
        values = np.concatenate([column.values for column in columns if isinstance(column, Numbers)])
        return Numbers(name, values, kinds.pop() if len(kinds) == 1 else "number")
    if kinds == {"text"}:
        return _stack_text(name, columns)
    first, other = next((c, d) for c in filled for d in filled if c.kind != d.kind or c.kind == "other")
    origin = {id(column): _origin(table) for column, table in zip(columns, tables, strict=True)}
    return Unreadable(name, f"{first.kind} in {origin[id(first)]}, {other.kind} in {origin[id(other)]}")


def _stack_text(name: str, columns: Sequence[Column]) -> Text:
    """Text below text: the words of each table get places in one common list."""
    places: dict[str, int] = {}
    codes = []
    for column in columns:
        if isinstance(column, Text):
            lookup = [places.setdefault(word, len(places)) for word in column.words]
            codes.append(np.array([*lookup, -1], dtype=np.int32)[column.codes])
        elif isinstance(column, Numbers):  # all missing
            codes.append(np.full(len(column.values), -1, dtype=np.int32))
    return Text(name, np.concatenate(codes), tuple(places))


def _origin(table: Table) -> str:
    return table.files[0].path if table.files else "a table"
