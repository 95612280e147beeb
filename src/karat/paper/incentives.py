"""Figures 7 to 10 and tables 12 to 15: what happens to a vendor's value when it adds noise to its rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from karat.gram import Moments, kernel_sums, moments_from_sums
from karat.gram.block import block_values
from karat.kernels import kernel_named
from karat.paper import pools
from karat.paper.base import Cell, Experiment, parts
from karat.paper.drawing import Vendors
from karat.paper.pairs import PAIRS
from karat.paper.schedules import schedule_values
from karat.paper.statistics import mean_and_error, pearson
from karat.typing import Rows, Vector
from karat.values import squared_mmd, value

ANCHOR_ROWS = 100

WAYS = {
    "test": "mmd, the whole anchor pool (stands for the paper's test set)",
    "uniform": "mmd, the vendors in equal shares",
    "anchor": f"mmd, an anchor of {ANCHOR_ROWS} rows",
    "uniform, squared": "MMD², biased, the vendors in equal shares",
    "code test": "the authors' code against the whole anchor pool",
    "code": "the authors' code against the union of the vendors",
}
"""How values are computed; the paper's tables correlate "uniform" and "uniform, squared" with "test"."""

FIRST = "vendor 1"
"""No valuation: mmd with what vendor 1 shows as the reference. It tells what the printed tables look like."""


@dataclass(frozen=True, kw_only=True)
class Incentives(Experiment):
    """Every vendor misreports in turn, by noise of this variance on each pixel (in [-1, 1]).

    Kernels are fitted once, on the reference before anyone misreports.
    """

    family: ClassVar[str] = "incentives"

    pair: str
    n_vendors: int
    rows: int
    variance: float = 0.2
    most: int | None = pools.QUICK_ROWS

    def cells(self) -> tuple[str, ...]:
        return tuple(f"trial-{t}" for t in range(self.trials))

    def run(self, cell: str) -> dict[str, Any]:
        _, (trial,) = parts(cell)
        sets = PAIRS[self.pair]
        pair = pools.pair_pools(sets, self.most)
        vendors = Vendors(pair, "huber", schedule_values("huber", "(i-1)/n", self.n_vendors), sets.own_labels)
        *streams, own = self.generator(trial).spawn(self.n_vendors + 1)
        honest = [vendors.draw(i, self.rows, rng).rows for i, rng in enumerate(streams)]
        noisy = [
            (rows + rng.normal(0.0, np.sqrt(self.variance), rows.shape)).astype(np.float32)
            for rows, rng in zip(honest, streams, strict=True)
        ]
        test = pair.clean.anchor.rows
        anchor = test[own.permutation(len(test))[:ANCHOR_ROWS]]
        found = kernel_ways(honest, noisy, {"test": test, "anchor": anchor})
        found |= code_ways(honest, noisy, test, seed=trial)
        return {"values": found}

    def summary(self, cells: Mapping[str, Cell]) -> dict[str, Any]:
        trials = [cells[name]["values"] for name in self.cells()]
        changes = {way: [changed(trial[way]) for trial in trials] for way in WAYS}
        table = []
        for i in range(self.n_vendors):
            row: dict[str, Any] = {
                way: mean_and_error([pearson(trial[way][i + 1], trial["test"][i + 1]) for trial in trials])
                for way in ("uniform", "uniform, squared", "anchor", FIRST)
            }
            row["code"] = mean_and_error(
                [pearson(trial["code"][i + 1], trial["code test"][i + 1]) for trial in trials]
            )
            table.append(row)
        own = {
            way: [mean_and_error([change[i][i] for change in changes[way]]) for i in range(self.n_vendors)]
            for way in WAYS
        }
        return {
            "correlation": table,
            "own_change": own,
            "change": {way: np.mean(changes[way], axis=0).tolist() for way in WAYS},
            "falls": {way: all(max(one["trials"]) < 0.0 for one in own[way]) for way in WAYS},
        }


def changed(values: list[list[float]]) -> list[list[float]]:
    """Row i: every vendor's value when vendor i misreports, minus its value when nobody does."""
    honest = np.array(values[0])
    differences: list[list[float]] = (np.array(values[1:]) - honest).tolist()
    return differences


def kernel_ways(
    honest: Sequence[Rows], noisy: Sequence[Rows], own: Mapping[str, Rows]
) -> dict[str, list[list[float]]]:
    """Values for "nobody misreports" and then for each misreporter, way by way.

    Moments of the honest and the noisy previews together answer every case.
    """
    n = len(honest)
    found: dict[str, list[list[float]]] = {}
    for way, reference in own.items():
        moments = _moments([*honest, *noisy, reference], "default", [reference])
        found[way] = [_values(moments, case, _unit(2 * n + 1, 2 * n)) for case in cases(n)]
    moments = _moments([*honest, *noisy], "default", honest)
    shares = [np.bincount(case, minlength=2 * n) / n for case in cases(n)]
    found["uniform"] = [_values(moments, case, w) for case, w in zip(cases(n), shares, strict=True)]
    found[FIRST] = [_values(moments, case, _unit(2 * n, case[0])) for case in cases(n)]
    found["uniform, squared"] = [
        (-squared_mmd(moments.gram_biased, np.eye(2 * n)[case] - w)).tolist()
        for case, w in zip(cases(n), shares, strict=True)
    ]
    return found


def cases(n: int) -> list[list[int]]:
    """Which of the 2 n previews (honest, then noisy) are shown: all honest, then one noisy at a time."""
    return [list(range(n)), *([j + n if j == i else j for j in range(n)] for i in range(n))]


def code_ways(
    honest: Sequence[Rows], noisy: Sequence[Rows], test: Rows, *, seed: int
) -> dict[str, list[list[float]]]:
    """The same cases by the authors' algorithm."""
    kernel = kernel_named("paper", [])
    every = [*honest, *noisy]
    against_test = block_values(every, test, kernel, compat="xu2024", seed=seed).values
    found: dict[str, list[list[float]]] = {"code test": [], "code": []}
    for case in cases(len(honest)):
        shown = [every[j] for j in case]
        union = np.concatenate(shown, dtype=np.float32)
        against_all = block_values(shown, union, kernel, compat="xu2024", seed=seed).values
        found["code test"].append(against_test[case].tolist())
        found["code"].append(against_all.tolist())
    return found


def _moments(sources: Sequence[Rows], kernel: str, reference: Sequence[Rows]) -> Moments:
    fitted = kernel_named(kernel, reference)
    sums = kernel_sums(sources, fitted)
    names = [str(j) for j in range(len(sources))]
    return moments_from_sums(sums, names=names, kernel=fitted, anchor=None)


def _values(moments: Moments, case: list[int], weights: Vector) -> list[float]:
    contrasts = np.eye(len(weights))[case] - weights
    scores: list[float] = value(squared_mmd(moments.gram, contrasts)).tolist()
    return scores


def _unit(n: int, j: int) -> Vector:
    vector: Vector = np.eye(n)[j]
    return vector
