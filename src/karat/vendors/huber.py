"""Contaminated markets, made on purpose: P_i = (1 - e_i) P* + e_i Q_i (Huber 1964).

Both pools are finite, and rows are drawn from them with replacement: the pools *are* P* and Q, so
what is true of the vendors is known exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from karat.errors import MarketError
from karat.typing import Matrix, Rows, Seed, Vector
from karat.vendors.market import Market


@dataclass(frozen=True, eq=False)
class Draw:
    """Where each row of a contaminated draw comes from.

    is_foreign: (m,), whether from the foreign pool; picked: (m,), its place in that pool.
    """

    is_foreign: NDArray[np.bool_]
    picked: NDArray[np.int64]

    def choose(self, clean: NDArray[Any], foreign: NDArray[Any]) -> NDArray[Any]:
        """The drawn rows of two pools, or their labels: whatever stands in the pools' order."""
        chosen = np.empty((len(self.picked), *clean.shape[1:]), np.result_type(clean, foreign))
        chosen[~self.is_foreign] = clean[self.picked[~self.is_foreign]]
        chosen[self.is_foreign] = foreign[self.picked[self.is_foreign]]
        return chosen


@dataclass(frozen=True, eq=False)
class HuberMixture:
    """A mixture of contaminated vendors is contaminated too.

    contamination: e_w; shares: (n,), the shares of Q_1 .. Q_n in its Q_w (all 0 where e_w = 0).
    """

    contamination: float
    shares: Vector


def contamination_schedule(n_vendors: int) -> Vector:
    """The paper's schedule e_i = (i - 1)/n, i = 1 .. n: the first vendor is clean.

    >>> contamination_schedule(4)
    array([0.  , 0.25, 0.5 , 0.75])
    """
    return np.arange(n_vendors) / n_vendors


def contaminated_draw(
    clean_rows: int, foreign_rows: int, *, contamination: float, rows: int, seed: Seed
) -> Draw:
    """Independent rows of (1 - e) P* + e Q, from pools of so many rows, with replacement.

    The number of foreign rows is itself random, binomial(rows, e): a mixture, not a fixed share.
    """
    _check_share(contamination)
    for pool, size in (("clean", clean_rows), ("foreign", foreign_rows)):
        if size < 1:
            raise MarketError(f"the {pool} pool is empty.", hint="Give it at least one row.")
    rng = np.random.default_rng(seed)
    is_foreign = rng.random(rows) < contamination
    picked = rng.integers(np.where(is_foreign, foreign_rows, clean_rows))
    return Draw(is_foreign, picked)


def huber_market(
    clean: Rows,
    foreign: Rows | Sequence[Rows],
    *,
    contamination: Sequence[float] | Vector,
    rows: int | Sequence[int],
    anchor_rows: int | None,
    seed: Seed,
) -> Market:
    """A market of contaminated draws, vendor1 .. vendorN, and an anchor of clean rows.

    Args:
        clean: the pool that is P*.
        foreign: the pool that is Q, or one pool Q_i per vendor.
        contamination: e_i per vendor; `contamination_schedule(n)` is the paper's.
        rows: per preview, or one number for each.
        anchor_rows: None for a market without an anchor.
        seed: each source draws from a stream of its own, so more vendors leave the first ones as they were.
    """
    n = len(contamination)
    pools = [foreign] * n if isinstance(foreign, np.ndarray) else list(foreign)
    sizes = [rows] * n if isinstance(rows, int) else list(rows)
    if len(pools) != n or len(sizes) != n:
        raise MarketError(
            f"{n} contaminations, {len(pools)} foreign pools and {len(sizes)} sizes do not go together.",
            hint="Give one of each per vendor, or a single pool and a single size.",
        )
    anchor_stream, *streams = np.random.default_rng(seed).spawn(n + 1)
    vendors = {}
    for i, (share, pool, size, stream) in enumerate(
        zip(contamination, pools, sizes, streams, strict=True), start=1
    ):
        draw = contaminated_draw(len(clean), len(pool), contamination=float(share), rows=size, seed=stream)
        vendors[f"vendor{i}"] = draw.choose(clean, pool)
    own = None if anchor_rows is None else clean[anchor_stream.integers(len(clean), size=anchor_rows)]
    return Market.from_arrays(vendors, anchor=own)


def mixture_of(weights: Vector, contamination: Vector) -> HuberMixture:
    """The mixture sum_i w_i P_i is (1 - e_w) P* + e_w Q_w, with

        e_w = sum_i w_i e_i,   Q_w = sum_i (w_i e_i / e_w) Q_i.

    >>> mixture_of(np.array([0.5, 0.5]), np.array([0.0, 0.4])).contamination
    0.2
    """
    parts = weights * contamination
    total = float(parts.sum())
    return HuberMixture(total, parts / total if total > 0.0 else np.zeros_like(parts))


def contaminated_probabilities(clean: Vector, foreign: Matrix, contamination: Vector) -> Matrix:
    """Huber vendors on a finite set of s points: row i is (1 - e_i) p* + e_i q_i, shape (n, s)."""
    share = np.asarray(contamination, dtype=np.float64)[:, np.newaxis]
    return (1.0 - share) * clean + share * foreign


def discrete_gram(probabilities: Matrix, kernel: Matrix) -> Matrix:
    """Exact inner products of mean embeddings of distributions on s points: G = P K P', shape (n, n).

    probabilities: (n, s), rows sum to 1; kernel: (s, s), k of every two points.

    >>> discrete_gram(np.array([[1.0, 0.0], [0.5, 0.5]]), np.eye(2))
    array([[1. , 0.5],
           [0.5, 0.5]])
    """
    return probabilities @ kernel @ probabilities.T


def _check_share(share: float) -> None:
    if not 0.0 <= share <= 1.0:
        raise MarketError(
            f"a contamination of {share:.6g} is no share.",
            hint="Give a number from 0 (clean) to 1 (wholly foreign).",
        )
