"""DAVINZ (Wu et al. 2022): how hard labels are for a network before any training, and how far rows are.

    v_i = -kappa NTK_i - MMD_i,     kappa = mean of MMD_i / mean of NTK_i over the vendors,

so a vendor's value depends on which others are present. With Theta_kl the inner product of the gradients of
the network's outputs at rows k and l by its weights at initialisation, and r the residuals at
initialisation,

    NTK = sqrt( r' (Theta + ridge I)^-1 r / m ).

For classes the output is the logit of the row's own label and r = 1 - output; for numbers r = y - output.
Gradients are by the weights of linear and convolutional layers, not by biases: with a constant among the
features every class would be fitted without effort, whatever its labels.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from karat.baselines.base import Case, Valuation, moments_of
from karat.baselines.reference import ReferenceRows
from karat.baselines.task import Task, task_of
from karat.errors import ValuationError
from karat.kernels import Gaussian
from karat.kernels.bandwidth import median_distance
from karat.models import Model, extras_of, model_named
from karat.typing import Matrix, Rows, Vector
from karat.values import Values, mmd, reference_named, squared_mmd
from karat.vendors import Market


@dataclass(frozen=True, kw_only=True)
class Davinz(Valuation):
    """Minus the residual norm under the neural tangent kernel, weighted, minus the MMD of the features.

    model: "linear" (closed form, no torch), or a network by name or made by hand ("mlp-16", "cnn-22k", ..).
    ridge: added to the diagonal of Theta, which is singular for linear models and then sets the scale of NTK.
    initialisations: over which NTK is averaged (the authors recommend it, their code uses one).
    bandwidth: of the Gaussian in the MMD (biased, with its root); None takes the median distance of the
    reference, the public code 5 on pixels in [0, 1].
    block_rows: Theta is cut into diagonal blocks of at most so many rows, drawn at random, as in the public
    code (a hundredth of the rows for all but the smallest network). Linear models need no blocks. Rows, and
    numbers to be predicted, are standardised by the reference.
    """

    name: ClassVar[str] = "davinz"
    needs: ClassVar[tuple[str, ...]] = ("reference", "labels")
    converges_to: ClassVar[str] = "-(kappa * NTK score + MMD); depends on the other vendors through kappa"
    cost: ClassVar[str] = (
        "linear: O(N d^2); networks: O(m * block_rows * layer widths) per start; plus one MMD"
    )
    citation: ClassVar[str] = "Wu et al. 2022, eq. 3 and 4"

    model: str | Model = "linear"
    ridge: float = 1e-4
    initialisations: int = 5
    bandwidth: float | None = None
    block_rows: int = 2000

    @property
    def required(self) -> tuple[str, ...]:
        """Its needs, and torch for a network."""
        return (*self.needs, *extras_of(self.model))

    def check(self, market: Market, reference: str | Mapping[str, float] | None = None) -> ReferenceRows:
        rows = super().check(market, reference)
        network = network_of(self.model)
        if network is not None:
            network.check_columns(market.layout.width)
        return rows

    def run(self, case: Case) -> Values:
        task = standardised(task_of(case), network=network_of(self.model))
        distances = self._distances(case)
        starts = [int(s) for s in np.random.SeedSequence(case.seed).generate_state(self.initialisations)]
        scores = np.zeros(len(task.vendors))
        total = float(len(scores) * len(starts))
        for i, (rows, labels) in enumerate(task.vendors):
            mixed = case.generator(case.market.samples[i]).permutation(len(rows))
            for k, start in enumerate(starts):
                squares = self._squared_score(rows[mixed], labels[mixed], task.n_classes, start)
                scores[i] += math.sqrt(squares / len(rows)) / len(starts)
                case.tell(i * len(starts) + k + 1, total)
        kappa = float(distances.mean() / scores.mean())
        return case.values(
            self,
            -kappa * scores - distances,
            reference=case.reference.name,
            kappa=kappa,
            ntk=scores.tolist(),
            mmd=distances.tolist(),
        )

    def _distances(self, case: Case) -> Vector:
        bandwidth = self.bandwidth or median_distance([source.rows for source in case.reference.sources])
        moments = moments_of(case.market, Gaussian(bandwidth))
        chosen = reference_named(moments, case.reference.name)
        return mmd(squared_mmd(moments.gram_biased, chosen.contrasts))

    def _squared_score(self, rows: Rows, labels: NDArray[Any], n_classes: int | None, start: int) -> float:
        """The form r' (Theta + ridge I)^-1 r for one initialisation, summed over the blocks."""
        network = network_of(self.model)
        if network is None:
            return linear_score(rows, labels, n_classes, self.ridge, start)
        from karat.baselines.ntk import network_score

        module = network.fresh(rows.shape[1], n_classes or 1, start)
        blocks = range(0, len(rows), self.block_rows)
        return sum(
            network_score(
                module, rows[b : b + self.block_rows], labels[b : b + self.block_rows], n_classes, self.ridge
            )
            for b in blocks
        )


