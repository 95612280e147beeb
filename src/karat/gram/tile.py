"""The fused pass: inner products, exponents, kernel values and every sum that moments need, in registers.

Rows stand in panels of 16, column by column, so that a column of a panel is a vector. Blocks of 16 x 16 inner
products grow in registers, are turned into kernel values there, and leave as sums; no tile of products is
ever written to memory. A library's matrix product has to write its result, and to copy its operands into
panels on every call; this pass does neither.

A pair that does not count (padding at the end of a source's last panel, a row with itself) has an exponent so
low that its value is 0.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numba import njit, types
from numba.extending import intrinsic

from karat.gram.emit import DOUBLE_ROWS, SINGLE_ROWS, Pen, Recipe, edition, kernel_vectors
from karat.gram.lanes import DOUBLE, LANES, SINGLE
from karat.gram.panels import FLUSH, NOBODY


def starts(precision: str) -> Any:
    """(2, 16, 16): what the products of a block grow from; 0, or, for a panel against itself, no diagonal."""
    return np.stack([np.zeros((LANES, LANES)), np.diag([-NOBODY[precision]] * LANES)]).astype(precision)


@intrinsic
def _add_block(  # type: ignore[no-untyped-def]
    typing_context, form, terms, fill, rows, depth, panels, x_at, y_at, starts, start_at, norms, x_row, y_row,
    rates, row_sums, row_sums_at, column_sums, squares,
):  # fmt: skip
    """Add the kernel values of some rows of one panel against another panel to running sums of 16 lanes each.

    form, terms, fill, rows: constants; terms is the number of rates. The others are arrays and, after each,
    the offsets in numbers at which it is read. row_sums gets a vector per row, whose lanes are to be added
    up; column_sums and squares get one vector each.
    """
    if not all(isinstance(constant, types.IntegerLiteral) for constant in (form, terms, fill, rows)):
        return None
    number, at = SINGLE if panels.dtype == types.float32 else DOUBLE, types.int64
    signature = types.void(
        form, terms, fill, rows, at, panels, at, at, starts, at, norms, at, at, rates, row_sums, at,
        column_sums, squares,
    )  # fmt: skip

    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        def data(k: int, offset: Any = 0) -> Any:
            return pen.at(context.make_array(signature.args[k])(context, builder, arguments[k]).data, offset)

        pen, recipe = Pen(builder, number), Recipe(*(c.literal_value for c in (form, terms, fill, rows)))
        x, y, start = data(5, arguments[6]), data(5, arguments[7]), data(8, arguments[9])
        x_norms, y_norms = data(10, arguments[11]), data(10, arguments[12])
        vectors = kernel_vectors(pen, recipe, x, y, arguments[4], start, x_norms, y_norms, data(13))
        sums, column, square = data(14, arguments[15]), pen.read(data(16)), pen.read(data(17))
        for r, vector in enumerate(vectors):
            own = pen.at(sums, r * LANES)
            pen.write(builder.fadd(pen.read(own), vector), own)
            column = builder.fadd(column, vector)
            square = pen.lanes(vector).times_plus(pen.lanes(vector), pen.lanes(square)).vectors[0]
        pen.write(column, data(16))
        pen.write(square, data(17))
        return context.get_dummy_value()

    return signature, generate


@njit(nogil=True, inline="always")
def _total(lanes):  # type: ignore[no-untyped-def]
    """The sum of a vector in float64; the vector goes back to zero."""
    total = 0.0
    for lane in range(LANES):
        total += lanes[lane]
        lanes[lane] = 0
    return total


@cache
def panel_sums(form: int, terms: int, fill: int, precision: str) -> Callable[..., None]:
    """The compiled pass for one form with so many rates; compiled when first used and kept on disk."""
    step = SINGLE_ROWS if precision == "float32" else DOUBLE_ROWS

    def sum_panels(  # type: ignore[no-untyped-def]
        panels, norms, rates, starts, owners, filled, within, skip, strip, x_start, x_stop, y_start, y_stop,
        row_sums, column_sums, squares, seen, own_squares, own_seen,
    ):  # fmt: skip
        """Add the sums of the panels x_start to x_stop against those of y_start to y_stop.

        A panel meets those from itself onwards, so a range against itself is a triangle.
        panels (p, d, 16), norms (16 p,); owners (p,), the source of each panel; filled (p,), its rows;
        within (p,), its place in its source, after every FLUSH of which row sums move into float64;
        skip (p,), true for panels that do not meet one another here;
        strip: panels of x that are held against one of y while they are in the cache.
        row_sums (16 panels of x, sources of y); column_sums (sources of x, 16 panels of y); squares and seen
        (sources of x, sources of y), of panels that differ; own_squares and own_seen (sources of x,), of
        panels against themselves. All are float64 and added to.
        """
        depth = panels.shape[1]
        rows = np.zeros((strip * LANES, LANES), panels.dtype)
        column, square = np.zeros(LANES, panels.dtype), np.zeros(LANES, panels.dtype)
        low = x_start
        while low < x_stop:
            high = low + 1
            while high < min(x_stop, low + strip) and owners[high] == owners[low]:
                high += 1
            s = owners[low] - owners[x_start]
            for q in range(max(y_start, low), y_stop):
                t, met = owners[q] - owners[y_start], 0
                for p in range(low, min(high, q + 1)):
                    if p == q:  # the last p; all before it count for both sides, this one has both already
                        for lane in range(LANES):
                            column_sums[s, (q - y_start) * LANES + lane] += column[lane]
                        squares[s, t] += _total(square)
                    if skip[p] and skip[q]:
                        continue
                    for r in range(0, LANES, step):
                        _add_block(  # type: ignore[call-arg]
                            form, terms, fill, step, depth, panels, p * depth * LANES + r, q * depth * LANES,
                            starts, ((p == q) * LANES + r) * LANES, norms, p * LANES + r, q * LANES, rates,
                            rows, ((p - low) * LANES + r) * LANES, column, square,
                        )  # fmt: skip
                    if p == q:
                        own_seen[s] += filled[q] * (filled[q] - 1)
                    else:
                        met += filled[p]
                seen[s, t] += met * filled[q]
                if q < high:
                    own_squares[s] += _total(square)
                else:
                    for lane in range(LANES):
                        column_sums[s, (q - y_start) * LANES + lane] += column[lane]
                    squares[s, t] += _total(square)
                _total(column)
                if q + 1 == y_stop or within[q + 1] % FLUSH == 0 or owners[q + 1] != owners[q]:
                    for i in range((high - low) * LANES):
                        row_sums[(low - x_start) * LANES + i, t] += _total(rows[i])
            low = high

    sum_panels.__qualname__ += f"_{edition()}"
    compiled: Callable[..., None] = njit(nogil=True, cache=True)(sum_panels)
    return compiled
