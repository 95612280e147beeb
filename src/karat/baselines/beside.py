"""Several valuations of one market side by side, and how far they agree on the order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from karat.baselines.base import value
from karat.errors import ValuationError
from karat.gram import Moments
from karat.shown import Shown
from karat.typing import Matrix, Progress, Vector
from karat.values import Values
from karat.vendors import Market


@dataclass(frozen=True)
class Beside(Shown):
    """A column of scores per valuation, for the same vendors in the same order."""

    columns: tuple[Values, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return self.columns[0].names

    @property
    def valuations(self) -> tuple[str, ...]:
        return tuple(column.valuation for column in self.columns)

    @property
    def agreement(self) -> Matrix:
        """(k, k), Spearman's rank correlation between the valuations; nan where one gives a single value."""
        ranks = np.stack([average_ranks(column.scores) for column in self.columns])
        centred = ranks - ranks.mean(axis=1, keepdims=True)
        sizes = np.sqrt((centred**2).sum(axis=1))
        with np.errstate(invalid="ignore", divide="ignore"):
            correlations: Matrix = np.clip((centred @ centred.T) / np.outer(sizes, sizes), -1.0, 1.0)
        return correlations

    def to_dict(self) -> dict[str, object]:
        agreement = [[None if np.isnan(r) else float(r) for r in row] for row in self.agreement]
        return {
            "valuations": [column.to_dict() for column in self.columns],
            "agreement": {"valuations": list(self.valuations), "spearman": agreement},
        }


def beside(
    market: Market,
    valuations: Sequence[str],
    *,
    moments: Moments | None = None,
    reference: str | Mapping[str, float] | None = None,
    seed: int = 0,
    progress: Progress | None = None,
    options: Mapping[str, Mapping[str, Any]] | None = None,
) -> Beside:
    """Value the market in several ways, with the same reference and seed.

    options: valuation -> its options.
    """
    if not valuations:
        raise ValuationError(
            "no valuation was named.", hint="Name at least one; `karat valuations` lists them."
        )
    return Beside(
        tuple(
            value(
                market,
                name,
                moments=moments,
                reference=reference,
                seed=seed,
                progress=progress,
                **(options or {}).get(name, {}),
            )
            for name in valuations
        )
    )


def average_ranks(scores: Vector) -> Vector:
    """Ranks from 1, the lowest first; equal scores share the mean of their ranks.

    >>> average_ranks(np.array([0.3, 0.1, 0.3]))
    array([2.5, 1. , 2.5])
    """
    below = (scores[None, :] < scores[:, None]).sum(axis=1)
    equal = (scores[None, :] == scores[:, None]).sum(axis=1)
    ranks: Vector = below + (equal + 1.0) / 2.0
    return ranks
