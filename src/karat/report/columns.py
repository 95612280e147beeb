"""Valuations side by side: what to know of them, and tables with more columns than a line holds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Table
from rich.text import Text

from karat.baselines.beside import Beside
from karat.report.printable import printable
from karat.values import Values

GAP = 2
"""Spaces between columns."""

MOST_LISTED = 3
"""Vendors, or classes of one, that a sentence names."""

HELD_AGAINST = {
    "anchor": "the anchor",
    "uniform": "all vendors in equal shares",
    "others": "the other vendors",
}
"""A reference in words; others keep their names."""

Column = tuple[str, list[str]]
"""A heading and its cells."""


def score(number: float) -> str:
    """A score with four digits: valuations have scales of their own.

    >>> score(-0.0261215), score(12345.6), score(-0.0), score(2.5e-9)
    ('-0.02612', '1.235e+04', '0', '2.5e-09')
    """
    return f"{number + 0.0:.4g}"


def correlation(number: float) -> str:
    """A correlation with two digits; a dash where one side has no order.

    >>> correlation(-0.994), correlation(float("nan"))
    ('-0.99', '-')
    """
    return "-" if np.isnan(number) else f"{number:.2f}"


def by_first(result: Beside) -> list[int]:
    """The vendors' places, best first by the first valuation."""
    return sorted(range(len(result.names)), key=lambda i: -result.columns[0].scores[i])


def explained(result: Beside) -> list[str]:
    """What the columns are held against, and how far those can be trusted that are not exact."""
    titled = list(zip(result.titles, result.columns, strict=True))
    against: dict[str, list[str]] = {}
    for title, column in titled:
        against.setdefault(str(column.details.get("reference", "nothing")), []).append(title)
    usual, *others = sorted(against, key=lambda reference: -len(against[reference]))
    apart = "".join(f"; {', '.join(against[one])} against {HELD_AGAINST.get(one, one)}" for one in others)
    held = f"Held against {HELD_AGAINST.get(usual, usual)}{apart}."
    trust = [line for title, column in titled for line in _trust(title, column)]
    return [held, *trust, *_absent_classes(result.columns)]


def _trust(title: str, column: Values) -> Iterator[str]:
    errors = column.details.get("standard_errors")
    if isinstance(errors, list):
        largest = score(max(errors))
        yield f"{title} is from random orders of the vendors, with standard errors up to {largest}."
    if column.details.get("is_converged") is False:
        yield f"{title} stopped before it had converged."
    if column.details.get("is_exact") is False:
        yield f"{title} is a lower bound: some vendor has too many rows for the exact determinant."


def _absent_classes(columns: Sequence[Values]) -> Iterator[str]:
    found = [column.details.get("absent_classes") for column in columns]
    absent = next((one for one in found if isinstance(one, dict)), {})
    if not absent:
        return
    named = [f"{printable(name, 32)} ({_listed(list(map(_label, absent[name])))})" for name in absent]
    yield f"Without any row of some classes: {_listed(named)}. Ask them for such rows, or leave them out."


def _label(label: str | float) -> str:
    return printable(label, 32) if isinstance(label, str) else f"{label:g}"


def _listed(words: Sequence[str]) -> str:
    """The first few, and how many more there are.

    >>> _listed(["a", "b"]), _listed(["a", "b", "c", "d", "e"])
    ('a, b', 'a, b, c and 2 more')
    """
    rest = len(words) - MOST_LISTED
    return ", ".join(words) if rest <= 0 else f"{', '.join(words[:MOST_LISTED])} and {rest} more"


def score_columns(result: Beside, order: Sequence[int]) -> list[Column]:
    """One column per valuation, the vendors in this order."""
    return [
        (title, [score(column.scores[i]) for i in order])
        for title, column in zip(result.titles, result.columns, strict=True)
    ]


@dataclass(frozen=True)
class Bands:
    """A table that goes on below, with its first column again, where a line is too short for all columns.

    numbered: what stands for the headings where they do not fit: the rows are numbered, and so are columns.
    """

    heading: str
    rows: tuple[str, ...]
    columns: tuple[Column, ...]
    numbered: bool = False

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        rows, columns = self.rows, self.columns
        bands = list(_cut(self.heading, rows, columns, options.max_width))
        if self.numbered and len(bands) > 1:
            rows = tuple(f"{i + 1:>{len(str(len(rows)))}} {row}" for i, row in enumerate(rows))
            columns = tuple((str(i + 1), cells) for i, (_, cells) in enumerate(columns))
            bands = list(_cut(self.heading, rows, columns, options.max_width))
        for i, band in enumerate(bands):
            if i > 0:
                yield ""
            yield _table(self.heading, rows, band)


def score_bands(result: Beside) -> Bands:
    """The scores, best vendor first by the first valuation."""
    order = by_first(result)
    names = tuple(printable(result.names[i], 32) for i in order)
    return Bands("vendor", names, tuple(score_columns(result, order)))


def agreement_bands(result: Beside) -> Bands:
    """The rank correlations; columns are numbered where their names need more than one line."""
    columns = [
        (title, [correlation(r) for r in row])
        for title, row in zip(result.titles, result.agreement, strict=True)
    ]
    return Bands("", result.titles, tuple(columns), numbered=True)


def _cut(heading: str, rows: Sequence[str], columns: Sequence[Column], width: int) -> Iterator[list[Column]]:
    """As many columns at a time as fit beside the first; at least one."""
    first = max(map(cell_len, (heading, *rows)))
    band: list[Column] = []
    used = first
    for column in columns:
        needed = GAP + max(map(cell_len, (column[0], *column[1])))
        if band and used + needed > width:
            yield band
            band, used = [], first
        band.append(column)
        used += needed
    yield band


def _table(heading: str, rows: Sequence[str], columns: Sequence[Column]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, GAP, 0, 0), header_style="dim")
    table.add_column(heading, overflow="ellipsis", no_wrap=True)
    for title, _ in columns:
        table.add_column(Text(title), justify="right", no_wrap=True)
    for i, row in enumerate(rows):
        table.add_row(Text(row), *(cells[i] for _, cells in columns))
    return table
