"""The two ways from a task to its sums: the fused pass, and a kernel's own blocks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from karat.errors import KernelError
from karat.gram.panels import HEIGHT, Floats, Panels, Shelf
from karat.gram.tasks import Task, TaskSums
from karat.kernels import Kernel
from karat.kernels.profile import Fill, Form, Profile
from karat.typing import Matrix, Rows, Vector

CACHED_BYTES = 1 << 19
"""Half of a core's second-level cache: what a strip's panels may take while partners pass by."""

MOST_CACHED = 8
"""Panels of a strip that are held against one partner at a time, however narrow they are."""


class FusedEngine:
    """Rows in panels, for a kernel that follows from an inner product or a distance.

    skip: (p,), true for panels that do not meet one another here.
    """

    strips = 32

    def __init__(self, rows: Panels, profile: Profile, fill: int, skip: NDArray[np.bool_]) -> None:
        from karat.gram import tile  # numba is imported by the first kernel that runs

        self.shelf, self.scale = rows.shelf, profile.scale
        precision = str(rows.panels.dtype)
        form, rates = compiled_form(profile)
        cached = CACHED_BYTES // (rows.panels.itemsize * HEIGHT * rows.panels.shape[1])
        self._pass = tile.panel_sums(form, len(rates), fill, precision)
        self._arguments = (
            rows.panels,
            rows.norms,
            np.array(rates or (1.0,), dtype=precision),
            tile.starts(precision),
            self.shelf.owners,
            self.shelf.filled,
            self.shelf.within,
            skip,
            min(max(cached, 1), MOST_CACHED),
        )

    def run(self, task: Task) -> TaskSums:
        """The sums of a task, computed without the interpreter's lock."""
        sums = TaskSums.nothing(task)
        own_squares, own_seen = np.zeros(len(sums.squares)), np.zeros(len(sums.squares))
        within = (task.x_start, task.x_stop, task.y_start, task.y_stop)
        both = (sums.row_sums, sums.column_sums, sums.squares, sums.seen)
        self._pass(*self._arguments, *within, *both, own_squares, own_seen)
        np.fill_diagonal(sums.own_squares, own_squares)
        np.fill_diagonal(sums.own_seen, own_seen)
        return sums


def compiled_form(profile: Profile) -> tuple[int, tuple[float, ...]]:
    """The form that the pass is compiled for, and the rates that it reads."""
    from karat.gram.forms import RECIPROCAL

    if profile.form == Form.RATIONAL and profile.rates == (1.0,):
        return RECIPROCAL, ()
    return int(profile.form), profile.rates if profile.form in (Form.EXP2_RATES, Form.RATIONAL) else ()


def fused_engines(
    sources: Sequence[Rows],
    kernel: Kernel,
    profile: Profile,
    shift: Vector,
    precision: str,
    workers: int | None = None,
) -> list[FusedEngine]:
    """The engine for all rows and, where some are far out, a second one for what those say to one another.

    Products cancel there: with columns in other units an exponent of a few is the difference of millions. So
    far rows are packed once more, in float64, and meet one another by their differences.
    """
    from karat.gram import emit

    rows = Panels.pack(sources, kernel, profile, shift=shift, precision=precision, workers=workers)
    engines = [FusedEngine(rows, profile, int(profile.fill), rows.is_far)]
    if rows.is_far.any():
        again = rows.picked(rows.is_far, sources, shift, profile)
        fill = int(Fill.MANHATTAN) if profile.fill == Fill.MANHATTAN else emit.DIFFERENCES
        engines.append(FusedEngine(again, profile, fill, again.is_far))
    return engines


class BlockEngine:
    """Rows in float64, for a kernel that brings blocks of its own."""

    scale = 1.0
    strips = 1

    def __init__(self, sources: Sequence[Rows], kernel: Kernel, shift: Vector) -> None:
        self.kernel, self.shelf = kernel, Shelf.of([len(rows) for rows in sources])
        self._rows = np.zeros((HEIGHT * len(self.shelf), len(shift)))
        for j, rows in enumerate(sources):
            self._rows[self.shelf.rows_of(j)] = rows - shift
        self._is_row = _is_row(self.shelf).ravel()
        self._owners = np.repeat(self.shelf.owners, HEIGHT)

    def run(self, task: Task) -> TaskSums:
        """The sums of a task, from blocks no wider than its strip."""
        sums = TaskSums.nothing(task)
        width = task.x_stop - task.x_start
        for start in range(task.y_start, task.y_stop, width):
            self._add_block(task, start, min(start + width, task.y_stop), sums)
        return sums

    def _add_block(self, task: Task, start: int, stop: int, sums: TaskSums) -> None:
        x, y = self._places(task.x_start, task.x_stop), self._places(start, stop)
        values, counts = checked_block(self.kernel, self._rows[x], self._rows[y]), np.ones((len(x), len(y)))
        is_own = start == task.x_start
        if is_own:
            values = values.copy()
            np.fill_diagonal(values, 0.0)
            np.fill_diagonal(counts, 0.0)
        s, t = sums.squares.shape
        left = np.eye(s)[self._owners[x] - task.x_sources.start]
        above = np.eye(t)[self._owners[y] - task.y_sources.start]
        sums.row_sums[x - HEIGHT * task.x_start] += values @ above
        squares, seen = left.T @ values**2 @ above, left.T @ counts @ above
        if is_own:
            sums.own_squares[:] += squares[:, :s]
            sums.own_seen[:] += seen[:, :s]
            return
        sums.column_sums[:, y - HEIGHT * task.y_start] += left.T @ values
        sums.squares[:] += squares
        sums.seen[:] += seen

    def _places(self, start: int, stop: int) -> NDArray[np.intp]:
        """Where the rows of some panels stand, without padding."""
        return HEIGHT * start + np.flatnonzero(self._is_row[HEIGHT * start : HEIGHT * stop])


def _is_row(shelf: Shelf) -> NDArray[np.bool_]:
    """(p, 16), false for padding."""
    is_row: NDArray[np.bool_] = np.arange(HEIGHT) < shelf.filled[:, None]
    return is_row


def checked_block(kernel: Kernel, a: Floats, b: Floats) -> Matrix:
    """A kernel's own block; kernels come from users, too."""
    block = np.asarray(kernel.block(a, b), dtype=np.float64)
    if block.shape != (len(a), len(b)):
        raise KernelError(
            f"the kernel {kernel!r} gave a block of shape {block.shape} for {len(a)} and {len(b)} rows.",
            hint="`block` returns one value per pair of rows: shape (rows of a, rows of b).",
        )
    if not np.isfinite(block).all():
        raise KernelError(
            f"the kernel {kernel!r} gave values that are not finite.",
            hint="Scale the columns, or choose another kernel.",
        )
    return block
