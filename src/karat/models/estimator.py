"""Any estimator of scikit-learn, or of a library that follows its rules, as a model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from karat.errors import ValuationError
from karat.models.base import Fitted, Model
from karat.typing import Matrix, Progress, Rows


class Estimator(Protocol):
    """What scikit-learn's estimators have in common."""

    def fit(self, X: Any, y: Any) -> Any: ...

    def predict(self, X: Any) -> Any: ...

    def get_params(self, deep: bool = ...) -> dict[str, Any]: ...


@dataclass(frozen=True, kw_only=True)
class _Borrowed(Model):
    """A clone of the estimator is trained every time; the one that was given is left as it is.

    Where it leaves a random_state open (of its own, or of a step of a pipeline), that is the seed.
    """

    extra: ClassVar[str | None] = None

    estimator: Any

    def _trained(self, rows: Rows, labels: NDArray[Any], seed: int) -> Any:
        from sklearn.base import clone

        fresh = clone(self.estimator)
        settings = fresh.get_params(deep=True)
        left_open = [
            key for key in settings if key.split("__")[-1] == "random_state" and settings[key] is None
        ]
        return fresh.set_params(**dict.fromkeys(left_open, seed % 2**32)).fit(rows, labels)


@dataclass(frozen=True, kw_only=True)
class BorrowedClassifier(_Borrowed):
    """A classifier: its probabilities, or where it has none, all on the class that it predicts."""

    name: ClassVar[str] = "classifier"
    meaning: ClassVar[str] = "a classifier of scikit-learn"
    learns: ClassVar[tuple[str, ...]] = ("classes",)

    def _fit(
        self,
        rows: Rows,
        labels: NDArray[Any],
        *,
        n_classes: int | None,
        seed: int,
        progress: Progress | None,
    ) -> Fitted:
        assert n_classes is not None
        model = self._trained(rows, labels, seed)
        seen = np.asarray(model.classes_, dtype=np.intp)

        def outputs(rows: Rows) -> Matrix:
            if not hasattr(model, "predict_proba"):
                certain: Matrix = np.eye(n_classes)[np.asarray(model.predict(rows), dtype=np.intp)]
                return certain
            probabilities = np.zeros((len(rows), n_classes))
            probabilities[:, seen] = model.predict_proba(rows)
            return probabilities

        return Fitted(outputs, n_classes, {"estimator": type(self.estimator).__name__})


@dataclass(frozen=True, kw_only=True)
class BorrowedRegressor(_Borrowed):
    """A regressor of one number."""

    name: ClassVar[str] = "regressor"
    meaning: ClassVar[str] = "a regressor of scikit-learn"
    learns: ClassVar[tuple[str, ...]] = ("numbers",)

    def _fit(
        self,
        rows: Rows,
        labels: NDArray[Any],
        *,
        n_classes: int | None,
        seed: int,
        progress: Progress | None,
    ) -> Fitted:
        model = self._trained(rows, labels, seed)

        def outputs(rows: Rows) -> Matrix:
            predicted: Matrix = np.asarray(model.predict(rows), dtype=np.float64).reshape(len(rows))
            return predicted

        return Fitted(outputs, None, {"estimator": type(self.estimator).__name__})


def borrowed(estimator: Any) -> Model:
    """The model that an estimator of scikit-learn makes, a classifier or a regressor."""
    from sklearn.base import is_classifier, is_regressor

    if isinstance(estimator, type) or not hasattr(estimator, "get_params"):
        raise ValuationError(
            f"{estimator!r} is no model.",
            hint="Pass a name (karat.models.list_models() has them) or an estimator that is made, "
            "like RandomForestClassifier().",
        )
    if is_classifier(estimator):
        return BorrowedClassifier(estimator=estimator)
    if is_regressor(estimator):
        return BorrowedRegressor(estimator=estimator)
    raise ValuationError(
        f"{type(estimator).__name__} is neither a classifier nor a regressor.",
        hint="Pass one of them; steps before it go into a pipeline that ends with it.",
    )
