"""What coalitions of vendors are worth: the score of a model trained on their rows, or their distance."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from karat.baselines.semivalues import Game, coalition_sizes
from karat.baselines.task import Trainer
from karat.typing import Matrix, Vector


@dataclass
class ModelGame(Game):
    """The worth of a coalition is the score of a model trained on the rows of its members.

    trainer: trains on any of the players' rows; empty: the worth of nobody. Every coalition is trained once.
    """

    trainer: Trainer
    empty: float
    tell: Callable[[float, float], None] = lambda done, total: None
    coalitions: dict[bytes, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.n = len(self.trainer.pieces)

    def worth(self, players: NDArray[np.intp]) -> float:
        if len(players) == 0:
            return self.empty
        key = players.astype(np.int64).tobytes()
        if key not in self.coalitions:
            self.coalitions[key] = self.trainer.score(players.tolist())
        return self.coalitions[key]

    def all_worths(self) -> Vector:
        total = 1 << self.n
        worths = np.empty(total)
        for mask in range(total):
            worths[mask] = self.worth(np.flatnonzero([mask >> i & 1 for i in range(self.n)]))
            self.tell(mask + 1, total)
        return worths


@dataclass
class MmdGame(Game):
    """The worth of a coalition is minus the MMD of the equal mixture of its members to the reference.

    inner: (n, n), X_jl = <mu_j - mu_w, mu_l - mu_w>, so that the squared distance of S is the mean of X over
    S x S; empty: the squared worth of nobody, |mu_w|^2, the distance of the zero embedding;
    squared: leave the square root out. No row is read and nothing is trained: 2^n worths cost O(2^n).
    """

    inner: Matrix
    empty: float
    squared: bool = False

    def __post_init__(self) -> None:
        self.n = len(self.inner)

    def worth(self, players: NDArray[np.intp]) -> float:
        if len(players) == 0:
            return float(self._from_squares(np.array([self.empty]))[0])
        return float(self._from_squares(np.array([self.inner[np.ix_(players, players)].mean()]))[0])

    def all_worths(self) -> Vector:
        """All by doubling: the sum over S + k is that over S, plus X_kk, plus twice that of X_jk over S."""
        sums = np.zeros(1)
        for k in range(self.n):
            with_k = np.zeros(1)
            for j in range(k):
                with_k = np.concatenate([with_k, with_k + self.inner[j, k]])
            sums = np.concatenate([sums, sums + self.inner[k, k] + 2.0 * with_k])
        sizes = coalition_sizes(self.n).astype(np.float64)
        sizes[0] = 1.0
        squares = sums / sizes**2
        squares[0] = self.empty
        return self._from_squares(squares)

    def along(self, order: NDArray[np.intp]) -> Vector:
        inner = self.inner[np.ix_(order, order)]
        steps = np.diag(inner) + 2.0 * np.tril(inner, -1).sum(axis=1)
        sizes = np.arange(1.0, self.n + 1.0)
        return self._from_squares(np.concatenate([[self.empty], np.cumsum(steps) / sizes**2]))

    def _from_squares(self, squares: Vector) -> Vector:
        """Minus the squares, or minus the distances; noise below zero counts as distance 0."""
        if self.squared:
            return -squares
        worths: Vector = -np.sqrt(np.maximum(squares, 0.0))
        return worths


def squared_mmd_shapley(inner: Matrix, empty: float) -> Vector:
    """Shapley values of minus the squared MMD, in closed form: O(n^2) in all, no coalition is visited.

    With R_i = sum of X_ij over j != i, T_i = sum of X_jj over j != i, O_i = sum of X_jl over j != l, both
    other than i, and E_s = s/(n-1) T_i + s(s-1)/((n-1)(n-2)) O_i, the mean over coalitions of s others of
    the sum of X over S x S,

        n v_i = empty - X_ii + sum over s = 1..n-1 of ( E_s / s^2 - (X_ii + 2 s/(n-1) R_i + E_s) / (s+1)^2 ).
    """
    n = len(inner)
    own = np.diag(inner)
    if n == 1:
        return empty - own
    row = inner.sum(axis=1) - own
    others = own.sum() - own
    pairs = inner.sum() - own.sum() - 2.0 * row
    s = np.arange(1.0, n)[:, None]
    both = s * (s - 1.0) / ((n - 1.0) * (n - 2.0)) if n > 2 else np.zeros((1, 1))
    mean_sum = s / (n - 1.0) * others + both * pairs
    gains = mean_sum / s**2 - (own + 2.0 * s / (n - 1.0) * row + mean_sum) / (s + 1.0) ** 2
    values: Vector = (empty - own + gains.sum(axis=0)) / n
    return values
