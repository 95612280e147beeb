"""Kernel values between two sets of rows, written out: for landmarks, whose rows meet few others.

The same blocks in registers as the exact engine's, stored instead of summed.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numba import njit, types
from numba.extending import intrinsic

from karat.gram.emit import SINGLE_ROWS, Pen, Recipe, edition, kernel_vectors
from karat.gram.engines import checked_block, compiled_form
from karat.gram.lanes import LANES, SINGLE
from karat.gram.panels import NOBODY, Floats, farthest, fill
from karat.kernels import Kernel
from karat.typing import Rows, Vector


class KernelValues:
    """Kernel values of any rows with a fixed set of rows (p, d)."""

    def __init__(self, kernel: Kernel, rows: Rows, shift: Vector) -> None:
        self.kernel, self.shift, self.profile = kernel, shift, kernel.profile
        self._fixed = _Side(self, rows)
        if self.profile is not None:
            form, rates = compiled_form(self.profile)
            self._rates = np.array(rates or (1.0,), dtype=np.float32)
            self._write = panel_values(form, len(rates), int(self.profile.fill))

    def of(self, rows: Rows) -> Floats:
        """Kernel values (m, p) of rows (m, d): float32, or float64 for a kernel with blocks of its own."""
        if self.profile is None:
            return checked_block(self.kernel, rows - self.shift, self._fixed.moved)
        side, fixed = _Side(self, rows), self._fixed
        values = np.empty((LANES * len(side.panels), LANES * len(fixed.panels)), dtype=np.float32)
        self._write(side.panels, side.norms, fixed.panels, fixed.norms, self._rates, values)
        values = values[: len(rows), : fixed.size]
        if self.profile.scale != 1.0:
            values *= np.float32(self.profile.scale)
        if len(side.far) and len(fixed.far):
            values[np.ix_(side.far, fixed.far)] = self.kernel.block(side.moved, fixed.moved)
        return values


class _Side:
    """Rows in panels, and those that are so far out that products of two of them cancel.

    far: their indices; moved: the far rows shifted, or all of them for a kernel with blocks of its own.
    """

    def __init__(self, values: KernelValues, rows: Rows) -> None:
        profile, shift = values.profile, values.shift
        self.size, self.far = len(rows), np.empty(0, dtype=np.intp)
        if profile is None:
            self.moved = rows - shift
            return
        self.panels = np.zeros((-(-len(rows) // LANES), rows.shape[1], LANES), dtype=np.float32)
        halves = fill(self.panels, rows, values.kernel, profile, shift)
        self.norms = np.full(LANES * len(self.panels), NOBODY["float32"], dtype=np.float32)
        self.norms[: len(rows)] = halves if profile.norms else 0.0
        self.far = np.flatnonzero(halves > farthest(profile, rows.shape[1]))
        self.moved = rows[self.far] - shift


@intrinsic
def _put_block(  # type: ignore[no-untyped-def]
    typing_context, form, terms, fill, rows, depth, x_panels, x_at, y_panels, y_at, starts, x_norms, x_row,
    y_norms, y_row, rates, out, out_at, out_width,
):  # fmt: skip
    """Write the kernel values of some rows of panel x with panel y; offsets are counted in numbers."""
    if not all(isinstance(constant, types.IntegerLiteral) for constant in (form, terms, fill, rows)):
        return None
    at = types.int64
    signature = types.void(
        form, terms, fill, rows, at, x_panels, at, y_panels, at, starts, x_norms, at, y_norms, at, rates, out,
        at, at,
    )  # fmt: skip

    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        def data(k: int, offset: Any = 0) -> Any:
            return pen.at(context.make_array(signature.args[k])(context, builder, arguments[k]).data, offset)

        pen, recipe = Pen(builder, SINGLE), Recipe(*(c.literal_value for c in (form, terms, fill, rows)))
        x, y = data(5, arguments[6]), data(7, arguments[8])
        x_norms, y_norms = data(10, arguments[11]), data(12, arguments[13])
        place = data(15, arguments[16])
        for vector in kernel_vectors(pen, recipe, x, y, arguments[4], data(9), x_norms, y_norms, data(14)):
            pen.write(vector, place)
            place = pen.at(place, arguments[17])
        return context.get_dummy_value()

    return signature, generate


@cache
def panel_values(form: int, terms: int, fill: int) -> Callable[..., None]:
    """The compiled pass for one form with so many rates; compiled when first used and kept on disk."""
    step = SINGLE_ROWS

    def write_panels(x_panels, x_norms, y_panels, y_norms, rates, out):  # type: ignore[no-untyped-def]
        """Panels of x and of y (., d, 16), their norms, and out (16 panels of x, 16 panels of y)."""
        depth, width = x_panels.shape[1], out.shape[1]
        starts = np.zeros(LANES * LANES, x_panels.dtype)
        for q in range(y_panels.shape[0]):
            for p in range(x_panels.shape[0]):
                for r in range(0, LANES, step):
                    _put_block(  # type: ignore[call-arg]
                        form, terms, fill, step, depth, x_panels, p * depth * LANES + r, y_panels,
                        q * depth * LANES, starts, x_norms, p * LANES + r, y_norms, q * LANES, rates,
                        out, (p * LANES + r) * width + q * LANES, width,
                    )  # fmt: skip

    write_panels.__qualname__ += f"_{edition()}"
    compiled: Callable[..., None] = njit(nogil=True, cache=True)(write_panels)
    return compiled
