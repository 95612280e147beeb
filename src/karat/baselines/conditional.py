"""Ours conditional: the distance between what a vendor's model predicts and what is true, as distributions.

A model is trained on each vendor's labelled rows and predicts on the anchor; its class probabilities (or
numbers) are compared by MMD with the anchor's one-hot labels (or targets). Xu et al. 2024, "Ours cond.".
Without an anchor a model trained on the union of the vendors predicts on the union, and takes the place of
the truth.

The authors' code compares batches of 100 predictions with the labels of the same 100 rows, by the biased
estimator, and divides by 100 once more; here all rows are compared at once, unbiased. "As distributions"
means that a model which is wrong in a balanced way can still come close: what is compared is the mix of
predictions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from karat.baselines.base import Case
from karat.baselines.task import Trained, task_of
from karat.gram import kernel_sums, moments_from_sums
from karat.kernels import Kernel, kernel_named
from karat.models import Estimator, Fitted, Model
from karat.typing import Matrix, Vector
from karat.values import Values, value


@dataclass(frozen=True, kw_only=True)
class ConditionalMmd(Trained):
    """Minus the MMD between a vendor's predictions on the reference's rows and their labels.

    model: logistic regression for classes and ridge regression for numbers, unless named; or any estimator
    of scikit-learn. Fresh for every vendor, all from the same seed. kernel: fitted to the labels.
    most_rows: of the reference that are predicted. A vendor that lacks a class gives it probability 0.
    """

    name: ClassVar[str] = "mmd-cond"
    needs: ClassVar[tuple[str, ...]] = ("reference", "labels")
    converges_to: ClassVar[str] = "-MMD(predictions of a model of P_i, labels), on rows of the reference"
    cost: ClassVar[str] = "n models, then O((n t)^2) for t rows of the reference, at most 4000"
    citation: ClassVar[str] = "Xu et al. 2024, Ours cond."
    least: ClassVar[Mapping[str, float]] = {"most_rows": 2}

    model: str | Model | Estimator | None = None
    kernel: str | Kernel = "default"
    most_rows: int = 4000

    def run(self, case: Case) -> Values:
        task = task_of(case)
        model = self.model_for(case.labels)
        steps = len(task.vendors) + 2
        asked = case.reference.drawn(self.most_rows, case.seed)

        def fit(rows: Any, labels: NDArray[Any]) -> Fitted:
            return model.fit(rows, labels, n_classes=task.n_classes, seed=case.seed)

        if case.reference.name == "anchor":
            truth = as_outputs(task.test[1][asked.index], task.n_classes)
            # Two classes are equally far apart however rare they are, so each is shown once.
            shown = truth if task.n_classes is None else np.eye(task.n_classes)
        else:
            union = case.reference.drawn(case.reference.size, case.seed)
            truth = two_dimensional(fit(union.rows, task.test[1][union.index]).outputs(asked.rows))
            shown = truth
        case.tell(1, steps)
        predictions = []
        for rows, labels in task.vendors:
            predictions.append(two_dimensional(fit(rows, labels).outputs(asked.rows)))
            case.tell(1 + len(predictions), steps)
        kernel = self.kernel if isinstance(self.kernel, Kernel) else kernel_named(self.kernel, [shown])
        squared = squared_distances_to_last([*predictions, truth], kernel)
        case.tell(steps, steps)
        return case.values(
            self, value(squared), model=model.name, reference=case.reference.name, squared=squared.tolist()
        )


def as_outputs(labels: NDArray[Any], n_classes: int | None) -> Matrix:
    """Labels as a perfect model would predict them: one-hot rows, or one column of numbers.

    >>> as_outputs(np.array([1, 0]), 2)
    array([[0., 1.],
           [1., 0.]])
    """
    if n_classes is None:
        return two_dimensional(labels.astype(np.float64))
    perfect: Matrix = np.eye(n_classes)[labels]
    return perfect


def two_dimensional(outputs: Matrix) -> Matrix:
    """Numbers as one column; probabilities as they are."""
    return outputs[:, None] if outputs.ndim == 1 else outputs


def squared_distances_to_last(samples: list[Matrix], kernel: Kernel) -> Vector:
    """The squared MMD of every sample to the last one.

    Row r of every sample belongs to the same row of the reference, so the samples are not independent. The
    estimate is unbiased all the same if no row meets itself across samples either (Gretton et al. 2012,
    lemma 6); with those pairs it comes out negative for every good model, and all would tie at 0.
    """
    n, m = len(samples) - 1, len(samples[-1])
    names = [str(i) for i in range(n + 1)]
    gram = moments_from_sums(kernel_sums(samples, kernel), names=names, kernel=kernel, anchor=n).gram
    own = np.array([paired_mean(sample, samples[-1], kernel) for sample in samples[:-1]])
    across = (m * gram[:n, n] - own) / (m - 1.0)
    squared: Vector = np.diag(gram)[:n] + gram[n, n] - 2.0 * across
    return squared


def paired_mean(a: Matrix, b: Matrix, kernel: Kernel) -> float:
    """The mean of k(a_r, b_r) over the rows r."""
    step = 64
    blocks = [kernel.block(a[r : r + step], b[r : r + step]) for r in range(0, len(a), step)]
    return float(sum(block.trace() for block in blocks) / len(a))
