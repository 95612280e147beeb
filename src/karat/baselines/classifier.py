"""The classifier two-sample test: how well can a model tell a vendor's rows from the reference's?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from threadpoolctl import threadpool_limits

from karat.baselines.base import Case, Valuation, rows_of
from karat.baselines.reference import drawn_rows
from karat.errors import ValuationError
from karat.typing import Matrix, Vector
from karat.values import Values

FEWEST_ROWS = 4
"""Two folds need two rows of each side to learn from and two to judge."""


@dataclass(frozen=True, kw_only=True)
class ClassifierTwoSample(Valuation):
    """Minus the cross-validated AUC above a half, v_i = -(AUC - 1/2): 0 where nobody can tell the rows apart.

    A fresh model per fold, the mean of the folds' AUCs; noise may lift a value slightly above 0, and none is
    below -1/2: beyond what the model separates perfectly, nothing is told apart any more.
    model: "boosting" (trees on histograms; sees any difference) or "logistic" (sees shifts of the mean).
    Without an anchor the reference is the union of the *other* vendors.
    """

    name: ClassVar[str] = "classifier-two-sample"
    needs: ClassVar[tuple[str, ...]] = ("reference",)
    converges_to: ClassVar[str] = "-(AUC of the best model of its kind - 1/2)"
    cost: ClassVar[str] = "folds fits on m + l rows per vendor"
    citation: ClassVar[str] = "Lopez-Paz and Oquab 2017"
    least: ClassVar[Mapping[str, float]] = {"folds": 2, "most_rows": FEWEST_ROWS}

    model: Literal["boosting", "logistic"] = "boosting"
    folds: int = 5
    most_rows: int = 10_000

    def run(self, case: Case) -> Values:
        scores, errors, names = [], [], set()
        for i, sample in enumerate(case.market.samples):
            others = case.reference.without(sample)
            names.add(others.name)
            reference = others.drawn(self.most_rows, case.seed).rows
            rows = rows_of(sample)[drawn_rows(sample, self.most_rows, case.seed)]
            for side, who in ((rows, f"vendor {sample.name!r}"), (reference, "the reference")):
                _check_rows(side, who)
            aucs = self._aucs(rows, reference, case.seed)
            scores.append(0.5 - float(aucs.mean()))
            errors.append(float(aucs.std(ddof=1) / np.sqrt(len(aucs))))
            case.tell(i + 1, len(case.market.samples))
        return case.values(self, scores, reference=names.pop(), model=self.model, fold_errors=errors)

    def _aucs(self, rows: Matrix, reference: Matrix, seed: int) -> Vector:
        """One AUC per fold, of a fresh model's score on the rows that it has not seen."""
        from sklearn.metrics import roc_auc_score
        from sklearn.model_selection import StratifiedKFold

        x = np.vstack([rows, reference])
        side = np.repeat([1, 0], [len(rows), len(reference)])
        folds = max(2, min(self.folds, len(rows) // 2, len(reference) // 2))
        aucs = []
        split = StratifiedKFold(folds, shuffle=True, random_state=seed % 2**32)
        # On a busy machine threads that wait for each other at every tree are a hundred times slower.
        with threadpool_limits(limits=1):
            for train, test in split.split(x, side):
                model = self._fresh(seed).fit(x[train], side[train])
                aucs.append(roc_auc_score(side[test], model.predict_proba(x[test])[:, 1]))
        return np.array(aucs)

    def _fresh(self, seed: int) -> Any:
        if self.model == "logistic":
            from sklearn.linear_model import LogisticRegression
            from sklearn.pipeline import make_pipeline
            from sklearn.preprocessing import StandardScaler

            return make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
        from sklearn.ensemble import HistGradientBoostingClassifier

        return HistGradientBoostingClassifier(
            max_iter=60,
            max_leaf_nodes=15,
            min_samples_leaf=10,
            early_stopping=False,
            random_state=seed % 2**32,
        )


def _check_rows(rows: Matrix, who: str) -> None:
    if len(rows) < FEWEST_ROWS:
        raise ValuationError(
            f"the valuation 'classifier-two-sample' needs {FEWEST_ROWS} rows on each side, and {who} has "
            f"{len(rows)}.",
            hint="Ask for more rows, or choose 'mmd' or 'energy', which need two.",
        )
