"""What models are trained and tested on: one set of labelled rows per vendor, and one to be scored on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from karat.baselines.base import Case, Valuation
from karat.baselines.labels import Labels
from karat.baselines.reference import ReferenceRows
from karat.errors import ValuationError
from karat.models import Estimator, Fitted, Model, Ridge, RidgeSums, extras_of, model_named
from karat.models.base import score_of_nothing
from karat.typing import Rows, Vector
from karat.vendors import Market

SUMS_BYTES = 1 << 30
"""What the sums of all pieces may take: 10 vendors of 3,000 columns, but not 10 classes of each."""

Piece = tuple[Rows, NDArray[Any]]
"""Rows and their labels: class codes, or numbers."""


@dataclass(frozen=True)
class Task:
    """Training rows of every vendor, and the test rows that every model is scored on.

    n_classes: None where labels are numbers. weights: one per test row, summing to one; where the reference
    is the union of the vendors, every vendor has the same share in the score.
    """

    vendors: tuple[Piece, ...]
    test: Piece
    weights: Vector
    n_classes: int | None

    @property
    def empty(self) -> float:
        """The score to expect without any training row."""
        return score_of_nothing(self.n_classes)

    def score(self, fitted: Fitted) -> float:
        return fitted.score(*self.test, self.weights)


def task_of(case: Case) -> Task:
    """The task of a case whose valuation needs labels."""
    assert case.labels is not None
    # Where the anchor is the reference, its labels follow those of the vendors.
    vendors = tuple(
        (sample.rows, labels) for sample, labels in zip(case.market.samples, case.labels.arrays, strict=False)
    )
    test_labels = case.reference_labels
    n_classes = case.labels.n_classes if case.labels.kind == "classes" else None
    return Task(vendors, (case.reference.rows, test_labels), case.reference.weights, n_classes)


@dataclass(frozen=True)
class Trainer:
    """Trains one model on any of several pieces, and scores it on the task's test rows.

    Ridge regression is trained from the sums of the pieces, which add up, unless there are so many columns
    that they would not fit; every other model on the pieces' rows, one below the other.
    """

    model: Model
    pieces: Sequence[Piece]
    task: Task
    seed: int

    def fit(self, chosen: Sequence[int]) -> Fitted:
        """The model trained on the chosen pieces; at least one of them has rows."""
        if isinstance(self.model, Ridge) and self._sums:
            total = self._sums[chosen[0]]
            for i in chosen[1:]:
                total = total + self._sums[i]
            return total.fitted(self.model.strength)
        rows = np.concatenate([self.pieces[i][0] for i in chosen])
        labels = np.concatenate([self.pieces[i][1] for i in chosen])
        return self.model.fit(rows, labels, n_classes=self.task.n_classes, seed=self.seed)

    def score(self, chosen: Sequence[int]) -> float:
        return self.task.score(self.fit(chosen))

    @cached_property
    def _sums(self) -> list[RidgeSums]:
        """The sums of every piece; none where they would be larger than `SUMS_BYTES`."""
        d = self.pieces[0][0].shape[1]
        if 8 * d * (d + (self.task.n_classes or 1)) * len(self.pieces) > SUMS_BYTES:
            return []
        origin = np.mean(
            [rows.mean(axis=0, dtype=np.float64) for rows, _ in self.pieces if len(rows)], axis=0
        )
        return [RidgeSums.of(rows, labels, self.task.n_classes, origin) for rows, labels in self.pieces]


@dataclass(frozen=True, kw_only=True)
class Trained(Valuation):
    """A valuation that trains models; what its model lacks is said before anything is computed.

    model: by name, made by hand, or an estimator of scikit-learn; None for what is usual with these labels.
    """

    model: str | Model | Estimator | None

    @property
    def required(self) -> tuple[str, ...]:
        """Its needs, and the extra that brings the model's library."""
        return (*self.needs, *extras_of(self.model))

    def check(self, market: Market, reference: str | Mapping[str, float] | None = None) -> ReferenceRows:
        rows = super().check(market, reference)
        self.model_for(self._labels(market, rows)).check_columns(market.layout.width)
        return rows

    def model_for(self, labels: Labels | None) -> Model:
        """The model, once it is known to learn what the labels are."""
        assert labels is not None
        made = model_named(self.usual_model(labels) if self.model is None else self.model)
        if labels.kind not in made.learns:
            raise ValuationError(
                f"the model {made.name!r} learns {made.learns[0]}, and the labels are {labels.kind}.",
                hint="Choose the model 'ridge', which learns both, or name another label column (target).",
            )
        return made

    def usual_model(self, labels: Labels) -> str:
        """The model where none is named."""
        return "ridge" if labels.kind == "numbers" else "logistic"


def content_order(case: Case) -> NDArray[np.intp]:
    """The vendors in the order of their contents, so that draws depend on neither names nor places."""
    return np.array(sorted(range(len(case.market.samples)), key=lambda i: case.market.samples[i].digest))
