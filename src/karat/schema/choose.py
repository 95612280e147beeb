"""Which columns are used: those that the reference has, less the target, as the user chose.

Columns are matched by name; their order is the reference's. Every table must have each of them, as
the same kind of thing, and nothing is converted or left out without being asked.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence

from karat.errors import SchemaError
from karat.sources.names import UNNAMED
from karat.sources.table import Column, Table, Text, Unreadable

SHOWN = 5
"""How many names an error lists before it says how many more there are."""

MOST_TYPED = 200
"""Characters of names that a hint repeats."""

ALIKE = {"number": "number", "bool": "number", "time": "time"}
"""Kinds that may stand for one another in a column; a column that is all missing fits any."""


def choose_columns(
    tables: Mapping[str, Table],
    *,
    reference: str,
    columns: Sequence[str] | None = None,
    drop: Sequence[str] = (),
    target: str | None = None,
) -> tuple[str, ...]:
    """The feature columns, in the order of the reference's table; checked in every table."""
    known = tables[reference].names
    for asked, option in (
        (columns or (), "columns"),
        (drop, "drop"),
        ((target,) if target else (), "target"),
    ):
        _refuse_unknown(asked, tables, option)
    wanted = set(known if columns is None else columns) - set(drop) - {target}
    _refuse_differences(tables, reference, wanted, is_chosen=columns is not None, drop=drop, target=target)
    chosen = tuple(name for name in known if name in wanted)
    if not chosen:
        raise SchemaError(
            "no column is left to compare.",
            hint="Choose at least one column besides the target: columns=[...] or --columns.",
        )
    for name, table in tables.items():
        _refuse_unfit(table, chosen, vendor=name)
    if columns is None:
        _refuse_unnamed(chosen)
    _refuse_mixed_kinds(tables, chosen, reference)
    return chosen


def check_table(table: Table, chosen: Sequence[str], *, vendor: str) -> None:
    """Whether a table that was not there at the fitting has the columns, as numbers."""
    absent = [name for name in chosen if name not in table.by_name]
    if absent:
        raise SchemaError(
            f"{vendor!r} lacks {listed(absent)}, which the encoder was fitted with.",
            hint="Give the columns that the market was read with.",
            vendor=vendor,
            column=absent[0],
        )
    _refuse_unfit(table, chosen, vendor=vendor)


def listed(names: Sequence[str]) -> str:
    """Names for a sentence: at most five, then how many more.

    >>> listed(["a", "b"])
    "'a', 'b'"
    """
    shown = ", ".join(repr(name[:60]) for name in names[:SHOWN])
    return shown if len(names) <= SHOWN else f"{shown} and {len(names) - SHOWN} more"


def _refuse_unknown(asked: Sequence[str], tables: Mapping[str, Table], option: str) -> None:
    everywhere = {name for table in tables.values() for name in table.names}
    for name in asked:
        if name not in everywhere:
            near = difflib.get_close_matches(name, sorted(everywhere), n=1)
            also = f"Did you mean {near[0]!r}?" if near else f"There are {listed(sorted(everywhere))}."
            raise SchemaError(
                f"{option} names {name!r}, which is no column of any source.", hint=also, column=name
            )


def _refuse_differences(
    tables: Mapping[str, Table],
    reference: str,
    wanted: set[str],
    *,
    is_chosen: bool,
    drop: Sequence[str],
    target: str | None,
) -> None:
    settled = {*wanted, *drop, target}
    for name, table in tables.items():
        have = set(table.names)
        absent = [column for column in tables[reference].names if column in wanted and column not in have]
        absent += sorted(wanted - have - set(absent))
        surplus = [] if is_chosen else [c for c in table.names if c not in settled]
        if absent or surplus:
            said = [f"lacks {listed(absent)}"] if absent else []
            said += [f"has {listed(surplus)} besides"] if surplus else []
            raise SchemaError(
                f"{name!r} {' and '.join(said)}, compared with the columns of {reference!r}.",
                hint="Name the columns that all sources share with columns=[...] (--columns), "
                "or leave some out with drop=[...] (--drop).",
                vendor=name,
                column=(absent or surplus)[0],
            )


def _refuse_unfit(table: Table, chosen: Sequence[str], *, vendor: str) -> None:
    """Columns that hold no numbers: all are named at once, with the option that helps."""
    by_name = table.by_name
    unfit = [by_name[name] for name in chosen if isinstance(by_name[name], (Text, Unreadable))]
    if not unfit:
        return
    names = [column.name for column in unfit]
    reason, row = _reason(unfit[0], table)
    what = f"a column that holds no numbers: {listed(names)} ({reason})"
    if len(names) > 1:
        what = f"{len(names)} columns that hold no numbers: {listed(names)} (the first: {reason})"
    raise SchemaError(
        f"{vendor!r} has {what}.",
        hint=f"Leave out with {_dropping(names)}, keep others with columns=[...] (--columns), "
        "or turn text into numbers first.",
        vendor=vendor,
        column=names[0],
        row=row,
    )


def _dropping(names: Sequence[str]) -> str:
    """All of the names, to be copied: with a hint that left some out, the next try would fail as well.

    >>> _dropping(["town", "state"])
    "drop=['town', 'state'] (--drop town,state)"
    """
    typed = ",".join(names)
    if len(typed) > MOST_TYPED:
        return "drop=[...] (--drop)"
    is_plain = all(character.isalnum() or character in "_-.," for character in typed)
    return f"drop={list(names)} (--drop{' ' + typed if is_plain else ''})"


def _reason(column: Column, table: Table) -> tuple[str, int | None]:
    if isinstance(column, Unreadable):
        return column.reason, None
    assert isinstance(column, Text)
    if column.stray is not None:
        stray = column.stray
        cells = (
            f"1 cell{table.so_far} is no number"
            if stray.count == 1
            else f"{stray.count} cells{table.so_far} are no numbers, the first"
        )
        return f"{cells}: {stray.word[:40]!r} in {table.place(stray.row)}", table.before + stray.row + 1
    return f"text such as {column.words[0][:40]!r}" if column.words else "text", None


def _refuse_unnamed(chosen: Sequence[str]) -> None:
    unnamed = [name for name in chosen if name.startswith(UNNAMED)]
    if unnamed:
        raise SchemaError(
            f"a column has no name; it was called {unnamed[0]!r}, after its place.",
            hint=f"If it is a saved row number, leave it out with drop=[{unnamed[0]!r}] (--drop); "
            "if it is data, give it a name.",
            column=unnamed[0],
        )


def _refuse_mixed_kinds(tables: Mapping[str, Table], chosen: Sequence[str], reference: str) -> None:
    """A date beside a number has no common unit."""
    columns = {name: table.by_name for name, table in tables.items()}
    for column in chosen:
        seen: dict[str, str] = {}
        for name in (reference, *columns):
            kind = ALIKE.get(columns[name][column].kind)
            if kind is not None:
                seen.setdefault(kind, name)
        if len(seen) > 1:
            vendor = seen["time"] if seen["time"] != reference else seen["number"]
            raise SchemaError(
                f"column {column!r} holds times in {seen['time']!r} and numbers in {seen['number']!r}.",
                hint=f"Write it in one way, or leave it out with drop=[{column!r}] (--drop).",
                vendor=vendor,
                column=column,
            )
