"""Worths of coalitions against the definition, mixture by mixture."""

from __future__ import annotations

import itertools
import time

import numpy as np
import pytest

from karat.baselines.coalitions import MmdGame, squared_mmd_shapley
from karat.baselines.semivalues import exact_semivalues, play, shapley_sizes


def _embeddings(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray, float]:
    """Vendors as points of a small space: the points, X, and |mu_w|^2."""
    rng = np.random.default_rng(seed)
    points, reference = rng.normal(size=(n, 4)), rng.normal(size=4)
    return points - reference, (points - reference) @ (points - reference).T, float(reference @ reference)


@pytest.mark.parametrize("squared", [False, True])
def test_the_worth_of_a_coalition_is_the_distance_of_its_mean(squared):
    shifted, inner, empty = _embeddings(5)
    game = MmdGame(inner, empty, squared)
    worths = game.all_worths()
    for mask in range(32):
        members = np.array([i for i in range(5) if mask >> i & 1], dtype=np.intp)
        distance = np.sqrt(empty) if mask == 0 else np.linalg.norm(shifted[members].mean(axis=0))
        expected = -(distance**2) if squared else -distance
        assert worths[mask] == pytest.approx(expected)
        assert game.worth(members) == pytest.approx(expected)


def test_growing_coalitions_have_the_worths_of_the_table():
    _, inner, empty = _embeddings(5)
    game = MmdGame(inner, empty)
    worths = game.all_worths()
    for order in itertools.permutations(range(5)):
        masks = np.concatenate([[0], np.cumsum(1 << np.array(order))])
        np.testing.assert_allclose(game.along(np.array(order)), worths[masks], rtol=1e-9)


def test_noise_below_zero_is_distance_zero_but_kept_in_squares():
    inner = np.array([[-0.01, 0.0], [0.0, 1.0]])
    assert MmdGame(inner, 1.0).all_worths()[1] == 0.0
    assert MmdGame(inner, 1.0, squared=True).all_worths()[1] == 0.01


@pytest.mark.parametrize("n", [1, 2, 3, 6])
def test_the_closed_form_is_the_mean_over_all_orders(n):
    _, inner, empty = _embeddings(n)
    game = MmdGame(inner, empty, squared=True)
    added = np.zeros(n)
    orders = list(itertools.permutations(range(n)))
    for order in orders:
        added[list(order)] += np.diff(game.along(np.array(order)))
    np.testing.assert_allclose(squared_mmd_shapley(inner, empty), added / len(orders), rtol=1e-10)


def test_the_closed_form_agrees_with_all_coalitions_of_twelve():
    _, inner, empty = _embeddings(12)
    worths = MmdGame(inner, empty, squared=True).all_worths()
    np.testing.assert_allclose(
        squared_mmd_shapley(inner, empty), exact_semivalues(worths, shapley_sizes(12)), rtol=1e-9
    )


def test_sixteen_vendors_take_less_than_two_seconds():
    _, inner, empty = _embeddings(16)
    start = time.process_time()
    values = exact_semivalues(MmdGame(inner, empty).all_worths(), shapley_sizes(16))
    assert time.process_time() - start < 2.0
    assert values.sum() == pytest.approx(-np.sqrt(inner.mean()) + np.sqrt(empty))


def test_random_orders_of_thirty_vendors_agree_with_the_closed_form():
    _, inner, empty = _embeddings(30)
    generator = np.random.default_rng(0)
    drawn = play(
        MmdGame(inner, empty, squared=True), shapley_sizes(30), exact=False, orders=400, generator=generator
    )
    assert drawn.errors is not None
    assert np.abs((drawn.values - squared_mmd_shapley(inner, empty)) / drawn.errors).max() < 4.0
