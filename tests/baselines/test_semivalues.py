"""Semivalues against loops over permutations and subsets, closed forms, and pyDVL's stored numbers."""

from __future__ import annotations

import itertools
import json
import math
from pathlib import Path

import numpy as np
import pytest

from karat.baselines.semivalues import (
    Game,
    banzhaf_sizes,
    beta_sizes,
    exact_semivalues,
    last_size,
    play,
    shapley_sizes,
)

ORACLE = json.loads((Path(__file__).parent / "pydvl_oracle.json").read_text())


class _Table(Game):
    """A game whose worths are listed."""

    def __init__(self, worths: np.ndarray) -> None:
        self.worths, self.n = worths, int(math.log2(len(worths)))

    def worth(self, players: np.ndarray) -> float:
        return float(self.worths[sum(1 << int(i) for i in players)])

    def all_worths(self) -> np.ndarray:
        return self.worths


def _random_game(n: int, seed: int = 0) -> _Table:
    return _Table(np.random.default_rng(seed).normal(size=2**n))


def _play(game: Game, sizes: np.ndarray, **options):
    settings = {"exact": True, "orders": 0, "generator": np.random.default_rng(0)} | options
    return play(game, sizes, **settings)


def test_shapley_values_are_means_over_all_orders():
    game = _random_game(5)
    added = np.zeros(5)
    for order in itertools.permutations(range(5)):
        added[list(order)] += np.diff(game.along(np.array(order)))
    np.testing.assert_allclose(_play(game, shapley_sizes(5)).values, added / math.factorial(5), rtol=1e-12)


def test_banzhaf_values_are_means_over_all_coalitions_of_the_others():
    game = _random_game(5)
    for i in range(5):
        added = [game.worths[mask | 1 << i] - game.worths[mask] for mask in range(32) if not mask >> i & 1]
        assert _play(game, banzhaf_sizes(5)).values[i] == pytest.approx(np.mean(added))


@pytest.mark.parametrize(("alpha", "beta"), [(16.0, 1.0), (1.0, 16.0), (4.0, 2.5)])
def test_beta_weights_are_the_integral_that_defines_them(alpha, beta):
    """C(n-1, s) times the mean of t^s (1-t)^(n-1-s) over t ~ Beta(beta, alpha)."""
    n, t = 6, (np.arange(200_000) + 0.5) / 200_000
    density = t ** (beta - 1) * (1 - t) ** (alpha - 1)
    expected = [
        math.comb(n - 1, s) * np.average(t**s * (1 - t) ** (n - 1 - s), weights=density) for s in range(n)
    ]
    np.testing.assert_allclose(beta_sizes(n, alpha, beta), expected, rtol=1e-5)


@pytest.mark.parametrize("n", [1, 2, 7, 40])
def test_size_weights_sum_to_one(n):
    for sizes in (shapley_sizes(n), banzhaf_sizes(n), beta_sizes(n, 16.0, 1.0), last_size(n)):
        assert sizes.shape == (n,)
        assert sizes.sum() == pytest.approx(1.0)


def test_beta_one_one_is_shapley():
    np.testing.assert_allclose(beta_sizes(9, 1.0, 1.0), shapley_sizes(9), rtol=1e-12)


def test_leave_one_out_asks_for_n_plus_one_coalitions():
    game = _random_game(4)
    game.all_worths = None  # type: ignore[assignment]
    found = _play(game, last_size(4)).values
    np.testing.assert_allclose(found, game.worths[-1] - game.worths[[14, 13, 11, 7]])


def test_an_additive_game_gives_every_player_what_it_brings_in_every_way():
    brought = np.array([1.0, -2.0, 0.5, 4.0])
    members = (np.arange(16)[:, None] >> np.arange(4)) & 1
    for sizes in (shapley_sizes(4), banzhaf_sizes(4), beta_sizes(4, 16.0, 1.0), last_size(4)):
        np.testing.assert_allclose(_play(_Table(members @ brought), sizes).values, brought)


@pytest.mark.parametrize("sizes", [shapley_sizes(6), banzhaf_sizes(6), beta_sizes(6, 16.0, 1.0)])
def test_random_orders_come_within_their_standard_errors(sizes):
    game = _random_game(6)
    drawn = _play(game, sizes, exact=False, orders=1000)
    misses = (drawn.values - exact_semivalues(game.worths, sizes)) / drawn.errors
    assert np.abs(misses).max() < 3.5
    assert 0.3 < np.sqrt(np.mean(misses**2)) < 1.7
    more = _play(game, sizes, exact=False, orders=4000)
    np.testing.assert_allclose(more.errors, drawn.errors / 2.0, rtol=0.15)


def test_drawn_shapley_values_sum_to_the_worth_of_all():
    game = _random_game(6)
    drawn = _play(game, shapley_sizes(6), exact=False, orders=10)
    assert drawn.values.sum() == pytest.approx(game.worths[-1] - game.worths[0])


@pytest.mark.parametrize("name", ["shapley", "banzhaf", "beta-16-1", "beta-1-16", "leave-one-out"])
def test_values_are_those_of_pydvl(name):
    stored = ORACLE["game"]
    n = stored["players"]
    sizes = {
        "shapley": shapley_sizes(n),
        "banzhaf": banzhaf_sizes(n),
        "beta-16-1": beta_sizes(n, 16.0, 1.0),
        "beta-1-16": beta_sizes(n, 1.0, 16.0),
        "leave-one-out": last_size(n),
    }[name]
    found = _play(_Table(np.array(stored["worths"])), sizes).values
    np.testing.assert_allclose(found, stored["values"][name], rtol=1e-9, atol=1e-12)
