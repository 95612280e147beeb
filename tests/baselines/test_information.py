from __future__ import annotations

import math

import numpy as np
import pytest

from karat.baselines import information, value
from karat.baselines.information import Process, fit_process, linear_gain
from karat.baselines.standard import standardised
from karat.errors import ValuationError
from karat.vendors import Market


def labelled(rng, rows=40):
    x = rng.normal(size=(rows, 2))
    return x, np.sin(2.0 * x[:, 0]) + 0.1 * rng.normal(size=rows)


@pytest.fixture(scope="module")
def market():
    rng = np.random.default_rng(0)
    wide, narrow = labelled(rng), labelled(rng)
    return Market.from_arrays(
        {"wide": 2.0 * wide[0], "narrow": 0.3 * narrow[0]}, labels={"wide": wide[1], "narrow": narrow[1]}
    )


@pytest.mark.parametrize(("m", "d"), [(30, 4), (4, 30)])
def test_the_linear_gain_is_what_the_answers_tell_one_by_one(m, d):
    """The chain rule: each row adds log(1 + x' S x / noise) / 2, and updates the posterior covariance S."""
    rows = np.random.default_rng(1).normal(size=(m, d))
    covariance, noise, expected = 2.0 * np.eye(d), 0.5, 0.0
    for x in rows:
        told = covariance @ x
        expected += 0.5 * math.log1p(x @ told / noise)
        covariance -= np.outer(told, told) / (noise + x @ told)
    assert linear_gain(rows, 2.0 / noise) == pytest.approx(expected, rel=1e-10)


def test_prior_and_noise_enter_as_their_ratio(market):
    rows = standardised(market.samples)[1]
    expected = 0.5 * np.linalg.slogdet(np.eye(2) + (4.0 / 0.5) * rows.T @ rows)[1]
    found = value(market, "information-gain", prior=4.0, noise=0.5).scores[1]
    assert found == pytest.approx(expected, rel=1e-12)


def test_the_gain_of_a_process_is_what_the_answers_tell_one_by_one():
    """Row by row, from the predictive variance given the rows before."""
    rows = np.random.default_rng(2).normal(size=(15, 2))
    process = Process(lengthscale=0.8, amplitude=1.5, noise=0.3)
    k = process.kernel(rows, rows)
    expected = 0.0
    for i in range(15):
        known = k[:i, :i] + 0.3 * np.eye(i)
        variance = k[i, i] - (k[i, :i] @ np.linalg.solve(known, k[:i, i]) if i else 0.0)
        expected += 0.5 * math.log1p(variance / 0.3)
    assert process.gain(rows) == pytest.approx(expected, rel=1e-10)


def test_the_kernel_of_a_process_is_the_gaussian_one():
    process = Process(lengthscale=2.0, amplitude=3.0, noise=1.0)
    block = process.kernel(np.array([[0.0]]), np.array([[4.0]]))
    assert block[0, 0] == pytest.approx(3.0 * math.exp(-2.0))


def test_landmarks_give_a_lower_bound_that_is_met_when_they_are_the_rows():
    rng = np.random.default_rng(3)
    rows = rng.normal(size=(80, 2))
    process = Process(lengthscale=1.0, amplitude=1.0, noise=0.5)
    exact = process.gain(rows)
    few, many = (process.least_gain(rows, rows[:p]) for p in (10, 40))
    assert few < many < exact
    assert process.least_gain(rows, rows) == pytest.approx(exact, rel=1e-6)


def test_many_rows_are_projected_and_it_is_said(market, monkeypatch):
    exact = value(market, "information-gain", model="gp")
    monkeypatch.setattr(information, "MOST_EXACT_ROWS", 10)
    projected = value(market, "information-gain", model="gp")
    assert exact.details["is_exact"]
    assert not projected.details["is_exact"]
    np.testing.assert_allclose(projected.scores, exact.scores, rtol=1e-4)


@pytest.mark.parametrize("model", ["linear", "gp"])
def test_spread_rows_tell_more(market, model):
    scores = value(market, "information-gain", model=model).scores
    assert scores[0] > scores[1] > 0.0


def test_the_fit_finds_the_process_that_made_the_targets():
    rng = np.random.default_rng(4)
    rows = rng.uniform(-3.0, 3.0, size=(100, 1))
    truth = Process(lengthscale=0.7, amplitude=1.0, noise=0.04)
    factor = np.linalg.cholesky(truth.kernel(rows, rows) + 0.04 * np.eye(100))
    fitted = fit_process(rows, factor @ rng.normal(size=(100, 4)))
    assert fitted.lengthscale == pytest.approx(0.7, rel=0.2)
    assert fitted.noise == pytest.approx(0.04, rel=0.3)


def test_classes_are_fitted_as_indicators():
    rng = np.random.default_rng(5)
    rows = {name: rng.normal(size=(30, 2)) for name in "ab"}
    labels = {name: np.where(x[:, 0] > 0.0, "yes", "no") for name, x in rows.items()}
    values = value(Market.from_arrays(rows, labels=labels), "information-gain", model="gp")
    assert values.details["noise"] < 1.0


def test_a_class_too_rare_to_be_drawn_leaves_nothing_to_fit():
    rng = np.random.default_rng(6)
    rows = {name: rng.normal(size=(300, 2)) for name in "ab"}
    labels = {name: np.arange(300) == 7 for name in "ab"}
    market = Market.from_arrays(rows, labels=labels)
    with pytest.raises(ValuationError, match=r"10 rows drawn from all vendors, and all.*one label.*fit_rows"):
        value(market, "information-gain", model="gp", fit_rows=10)
    assert np.isfinite(value(market, "information-gain", model="gp", fit_rows=600).scores).all()


def test_the_process_needs_labels_and_the_linear_model_none():
    vendors = {"a": [[0.0], [1.0]], "b": [[0.0], [2.0]]}
    assert np.isfinite(value(vendors, "information-gain").scores).all()
    with pytest.raises(ValuationError, match="'information-gain' needs labels, and vendor 'a' has none"):
        value(vendors, "information-gain", model="gp")
