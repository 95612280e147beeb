"""Tables 2, 3 and 6 to 11: do values order vendors as the expected test performance does?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from karat.kernels import kernel_named
from karat.models import Model, model_named
from karat.paper import pools
from karat.paper.base import Cell, Experiment, parts
from karat.paper.bench import Bench
from karat.paper.drawing import Vendors
from karat.paper.lines import LINES, Line
from karat.paper.pairs import PAIRS, PairOfSets
from karat.paper.pools import Part
from karat.paper.schedules import in_words, schedule_values
from karat.paper.statistics import mean_and_error, pearson, spearman
from karat.paper.zeta import performances

DRAW, VALUES, ZETA = 1, 2, 3
"""First part of the key of each use of random numbers."""

ANCHORS = {"anchor-20": 20, "anchor-100": 100}


@dataclass(frozen=True, kw_only=True)
class Ranking(Experiment):
    """One market, valued in every way, beside its ground truth.

    pair: of `PAIRS`; kind and schedule: of `SCHEDULES`; rows: m per preview; draws: of the ground truth;
    capped_rows: validation rows that trained valuations get; most: rows kept of each set, None for all.
    """

    family: ClassVar[str] = "ranking"

    pair: str
    kind: str
    schedule: str
    n_vendors: int
    rows: int
    draws: int
    model: str
    capped_rows: int = 1000
    most: int | None = pools.QUICK_ROWS

    @property
    def sets(self) -> PairOfSets:
        return PAIRS[self.pair]

    @property
    def vendors(self) -> Vendors:
        """The vendors' distributions."""
        levels = schedule_values(self.kind, self.schedule, self.n_vendors)
        return Vendors(pools.pair_pools(self.sets, self.most), self.kind, levels, self.sets.own_labels)

    @property
    def lines(self) -> tuple[Line, ...]:
        return tuple(line for line in LINES if self.sets.task in line.tasks)

    def cells(self) -> tuple[str, ...]:
        trials = [f"values-{t}" for t in range(self.trials)]
        return ("pools", *trials, *(f"zeta-{r}" for r in range(self.draws)))

    def run(self, cell: str) -> dict[str, Any]:
        kind, numbers = parts(cell)
        if kind == "pools":
            return self._facts()
        if kind == "values":
            return self._values(numbers[0])
        rng = self.generator(ZETA, numbers[0])
        return {"performance": performances(self.vendors, self._model(), rows=self.rows, rng=rng)}

    def _model(self) -> Model:
        return model_named(self.model)

    def _facts(self) -> dict[str, Any]:
        """Pool sizes, what stands in, and the true distances under the default kernel."""
        vendors = self.vendors
        clean, foreign = vendors.pools.clean, vendors.pools.foreign
        truth = vendors.truth(kernel_named("default", [clean.anchor.rows]))
        return {
            "sizes": {each.name: each.sizes for each in (clean, foreign) if each is not None},
            "columns": int(clean.vendor.rows.shape[1]),
            "stands_in": vendors.pools.notes,
            "levels": vendors.levels.tolist(),
            "schedule": in_words(self.kind, self.schedule),
            "truth": None if truth is None else truth.tolist(),
        }

    def _values(self, trial: int) -> dict[str, Any]:
        bench = self.bench(trial)
        found: dict[str, Any] = {}
        for line in self.lines:
            found[line.label] = {reference: bench.run(line, reference) for reference in line.references}
        return {"lines": found}

    def bench(self, trial: int) -> Bench:
        """One draw of all previews, and what the buyer holds against them."""
        vendors = self.vendors
        streams = self.generator(DRAW, trial).spawn(vendors.n + 1)
        drawn = [vendors.draw(i, self.rows, stream) for i, stream in enumerate(streams[:-1])]
        anchor, own = vendors.pools.clean.anchor, streams[-1]
        mixed = anchor.take(own.permutation(anchor.size))
        held: dict[str, Part | None] = {"validation": mixed, "none": None}
        held |= {name: mixed.take(np.arange(size)) for name, size in ANCHORS.items()}
        seed = int(self.generator(VALUES, trial).integers(2**31))
        return Bench.of(drawn, held, anchor=anchor, most=self.capped_rows, seed=seed)

    def summary(self, cells: Mapping[str, Cell]) -> dict[str, Any]:
        facts = cells["pools"]
        draws = np.array([cells[f"zeta-{r}"]["performance"] for r in range(self.draws)])
        zeta = draws.mean(axis=0)
        truth = facts["truth"]
        quality = np.array(facts["levels"]) * (1.0 if self.kind in MORE_IS_BETTER else -1.0)
        trials = [cells[f"values-{t}"]["lines"] for t in range(self.trials)]
        lines = {
            line.label: {
                reference: correlations([trial[line.label][reference] for trial in trials], zeta, quality)
                for reference in line.references
            }
            for line in self.lines
        }
        return {
            "zeta": zeta.tolist(),
            "zeta_error": (draws.std(axis=0, ddof=1) / np.sqrt(len(draws))).tolist()
            if len(draws) > 1
            else None,
            "ceiling": None if truth is None else pearson(-np.array(truth), zeta),
            "lines": lines,
            "verdict": verdict(self, lines, truth, zeta),
        }


def correlations(trials: list[dict[str, Any]], zeta: Any, quality: Any) -> dict[str, Any]:
    """Over trials: Pearson and Spearman with the ground truth, Spearman with the true order, mean values."""
    reasons = [trial["not_run"] for trial in trials if "not_run" in trial]
    if reasons:
        return {"not_run": reasons[0]}
    scores = [trial["scores"] for trial in trials]
    return {
        "pearson": mean_and_error([pearson(each, zeta) for each in scores]),
        "spearman": mean_and_error([spearman(each, zeta) for each in scores]),
        "order": mean_and_error([spearman(each, quality) for each in scores]),
        "values": np.mean(scores, axis=0).tolist(),
    }


MORE_IS_BETTER = ("classes", "interpolated")
"""Kinds whose level counts classes; for the others it is a contamination or a noise."""

SLACK = 0.02
"""How far below the ceiling `mmd` may stay."""

ORDER = 0.95
"""Spearman with minus the contamination that a 20-row anchor must reach, up to (n-1)/n."""


def verdict(experiment: Ranking, lines: Mapping[str, Any], truth: Any, zeta: Any) -> dict[str, Any]:
    """What must be reached under the Huber model, and whether it is."""
    if experiment.kind != "huber" or truth is None:
        return {}
    ceiling = pearson(-np.array(truth), zeta)
    mmd = lines["mmd"]["validation"]["pearson"]
    found: dict[str, Any] = {
        "ceiling": ceiling,
        "mmd": mmd["mean"],
        "reached": ceiling is not None and is_reached(mmd, ceiling - SLACK),
    }
    if experiment.schedule == "(i-1)/n":
        order = lines["mmd"]["anchor-20"]["order"]
        found |= {"order": order["mean"], "order_reached": is_reached(order, ORDER)}
    return found


def is_reached(found: Mapping[str, Any], goal: float) -> bool:
    """Whether the mean reaches the goal and no trial lacks a number: values that all tie order nothing."""
    return found["mean"] is not None and None not in found["trials"] and bool(found["mean"] >= goal)
