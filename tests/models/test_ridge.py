"""The ridge model against scikit-learn, and its sums against fits on pooled rows."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import Ridge as SklearnRidge
from sklearn.linear_model import RidgeClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from karat.errors import ValuationError
from karat.models import Ridge, RidgeSums


def _draw(seed: int = 0, rows: int = 60, columns: int = 4) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(rows, columns)) * [1.0, 10.0, 0.1, 1.0] + [0.0, 100.0, 0.0, -3.0]
    signal = (x - x.mean(axis=0)) / x.std(axis=0) @ [1.0, -2.0, 0.5, 0.0]
    return x, signal + rng.normal(size=rows), np.digitize(signal, [-1.0, 1.0])


@pytest.mark.parametrize("strength", [0.1, 1.0, 50.0])
def test_numbers_are_those_of_scikit_learn_on_standardised_columns(strength):
    x, y, _ = _draw()
    theirs = make_pipeline(StandardScaler(), SklearnRidge(alpha=strength)).fit(x, y)
    ours = Ridge(strength=strength).fit(x, y)
    np.testing.assert_allclose(ours.predict(x[:7]), theirs.predict(x[:7]), rtol=1e-9)


def test_classes_are_those_of_scikit_learns_ridge_classifier():
    x, _, codes = _draw(rows=300)
    theirs = make_pipeline(StandardScaler(), RidgeClassifier(alpha=1.0)).fit(x, codes)
    ours = Ridge().fit(x, codes, n_classes=3)
    np.testing.assert_array_equal(ours.predict(x), theirs.predict(x))
    np.testing.assert_allclose(ours.predict_proba(x).sum(axis=1), 1.0)


@pytest.mark.parametrize("n_classes", [None, 3])
def test_sums_of_parts_give_the_model_of_the_whole(n_classes):
    x, y, codes = _draw()
    labels = y if n_classes is None else codes
    whole = Ridge().fit(x, labels, n_classes=n_classes)
    parts = [RidgeSums.of(x[a:b], labels[a:b], n_classes, x[0]) for a, b in ((0, 11), (11, 40), (40, 60))]
    added = (parts[2] + parts[0] + parts[1]).fitted(1.0)
    np.testing.assert_allclose(added.outputs(x), whole.outputs(x), rtol=1e-9, atol=1e-12)


def test_units_and_offsets_of_columns_do_not_matter():
    x, y, _ = _draw()
    moved = x * [1e3, 1e-3, 1.0, 7.0] + [1e6, 0.0, 5.0, -1.0]
    np.testing.assert_allclose(Ridge().fit(moved, y).predict(moved), Ridge().fit(x, y).predict(x), rtol=1e-6)


def test_a_constant_column_changes_nothing():
    x, y, _ = _draw()
    wider = np.column_stack([x, np.full(len(x), 0.1)])
    np.testing.assert_allclose(Ridge().fit(wider, y).predict(wider), Ridge().fit(x, y).predict(x), rtol=1e-9)
    # Nor does one that happens to vary only in rows never trained on.
    wider[:, -1] += np.arange(len(x))
    trained = Ridge().fit(np.column_stack([x, np.full(len(x), 0.1)]), y)
    np.testing.assert_allclose(trained.predict(wider), Ridge().fit(x, y).predict(x), rtol=1e-9)


def test_a_class_that_never_occurs_gets_no_probability():
    x, _, codes = _draw()
    fitted = Ridge().fit(x, codes, n_classes=5)
    np.testing.assert_allclose(fitted.predict_proba(x)[:, 3:], 0.0, atol=1e-12)


def test_a_penalty_that_is_not_positive_is_refused():
    with pytest.raises(ValuationError, match=r"ridge penalty is 0.*positive"):
        Ridge(strength=0.0)
