"""Rows into panels, compiled: shift, scale, round, transpose and add up squares in one pass over memory."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numba
import numpy as np
from numba import njit

from karat.gram.panels import HEIGHT, Floats
from karat.typing import Rows, Vector


def lay_out(rows: Rows, shift: Vector, scale: float, panels: Floats, halves: Vector) -> None:
    """Put (rows - shift) * scale into panels (p, d, 16), and half their squared norms into halves (m,).

    The arithmetic is float64; rows are rounded to the panels' precision, and norms are those of the rounded.
    """
    source = np.ascontiguousarray(rows)
    if source.dtype not in (np.float32, np.float64):
        source = source.astype(np.float64)
    _compiled(source.dtype.name, panels.dtype.name)(source, shift, scale, panels, halves)


@cache
def _compiled(given: str, kept: str) -> Callable[..., None]:
    rows = numba.types.Array(getattr(numba.types, given), 2, "C", readonly=True)
    shift = numba.types.Array(numba.types.float64, 1, "C", readonly=True)
    panels = getattr(numba.types, kept)[:, :, ::1]
    signature = numba.types.void(rows, shift, numba.types.float64, panels, numba.types.float64[::1])
    compiled: Callable[..., None] = njit([signature], nogil=True, cache=True)(_lay_out)
    return compiled


def _lay_out(rows: Any, shift: Any, scale: Any, panels: Any, halves: Any) -> None:
    """Column blocks of 16, so that both sides of the transposition stay in the first-level cache."""
    size, width = rows.shape
    for i in range(size):
        halves[i] = 0.0
    for p in range((size + HEIGHT - 1) // HEIGHT):
        for first in range(0, width, HEIGHT):
            for lane in range(min(HEIGHT, size - p * HEIGHT)):
                i = p * HEIGHT + lane
                total = 0.0
                for c in range(first, min(first + HEIGHT, width)):
                    panels[p, c, lane] = (rows[i, c] - shift[c]) * scale
                    rounded = np.float64(panels[p, c, lane])
                    total += rounded * rounded
                halves[i] += 0.5 * total
