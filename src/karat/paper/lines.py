"""The lines of the ranking tables: which valuation, with which options, against which reference.

A line of the table has two cells: "reference", where the buyer has rows of P*, and "none", where the union of
the vendors takes their place. They were written down before any ground truth was looked at.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from karat.baselines.base import VALUATIONS, moments_of, value
from karat.errors import KaratError
from karat.gram import Moments
from karat.gram.block import block_values
from karat.kernels import kernel_named
from karat.typing import Vector
from karat.values import reference_named, squared_mmd
from karat.values import value as minus_distance
from karat.vendors import Market

REFERENCES = ("validation", "anchor-100", "anchor-20", "none")
"""What the buyer has: the whole anchor pool, 100 or 20 rows of it, nothing."""


@dataclass(frozen=True)
class Line:
    """One number per vendor.

    label: in the table; printed: the paper's row that it stands beside, or None; whose: "paper" (as printed),
    "code" (the authors') or "karat" (ours).
    valuation: a registered name, or "paper-mmd" and "block" of this file; references: of REFERENCES;
    mixture: the reference of vendors where the buyer has nothing; tasks: where it is run.
    """

    label: str
    valuation: str
    whose: str
    printed: str | None = None
    references: tuple[str, ...] = ("validation", "none")
    mixture: str = "uniform"
    options: dict[str, Any] = field(default_factory=dict)
    tasks: tuple[str, ...] = ("classes", "numbers")


CLASSES, NUMBERS = ("classes",), ("numbers",)

LINES = (
    Line("LAVA", "lava", "paper", "LAVA", tasks=CLASSES),
    Line("DAVINZ", "davinz", "paper", "DAVINZ"),
    Line("CS", "cs-shapley", "paper", "CS", tasks=CLASSES),
    Line("IG", "information-gain", "paper", "IG", references=("none",), tasks=NUMBERS),
    Line("VV", "volume", "paper", "VV", references=("none",), tasks=NUMBERS),
    Line("MMD², paper's kernel", "mmd2", "paper", "MMD²", options={"kernel": "paper"}),
    Line("Ours, as printed (eq. 5, paper's kernel)", "paper-mmd", "paper", "Ours"),
    Line("Ours, the authors' code (blocks, over the block size)", "block", "code", "Ours"),
    Line("Ours cond., paper's kernel", "mmd-cond", "paper", "Ours cond.", options={"kernel": "paper"}),
    Line("mmd", "mmd", "karat", "Ours", references=REFERENCES),
    Line("mmd2", "mmd2", "karat", "MMD²"),
    Line("mmd-cond", "mmd-cond", "karat", "Ours cond."),
    Line("mmd-joint", "mmd-joint", "karat"),
    Line("robust", "mmd", "karat", references=("none",), mixture="robust"),
)
"""Every line that is run; none is dropped, and none is chosen after the fact."""

TRAINED = ("lava", "davinz", "cs-shapley", "mmd-cond", "mmd-joint")
"""Valuations that get at most a capped number of validation rows: their cost grows faster than MMD's."""


@dataclass(eq=False)
class Bench:
    """One draw of a market against each thing that the buyer may have; moments are computed once per kernel.

    markets: by reference; capped: the same with fewer validation rows, for `TRAINED`.
    """

    markets: dict[str, Market]
    capped: dict[str, Market]
    seed: int
    _moments: dict[tuple[str, str], Moments] = field(default_factory=dict)

    def moments(self, reference: str, kernel: str) -> Moments:
        key = (reference, kernel)
        if key not in self._moments:
            self._moments[key] = moments_of(self.markets[reference], kernel)
        return self._moments[key]

    def scores(self, line: Line, reference: str) -> Vector:
        """The line's values, one per vendor."""
        if line.valuation in _OWN:
            return _OWN[line.valuation](self, reference)
        market = (self.capped if line.valuation in TRAINED else self.markets)[reference]
        choice = line.mixture if reference == "none" else None
        moments = None
        if line.valuation in ("mmd", "mmd2"):
            moments = self.moments(reference, str(line.options.get("kernel", "default")))
        found = value(
            market, line.valuation, moments=moments, reference=choice, seed=self.seed, **line.options
        )
        return found.scores

    def run(self, line: Line, reference: str) -> dict[str, Any]:
        """The scores, or why there are none."""
        if line.valuation not in _OWN and line.valuation not in VALUATIONS:
            return {"not_run": f"this version of karat has no valuation {line.valuation!r}"}
        try:
            return {"scores": self.scores(line, reference).tolist()}
        except KaratError as problem:
            return {"not_run": problem.problem}


def _paper_mmd(bench: Bench, reference: str) -> Vector:
    """Minus the biased MMD with the authors' kernel, all rows used: what the paper's equations say."""
    moments = bench.moments(reference, "paper")
    contrasts = reference_named(moments, None).contrasts
    return minus_distance(squared_mmd(moments.gram_biased, contrasts))


def _block(bench: Bench, reference: str) -> Vector:
    """The authors' algorithm: see `karat.gram.block`."""
    market = bench.markets[reference]
    sources = [sample.rows for sample in market.samples]
    held = market.anchor.rows if market.anchor is not None else np.concatenate(sources, dtype=np.float32)
    kernel = kernel_named("paper", [])
    return block_values(sources, held, kernel, compat="xu2024", seed=bench.seed).values


_OWN: dict[str, Callable[[Bench, str], Vector]] = {"paper-mmd": _paper_mmd, "block": _block}
