"""Figures 1 to 5: how fast does each valuation of small previews approach that of large ones?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from karat.paper import pools
from karat.paper.base import Cell, Experiment, parts
from karat.paper.bench import Bench
from karat.paper.drawing import Vendors
from karat.paper.lines import LINES, Line
from karat.paper.pairs import PAIRS
from karat.paper.schedules import schedule_values
from karat.paper.statistics import inversions, mean_and_error

CRITERIA = ("l2", "l_inf", "inversions")


@dataclass(frozen=True, kw_only=True)
class Efficiency(Experiment):
    """Each valuation's values at m rows against its own at `large` rows, which stand for the truth.

    sizes: m, rows per preview; validation_rows: rows of P* that every valuation gets.
    l2 and l_inf are divided by the spread of the large values (their distance from their mean), because
    valuations have units of their own; inversions are counts of pairs.
    """

    family: ClassVar[str] = "efficiency"

    pair: str
    schedule: str
    n_vendors: int
    large: int
    sizes: tuple[int, ...]
    validation_rows: int = 1000
    most: int | None = pools.QUICK_ROWS

    @property
    def lines(self) -> tuple[Line, ...]:
        task = PAIRS[self.pair].task
        return tuple(line for line in LINES if task in line.tasks and "validation" in line.references)

    def cells(self) -> tuple[str, ...]:
        return tuple(f"rows-{m}-{t}" for t in range(self.trials) for m in (self.large, *self.sizes))

    def run(self, cell: str) -> dict[str, Any]:
        _, (rows, trial) = parts(cell)
        sets = PAIRS[self.pair]
        pair = pools.pair_pools(sets, self.most)
        levels = schedule_values("huber", self.schedule, self.n_vendors)
        vendors = Vendors(pair, "huber", levels, sets.own_labels)
        streams = self.generator(rows, trial).spawn(vendors.n)
        drawn = [vendors.draw(i, rows, stream) for i, stream in enumerate(streams)]
        order = self.generator(0, trial).permutation(pair.clean.anchor.size)[: self.validation_rows]
        anchor = pair.clean.anchor
        held = {"validation": anchor.take(order)}
        bench = Bench.of(drawn, held, anchor=anchor, most=self.validation_rows, seed=trial)
        return {line.label: bench.run(line, "validation") for line in self.lines}

    def summary(self, cells: Mapping[str, Cell]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for line in self.lines:
            by_size: dict[str, Any] = {}
            for m in self.sizes:
                pairs = [
                    (cells[f"rows-{m}-{t}"][line.label], cells[f"rows-{self.large}-{t}"][line.label])
                    for t in range(self.trials)
                ]
                by_size[str(m)] = criteria(pairs)
            found[line.label] = by_size
        return {"lines": found, "large": self.large, "shares": [m / self.large for m in self.sizes]}


def criteria(pairs: list[tuple[dict[str, Any], dict[str, Any]]]) -> dict[str, Any]:
    """The three criteria over trials, of small values beside large ones."""
    for small, large in pairs:
        for side in (small, large):
            if "not_run" in side:
                return {"not_run": side["not_run"]}
    found: dict[str, list[float | None]] = {name: [] for name in CRITERIA}
    for small, large in pairs:
        truth = np.array(large["scores"])
        gap = np.array(small["scores"]) - truth
        spread = float(np.linalg.norm(truth - truth.mean()))
        found["l2"].append(float(np.linalg.norm(gap)) / spread if spread > 0.0 else None)
        found["l_inf"].append(float(np.abs(gap).max()) / spread if spread > 0.0 else None)
        found["inversions"].append(float(inversions(small["scores"], truth)))
    return {name: mean_and_error(numbers) for name, numbers in found.items()}
