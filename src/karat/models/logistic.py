"""Logistic regression on standardised columns, by scikit-learn."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from karat.errors import ValuationError
from karat.models.base import Fitted, Model
from karat.typing import Matrix, Progress, Rows


@dataclass(frozen=True, kw_only=True)
class Logistic(Model):
    """Multinomial logistic regression; columns are standardised by the rows it is trained on.

    looseness: the inverse of the penalty's strength, scikit-learn's C; steps: most iterations of L-BFGS.
    A fit that has not converged by then is used as it is, and says so in its details.
    """

    name: ClassVar[str] = "logistic"
    meaning: ClassVar[str] = "multinomial logistic regression"
    learns: ClassVar[tuple[str, ...]] = ("classes",)

    looseness: float = 1.0
    steps: int = 200

    def __post_init__(self) -> None:
        if not (0.0 < self.looseness < float("inf") and self.steps >= 1):
            raise ValuationError(
                f"logistic regression was given looseness {self.looseness:g} and {self.steps} steps.",
                hint="Pass a positive looseness and at least one step.",
            )

    def _fit(
        self,
        rows: Rows,
        labels: NDArray[Any],
        *,
        n_classes: int | None,
        seed: int,
        progress: Progress | None,
    ) -> Fitted:
        from sklearn.exceptions import ConvergenceWarning
        from sklearn.linear_model import LogisticRegression
        from sklearn.preprocessing import StandardScaler

        assert n_classes is not None
        scaler = StandardScaler().fit(np.asarray(rows, dtype=np.float64))
        model = LogisticRegression(C=self.looseness, max_iter=self.steps)
        # The products are small: with two threads a fit of 20,000 rows took six times the processor time.
        with warnings.catch_warnings(), threadpool_limits(limits=1):
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(scaler.transform(rows), labels)
        seen = model.classes_.astype(np.intp)

        def outputs(rows: Rows) -> Matrix:
            probabilities = np.zeros((len(rows), n_classes))
            probabilities[:, seen] = model.predict_proba(scaler.transform(rows))
            return probabilities

        return Fitted(outputs, n_classes, {"converged": bool(model.n_iter_.max() < self.steps)})
