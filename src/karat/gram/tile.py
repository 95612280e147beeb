"""The fused pass: inner products, exponents, kernel values and every sum that moments need, in registers.

Rows stand in panels of 16, column by column, so that a column of a panel is a vector. A block is the 16 rows
of one panel against the 16 of another: 256 inner products grow in registers, are turned into kernel values
there, and leave as sums; no tile of products is ever written to memory. A library's matrix product has to
write its result, and to copy its operands into panels on every call; this pass does neither.

A pair that does not count (padding at the end of a source's last panel, a row with itself) has an exponent so
low that its value is 0.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from llvmlite import binding, ir
from numba import njit, types
from numba.extending import intrinsic

from karat.gram import forms, lanes, panels
from karat.gram.forms import VALUES
from karat.gram.lanes import DOUBLE, LANES, SINGLE, Lanes, Number
from karat.gram.panels import FLUSH, NOBODY
from karat.kernels.profile import Fill

DIFFERENCES = 2
"""A fill beside those of `Fill`: -|x - y|^2 / 2 from differences, where rows are so far out that products
cancel. Rows are scaled by sqrt(1/2) for it."""

HAS_WIDE_REGISTERS = bool(binding.get_host_cpu_features().get("avx512f", False))
"""32 registers of 16 float32: the sums of a whole block of 16 x 16 stay inside."""

SINGLE_ROWS = 16 if HAS_WIDE_REGISTERS else 4
DOUBLE_ROWS = 8 if HAS_WIDE_REGISTERS else 2
"""Rows of a block that are worked on at a time, in float32 and float64: as many as registers hold."""

IN_STEP = 4
"""Rows whose values are computed in step: enough to hide the latency of an exponential, few enough to fit."""

INDEX = ir.IntType(64)


def starts(precision: str) -> Any:
    """(2, 16, 16): what the products of a block grow from; 0, or, for a panel against itself, no diagonal."""
    return np.stack([np.zeros((LANES, LANES)), np.diag([-NOBODY[precision]] * LANES)]).astype(precision)


class _Pen:
    """Writes vector loads and stores at the builder's place."""

    def __init__(self, builder: Any, number: Number) -> None:
        self.builder, self.number = builder, number

    def lanes(self, *vectors: Any) -> Lanes:
        return Lanes(self.builder, self.number, vectors)

    def at(self, base: Any, offset: Any) -> Any:
        """The address so many numbers after the base."""
        return self.builder.gep(base, [INDEX(offset) if isinstance(offset, int) else offset])

    def read(self, address: Any) -> Any:
        vector = self.builder.load(self.builder.bitcast(address, self.number.vector.as_pointer()))
        vector.align = self.number.bytes
        return vector

    def write(self, vector: Any, address: Any) -> None:
        store = self.builder.store(vector, self.builder.bitcast(address, self.number.vector.as_pointer()))
        store.align = self.number.bytes

    def spread(self, address: Any) -> Any:
        """One number in all lanes."""
        nothing, first = ir.Constant(self.number.vector, ir.Undefined), ir.IntType(32)(0)
        single = self.builder.insert_element(nothing, self.builder.load(address), first)
        zeros = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
        return self.builder.shuffle_vector(single, nothing, zeros)


def _grow(fill: int, own: Lanes, other: Lanes, so_far: Lanes) -> Lanes:
    """One column's part of an inner product, or of minus a distance."""
    if fill == Fill.PRODUCT:
        return own.times_plus(other, so_far)
    difference = own - other
    if fill == Fill.MANHATTAN:
        return so_far - difference.size()
    return difference.negative().times_plus(difference, so_far)


def _products(pen: _Pen, rows: int, fill: int, x: Any, y: Any, depth: Any, start: Any) -> list[Any]:
    """One vector per row of x, over the 16 rows of y; a loop over the columns with all sums in registers."""
    builder = pen.builder
    before, loop, after = builder.block, builder.append_basic_block(), builder.append_basic_block()
    first = [pen.read(pen.at(start, r * LANES)) for r in range(rows)]
    builder.branch(loop)
    builder.position_at_end(loop)
    column = builder.phi(INDEX)
    sums = [builder.phi(pen.number.vector) for _ in range(rows)]
    offset = builder.mul(column, INDEX(LANES))
    other, own = pen.lanes(pen.read(pen.at(y, offset))), pen.at(x, offset)
    grown = [
        _grow(fill, pen.lanes(pen.spread(pen.at(own, r))), other, pen.lanes(sums[r])).vectors[0]
        for r in range(rows)
    ]
    following = builder.add(column, INDEX(1))
    for phi, begin, later in zip([column, *sums], [INDEX(0), *first], [following, *grown], strict=True):
        phi.add_incoming(begin, before)
        phi.add_incoming(later, loop)
    builder.cbranch(builder.icmp_unsigned("<", following, depth), loop, after)
    builder.position_at_end(after)
    return grown


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

        pen, count, value = _Pen(builder, number), rows.literal_value, VALUES[form.literal_value]
        x, y = data(5, arguments[6]), data(5, arguments[7])
        products = _products(pen, count, fill.literal_value, x, y, arguments[4], data(8, arguments[9]))
        x_norms, y_norms = data(10, arguments[11]), pen.read(data(10, arguments[12]))
        speeds = [pen.spread(data(13, t)) for t in range(terms.literal_value)]
        sums, column, square = data(14, arguments[15]), pen.read(data(16)), pen.read(data(17))
        step = min(IN_STEP, count)
        for first in range(0, count, step):
            some = range(first, first + step)
            a, b = pen.lanes(*(pen.spread(pen.at(x_norms, r)) for r in some)), pen.lanes(*[y_norms] * step)
            e = pen.lanes(*products[first : first + step]) - (a + b)  # so k(x, y) = k(y, x) in every bit
            k = value(e, a, b, [pen.lanes(*[speed] * step) for speed in speeds])
            for r, vector in zip(some, k.vectors, strict=True):
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

    sum_panels.__qualname__ += f"_{_recipe()}"
    compiled: Callable[..., None] = njit(nogil=True, cache=True)(sum_panels)
    return compiled


@cache
def _recipe() -> str:
    """A checksum of what the compiled code is made from: on disk it is filed under it.

    Numba itself looks at this file alone, and would go on using code made by other lanes and forms.
    """
    texts = (Path(str(module.__file__)).read_bytes() for module in (lanes, forms, panels))
    return f"{zlib.crc32(b''.join(texts)):08x}"
