"""Results as tables of plain values: data frames, CSV, Markdown, Parquet.

A vendor's name may be a spreadsheet formula. In files a text that a spreadsheet would compute is prefixed
with an apostrophe; data frames keep names as they are.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import asdict
from functools import singledispatch
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

from karat.appraisal import Appraisal
from karat.baselines.beside import Beside
from karat.decisions import Comparison, PairMatrix
from karat.report.columns import by_first, correlation, explained, score_columns
from karat.report.naming import Naming
from karat.report.numbers import distance
from karat.report.printable import printable
from karat.report.sentences import caveats, chance, compared, noticed
from karat.report.verdict import answer
from karat.values import Values
from karat.vendors import Market

Cell = str | int | float | bool | None
Record = dict[str, Cell]

LONGEST = 1000
"""Characters of a text in a file; a name of a megabyte helps nobody."""

FORMULA = tuple("=+-@\t\r＝＋－＠")
"""First characters that make a spreadsheet compute a text, in both widths."""


@singledispatch
def records(result: object) -> list[Record]:
    """A result as rows with the same columns, one function per type."""
    raise TypeError(f"karat has no table form for {type(result).__name__}")


@records.register
def _(result: Appraisal) -> list[Record]:
    """One row per vendor, best first."""
    return [asdict(vendor) for vendor in result.ranking]


@records.register
def _(result: Market) -> list[Record]:
    """One row per source."""
    return [
        {
            "name": source.name,
            "is_anchor": source is result.anchor,
            "rows": source.size,
            "columns": source.width,
            "findings": sum(one.vendor == source.name for one in result.findings),
            "digest": source.digest,
        }
        for source in result.sources
    ]


@records.register
def _(result: Comparison) -> list[Record]:
    """One row."""
    low, high = result.interval or (None, None)
    return [
        {
            "a": result.a,
            "b": result.b,
            "verdict": result.verdict,
            "gap": result.gap,
            "low": low,
            "high": high,
            "p_value": result.p_value,
            "margin": result.margin,
            "confidence": result.confidence,
            "policy": result.policy,
        }
    ]


@records.register
def _(result: PairMatrix) -> list[Record]:
    """One row per ordered pair."""
    return [
        {
            "a": a,
            "b": b,
            "verdict": result.verdict(a, b),
            "gap": float(result.gap[i, j]),
            "low": _known(result.lower[i, j]),
            "high": _known(result.upper[i, j]),
            "p_value": _known(result.p_values[i, j]),
        }
        for i, a in enumerate(result.names)
        for j, b in enumerate(result.names)
        if i != j
    ]


@records.register
def _(result: Beside) -> list[Record]:
    """One row per vendor, a column per valuation."""
    columns = zip(result.titles, result.columns, strict=True)
    scores = {title: column.scores.tolist() for title, column in columns}
    return [
        {"vendor": name} | {title: scores[title][i] for title in scores}
        for i, name in enumerate(result.names)
    ]


@records.register
def _(result: Values) -> list[Record]:
    """One row per vendor."""
    return [
        {"vendor": name, result.valuation: one}
        for name, one in zip(result.names, result.scores.tolist(), strict=True)
    ]


def _known(number: float) -> float | None:
    return float(number) if np.isfinite(number) else None


def frame(result: object) -> Any:
    """The records as a data frame of the library that is installed: pandas, polars, or pyarrow."""
    rows = [{key: _whole(cell) for key, cell in row.items()} for row in records(result)]
    for library in ("pandas", "polars"):
        if find_spec(library):
            return import_module(library).DataFrame(rows)
    import pyarrow as pa

    return pa.Table.from_pylist(rows)


def _whole(cell: Cell) -> Cell:
    """Text of whole characters: half a surrogate pair, as odd file names have, fits no data frame."""
    return cell.encode("utf-8", "replace").decode() if isinstance(cell, str) else cell


def defused(cell: Cell) -> Cell:
    """A cell that no spreadsheet computes and no terminal obeys; numbers stay numbers.

    >>> defused("=HYPERLINK(1)"), defused("acme"), defused(-0.5)
    ("'=HYPERLINK(1)", 'acme', -0.5)
    """
    if not isinstance(cell, str):
        return cell
    shown = printable(cell, LONGEST)
    return f"'{shown}" if cell.startswith(FORMULA) or shown.startswith(FORMULA) else shown


def _defused(result: object) -> list[Record]:
    return [{str(defused(key)): defused(cell) for key, cell in row.items()} for row in records(result)]


def to_csv(result: object) -> str:
    """Comma separated, with a header; empty cells for what does not exist."""
    rows = _defused(result)
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, fieldnames=list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return buffer.getvalue()


def to_parquet(result: object) -> bytes:
    """Parquet, with page checksums."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    buffer = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(_defused(result)), buffer, write_page_checksum=True)
    return buffer.getvalue()


def to_markdown(result: object) -> str:
    """Sentences, then the table; names are escaped, so they stay text wherever the file is shown."""
    if isinstance(result, Beside):
        return _beside_in_markdown(result)
    rows = _defused(result)
    columns = list(rows[0])
    lines = [
        *_sentences(result),
        "",
        *_table(columns, [[_shown(row[name]) for name in columns] for row in rows]),
    ]
    return "\n".join(lines).strip() + "\n"


def _beside_in_markdown(result: Beside) -> str:
    """The scores, what they are held against, and the agreement of the valuations."""
    order = by_first(result)
    rows = [
        [str(defused(result.names[i])), *cells]
        for i, *cells in zip(order, *(cells for _, cells in score_columns(result, order)), strict=True)
    ]
    lines = ["Larger is better in every column:", "", *_table(["vendor", *result.titles], rows), ""]
    lines += [f"- {_escaped(line)}" for line in explained(result)]
    if len(result.columns) > 1:
        agreement = zip(result.titles, result.agreement, strict=True)
        cells = [[title, *map(correlation, row)] for title, row in agreement]
        lines += ["", "Rank agreement (Spearman):", "", *_table(["", *result.titles], cells)]
    return "\n".join(lines).strip() + "\n"


def _table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    return [_row(columns), _row(["---"] * len(columns), escape=False), *map(_row, rows)]


def _sentences(result: object) -> list[str]:
    if isinstance(result, Comparison):
        return [_escaped(line) for line in compared(result)]
    if not isinstance(result, Appraisal):
        return []
    found = answer(result, Naming.of(result.moments.names))
    said = [f"# {_escaped(found.headline)}", ""]
    said += [_escaped(" ".join(filter(None, (*found.sentences, found.ask)))), ""]
    notes = [*caveats(result), chance(result), *noticed(result)]
    said += [f"- {_escaped(line)}" for line in notes if line]
    return [*said, "", f"Vendors by {_escaped(result.heading)}:"]


def _row(cells: Sequence[str], *, escape: bool = True) -> str:
    return f"| {' | '.join(_escaped(cell) if escape else cell for cell in cells)} |"


def _shown(cell: Cell) -> str:
    if cell is None:
        return ""
    return distance(cell) if isinstance(cell, float) else str(cell)


SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~!&$])")


def _escaped(text: str) -> str:
    r"""Text in which Markdown and HTML see nothing to do.

    >>> print(_escaped("a|b <script> _c_"))
    a\|b \<script\> \_c\_
    """
    return SPECIAL.sub(r"\\\1", " ".join(text.split()))
