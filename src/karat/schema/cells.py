"""What can be wrong with a cell, or odd about a column, said with its place and the remedy."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from karat.errors import SchemaError
from karat.schema.ledger import Finding
from karat.sources.table import Table
from karat.typing import Vector


def refuse_cell(values: Vector, bad: NDArray[np.bool_], column: str, table: Table, vendor: str) -> None:
    """Raise for the first of the cells that no distance can be computed with."""
    row = int(np.argmax(bad))
    what = "an infinite number" if np.isinf(values[row]) else f"{values[row]:.3g}, whose square overflows,"
    raise SchemaError(
        f"{vendor!r} has {what} in column {column!r}, {table.place(row)} "
        f"({int(bad.sum())} such cells{table.so_far}).",
        hint=f"Replace it, write it as missing, or leave the column out with drop=[{column!r}] (--drop).",
        vendor=vendor,
        column=column,
        row=table.before + row + 1,
    )


def refuse_gap(values: Vector, column: str, table: Table, vendor: str) -> None:
    """Raise for the first missing cell."""
    row = int(np.argmax(np.isnan(values)))
    raise SchemaError(
        f"{vendor!r} has no value in column {column!r}, {table.place(row)} "
        f"({int(np.isnan(values).sum())} such cells{table.so_far}).",
        hint="Fill it, or use missing='flag' or missing='drop' (--missing).",
        vendor=vendor,
        column=column,
        row=table.before + row + 1,
    )


def refuse_too_few(kept: int, rows: int, vendor: str) -> None:
    """Raise where leaving out rows with a missing cell leaves fewer than two."""
    if kept < 2:
        raise SchemaError(
            f"only {kept} of {rows} rows of {vendor!r} have no missing cells.",
            hint="Use missing='flag' (--missing flag), or leave out the columns that are mostly missing.",
            vendor=vendor,
        )


def dropped_rows(count: int, rows: int, vendor: str) -> Finding:
    """Rows that were left out for a missing cell."""
    message = f"{count} of {rows} rows of {vendor} were left out for missing cells."
    return Finding("dropped-rows", message, vendor=vendor, count=count)


def filled_cells(count: int, column: str, vendor: str, *, is_flagged: bool) -> Finding:
    """Missing cells that stand at the reference mean now."""
    flagged = " and flagged" if is_flagged else ""
    cells, are = ("1 cell", "is") if count == 1 else (f"{count} cells", "are")
    message = f"{cells} of {column} {are} missing in {vendor}: filled at the reference mean{flagged}."
    return Finding("missing", message, vendor, column, count)


def clipped_cells(count: int, column: str, vendor: str, *, deviations: float) -> Finding:
    """Cells that were too far out to be compared as they are."""
    cells, lie = ("1 cell", "lies") if count == 1 else (f"{count} cells", "lie")
    message = f"{cells} of {column} in {vendor} {lie} beyond {deviations:g} deviations: cut off there."
    return Finding("clipped", message, vendor, column, count)


def clipped_somewhere(column: str, vendor: str, *, deviations: float) -> Finding:
    """The same where cells were not counted, because they were seen before they could be encoded."""
    message = f"cells of {column} in {vendor} lie beyond {deviations:g} deviations: cut off there."
    return Finding("clipped", message, vendor, column)
