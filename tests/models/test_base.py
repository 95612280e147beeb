"""What every model promises, whichever it is; networks are skipped where torch is absent."""

from __future__ import annotations

import numpy as np
import pytest

from karat.errors import MissingExtraError, ValuationError
from karat.models import MODELS, list_models, model_named
from karat.models.base import score

PLAIN = ["ridge", "logistic"]
SMALL = {
    "mlp-16": {"epochs": 3},
    "cnn-22k": {"epochs": 1},
    "cnn-104k": {"epochs": 1},
    "cnn-1.2m": {"epochs": 1},
    "resnet-18": {"epochs": 1},
    "patches": {"n_centroids": 8, "n_patches": 500},
}


def _model(name: str):
    if name not in PLAIN and name != "patches":
        pytest.importorskip("torch")
    return model_named(name, **SMALL.get(name, {}))


def _images(rows: int = 24, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Bright on the left or on the right: 16 x 16 pixels, two classes."""
    rng = np.random.default_rng(seed)
    codes = np.arange(rows) % 2
    images = rng.uniform(0, 0.3, size=(rows, 16, 16))
    images[codes == 0, :, :8] += 0.7
    images[codes == 1, :, 8:] += 0.7
    return images.reshape(rows, -1), codes


@pytest.mark.parametrize("name", MODELS)
def test_probabilities_sum_to_one_and_absent_classes_are_allowed(name):
    x, codes = _images()
    fitted = _model(name).fit(x, codes, n_classes=3)
    probabilities = fitted.predict_proba(x)
    assert probabilities.shape == (24, 3)
    assert probabilities.dtype == np.float64
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0, rtol=1e-6)


@pytest.mark.parametrize("name", [name for name in MODELS if name != "resnet-18"])
def test_the_same_seed_gives_the_same_model_and_leaves_rows_untouched(name):
    x, codes = _images()
    x.flags.writeable = codes.flags.writeable = False
    first, second = (_model(name).fit(x, codes, n_classes=2, seed=3).outputs(x) for _ in range(2))
    np.testing.assert_array_equal(first, second)


@pytest.mark.parametrize("name", ["ridge", "patches", "mlp-16", "cnn-22k"])
def test_numbers_can_be_learnt_too(name):
    x, codes = _images()
    fitted = _model(name).fit(x, 1000.0 + 50.0 * codes)
    assert fitted.predict(x).shape == (24,)
    assert 900.0 < fitted.predict(x).mean() < 1150.0


@pytest.mark.parametrize("name", ["ridge", "logistic", "patches"])
def test_what_is_easy_to_see_is_learnt(name):
    x, codes = _images(60)
    test, truth = _images(60, seed=1)
    assert _model(name).fit(x, codes, n_classes=2).score(test, truth) > 0.95


@pytest.mark.parametrize("name", ["ridge", "logistic"])
def test_a_single_class_is_always_predicted(name):
    x, _ = _images()
    fitted = model_named(name).fit(x, np.full(24, 1), n_classes=3)
    np.testing.assert_array_equal(fitted.predict(x), 1)


def test_logistic_regression_refuses_numbers_and_names_a_model_that_takes_them():
    with pytest.raises(
        ValuationError, match=r"'logistic' learns classes, and the labels are numbers.*'ridge'"
    ):
        model_named("logistic").fit(np.zeros((3, 1)), np.array([0.1, 0.2, 0.3]))


def test_a_logistic_regression_that_has_not_converged_says_so():
    x, codes = _images()
    assert model_named("logistic", steps=1).fit(x, codes, n_classes=2).details == {"converged": False}
    assert model_named("logistic").fit(x, codes, n_classes=2).details == {"converged": True}


def test_an_unknown_model_or_option_says_what_there_is():
    with pytest.raises(ValuationError, match=r"no model called 'ridgee'.*Did you mean 'ridge'.*logistic"):
        model_named("ridgee")
    with pytest.raises(ValuationError, match=r"'cnn-22k' has no option 'size'.*It takes epochs"):
        model_named("cnn-22k", size="1.2m")


def test_a_model_that_is_not_installed_names_the_command(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"'cnn-22k' needs torch.*pip install 'karat\[torch\]'"):
        model_named("cnn-22k")


def test_the_list_of_models_needs_no_torch():
    assert {row["name"]: row["extra"] for row in list_models()} == dict.fromkeys(
        ("ridge", "logistic", "patches")
    ) | dict.fromkeys(("mlp-16", "cnn-22k", "cnn-104k", "cnn-1.2m", "resnet-18"), "torch")


def test_scores_are_accuracy_and_r_squared():
    assert score(np.array([1.0, 2.0]), np.array([1.0, 2.0]), None) == 1.0
    assert score(np.array([1.5, 1.5]), np.array([1.0, 2.0]), None) == 0.0
    assert score(np.array([0, 1]), np.array([0, 0]), 2, np.array([0.9, 0.1])) == pytest.approx(0.9)
