"""Every pair of rows: the exact engine.

The rows of all sources stand one below the other in panels of 16, and each pair of them is met once, in tasks
that run on one thread per core. The tasks' sums are added in the order of the tasks, whatever the number of
threads, so that number never changes a bit of the result.

Cost N^2 d / 2 multiply-adds. Memory: one float32 copy of the rows, and one float64 per row and source.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from karat.gram.checkpoint import Checkpoint, fingerprint
from karat.gram.engines import BlockEngine, fused_engines
from karat.gram.panels import HEIGHT, Shelf, self_sum, too_large
from karat.gram.room import STEPS_HELD, let_go, zeros
from karat.gram.sums import KernelSums
from karat.gram.tasks import Engine, Task, TaskSums, cut_into_tasks
from karat.gram.workers import in_order
from karat.kernels import Kernel
from karat.typing import Progress, Rows, Vector

Precision = Literal["float32", "float64"]
PRECISIONS: tuple[Precision, ...] = get_args(Precision)

LARGEST = 1e140
"""Sums of squares beyond this have variances whose squares are no float64."""


def kernel_sums(
    sources: Sequence[Rows],
    kernel: Kernel,
    *,
    centre: Vector | None = None,
    known: KernelSums | None = None,
    share: tuple[int, int] = (0, 1),
    precision: Precision = "float32",
    workers: int | None = None,
    progress: Progress | None = None,
    checkpoint: Path | None = None,
) -> KernelSums:
    """The kernel sums over all pairs of rows of the sources.

    centre: subtracted from every row first, where the kernel allows it; default the one of the known sums, or
        the mean of the last source, which is the anchor where there is one.
    known: sums of the first sources; only pairs with a new source are then computed, and added to them.
    share: (k, of), the k-th part of the tasks alone; the parts add up with `+` to the whole. Known sums are
        in the first part only.
    precision: of the products; sums over many of them are float64 always.
    checkpoint: a file that the sums so far are kept in, so that a run that was stopped goes on from there.
    """
    sizes = [len(rows) for rows in sources]
    if centre is None:
        centre = sources[-1].mean(axis=0, dtype=np.float64) if known is None else known.centre
    shift = centre if kernel.is_shift_invariant else np.zeros_like(centre)
    engines: Sequence[Engine]
    if kernel.profile is None:
        engines = [BlockEngine(sources, kernel, shift)]
    else:
        engines = fused_engines(sources, kernel, kernel.profile, shift, precision, workers)
    self_sums = np.array([self_sum(rows, kernel, shift) for rows in sources])
    base = KernelSums.nothing(sizes, self_sums, centre)
    if known is not None:
        wide = known.with_room_for(base)
        base = wide if share[0] == 0 else base
    old = 0 if known is None else len(known.sizes)
    work = [
        (engine, task)
        for engine in engines
        for task in cut_into_tasks(engine.shelf, strips=engine.strips, known=old)
    ]
    key = "" if checkpoint is None else fingerprint(kernel.digest, precision, share, old, centre, *sources)
    sums = _RunningSums(engines[0].shelf, base, kernel, Checkpoint(checkpoint, key))
    sums.add_all(work[share[0] :: share[1]], workers, progress)
    return sums.result(base)


class _RunningSums:
    """The sums so far, with the rows of all sources one below the other as on the shelf."""

    def __init__(self, shelf: Shelf, base: KernelSums, kernel: Kernel, checkpoint: Checkpoint) -> None:
        self.shelf, self.kernel, self.checkpoint, self.done = shelf, kernel, checkpoint, 0
        # One line per source: what a task adds for many rows of a few sources then stands together in memory.
        self.row_sums = zeros((len(base.sizes), HEIGHT * len(shelf)))
        if base.seen.any():
            for j, rows in enumerate(base.row_sums):
                self.row_sums[:, shelf.rows_of(j)] = rows.T
        self.squares, self.seen = base.squares.copy(), base.seen.copy()
        saved = checkpoint.load()
        if saved is not None:
            self.row_sums[:] = saved["row_sums"]
            self.squares, self.seen, self.done = saved["squares"], saved["seen"], int(saved["done"])

    def add_all(
        self, work: Sequence[tuple[Engine, Task]], workers: int | None, progress: Progress | None
    ) -> None:
        """Run the tasks on so many threads, and add what they find in their order."""
        pairs = [task.pairs for _, task in work]
        done, total, left = sum(pairs[: self.done]), sum(pairs), work[self.done :]
        with _one_thread_per_product(work):
            results = in_order(lambda one: one[0].run(one[1]), left, workers)
            for (engine, task), sums in zip(left, results, strict=True):
                self._add(engine, task, sums)
                self.done += 1
                done += task.pairs
                self.checkpoint.save_now_and_then(self._state)
                if self.done % STEPS_HELD == 0:
                    let_go(self.row_sums)
                if progress is not None:
                    progress(done, total)
        self.checkpoint.remove()

    def _state(self) -> dict[str, NDArray[Any]]:
        return {
            "row_sums": self.row_sums,
            "squares": self.squares,
            "seen": self.seen,
            "done": np.array(self.done),
        }

    def _add(self, engine: Engine, task: Task, sums: TaskSums) -> None:
        """Add what one task found, on both sides of the diagonal."""
        x, y, scale = task.x_sources, task.y_sources, engine.scale
        self.row_sums[y, engine.shelf.rows(task.x_start, task.x_stop)] += scale * sums.row_sums.T
        self.row_sums[x, engine.shelf.rows(task.y_start, task.y_stop)] += scale * sums.column_sums
        for kept, both, own in (
            (self.squares, scale * scale * sums.squares, scale * scale * sums.own_squares),
            (self.seen, sums.seen, sums.own_seen),
        ):
            kept[x, y] += both
            kept[y, x] += both.T
            kept[x, x] += own

    def result(self, base: KernelSums) -> KernelSums:
        """The sums, each source's rows without padding."""
        if not self.squares.max(initial=0.0) < LARGEST:  # nan is not below it either
            raise too_large(self.kernel, "float64")
        rows = tuple(self.row_sums[:, self.shelf.rows_of(j)].T for j in range(len(base.sizes)))
        return KernelSums(base.sizes, base.self_sums, rows, self.squares, self.seen, base.centre)


def _one_thread_per_product(work: Sequence[tuple[Engine, Task]]) -> AbstractContextManager[Any]:
    """A kernel's own blocks may call BLAS, which would start threads of its own in each of ours."""
    if any(isinstance(engine, BlockEngine) for engine, _ in work):
        limits: AbstractContextManager[Any] = threadpool_limits(limits=1, user_api="blas")
        return limits
    return nullcontext()
