"""Semivalues: one number per player from what coalitions of players are worth.

A semivalue is a mean of what player i adds to coalitions of the others,

    v_i = sum over s = 0 .. n-1 of  q_s * mean over S of s others  (w(S + i) - w(S)),

and the weights q of the sizes, which sum to one, are all that tells one from another. Exact values need the
2^n worths, held in one array indexed by bit masks (player i is bit i); beyond some twenty players random
orders estimate them, with standard errors.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from karat.typing import Vector

MOST_PLAYERS = 24
"""Beyond it the array of worths would take more than 128 MB."""


def shapley_sizes(n: int) -> Vector:
    """Every size counts alike: q_s = 1 / n (Shapley 1953)."""
    return np.full(n, 1.0 / n)


def banzhaf_sizes(n: int) -> Vector:
    """Every coalition counts alike: q_s = C(n-1, s) / 2^(n-1) (Banzhaf 1965; Wang and Jia 2023).

    >>> banzhaf_sizes(3)
    array([0.25, 0.5 , 0.25])
    """
    return np.array([math.comb(n - 1, s) / 2 ** (n - 1) for s in range(n)])


def beta_sizes(n: int, alpha: float, beta: float) -> Vector:
    """Beta-binomial sizes: q_s = C(n-1, s) B(s + beta, n-1-s + alpha) / B(beta, alpha) (Kwon and Zou 2022).

    alpha = beta = 1 is Shapley's; a large alpha puts the weight on small coalitions.

    >>> beta_sizes(3, 16.0, 1.0).round(3)
    array([0.889, 0.105, 0.007])
    """
    logs = [
        math.log(math.comb(n - 1, s)) + _log_beta(s + beta, n - 1 - s + alpha) - _log_beta(beta, alpha)
        for s in range(n)
    ]
    weights: Vector = np.exp(np.array(logs))
    return weights


def last_size(n: int) -> Vector:
    """Only the coalition of all others counts: leave-one-out."""
    weights = np.zeros(n)
    weights[-1] = 1.0
    return weights


class Game(ABC):
    """What coalitions of n players are worth."""

    n: int

    @abstractmethod
    def worth(self, players: NDArray[np.intp]) -> float:
        """The worth of a coalition, its members in ascending order."""

    @abstractmethod
    def all_worths(self) -> Vector:
        """The worths of all coalitions, (2^n,), indexed by bit mask."""

    def along(self, order: NDArray[np.intp]) -> Vector:
        """The worths, (n + 1,), of the coalitions that grow by one player at a time, from none to all."""
        return np.array([self.worth(np.sort(order[:k])) for k in range(self.n + 1)])


@dataclass(frozen=True)
class Played:
    """values: (n,); errors: their standard errors where orders were drawn, None where they are exact."""

    values: Vector
    errors: Vector | None


def play(
    game: Game,
    sizes: Vector,
    *,
    exact: bool,
    orders: int,
    generator: np.random.Generator,
    tell: Callable[[float, float], None] = lambda done, total: None,
) -> Played:
    """The semivalue with these size weights: exactly, or from random orders, each also taken backwards.

    tell: hears how many of the orders have been played.
    """
    if np.count_nonzero(sizes[:-1]) == 0:
        everyone = np.arange(game.n)
        without = np.array([game.worth(np.delete(everyone, i)) for i in everyone])
        return Played(sizes[-1] * (game.worth(everyone) - without), None)
    if exact:
        return Played(exact_semivalues(game.all_worths(), sizes), None)
    pairs = max(2, orders // 2)
    draws = np.empty((pairs, game.n))
    for t in range(pairs):
        order = generator.permutation(game.n)
        draws[t] = (_marginals(game, sizes, order) + _marginals(game, sizes, order[::-1])) / 2.0
        tell(t + 1, pairs)
    return Played(draws.mean(axis=0), draws.std(axis=0, ddof=1) / math.sqrt(pairs))


def exact_semivalues(worths: Vector, sizes: Vector) -> Vector:
    """The semivalue of every player from the worths of all coalitions; O(n 2^n).

    >>> exact_semivalues(np.array([0.0, 1.0, 2.0, 4.0]), shapley_sizes(2))
    array([1.5, 2.5])
    """
    n = len(sizes)
    each = sizes / np.array([math.comb(n - 1, s) for s in range(n)], dtype=np.float64)
    members = coalition_sizes(n - 1)
    weights = each[members]
    values = np.empty(n)
    for i in range(n):
        pairs = worths.reshape(-1, 2, 1 << i)  # bit i is 0 or 1
        values[i] = weights @ (pairs[:, 1] - pairs[:, 0]).ravel()
    return values


def coalition_sizes(n: int) -> NDArray[np.int8]:
    """How many bits are set in each of 0 .. 2^n - 1.

    >>> coalition_sizes(3)
    array([0, 1, 1, 2, 1, 2, 2, 3], dtype=int8)
    """
    sizes = np.zeros(1, dtype=np.int8)
    for _ in range(n):
        sizes = np.concatenate([sizes, sizes + np.int8(1)])
    return sizes


def _marginals(game: Game, sizes: Vector, order: NDArray[np.intp]) -> Vector:
    """An unbiased draw of all values: in a random order a player meets every size with probability 1 / n."""
    added = np.empty(game.n)
    added[order] = game.n * sizes * np.diff(game.along(order))
    return added


def _log_beta(a: float, b: float) -> float:
    return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)
