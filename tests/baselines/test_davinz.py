"""DAVINZ against its definition, matrix by matrix; what needs torch is in test_ntk."""

from __future__ import annotations

import math

import numpy as np
import pytest

from karat.baselines import value
from karat.baselines.davinz import linear_score, quadratic_form
from karat.errors import MissingExtraError, ValuationError
from karat.vendors import Market


@pytest.mark.parametrize("shape", [(3, 7), (40, 4), (5, 5)])
def test_the_quadratic_form_is_that_of_the_full_matrix(shape):
    rng = np.random.default_rng(0)
    x, r = rng.normal(size=shape), rng.normal(size=shape[0])
    expected = r @ np.linalg.inv(x @ x.T + 0.01 * np.eye(shape[0])) @ r
    assert quadratic_form(x, r, 0.01) == pytest.approx(expected, rel=1e-9)


def test_the_score_of_a_linear_model_is_its_definition():
    """Theta_kl = <x_k, x_l> where the labels agree and 0 elsewhere; r = 1 - logit of the row's own label."""
    rng = np.random.default_rng(1)
    x, codes = rng.normal(size=(30, 4)), rng.integers(3, size=30)
    weights = np.random.default_rng(7).uniform(-1, 1, size=(3, 4)) / 2.0
    theta = (x @ x.T) * (codes[:, None] == codes)
    r = 1.0 - np.einsum("ij,ij->i", x, weights[codes])
    expected = r @ np.linalg.solve(theta + 1e-4 * np.eye(30), r)
    assert linear_score(x, codes, 3, 1e-4, 7) == pytest.approx(expected, rel=1e-6)

    y = rng.normal(size=30)
    weights = np.random.default_rng(7).uniform(-1, 1, size=4) / 2.0
    r = y - x @ weights
    expected = r @ np.linalg.solve(x @ x.T + 1e-4 * np.eye(30), r)
    assert linear_score(x, y, None, 1e-4, 7) == pytest.approx(expected, rel=1e-6)


def _market(kind: str = "classes", rows: int = 80, seed: int = 0) -> Market:
    """Four vendors whose labels are ever worse."""
    rng = np.random.default_rng(seed)

    def draw(noise: float) -> tuple[np.ndarray, np.ndarray]:
        codes = np.arange(rows) % 2
        centre = np.where(codes, 2.0, -2.0)[:, None] * [1.0, 0.5]
        x = centre + rng.normal(size=(rows, 2))
        if kind == "classes":
            return x, np.where(rng.uniform(size=rows) < noise, rng.integers(2, size=rows), codes)
        return x, 1e5 + 1e4 * (x[:, 0] + 3.0 * noise * rng.normal(size=rows))

    drawn, test = [draw(i / 4) for i in range(4)], draw(0.0)
    return Market.from_arrays(
        {f"v{i}": x for i, (x, _) in enumerate(drawn)},
        anchor=test[0],
        labels={f"v{i}": y for i, (_, y) in enumerate(drawn)},
        anchor_labels=test[1],
    )


def test_the_two_parts_weigh_the_same_on_average():
    details = value(_market(), "davinz").details
    assert details["kappa"] * np.mean(details["ntk"]) == pytest.approx(np.mean(details["mmd"]))


def test_the_value_is_minus_the_weighted_parts_with_the_biased_mmd():
    market = _market()
    found = value(market, "davinz", bandwidth=2.0)
    parts = found.details
    np.testing.assert_allclose(
        found.scores, -parts["kappa"] * np.array(parts["ntk"]) - np.array(parts["mmd"]), rtol=1e-12
    )
    x, y = market.samples[0].rows, market.anchor.rows
    k = [np.exp(-((a[:, None] - b) ** 2).sum(axis=2) / 8.0).mean() for a, b in ((x, x), (y, y), (x, y))]
    assert parts["mmd"][0] == pytest.approx(math.sqrt(k[0] + k[1] - 2 * k[2]), rel=1e-4)


def test_the_score_of_a_vendor_is_the_mean_over_starts_of_the_root_of_the_mean_form():
    """From the definition, with the ridge of the public code, on rows in units of the anchor's."""
    market = _market()
    vendor, own = market.samples[1], market.anchor.rows
    x, codes = (vendor.rows - own.mean(axis=0)) / own.std(axis=0), vendor.labels.astype(int)
    theta = (x @ x.T) * (codes[:, None] == codes) + 1e-4 * np.eye(len(x))
    roots = []
    for start in np.random.SeedSequence(3).generate_state(5):
        weights = np.random.default_rng(int(start)).uniform(-1.0, 1.0, size=(2, 2)) / math.sqrt(2.0)
        r = 1.0 - np.einsum("ij,ij->i", x, weights[codes])
        roots.append(math.sqrt(r @ np.linalg.solve(theta, r) / len(x)))
    found = value(market, "davinz", seed=3).details["ntk"][1]
    assert found == pytest.approx(np.mean(roots), rel=1e-6)


@pytest.mark.parametrize("kind", ["classes", "numbers"])
def test_noisier_labels_are_worth_less(kind):
    found = value(_market(kind, rows=300), "davinz")
    assert list(np.argsort(-np.array(found.details["ntk"]))) == [3, 2, 1, 0]


def test_more_starts_make_the_score_steadier():
    market = _market()

    def variation(starts: int) -> float:
        scores = [value(market, "davinz", seed=s, initialisations=starts).details["ntk"] for s in range(6)]
        return float(np.std(scores, axis=0).mean())

    assert variation(25) < 0.5 * variation(1)


def test_units_of_columns_and_targets_do_not_matter():
    market = _market("numbers")
    moved = Market.from_arrays(
        {v.name: v.rows * [1e3, 1.0] + [5.0, -7.0] for v in market.samples},
        anchor=market.anchor.rows * [1e3, 1.0] + [5.0, -7.0],
        labels={v.name: v.labels * 1e-4 for v in market.samples},
        anchor_labels=market.anchor.labels * 1e-4,
    )
    np.testing.assert_allclose(
        value(moved, "davinz").details["ntk"], value(market, "davinz").details["ntk"], rtol=1e-6
    )


def test_the_union_of_the_vendors_can_be_the_reference():
    assert value(_market(), "davinz", reference="uniform").details["reference"] == "uniform"


def test_a_model_that_is_no_network_is_refused():
    with pytest.raises(ValuationError, match=r"needs a network, and 'ridge' is none.*'linear'"):
        value(_market(), "davinz", model="ridge")


def test_a_network_without_torch_names_the_command(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"pip install 'karat\[torch\]'"):
        value(_market(), "davinz", model="mlp-16")
