"""KNN-Shapley against brute force over orders, with and without ties, and pyDVL's stored numbers."""

from __future__ import annotations

import itertools
import json
import math
from pathlib import Path

import numpy as np
import pytest

from karat.baselines import value
from karat.baselines.knn import sorted_values
from karat.vendors import Market

STORED = json.loads((Path(__file__).parent / "pydvl_oracle.json").read_text())


def _votes(distances: np.ndarray, is_right: np.ndarray, members: list[int], neighbours: int) -> float:
    """Right votes of the nearest members over K: the mean over all orders of those at equal distance."""
    ordered = sorted(members, key=lambda i: distances[i])
    if not ordered:
        return 0.0
    worth = 0.0
    edge = distances[ordered[min(neighbours, len(ordered)) - 1]]
    inside = [i for i in ordered if distances[i] < edge]
    at_edge = [i for i in ordered if distances[i] == edge]
    worth += is_right[inside].sum()
    worth += is_right[at_edge].mean() * (min(neighbours, len(ordered)) - len(inside))
    return float(worth / neighbours)


def _brute_force(distances: np.ndarray, is_right: np.ndarray, neighbours: int) -> np.ndarray:
    n = len(distances)
    values = np.zeros(n)
    for order in itertools.permutations(range(n)):
        for k, i in enumerate(order):
            before = list(order[:k])
            values[i] += _votes(distances, is_right, [*before, i], neighbours)
            values[i] -= _votes(distances, is_right, before, neighbours)
    return values / math.factorial(n)


def _ours(distances: np.ndarray, is_right: np.ndarray, neighbours: int) -> np.ndarray:
    order, values = sorted_values(
        distances[None, :], is_right[None, :], neighbours, np.zeros((1, len(distances)))
    )
    placed = np.empty(len(distances))
    placed[order[0]] = values[0]
    return placed


@pytest.mark.parametrize("neighbours", [1, 2, 3, 6, 9])
@pytest.mark.parametrize("seed", [0, 1])
def test_values_are_means_over_all_orders(neighbours, seed):
    rng = np.random.default_rng(seed)
    distances, is_right = rng.uniform(size=6), rng.uniform(size=6) < 0.5
    np.testing.assert_allclose(
        _ours(distances, is_right, neighbours), _brute_force(distances, is_right, neighbours), atol=1e-12
    )


@pytest.mark.parametrize("neighbours", [1, 2, 3, 7])
@pytest.mark.parametrize("distances", [[1, 1, 1, 1, 1, 1], [0, 1, 1, 2, 2, 2], [3, 1, 3, 1, 2, 1]])
def test_tied_rows_get_their_mean_over_the_orders_of_the_tie(distances, neighbours):
    is_right = np.array([True, False, True, True, False, False])
    found = _ours(np.array(distances, dtype=float), is_right, neighbours)
    np.testing.assert_allclose(found, _brute_force(np.array(distances), is_right, neighbours), atol=1e-12)
    alike = {}
    for i, key in enumerate(zip(distances, is_right, strict=True)):
        assert found[i] == pytest.approx(alike.setdefault(key, found[i]))


def _stored_market() -> Market:
    vendors, test = STORED["market"]["vendors"], STORED["market"]["test"]
    return Market.from_arrays(
        {f"v{i}": vendor["rows"] for i, vendor in enumerate(vendors)},
        anchor=test["rows"],
        labels={f"v{i}": vendor["labels"] for i, vendor in enumerate(vendors)},
        anchor_labels=test["labels"],
    )


def test_vendor_means_are_those_of_pydvl():
    found = value(_stored_market(), "knn-shapley", neighbours=STORED["neighbours"])
    theirs = np.array(STORED["knn"]).reshape(5, 30).mean(axis=1)
    np.testing.assert_allclose(found.scores, theirs, rtol=1e-9, atol=1e-12)


def test_no_vendor_gains_by_its_place_where_vendors_show_the_same_rows():
    """All rows of `b` are rows of `a` with the other label; whoever stood first would win a tie."""
    rng = np.random.default_rng(0)
    pool, codes = rng.normal(size=(12, 2)) * 1e3 + 7e4, np.arange(12) % 2
    tests, truth = rng.normal(size=(30, 2)) * 1e3 + 7e4, rng.integers(2, size=30)

    def scores(names: str) -> np.ndarray:
        rows = {"a": pool, "b": pool[::-1]}
        labels = {"a": codes, "b": 1 - codes[::-1]}
        market = Market.from_arrays(
            {name: rows[name] for name in names}, anchor=tests, labels=labels, anchor_labels=truth
        )
        return value(market, "knn-shapley", neighbours=3).scores

    np.testing.assert_allclose(scores("ab"), scores("ba")[::-1], rtol=1e-9)


def test_all_rows_share_out_the_right_votes():
    market = _stored_market()
    scores = value(market, "knn-shapley", neighbours=1).scores
    rows = np.concatenate([v.rows for v in market.samples])
    labels = np.concatenate([v.labels for v in market.samples])
    nearest = ((market.anchor.rows[:, None] - rows) ** 2).sum(axis=2).argmin(axis=1)
    assert 30 * scores.sum() == pytest.approx(np.mean(labels[nearest] == market.anchor.labels))


def test_every_vendor_has_the_same_share_in_the_score_whatever_its_size():
    """Where the union is the reference, the test rows of `few` weigh four times those of `many`."""
    rng = np.random.default_rng(4)
    rows = {"few": rng.normal(size=(10, 2)), "many": rng.normal(size=(40, 2))}
    labels = {name: rng.integers(2, size=len(x)) for name, x in rows.items()}
    found = value(Market.from_arrays(rows, labels=labels), "knn-shapley", neighbours=1).scores
    pooled, codes = np.concatenate(list(rows.values())), np.concatenate(list(labels.values()))
    expected = np.zeros(50)
    for x, code, weight in zip(pooled, codes, np.repeat([0.5 / 10, 0.5 / 40], [10, 40]), strict=True):
        expected += weight * _ours(((pooled - x) ** 2).sum(axis=1), codes == code, 1)
    np.testing.assert_allclose(found, [expected[:10].mean(), expected[10:].mean()], rtol=1e-9)


def test_steps_over_test_rows_do_not_change_the_values(monkeypatch):
    whole = value(_stored_market(), "knn-shapley").scores
    monkeypatch.setattr("karat.baselines.knn.CELLS_AT_ONCE", 500)
    np.testing.assert_allclose(value(_stored_market(), "knn-shapley").scores, whole, rtol=1e-12)
