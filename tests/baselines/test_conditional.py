"""The conditional MMD against models and kernels put together by hand."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from karat.baselines import value
from karat.baselines.conditional import squared_distances_to_last
from karat.errors import MissingExtraError
from karat.kernels import Gaussian
from karat.vendors import Market


def _squared_mmd(a: np.ndarray, b: np.ndarray, bandwidth: float) -> float:
    """The mean over r != s of k(a_r, a_s) + k(b_r, b_s) - 2 k(a_r, b_s), from full kernel matrices."""
    gamma, m = 1.0 / (2.0 * bandwidth**2), len(a)
    total = rbf_kernel(a, a, gamma) + rbf_kernel(b, b, gamma) - 2.0 * rbf_kernel(a, b, gamma)
    return float((total.sum() - total.trace()) / (m * (m - 1)))


def _classes(vendors: int = 3, rows: int = 60, seed: int = 0) -> Market:
    rng = np.random.default_rng(seed)

    def draw(wrong: float) -> tuple[np.ndarray, np.ndarray]:
        codes = np.arange(rows) % 3
        x = np.eye(3)[codes][:, :2] * 3.0 + rng.normal(size=(rows, 2))
        return x, np.where(rng.uniform(size=rows) < wrong, rng.integers(3, size=rows), codes).astype(str)

    drawn, test = [draw(i / vendors) for i in range(vendors)], draw(0.0)
    return Market.from_arrays(
        {f"v{i}": x for i, (x, _) in enumerate(drawn)},
        anchor=test[0],
        labels={f"v{i}": y for i, (_, y) in enumerate(drawn)},
        anchor_labels=test[1],
    )


def _numbers(seed: int = 0) -> Market:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(4, 50, 2))
    y = x @ [1.0, 2.0] + np.array([0.1, 2.0, 8.0, 0.1])[:, None] * rng.normal(size=(4, 50))
    y[2] *= -1.0
    return Market.from_arrays(
        {f"v{i}": x[i] for i in range(3)},
        anchor=x[3],
        labels={f"v{i}": y[i] for i in range(3)},
        anchor_labels=y[3],
    )


def test_classes_are_compared_as_probabilities_with_one_hot_labels():
    market = _classes()
    found = value(market, "mmd-cond", kernel="gaussian:0.7")
    truth = np.eye(3)[market.anchor.labels.astype(int)]
    for i, vendor in enumerate(market.samples):
        model = make_pipeline(StandardScaler(), LogisticRegression()).fit(vendor.rows, vendor.labels)
        expected = _squared_mmd(model.predict_proba(market.anchor.rows), truth, 0.7)
        assert found.details["squared"][i] == pytest.approx(expected, abs=2e-6)
    np.testing.assert_allclose(found.scores, -np.sqrt(np.maximum(found.details["squared"], 0.0)))


def test_numbers_are_compared_with_targets():
    market = _numbers()
    found = value(market, "mmd-cond", kernel="gaussian:1.5")
    for i, vendor in enumerate(market.samples):
        model = make_pipeline(StandardScaler(), Ridge()).fit(vendor.rows, vendor.labels)
        predicted = model.predict(market.anchor.rows)[:, None]
        expected = _squared_mmd(predicted, market.anchor.labels[:, None], 1.5)
        assert found.details["squared"][i] == pytest.approx(expected, abs=2e-6)


def test_without_an_anchor_a_model_of_the_union_takes_its_place():
    market = _classes()
    found = value(market, "mmd-cond", reference="uniform", kernel="gaussian:0.7")
    rows = np.concatenate([v.rows for v in market.samples])
    labels = np.concatenate([v.labels for v in market.samples])

    def predicted(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        return make_pipeline(StandardScaler(), LogisticRegression()).fit(x, y).predict_proba(rows)

    truth = predicted(rows, labels)
    for i, vendor in enumerate(market.samples):
        expected = _squared_mmd(predicted(vendor.rows, vendor.labels), truth, 0.7)
        assert found.details["squared"][i] == pytest.approx(expected, abs=2e-6)
    assert found.details["reference"] == "uniform"


def test_perfect_models_are_as_often_above_zero_as_below():
    """Predictions and labels of one row go together; a row that met itself would bias all values down."""
    rng = np.random.default_rng(0)
    squared = []
    for _ in range(200):
        truth = rng.normal(size=(30, 1))
        # The same distribution, and the same rows nearly right.
        predicted = 0.8 * truth + 0.6 * rng.normal(size=(30, 1))
        squared.append(squared_distances_to_last([predicted, truth], Gaussian(1.0)))
    mean, error = np.mean(squared), np.std(squared) / np.sqrt(200)
    assert abs(mean) < 3.0 * error
    assert error < 0.001


def test_wrong_labels_cost():
    scores = value(_classes(rows=200), "mmd-cond").scores
    assert scores[0] > scores[1] > scores[2]


def test_a_vendor_may_lack_a_class():
    market = _classes()
    first = market.samples[0]
    keep = first.labels != "2"
    lacking = Market.from_arrays(
        {"v0": first.rows[keep], "v1": market.samples[1].rows},
        anchor=market.anchor.rows,
        labels={"v0": first.labels[keep], "v1": market.samples[1].labels},
        anchor_labels=market.anchor.labels,
    )
    assert value(lacking, "mmd-cond").scores[0] < value(market, "mmd-cond").scores[0]


def test_a_class_too_rare_to_be_drawn_leaves_the_kernel_as_it_is():
    """One row in 200 is of the second class; two one-hot labels are sqrt 2 apart."""
    rng = np.random.default_rng(0)
    codes = (np.arange(200) == 7).astype(float)
    vendors = {"a": rng.normal(size=(200, 2)), "b": rng.normal(1.0, 1.0, size=(200, 2))}
    market = Market.from_arrays(
        vendors,
        anchor=rng.normal(size=(200, 2)),
        labels={"a": codes, "b": codes[::-1]},
        anchor_labels=codes,
    )
    found = value(market, "mmd-cond", most_rows=20)
    r = np.sqrt(2.0)
    named = value(market, "mmd-cond", most_rows=20, kernel=f"gaussian-mean:{r / 2},{r},{2 * r}")
    np.testing.assert_allclose(found.details["squared"], named.details["squared"], rtol=1e-6, atol=1e-12)


def test_a_large_reference_is_thinned_by_its_content():
    found = value(_classes(), "mmd-cond", most_rows=30)
    assert found.scores.shape == (3,)
    np.testing.assert_array_equal(found.scores, value(_classes(), "mmd-cond", most_rows=30).scores)


def test_a_network_that_is_not_installed_names_the_command(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"'mmd-cond' needs PyTorch.*pip install 'karat\[torch\]'"):
        value(_classes(), "mmd-cond", model="mlp-16")


def test_networks_can_be_asked_for():
    pytest.importorskip("torch")
    scores = value(_classes(rows=100), "mmd-cond", model="mlp-16").scores
    assert np.isfinite(scores).all()
