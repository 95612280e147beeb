"""Estimators of scikit-learn as models: what they predict themselves, from clones, by the seed."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from karat.baselines import value
from karat.errors import ValuationError
from karat.models import model_named
from karat.vendors import Market


def _draw(seed: int = 0, rows: int = 60) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(rows, 3))
    return x, (x[:, 0] > 0).astype(int) + (x[:, 1] > 1), x @ [1.0, 2.0, 0.0] + rng.normal(size=rows)


def test_a_classifier_gives_its_own_probabilities_also_where_it_has_not_seen_a_class():
    x, codes, _ = _draw()
    theirs = RandomForestClassifier(10, random_state=7).fit(x, codes * 2)
    ours = model_named(RandomForestClassifier(10)).fit(x, codes * 2, n_classes=6, seed=7)
    np.testing.assert_array_equal(ours.predict_proba(x)[:, [0, 2, 4]], theirs.predict_proba(x))
    assert not ours.predict_proba(x)[:, [1, 3, 5]].any()
    assert ours.details == {"estimator": "RandomForestClassifier"}


def test_a_classifier_without_probabilities_is_certain():
    x, codes, _ = _draw()
    ours = model_named(RidgeClassifier()).fit(x, codes, n_classes=3)
    np.testing.assert_array_equal(ours.outputs(x), np.eye(3)[RidgeClassifier().fit(x, codes).predict(x)])


def test_a_regressor_predicts_what_it_predicts():
    x, _, y = _draw()
    ours = model_named(LinearRegression()).fit(x, y)
    np.testing.assert_allclose(ours.predict(x), LinearRegression().fit(x, y).predict(x))


def test_the_seed_reaches_into_pipelines_and_the_given_estimator_stays_as_it_was():
    x, _, y = _draw()
    given = make_pipeline(StandardScaler(), RandomForestRegressor(5))
    first, again, other = (model_named(given).fit(x, y, seed=s).predict(x) for s in (1, 1, 2))
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)
    assert not hasattr(given[-1], "estimators_")
    fixed = RandomForestRegressor(5, random_state=3)
    expected = RandomForestRegressor(5, random_state=3).fit(x, y).predict(x)
    np.testing.assert_array_equal(model_named(fixed).fit(x, y, seed=1).predict(x), expected)


@pytest.mark.parametrize("name", ["mmd-cond", "data-shapley", "cs-shapley"])
def test_valuations_take_an_estimator_for_the_model(name):
    parts = [_draw(seed) for seed in range(3)]
    market = Market.from_arrays(
        {f"v{i}": parts[i][0] for i in range(2)},
        labels={f"v{i}": parts[i][1].astype(float) for i in range(2)},
        anchor=parts[2][0],
        anchor_labels=parts[2][1].astype(float),
    )
    same_as_logistic = make_pipeline(StandardScaler(), LogisticRegression(max_iter=200))
    borrowed = value(market, name, model=same_as_logistic).scores
    np.testing.assert_allclose(borrowed, value(market, name, model="logistic").scores, rtol=1e-9)
    assert np.isfinite(value(market, name, model=RandomForestClassifier(5)).scores).all()
    with pytest.raises(ValuationError, match=r"'regressor' learns numbers, and the labels are classes"):
        value(market, name, model=LinearRegression())


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (RandomForestClassifier, r"is no model.*that is made, like RandomForestClassifier\(\)"),
        (3.5, r"3.5 is no model"),
        (StandardScaler(), "StandardScaler is neither a classifier nor a regressor"),
    ],
)
def test_what_is_no_model_is_refused(given, said):
    with pytest.raises(ValuationError, match=said):
        model_named(given)
