"""One draw of a market, ready to be valued by every line of a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from karat.baselines.base import VALUATIONS, moments_of, value
from karat.errors import KaratError
from karat.gram import Moments
from karat.gram.block import block_values
from karat.kernels import kernel_named
from karat.paper.encoding import principal_axes
from karat.paper.lines import Line
from karat.paper.pools import Part
from karat.typing import Vector
from karat.values import reference_named, squared_mmd
from karat.values import value as minus_distance
from karat.vendors import Market

TRAINED = ("lava", "cs-shapley", "mmd-cond")
"""Valuations whose cost grows fast with columns or with rows of the reference: they get fewer of both."""

COMPONENTS = 50
"""Principal components (of the anchor pool) that they see instead of hundreds of columns."""

MANY_COLUMNS = 100
"""From this number on."""


@dataclass(eq=False)
class Bench:
    """One draw of a market against each thing that the buyer may have; moments are computed once per kernel.

    markets: by what the buyer has; small: the same for `TRAINED`, with fewer validation rows and columns.
    """

    markets: Mapping[str, Market]
    small: Mapping[str, Market]
    seed: int
    _moments: dict[tuple[str, str], Moments] = field(default_factory=dict)

    @classmethod
    def of(
        cls, drawn: Sequence[Part], held: Mapping[str, Part | None], *, anchor: Part, most: int, seed: int
    ) -> Bench:
        """Markets of these previews against each part that is held.

        anchor: the anchor pool, which principal components come from; most: rows of a held part that
        trained valuations get.
        """
        embed = embedding(anchor)
        fewer = {
            name: None if part is None else part.take(np.arange(min(part.size, most)))
            for name, part in held.items()
        }
        return cls(
            {name: market_of(drawn, part) for name, part in held.items()},
            {
                name: market_of([embed(one) for one in drawn], None if part is None else embed(part))
                for name, part in fewer.items()
            },
            seed,
        )

    def moments(self, held: str, kernel: str) -> Moments:
        """The moments of a market under a kernel."""
        key = (held, kernel)
        if key not in self._moments:
            self._moments[key] = moments_of(self.markets[held], kernel)
        return self._moments[key]

    def scores(self, line: Line, held: str) -> Vector:
        """The line's values, one per vendor."""
        if line.valuation in _OWN:
            return _OWN[line.valuation](self, held)
        market = (self.small if line.valuation in TRAINED else self.markets)[held]
        choice = line.mixture if held == "none" else None
        moments = None
        if line.valuation in ("mmd", "mmd2"):
            moments = self.moments(held, str(line.options.get("kernel", "default")))
        return value(
            market, line.valuation, moments=moments, reference=choice, seed=self.seed, **line.options
        ).scores

    def run(self, line: Line, held: str) -> dict[str, Any]:
        """The scores, or why there are none."""
        if line.valuation not in _OWN and line.valuation not in VALUATIONS:
            return {"not_run": f"this version of karat has no valuation {line.valuation!r}"}
        try:
            return {"scores": self.scores(line, held).tolist()}
        except KaratError as problem:
            return {"not_run": problem.problem}


def market_of(drawn: Sequence[Part], anchor: Part | None) -> Market:
    """A market of labelled previews, and the buyer's labelled rows."""
    rows = {f"vendor{i}": part.rows for i, part in enumerate(drawn, start=1)}
    labels = {f"vendor{i}": part.labels for i, part in enumerate(drawn, start=1)}
    if anchor is None:
        return Market.from_arrays(rows, labels=labels)
    return Market.from_arrays(rows, labels=labels, anchor=anchor.rows, anchor_labels=anchor.labels)


def embedding(anchor: Part) -> Callable[[Part], Part]:
    """Rows as their principal components, where they have many columns; otherwise as they are."""
    if anchor.rows.shape[1] < MANY_COLUMNS:
        return lambda part: part
    centre = anchor.rows.mean(axis=0, dtype=np.float64)
    axes = principal_axes(anchor.rows - centre, COMPONENTS)
    return lambda part: Part(((part.rows - centre) @ axes).astype(np.float32), part.labels)


def _paper_mmd(bench: Bench, held: str) -> Vector:
    """Minus the biased MMD with the authors' kernel, all rows used: what the paper's equations say."""
    moments = bench.moments(held, "paper")
    contrasts = reference_named(moments, None).contrasts
    return minus_distance(squared_mmd(moments.gram_biased, contrasts))


def _block(bench: Bench, held: str) -> Vector:
    """The authors' algorithm: see `karat.gram.block`."""
    market = bench.markets[held]
    sources = [sample.rows for sample in market.samples]
    reference = market.anchor.rows if market.anchor is not None else np.concatenate(sources, dtype=np.float32)
    kernel = kernel_named("paper", [])
    return block_values(sources, reference, kernel, compat="xu2024", seed=bench.seed).values


_OWN: Mapping[str, Callable[[Bench, str], Vector]] = {"paper-mmd": _paper_mmd, "block": _block}
