"""How the pairs of all rows are cut into tasks, and what a task adds.

A task is a strip of panels against a run of panels from itself onwards. The cut depends on the rows alone,
never on the number of workers, and sums are added in its order.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

import numpy as np

from karat.gram.panels import FLUSH, HEIGHT, Shelf
from karat.typing import Matrix

STRIP = 64
"""Most panels of a strip, 1,024 rows: enough work to hide the hand-over between threads."""

RUN = 512
"""Most panels that a strip is held against in one task."""


@dataclass(frozen=True)
class Task:
    """The panels x_start to x_stop against y_start to y_stop, and the sources that these belong to."""

    x_start: int
    x_stop: int
    y_start: int
    y_stop: int
    x_sources: slice
    y_sources: slice

    @property
    def pairs(self) -> float:
        """Pairs of rows, padding included: for progress only."""
        return float(HEIGHT * HEIGHT * (self.x_stop - self.x_start) * (self.y_stop - self.y_start))


@dataclass(frozen=True)
class TaskSums:
    """What one task adds, with s sources on its left side and t above it.

    row_sums (16 panels of x, t); column_sums (s, 16 panels of y). squares and seen (s, t): sum of k^2 and
    number of ordered pairs of rows, to be counted for both sides; own_squares and own_seen (s, s): complete.
    """

    row_sums: Matrix
    column_sums: Matrix
    squares: Matrix
    seen: Matrix
    own_squares: Matrix
    own_seen: Matrix

    @classmethod
    def nothing(cls, task: Task) -> TaskSums:
        s = task.x_sources.stop - task.x_sources.start
        t = task.y_sources.stop - task.y_sources.start
        return cls(
            np.zeros((HEIGHT * (task.x_stop - task.x_start), t)),
            np.zeros((s, HEIGHT * (task.y_stop - task.y_start))),
            np.zeros((s, t)),
            np.zeros((s, t)),
            np.zeros((s, s)),
            np.zeros((s, s)),
        )


class Engine(Protocol):
    """Prepared rows, and the way from a task to its sums."""

    shelf: Shelf
    scale: float
    strips: int

    def run(self, task: Task) -> TaskSums:
        """The sums of a task; called from several threads."""
        ...


def cut_into_tasks(shelf: Shelf, *, strips: int = 1, known: int = 0) -> list[Task]:
    """Each strip against runs of panels from itself onwards; pairs of known sources are left out.

    strips: about how many there should be at least, so that in a small market every core has work.
    """
    size, fresh = len(shelf), shelf.first(known)
    cuts = _strips(shelf, min(STRIP, max(1, size // strips)), known)
    may_end = np.flatnonzero(np.append(shelf.within % FLUSH == 0, True))
    tasks = []
    for x_start, x_stop in pairwise(cuts):
        y_start = max(x_start, fresh)
        while y_start < size:
            farthest = int(np.searchsorted(may_end, y_start + RUN, side="right")) - 1
            following = int(np.searchsorted(may_end, y_start, side="right"))
            y_stop = int(may_end[max(farthest, following)])
            x_sources, y_sources = shelf.sources(x_start, x_stop), shelf.sources(y_start, y_stop)
            tasks.append(Task(x_start, x_stop, y_start, y_stop, x_sources, y_sources))
            y_start = y_stop
    return tasks


def _strips(shelf: Shelf, most: int, known: int) -> list[int]:
    """Where strips begin and end: a long source is cut from its own start, short ones share a strip.

    Cuts are the same for equal sources wherever they stand, so that these get equal sums to the last bit.
    """
    n = int(shelf.owners[-1]) + 1
    ends = [shelf.first(j) for j in range(n + 1)]
    cuts = [0]
    for j, (start, stop) in enumerate(pairwise(ends)):
        if stop - cuts[-1] > most or j == known:
            cuts += [start, *range(start + most, stop, most)]
    return sorted({*cuts, len(shelf)})
