"""CS-Shapley among vendors: brute force with scikit-learn, and the public code's truncation."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from karat.baselines import value
from karat.baselines.classwise import truncated_worths
from karat.errors import ValuationError
from karat.vendors import Market


def _draw(rng: np.random.Generator, rows: int, wrong: float) -> tuple[np.ndarray, np.ndarray]:
    codes = np.arange(rows) % 3
    x = np.eye(3)[codes][:, :2] * 2.0 + rng.normal(size=(rows, 2))
    return x, np.where(rng.uniform(size=rows) < wrong, rng.integers(3, size=rows), codes)


def _market(vendors: int = 3, rows: int = 15, seed: int = 0) -> Market:
    rng = np.random.default_rng(seed)
    drawn = [_draw(rng, rows, i / vendors) for i in range(vendors)]
    test = _draw(rng, 30, 0.0)
    return Market.from_arrays(
        {f"v{i}": x for i, (x, _) in enumerate(drawn)},
        anchor=test[0],
        labels={f"v{i}": y for i, (_, y) in enumerate(drawn)},
        anchor_labels=test[1],
    )


def _worth(
    market: Market, label: int, members: tuple[int, ...], others: tuple[int, ...] | None = None
) -> float:
    """a_y exp(a_-y) by scikit-learn on the rows themselves; other classes from all vendors, or from some."""
    sources = market.samples if others is None else [market.samples[i] for i in others]
    rows = [v.rows[v.labels != label] for v in sources]
    labels = [v.labels[v.labels != label] for v in sources]
    for i in members:
        rows.append(market.samples[i].rows[market.samples[i].labels == label])
        labels.append(market.samples[i].labels[market.samples[i].labels == label])
    if not members:
        return 0.0
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=200))
    predicted = model.fit(np.concatenate(rows), np.concatenate(labels)).predict(market.anchor.rows)
    right, own = predicted == market.anchor.labels, market.anchor.labels == label
    return (right & own).sum() / 30 * math.exp((right & ~own).sum() / 30)


def test_values_are_means_over_all_orders_of_the_vendors():
    market = _market()
    expected = np.zeros(3)
    for label in range(3):
        worths = {m: _worth(market, label, m) for r in range(4) for m in itertools.combinations(range(3), r)}
        for order in itertools.permutations(range(3)):
            for k, i in enumerate(order):
                expected[i] += worths[tuple(sorted(order[: k + 1]))] - worths[tuple(sorted(order[:k]))]
    found = value(market, "cs-shapley", model="logistic")
    np.testing.assert_allclose(found.scores, expected / 6, rtol=1e-9)
    assert found.details["standard_errors"] is None


def test_the_values_of_the_classes_add_up():
    found = value(_market(5), "cs-shapley")
    by_class = found.details["by_class"]
    assert list(by_class) == ["0.0", "1.0", "2.0"]
    np.testing.assert_allclose(np.sum(list(by_class.values()), axis=0), found.scores)


def test_a_vendor_without_a_class_gets_nothing_for_it():
    market = _market()
    samples = list(market.samples)
    keep = samples[2].labels != 1
    lacking = Market.from_arrays(
        {v.name: v.rows if v is not samples[2] else v.rows[keep] for v in samples},
        anchor=market.anchor.rows,
        labels={v.name: v.labels if v is not samples[2] else v.labels[keep] for v in samples},
        anchor_labels=market.anchor.labels,
    )
    assert value(lacking, "cs-shapley").details["by_class"]["1.0"][2] == 0.0


def test_random_orders_come_within_their_standard_errors():
    market = _market(5)
    exact = value(market, "cs-shapley").scores
    drawn = value(market, "cs-shapley", exact_up_to=0, orders=200, truncation=0.0)
    assert np.abs((drawn.scores - exact) / drawn.details["standard_errors"]).max() < 4.0
    truncated = value(market, "cs-shapley", exact_up_to=0, orders=200)
    np.testing.assert_allclose(truncated.scores, drawn.scores, atol=0.02)


def test_other_classes_can_be_drawn_from_random_coalitions():
    """On average the mean of the values over all coalitions that may bring them; nobody stands for all."""
    market, everyone = _market(), (0, 1, 2)
    coalitions = [m for r in range(4) for m in itertools.combinations(everyone, r)]
    expected = np.zeros(3)
    for label, others in itertools.product(range(3), coalitions):
        worths = {m: _worth(market, label, m, others or everyone) for m in coalitions}
        for order in itertools.permutations(everyone):
            for k, i in enumerate(order):
                expected[i] += worths[tuple(sorted(order[: k + 1]))] - worths[tuple(sorted(order[:k]))]
    found = value(market, "cs-shapley", model="logistic", others="drawn", orders=2000, truncation=0.0)
    misses = (found.scores - expected / (6 * len(coalitions))) / found.details["standard_errors"]
    assert np.abs(misses).max() < 4.0
    assert max(found.details["standard_errors"]) < 0.005


def _as_in_the_public_code(inside: list[float], outside: list[float], truncation: float) -> np.ndarray:
    """Worths along one order as the public code has them: a_-y stays 0 where the order is cut short."""
    n = len(inside) - 1
    a_in, a_out = np.zeros(n + 1), np.zeros(n + 1)
    a_in[n], a_out[n], a_out[0] = inside[n], outside[n], outside[0]
    for k in range(1, n + 1):
        if abs(a_in[n] - a_in[k - 1]) < truncation:
            a_in[k] = a_in[k - 1]
        else:
            a_in[k], a_out[k] = inside[k], outside[k]
    return a_in * np.exp(a_out)


def test_a_truncated_order_takes_nothing_from_one_vendor_and_gives_it_to_the_last():
    """a_y reaches its end with the second of five players; players three to five add nothing.

    The public code charges player three with a_y (exp(a_-y) - 1) and pays it to player five.
    """
    inside, outside = [0.0, 0.2, 0.3, 0.3, 0.3, 0.3], [0.5] * 6
    public = np.diff(_as_in_the_public_code(inside, outside, truncation=1e-4))
    loss = 0.3 * (math.exp(0.5) - 1.0)
    np.testing.assert_allclose(public[2:], [-loss, 0.0, loss])

    ours = np.diff(truncated_worths(lambda k: (inside[k], outside[k]), 5, 1e-4))
    untouched = np.diff(truncated_worths(lambda k: (inside[k], outside[k]), 5, 0.0))
    np.testing.assert_allclose(ours, untouched, atol=1e-12)
    np.testing.assert_allclose(ours[2:], 0.0)
    np.testing.assert_allclose(ours.sum(), public.sum())


def test_truncation_saves_training():
    asked: list[int] = []

    def accuracies(k: int) -> tuple[float, float]:
        asked.append(k)
        return min(0.1 * k, 0.3), 0.5

    truncated_worths(accuracies, 9, 1e-4)
    assert asked == [9, 1, 2, 3]


def test_numbers_are_no_classes():
    market = _market()
    with pytest.raises(ValuationError, match=r"needs classes, and the labels are a regression target"):
        value(market, "cs-shapley", label_kind="numbers")