def linear_score(rows: Rows, labels: NDArray[Any], n_classes: int | None, ridge: float, start: int) -> float:
    """The form r' (Theta + ridge I)^-1 r of a linear model without intercept; Theta = X X' within a class.

    The weights at the start are uniform on +-1 / sqrt(d), as torch draws them.
    """
    d = rows.shape[1]
    weights = np.random.default_rng(start).uniform(-1.0, 1.0, size=(n_classes or 1, d)) / math.sqrt(d)
    if n_classes is None:
        return quadratic_form(rows, labels - rows @ weights[0], ridge)
    parts: list[tuple[Rows, Vector]] = [(rows[labels == code], weights[code]) for code in range(n_classes)]
    return sum(quadratic_form(own, 1.0 - own @ w, ridge) for own, w in parts if len(own))


def quadratic_form(rows: Rows, residuals: Vector, ridge: float) -> float:
    """The form r' (X X' + ridge I)^-1 r in O(m d min(m, d)), by Woodbury where rows outnumber columns."""
    m, d = rows.shape
    if m <= d:
        return float(residuals @ np.linalg.solve(rows @ rows.T + ridge * np.eye(m), residuals))
    slopes = np.linalg.solve(rows.T @ rows + ridge * np.eye(d), rows.T @ residuals)
    left = residuals - rows @ slopes
    # = (|r|^2 - r'X slopes) / ridge, written as a sum of squares: nothing cancels.
    return float(left @ left / ridge + slopes @ slopes)


def network_of(model: str | Model) -> Any:
    """The network that a model's name stands for; None for a linear model."""
    if model == "linear":
        return None
    from karat.models.training import Network

    made = model_named(model)
    if not isinstance(made, Network):
        raise ValuationError(
            f"the valuation 'davinz' needs a network, and {made.name!r} is none.",
            hint="Choose 'linear', 'mlp-16', 'cnn-22k', 'cnn-104k', 'cnn-1.2m' or 'resnet-18'.",
        )
    return made


def standardised(task: Task, *, network: Any) -> Task:
    """The task with rows and numbers in units of its test rows; images are scaled as a whole."""
    tests, labels = task.test
    if network is None:
        spread = tests.std(axis=0, dtype=np.float64)
        centre, spread = tests.mean(axis=0, dtype=np.float64), np.where(spread > 0.0, spread, 1.0)
    else:
        centre, spread = network.scaling(tests)

    def scaled(rows: Rows, labels: NDArray[Any]) -> tuple[Matrix, NDArray[Any]]:
        own = labels if task.n_classes is not None else (labels - middle) / unit
        return (rows - centre) / spread, own

    middle, unit = (0.0, 1.0) if task.n_classes is not None else (labels.mean(), labels.std())
    vendors = tuple(scaled(*vendor) for vendor in task.vendors)
    return Task(vendors, scaled(*task.test), task.weights, task.n_classes)
