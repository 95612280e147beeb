"""Games among vendors: what each adds to coalitions of the others, weighed in one of several ways.

The players are the vendors. A coalition is worth the score of a model trained on its members' rows, or minus
the MMD of their mixture to the reference, which needs the moments alone.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from karat.baselines.base import Case, Valuation
from karat.baselines.coalitions import MmdGame, ModelGame, squared_mmd_shapley
from karat.baselines.mmd import moments_for
from karat.baselines.semivalues import (
    MOST_PLAYERS,
    Played,
    banzhaf_sizes,
    beta_sizes,
    last_size,
    play,
    shapley_sizes,
)
from karat.baselines.task import Trained, Trainer, content_order, task_of
from karat.errors import ValuationError
from karat.kernels import Kernel
from karat.models import Estimator, Model
from karat.typing import Vector
from karat.values import Values, reference_named

PLAYS_LEAST: Mapping[str, float] = {"exact_up_to": 0, "orders": 4}
"""None may be played exactly, and at least four orders give a standard error."""


@dataclass(frozen=True, kw_only=True)
class ModelSemivalue(Trained):
    """A semivalue of the game in which a coalition is worth the score of a model trained on its rows.

    The score is the accuracy, or R^2 for numbers, on the reference's rows; nobody is worth a guess (one over
    the number of classes, or R^2 = 0).
    model: by name, made by hand, or an estimator of scikit-learn.
    exact_up_to: vendors up to which all coalitions are trained; beyond, `orders` random orders of the vendors
    are, and `details["standard_errors"]` says how far to trust them.
    """

    needs: ClassVar[tuple[str, ...]] = ("reference", "labels")
    cost: ClassVar[str] = "2^n models to 10 vendors, then 200 n; with ridge a model is one d x d system"

    least: ClassVar[Mapping[str, float]] = PLAYS_LEAST

    model: str | Model | Estimator = "ridge"
    exact_up_to: int = 10
    orders: int = 200

    def __post_init__(self) -> None:
        super().__post_init__()
        check_plays(self.exact_up_to)

    @abstractmethod
    def size_weights(self, n: int) -> Vector:
        """How much coalitions of 0 .. n - 1 others count; the weights sum to one."""

    def run(self, case: Case) -> Values:
        task, order = task_of(case), content_order(case)
        trainer = Trainer(self.model_for(case.labels), [task.vendors[i] for i in order], task, case.seed)
        game = ModelGame(trainer, task.empty, case.tell)
        exact = game.n <= self.exact_up_to
        generator = np.random.default_rng(case.seed)
        played = play(
            game,
            self.size_weights(game.n),
            exact=exact,
            orders=self.orders,
            generator=generator,
            tell=case.tell,
        )
        values, errors = in_place(played, order)
        return case.values(
            self,
            values,
            model=trainer.model.name,
            reference=case.reference.name,
            models_trained=len(game.coalitions),
            standard_errors=errors,
        )


@dataclass(frozen=True, kw_only=True)
class DataShapley(ModelSemivalue):
    """The Shapley value: every size counts alike, and values sum to the score of all less that of none."""

    name: ClassVar[str] = "data-shapley"
    converges_to: ClassVar[str] = "mean marginal score over random orders of the vendors"
    citation: ClassVar[str] = "Ghorbani and Zou 2019"

    def size_weights(self, n: int) -> Vector:
        return shapley_sizes(n)


@dataclass(frozen=True, kw_only=True)
class BetaShapley(ModelSemivalue):
    """Beta(alpha, beta)-Shapley: (1, 1) is Shapley; the default (16, 1) weighs small coalitions most."""

    name: ClassVar[str] = "beta-shapley"
    converges_to: ClassVar[str] = "mean marginal score, sizes of coalitions beta-binomial"
    citation: ClassVar[str] = "Kwon and Zou 2022"

    alpha: float = 16.0
    beta: float = 1.0

    def size_weights(self, n: int) -> Vector:
        return beta_sizes(n, self.alpha, self.beta)


@dataclass(frozen=True, kw_only=True)
class Banzhaf(ModelSemivalue):
    """The Banzhaf value: every coalition counts alike."""

    name: ClassVar[str] = "banzhaf"
    converges_to: ClassVar[str] = "mean marginal score over all coalitions of the others"
    citation: ClassVar[str] = "Wang and Jia 2023"

    def size_weights(self, n: int) -> Vector:
        return banzhaf_sizes(n)


@dataclass(frozen=True, kw_only=True)
class LeaveOneOut(ModelSemivalue):
    """What the score of all loses without the vendor."""

    name: ClassVar[str] = "leave-one-out"
    converges_to: ClassVar[str] = "score of all vendors less the score of all but one"
    cost: ClassVar[str] = "n + 1 models"
    citation: ClassVar[str] = "Cook 1977"

    def size_weights(self, n: int) -> Vector:
        return last_size(n)


SEMIVALUES: Mapping[str, type[ModelSemivalue]] = {
    "shapley": DataShapley,
    "beta-shapley": BetaShapley,
    "banzhaf": Banzhaf,
    "leave-one-out": LeaveOneOut,
}
"""What a semivalue is called, and whose weights it has."""


@dataclass(frozen=True, kw_only=True)
class CoalitionMmd(Valuation):
    """A semivalue of the game in which a coalition is worth minus the MMD of its mixture to the reference.

    Members have equal shares in the mixture; nobody is worth minus the norm of the reference's embedding.
    semivalue: which one, as the valuations of that name weigh the score of a model.
    squared: of minus the squared MMD, whose Shapley value is exact for any number of vendors by a closed
    form. All else is exact to `exact_up_to` vendors, and beyond from `orders` random orders, with standard
    errors.
    """

    name: ClassVar[str] = "coalition-mmd"
    needs: ClassVar[tuple[str, ...]] = ("reference", "moments")
    converges_to: ClassVar[str] = "mean marginal -MMD of coalitions, weighed as `semivalue` says"
    cost: ClassVar[str] = "O(N^2 d) once for the moments; then n 2^n to 20 vendors, 1000 n^2 beyond"
    citation: ClassVar[str] = "Shapley 1953, with the value of Xu et al. 2024; squared: Tay et al. 2022"
    takes_any_reference: ClassVar[bool] = True

    least: ClassVar[Mapping[str, float]] = PLAYS_LEAST

    kernel: str | Kernel = "default"
    semivalue: Literal["shapley", "beta-shapley", "banzhaf", "leave-one-out"] = "shapley"
    squared: bool = False
    exact_up_to: int = 20
    orders: int = 1000

    def __post_init__(self) -> None:
        super().__post_init__()
        check_plays(self.exact_up_to)

    @property
    def shares_reference(self) -> bool:
        """Coalitions of vendors are held against something that no vendor has to itself."""
        return True

    def run(self, case: Case) -> Values:
        moments = moments_for(case, self.kernel)
        chosen = reference_named(moments, case.choice)
        assert chosen.weights is not None
        order = content_order(case)
        contrasts = chosen.contrasts[order]
        inner = contrasts @ moments.gram @ contrasts.T
        empty = float(chosen.weights @ moments.gram @ chosen.weights)
        if self.squared and self.semivalue == "shapley":
            played = Played(squared_mmd_shapley(inner, empty), None)
        else:
            played = play(
                MmdGame(inner, empty, squared=self.squared),
                SEMIVALUES[self.semivalue]().size_weights(len(order)),
                exact=len(order) <= self.exact_up_to,
                orders=self.orders,
                generator=np.random.default_rng(case.seed),
            )
        values, errors = in_place(played, order)
        return case.values(self, values, reference=chosen.name, standard_errors=errors)


def in_place(played: Played, order: NDArray[np.intp]) -> tuple[Vector, list[float] | None]:
    """The values and standard errors, vendor by vendor, of players who are the vendors in this order."""
    place = np.argsort(order)
    errors = None if played.errors is None else played.errors[place].tolist()
    return played.values[place], errors


def check_plays(exact_up_to: int) -> None:
    """Refuse a game that would not fit into memory."""
    if exact_up_to > MOST_PLAYERS:
        raise ValuationError(
            f"a game was to be exact up to {exact_up_to} vendors.",
            hint=f"It can be exact up to {MOST_PLAYERS}; beyond, random orders give standard errors.",
        )
