"""Several valuations of one market side by side, and how far they agree on the order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from karat.baselines.base import Valuation, valuation_read
from karat.errors import ValuationError
from karat.gram import Moments
from karat.shown import Shown
from karat.typing import Matrix, Progress, Vector
from karat.values import Values
from karat.vendors import Market

TIE = 1e-9
"""Scores that differ by less than this share of the largest are equal: a sum in another order."""


@dataclass(frozen=True)
class Beside(Shown):
    """A column of scores per valuation, for the same vendors in the same order.

    asked: the valuations, one per column.
    """

    asked: tuple[Valuation, ...]
    columns: tuple[Values, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return self.columns[0].names

    @property
    def titles(self) -> tuple[str, ...]:
        """What stands above every column: the name, and the options that are not at their defaults."""
        return tuple(valuation.title for valuation in self.asked)

    @property
    def agreement(self) -> Matrix:
        """(k, k), Spearman's rank correlation between the valuations; nan where one gives a single value."""
        return rank_correlations([column.scores for column in self.columns])

    def to_dict(self) -> dict[str, object]:
        agreement = [[None if np.isnan(r) else float(r) for r in row] for row in self.agreement]
        columns = []
        for valuation, column in zip(self.asked, self.columns, strict=True):
            options = {name: str(given) for name, given in valuation.chosen.items()}
            columns.append(column.to_dict() | ({"options": options} if options else {}))
        return {
            "valuations": columns,
            "agreement": {"valuations": list(self.titles), "spearman": agreement},
        }


def beside(
    market: Market,
    valuations: Sequence[str | Valuation],
    *,
    moments: Moments | None = None,
    reference: str | Mapping[str, float] | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> Beside:
    """Value the market in several ways, with the same reference and seed.

    valuations: as `checked` takes them. What all of them need is checked before the first one starts.
    moments: of this market, for those that need no more and name no kernel of their own.
    """
    asked = checked(market, valuations, reference)
    columns = []
    for i, valuation in enumerate(asked):
        told = None if progress is None else _share(progress, i, len(asked))
        given = None if valuation.names_kernel else moments
        columns.append(valuation(market, moments=given, reference=reference, seed=seed, progress=told))
        if told is not None:
            told(1, 1)
    return Beside(asked, tuple(columns))


def checked(
    market: Market, valuations: Sequence[str | Valuation], reference: str | Mapping[str, float] | None = None
) -> tuple[Valuation, ...]:
    """The valuations, once it is known that the market and this machine have what all of them need.

    valuations: by name, with options as `valuation_read` reads them, or made by hand; one that comes twice is
    taken once.
    """
    made = [valuation_read(one) if isinstance(one, str) else one for one in valuations]
    asked = tuple({valuation.title: valuation for valuation in made}.values())
    if not asked:
        raise ValuationError(
            "no valuation was named.", hint="Name at least one; `karat valuations` lists them."
        )
    for valuation in asked:
        valuation.check(market, reference)
    return asked


def _share(progress: Progress, i: int, total: int) -> Progress:
    """The progress of one of several equal parts, told as that of the whole."""
    return lambda done, own_total: progress(i + done / own_total, total)


def rank_correlations(scores: Sequence[Vector]) -> Matrix:
    """(k, k), Spearman's correlations of k vectors; nan where one of them holds a single value.

    >>> rank_correlations([np.array([1.0, 2.0, 4.0]), np.array([3.0, 1.0, 0.5])])
    array([[ 1., -1.],
           [-1.,  1.]])
    """
    ranks = np.stack([average_ranks(one) for one in scores])
    centred = ranks - ranks.mean(axis=1, keepdims=True)
    squares = centred @ centred.T
    sizes = np.diag(squares)
    with np.errstate(invalid="ignore", divide="ignore"):
        correlations: Matrix = squares / np.sqrt(np.outer(sizes, sizes))
    return correlations


def average_ranks(scores: Vector) -> Vector:
    """Ranks from 1, the lowest first; equal scores, up to rounding, share the mean of their ranks.

    >>> average_ranks(np.array([0.3, 0.1, 0.1 + 0.2]))
    array([2.5, 1. , 2.5])
    """
    gaps = scores[None, :] - scores[:, None]
    tie = TIE * float(np.abs(scores).max())
    ranks: Vector = (gaps < -tie).sum(axis=1) + ((np.abs(gaps) <= tie).sum(axis=1) + 1.0) / 2.0
    return ranks
