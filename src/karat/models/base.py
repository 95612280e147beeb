"""What a model is: rows and labels go in, predictions come out, and the seed alone decides every draw.

A model is a frozen dataclass of settings. `fit` leaves it as it is and starts from nothing, so every vendor
gets a fresh model and the order of the vendors cannot matter.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from karat.errors import ValuationError
from karat.typing import Matrix, Progress, Rows, Vector


@dataclass(frozen=True)
class Fitted:
    """A model after training.

    outputs: rows (m, d) to probabilities (m, classes), or to numbers (m,) where n_classes is None.
    details: what the training says about itself (epochs, whether it converged), as plain JSON values.
    """

    outputs: Callable[[Rows], Matrix]
    n_classes: int | None
    details: dict[str, object] = field(default_factory=dict)

    def predict_proba(self, rows: Rows) -> Matrix:
        """The probability of every class, (m, classes); rows sum to one."""
        assert self.n_classes is not None, "a model of numbers has no probabilities"
        return self.outputs(rows)

    def predict(self, rows: Rows) -> NDArray[Any]:
        """The most probable class of every row, as its code; or the predicted number."""
        outputs = self.outputs(rows)
        return outputs if self.n_classes is None else outputs.argmax(axis=1)

    def score(self, rows: Rows, labels: NDArray[Any], weights: Vector | None = None) -> float:
        """How well unseen rows are predicted, 1 at best.

        Classes: the share of rows predicted right. Numbers: R^2, one minus the squared error over that of
        the best constant; below 0 where a constant would do better.
        """
        return score(self.predict(rows), labels, self.n_classes, weights)


def score(
    predicted: NDArray[Any], labels: NDArray[Any], n_classes: int | None, weights: Vector | None = None
) -> float:
    """Accuracy for classes, R^2 for numbers; see `Fitted.score`.

    >>> score(np.array([0, 1, 1, 1]), np.array([0, 1, 0, 1]), n_classes=2)
    0.75
    """
    if n_classes is not None:
        return float(np.average(predicted == labels, weights=weights))
    spread = np.average((labels - np.average(labels, weights=weights)) ** 2, weights=weights)
    return float(1.0 - np.average((predicted - labels) ** 2, weights=weights) / spread)


def score_of_nothing(n_classes: int | None) -> float:
    """What can be expected without any training row: a class by chance, or the best constant."""
    return 0.0 if n_classes is None else 1.0 / n_classes


@dataclass(frozen=True, kw_only=True)
class Model(ABC):
    """Settings of a model that can be trained.

    name: how it is asked for; meaning: one line for people; learns: "classes", "numbers" or both;
    extra: the extra that brings its library, or None.
    """

    name: ClassVar[str]
    meaning: ClassVar[str]
    learns: ClassVar[tuple[str, ...]] = ("classes", "numbers")
    extra: ClassVar[str | None] = None

    def fit(
        self,
        rows: Rows,
        labels: NDArray[Any],
        *,
        n_classes: int | None = None,
        seed: int = 0,
        progress: Progress | None = None,
    ) -> Fitted:
        """The model trained from nothing on these rows.

        labels: codes 0 .. n_classes - 1 (not all need to occur), or numbers where n_classes is None.
        Where all rows have one class, that class is always predicted.
        """
        wanted = "numbers" if n_classes is None else "classes"
        if wanted not in self.learns:
            raise ValuationError(
                f"the model {self.name!r} learns {self.learns[0]}, and the labels are {wanted}.",
                hint="Choose the model 'ridge', which learns both, or say how labels are to be read "
                "with label_kind='classes' or 'numbers'.",
            )
        assert len(rows) == len(labels) > 0
        if n_classes is not None and (labels == labels[0]).all():
            return always(int(labels[0]), n_classes)
        return self._fit(rows, labels, n_classes=n_classes, seed=seed, progress=progress)

    def check_columns(self, columns: int) -> None:
        """Raise unless rows of so many columns can be learnt from; any can, where a model says nothing."""
        return

    @abstractmethod
    def _fit(
        self,
        rows: Rows,
        labels: NDArray[Any],
        *,
        n_classes: int | None,
        seed: int,
        progress: Progress | None,
    ) -> Fitted:
        """Train; there is at least one row, and two classes where there are classes."""


def always(code: int, n_classes: int) -> Fitted:
    """The model that has seen one class only.

    >>> always(1, 3).predict_proba(np.zeros((1, 4)))
    array([[0., 1., 0.]])
    """

    def outputs(rows: Rows) -> Matrix:
        probabilities = np.zeros((len(rows), n_classes))
        probabilities[:, code] = 1.0
        return probabilities

    return Fitted(outputs, n_classes, {"constant": True})
