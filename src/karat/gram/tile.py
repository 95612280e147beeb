"""The fused pass over one tile: exponents, kernel values and every sum that moments need, row by row.

A tile is a block of rows times a block of columns, filled with inner products by BLAS. One row of it (a few
kilobytes, so it stays in the first-level cache) is turned into kernel values and added up before the next row
is looked at; the values themselves are never kept. `exp2` is a polynomial whose exponent is put in by a bit
cast, which compilers turn into vector instructions; the library function stays scalar inside a compiled loop.

Rows of a tile may belong to several sources (many small previews share a tile): `x_bounds` and `y_bounds` are
the offsets at which the sources begin, with the end of the tile last.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit, types
from numba.extending import intrinsic, overload

from karat.kernels.profile import Form

# Plain integers, because compiled code compares with constants.
EXP2, EXP2_1_4_16, EXP2_1_4_25_100 = int(Form.EXP2), int(Form.EXP2_1_4_16), int(Form.EXP2_1_4_25_100)
EXP2_RATES, RATIONAL, DISTANCE = int(Form.EXP2_RATES), int(Form.RATIONAL), int(Form.DISTANCE)

FLUSH = 32
"""Rows after which float32 column sums move into float64: keeps their rounding near 1e-7."""


@intrinsic
def _float_from_bits(typing_context: Any, bits: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        from llvmlite import ir

        return builder.bitcast(arguments[0], ir.FloatType())

    return types.float32(types.int32), generate


def exp2(e: float) -> float:
    """2^e for e <= 0. In float32 within 1.5e-7 of it, relatively, down to 2^-126, and 2^-126 below."""
    return math.exp2(min(e, 0.0))


@overload(exp2, inline="always")
def _compiled_exp2(e):  # type: ignore[no-untyped-def]
    if e != types.float32:
        return lambda e: math.exp(min(e, 0.0) * math.log(2.0))

    def polynomial(e):  # type: ignore[no-untyped-def]
        clipped = max(min(e, np.float32(0.0)), np.float32(-126.0))
        whole = math.floor(clipped)
        f = clipped - whole
        p = np.float32(1.8775767e-3)
        p = p * f + np.float32(8.9893397e-3)
        p = p * f + np.float32(5.5826318e-2)
        p = p * f + np.float32(2.4015361e-1)
        p = p * f + np.float32(6.9315308e-1)
        p = p * f + np.float32(9.9999994e-1)
        bits = (np.int32(whole) + np.int32(127)) << np.int32(23)
        return p * _float_from_bits(bits)  # type: ignore[call-arg]

    return polynomial


@njit(inline="always", fastmath=True)
def _apply_form(k, form, rates, x_norm, y_norms):  # type: ignore[no-untyped-def]
    """Exponents to kernel values, in place; one simple loop per form, so that each is vectorised."""
    if form == EXP2:
        for j in range(k.shape[0]):
            k[j] = exp2(k[j])
    elif form == EXP2_1_4_16:
        for j in range(k.shape[0]):
            u = exp2(k[j])
            u2 = u * u
            u4 = u2 * u2
            u8 = u4 * u4
            k[j] = u + u4 + u8 * u8
    elif form == EXP2_1_4_25_100:
        for j in range(k.shape[0]):
            u = exp2(k[j])
            u2 = u * u
            u4 = u2 * u2
            u8 = u4 * u4
            u25 = u8 * u8 * u8 * u
            u50 = u25 * u25
            k[j] = u + u4 + u25 + u50 * u50
    elif form == EXP2_RATES:
        for j in range(k.shape[0]):
            e = k[j]
            total = exp2(rates[0] * e)
            for r in range(1, rates.shape[0]):
                total += exp2(rates[r] * e)
            k[j] = total
    elif form == RATIONAL:
        if rates[0] == 1:
            for j in range(k.shape[0]):
                k[j] = 1 / (1 - min(k[j], k.dtype.type(0)))
        else:
            for j in range(k.shape[0]):
                k[j] = (1 - min(k[j], k.dtype.type(0))) ** (-rates[0])
    elif form == DISTANCE:
        two, half = k.dtype.type(2), k.dtype.type(0.5)
        x_length = np.sqrt(two * x_norm)
        for j in range(k.shape[0]):
            k[j] = half * (x_length + np.sqrt(two * y_norms[j]) - np.sqrt(-two * min(k[j], k.dtype.type(0))))


@njit(fastmath=True, nogil=True, cache=True)
def sum_tile(  # type: ignore[no-untyped-def]
    tile, x_norms, y_norms, form, rates, on_diagonal, x_bounds, y_bounds, row_sums, column_sums, squares
):
    """Add a tile's kernel values to its sums.

    tile (a, b); x_norms (a,), y_norms (b,): half the squared norms, zero for forms without;
    on_diagonal: the tile meets itself, and a row's value with itself is left out.
    row_sums (a, sources of y), column_sums (sources of x, b), squares (sources of x, sources of y): float64,
    added to.
    """
    width = tile.shape[1]
    k = np.empty(width, tile.dtype)
    pending = np.zeros(width, tile.dtype)
    for s in range(x_bounds.shape[0] - 1):
        for i in range(x_bounds[s], x_bounds[s + 1]):
            x_norm = x_norms[i]
            for j in range(width):
                k[j] = tile[i, j] - x_norm - y_norms[j]
            _apply_form(k, form, rates, x_norm, y_norms)
            if on_diagonal:
                k[i] = 0
            for t in range(y_bounds.shape[0] - 1):
                total, total_squares = k.dtype.type(0), k.dtype.type(0)
                for j in range(y_bounds[t], y_bounds[t + 1]):
                    value = k[j]
                    total += value
                    total_squares += value * value
                    pending[j] += value
                row_sums[i, t] += total
                squares[s, t] += total_squares
            if (i - x_bounds[s]) % FLUSH == FLUSH - 1 or i == x_bounds[s + 1] - 1:
                for j in range(width):
                    column_sums[s, j] += pending[j]
                    pending[j] = 0


@njit(fastmath=True, nogil=True, cache=True)
def fill_manhattan(x, y_columns, tile):  # type: ignore[no-untyped-def]
    """Minus the sum of absolute differences: x (a, d), y_columns (d, b) -> tile (a, b)."""
    for i in range(x.shape[0]):
        for j in range(tile.shape[1]):
            tile[i, j] = 0
        for c in range(x.shape[1]):
            value = x[i, c]
            for j in range(tile.shape[1]):
                tile[i, j] -= abs(value - y_columns[c, j])
