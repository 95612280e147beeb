"""Arrays handed in become rows: (m, d), float32 or float64, C-contiguous, finite.

A float array that is already so is looked at, never copied: a market of 800 MB stays 800 MB.
Whatever else holds numbers is converted to float64.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from karat.errors import MarketError, SchemaError
from karat.schema.encode import LARGEST
from karat.typing import Rows
from karat.vendors.naming import who

LARGEST_SINGLE = 1e18
"""The same for arrays that are float32, whose squares are taken in float32."""

CELLS_AT_ONCE = 1 << 20
"""Cells looked at in one step, so that checks need a few megabytes, whatever the size."""


def rows_from(given: Any, *, vendor: str) -> Rows:
    """The rows of an array-like, shape (m, d); one dimension is read as one column.

    >>> rows_from([1, 2, 3], vendor="acme").shape
    (3, 1)
    """
    array = _as_array(given, vendor)
    if array.ndim == 1:
        array = array[:, np.newaxis]
    if array.ndim != 2:
        raise MarketError(
            f"{who(vendor)} has an array of {array.ndim} dimensions, shape {array.shape}.",
            hint="Give one row per record, shape (rows, columns); images: array.reshape(len(array), -1).",
            vendor=vendor,
        )
    if array.shape[1] == 0:
        raise MarketError(
            f"{who(vendor)} has an array without columns, shape {array.shape}.",
            hint="Give at least one column.",
            vendor=vendor,
        )
    rows = np.ascontiguousarray(array)
    check_finite(rows, vendor=vendor)
    return read_only(rows)


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """A view that cannot be written to; the caller's own array is left as it is."""
    view = array.view()
    view.flags.writeable = False
    return view


def check_finite(rows: Rows, *, vendor: str) -> None:
    """Refuse NaN, infinities and numbers whose squares overflow; O(m d), a few MB of memory."""
    largest = LARGEST_SINGLE if rows.dtype == np.float32 else LARGEST
    step = max(1, CELLS_AT_ONCE // rows.shape[1])
    for start in range(0, len(rows), step):
        part = rows[start : start + step]
        # A comparison with NaN is false, so one test finds all three.
        if -largest <= part.min() and part.max() <= largest:
            continue
        row, column = np.argwhere(~(np.abs(part) <= largest))[0]
        _refuse_cell(float(part[row, column]), largest, vendor, f"x{column}", int(start + row + 1))


def _refuse_cell(cell: float, largest: float, vendor: str, column: str, row: int) -> None:
    where = f"{who(vendor)} has {cell:.6g} in column {column!r}, row {row} (counting from 1)"
    if np.isnan(cell):
        problem, hint = (
            f"{where}: not a number.",
            (
                "Arrays are used as they are: fill or drop missing cells first, "
                "or pass a data frame, where they are flagged."
            ),
        )
    elif np.isinf(cell):
        problem, hint = f"{where}.", "Arrays are used as they are: replace infinities first."
    else:
        problem = f"{where}: beyond {largest:g}, where squares overflow."
        hint = "Scale the column, or give float64 instead of float32."
    raise SchemaError(problem, hint=hint, vendor=vendor, column=column, row=row)


def _as_array(given: Any, vendor: str) -> NDArray[Any]:
    """Any array-like as float32 or float64; float arrays of these two types are not copied."""
    if hasattr(given, "tocsr"):
        _refuse_type("a sparse matrix", "Give a dense array: matrix.toarray().", vendor)
    if isinstance(given, np.ma.MaskedArray):
        if np.ma.is_masked(given):
            _refuse_type("a masked array with masked cells", "Fill them, or pass a data frame.", vendor)
        given = given.data
    try:
        array = np.asarray(given)
    except (ValueError, TypeError, RuntimeError) as problem:
        raise MarketError(
            f"{who(vendor)} was given {type(given).__name__!r}, which is no array: "
            f"{str(problem).split('. ')[0].rstrip('.')}.",
            hint="Give an array of numbers with rows of equal length, a data frame, or a path.",
            vendor=vendor,
        ) from problem
    if array.dtype in (np.float32, np.float64):
        return array.astype(array.dtype.newbyteorder("="), copy=False)
    if array.dtype.kind in "biuf":
        with np.errstate(over="ignore"):
            return array.astype(np.float64)
    kinds = {"c": "complex numbers", "O": "objects", "U": "text", "S": "bytes", "V": "records"}
    kinds |= {"M": "dates", "m": "durations", "T": "text"}
    _refuse_type(
        f"an array of {kinds.get(array.dtype.kind, str(array.dtype))}",
        "Give numbers: array.astype(float), or a data frame with named columns.",
        vendor,
    )
    raise AssertionError("unreachable")


def _refuse_type(what: str, hint: str, vendor: str) -> None:
    raise MarketError(f"{who(vendor)} was given {what}.", hint=hint, vendor=vendor)
