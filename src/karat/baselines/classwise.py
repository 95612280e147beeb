"""Class-wise Shapley values of vendors (CS-Shapley): help within a class, discounted by harm to the others.

Schoch et al. 2022, with vendors as players. For class y, a coalition brings its rows of class y; rows of the
other classes come from all vendors (or from a random coalition), and

    worth of the coalition = a_y exp(a_-y),

where a_y and a_-y are the numbers of test rows of class y, and of the others, predicted right, both divided
by the number of all test rows. No row of class y is worth 0. A vendor's value is the sum over the classes
of its Shapley values; one without rows of a class gets 0 for it. The public code also rescales the values
of a class to sum to a_y of all rows, which divides by a sum that may be near 0 or negative; that is left
out.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from karat.baselines.base import Case
from karat.baselines.games import PLAYS_LEAST, check_plays, in_place
from karat.baselines.semivalues import Game, Played, play, shapley_sizes
from karat.baselines.task import Task, Trained, Trainer, content_order, task_of
from karat.models import Estimator, Model
from karat.typing import Vector
from karat.values import Values

Accuracies = tuple[float, float]
"""a_y and a_-y."""


@dataclass(frozen=True, kw_only=True)
class ClasswiseShapley(Trained):
    """CS-Shapley among vendors; exact to `exact_up_to` vendors, from `orders` random orders beyond.

    others: "all" takes the other classes' rows from all vendors; "drawn" from a random coalition for every
    order, as the paper samples them (never exact). truncation: in random orders, once a_y is this close to
    what all vendors reach, later vendors add nothing: a_y and a_-y are both carried on. The public code
    carries a_y and sets a_-y to 0, which takes a_y (exp(a_-y) - 1) from one vendor and gives it to the
    last.
    """

    name: ClassVar[str] = "cs-shapley"
    needs: ClassVar[tuple[str, ...]] = ("reference", "classes")
    converges_to: ClassVar[str] = "sum over classes of the mean marginal in-class accuracy, discounted"
    cost: ClassVar[str] = "2^n models per class to 10 vendors, then 200 n; with ridge one d x d system each"
    citation: ClassVar[str] = "Schoch et al. 2022"
    least: ClassVar[Mapping[str, float]] = {**PLAYS_LEAST, "truncation": 0.0}

    model: str | Model | Estimator = "ridge"
    exact_up_to: int = 10
    orders: int = 200
    others: Literal["all", "drawn"] = "all"
    truncation: float = 1e-4

    def __post_init__(self) -> None:
        super().__post_init__()
        check_plays(self.exact_up_to)

    def run(self, case: Case) -> Values:
        task, order = task_of(case), content_order(case)
        assert task.n_classes is not None
        assert case.labels is not None
        exact = self.others == "all" and len(order) <= self.exact_up_to
        trainer = Trainer(self.model_for(case.labels), class_pieces(task, order), task, case.seed)
        values, variances = np.zeros(len(order)), np.zeros(len(order))
        by_class = {}
        for code, label in enumerate(case.labels.classes):
            game = ClassGame(
                ClassTrainer(trainer, code, len(order)),
                draws_others=self.others == "drawn",
                truncation=self.truncation,
                generator=np.random.default_rng([case.seed, code]),
            )
            generator = np.random.default_rng([case.seed, code, 1])
            played = play(game, shapley_sizes(game.n), exact=exact, orders=self.orders, generator=generator)
            values += played.values
            variances += 0.0 if played.errors is None else played.errors**2
            by_class[str(label)] = in_place(played, order)[0].tolist()
            case.tell(code + 1, task.n_classes)
        scores, errors = in_place(Played(values, None if exact else np.sqrt(variances)), order)
        return case.values(
            self,
            scores,
            model=trainer.model.name,
            reference=case.reference.name,
            by_class=by_class,
            standard_errors=errors,
        )


class ClassTrainer:
    """a_y and a_-y of models trained on rows of class y from some vendors, and of the others from some."""

    def __init__(self, trainer: Trainer, code: int, n: int) -> None:
        self.trainer, self.code, self.n = trainer, code, n
        self.is_class = trainer.task.test[1] == code
        self._known: dict[tuple[bytes, bytes], Accuracies] = {}

    def accuracies(self, players: NDArray[np.intp], others: NDArray[np.intp]) -> Accuracies:
        key = (players.tobytes(), others.tobytes())
        if key not in self._known:
            self._known[key] = self._train(players, others)
        return self._known[key]

    def _train(self, players: NDArray[np.intp], others: NDArray[np.intp]) -> Accuracies:
        task = self.trainer.task
        n_classes = task.n_classes or 0
        own = [int(i) * n_classes + self.code for i in players]
        if not any(len(self.trainer.pieces[p][0]) for p in own):
            return 0.0, 0.0
        rest = [int(i) * n_classes + c for i in others for c in range(n_classes) if c != self.code]
        chosen = [p for p in sorted(own + rest) if len(self.trainer.pieces[p][0])]
        fitted = self.trainer.fit(chosen)
        is_right = (fitted.predict(task.test[0]) == task.test[1]) * task.weights
        return float(is_right[self.is_class].sum()), float(is_right[~self.is_class].sum())


class ClassGame(Game):
    """The game of one class: a coalition is worth a_y exp(a_-y)."""

    def __init__(
        self,
        trainer: ClassTrainer,
        *,
        draws_others: bool,
        truncation: float,
        generator: np.random.Generator,
    ) -> None:
        self.n, self.accuracies = trainer.n, trainer.accuracies
        self.draws_others, self.truncation, self.generator = draws_others, truncation, generator
        self.everyone = np.arange(self.n)

    def worth(self, players: NDArray[np.intp]) -> float:
        return discounted(self.accuracies(players, self.everyone))

    def all_worths(self) -> Vector:
        members = (np.arange(1 << self.n)[:, None] >> self.everyone) & 1
        return np.array([self.worth(np.flatnonzero(row)) for row in members])

    def along(self, order: NDArray[np.intp]) -> Vector:
        others = self.everyone
        if self.draws_others:
            drawn = np.flatnonzero(self.generator.integers(2, size=self.n))
            others = drawn if len(drawn) else self.everyone
        return truncated_worths(
            lambda k: self.accuracies(np.sort(order[:k]), others), self.n, self.truncation
        )


def discounted(accuracies: Accuracies) -> float:
    """a_y exp(a_-y)."""
    return accuracies[0] * math.exp(accuracies[1])


def truncated_worths(accuracies: Callable[[int], Accuracies], n: int, truncation: float) -> Vector:
    """The worths of the first 0 .. n players; both accuracies stay once a_y is within reach of the last."""
    last = accuracies(n)
    reached = [(0.0, 0.0)]
    for k in range(1, n + 1):
        is_there = abs(last[0] - reached[-1][0]) < truncation
        reached.append(reached[-1] if is_there else last if k == n else accuracies(k))
    return np.array([discounted(each) for each in reached])


def class_pieces(task: Task, order: NDArray[np.intp]) -> list[tuple[NDArray[np.floating], NDArray[np.intp]]]:
    """The rows of every vendor and class, vendors outermost: piece i * n_classes + c."""
    pieces = []
    for i in order:
        rows, labels = task.vendors[i]
        members = [labels == code for code in range(task.n_classes or 0)]
        pieces += [(rows[own], labels[own]) for own in members]
    return pieces
