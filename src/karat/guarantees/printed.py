"""The paper's decision policy, as printed and as its proof supports it.

Xu et al. 2024, Proposition 2 (with the buyer's own rows) and Theorem 4 (with a mixture of vendors): if the
estimated distances of two vendors differ by more than

    margin = eps + 2 [eps_bias + sqrt(K/m) + sqrt(K/m') + 2 sqrt(K/m*) + B],     B = eps_w d(Q_w, P*) or 0,

then the values differ by more than eps with probability at least 1 - 2 delta, where

    delta = 2 exp(-eps_bias^2 M m* / (2 K (M + m*))),   M = max(m, m').

Its proof has two failures, delta_P with m and delta_P' with m', and delta falls as its rows grow: the larger
one belongs to min(m, m'), so 1 - 2 delta with the maximum promises more than was proved. What the proof gives
is 1 - delta_P - delta_P' (a union bound: both events share the reference's rows, so their probabilities may
not be multiplied either). With a mixture, the preview is a part of its own reference, and the lemma's two
samples are not independent; `karat.guarantees.finite` bounds the contrast instead.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from karat.typing import Vector


def failure(rows: float, reference_rows: float, *, bias: float, bound: float) -> float:
    """delta_P = 2 exp(-eps_bias^2 m m* / (2 K (m + m*))), Gretton et al. 2012, Theorem 7.

    >>> round(failure(100, 10_000, bias=0.3, bound=1.0), 4)
    0.0232
    """
    return 2.0 * math.exp(-(bias**2) * _harmonic(rows, reference_rows) / (2.0 * bound))


def printed_confidence(
    rows: float, other_rows: float, reference_rows: float, *, bias: float, bound: float
) -> float:
    """1 - 2 delta with the larger of the two previews, as printed.

    >>> round(printed_confidence(100, 10_000, 10_000, bias=0.3, bound=1.0), 4)
    1.0
    """
    return 1.0 - 2.0 * failure(max(rows, other_rows), reference_rows, bias=bias, bound=bound)


def proved_confidence(
    rows: float, other_rows: float, reference_rows: float, *, bias: float, bound: float
) -> float:
    """1 - delta_P - delta_P', what the proof supports for the same margin.

    >>> round(proved_confidence(100, 10_000, 10_000, bias=0.3, bound=1.0), 4)
    0.9768
    """
    return (
        1.0
        - failure(rows, reference_rows, bias=bias, bound=bound)
        - failure(other_rows, reference_rows, bias=bias, bound=bound)
    )


def bias_for(
    confidence: float, rows: ArrayLike, other_rows: ArrayLike, reference_rows: ArrayLike, *, bound: float
) -> Vector:
    """The eps_bias at which the printed confidence is the one wanted.

    >>> bias = bias_for(0.95, 100, 10_000, 10_000, bound=1.0)
    >>> round(printed_confidence(100, 10_000, 10_000, bias=float(bias), bound=1.0), 12)
    0.95
    """
    rate = _harmonic(np.maximum(rows, other_rows), reference_rows)
    bias: Vector = np.sqrt(2.0 * bound * math.log(4.0 / (1.0 - confidence)) / rate)
    return bias


def printed_margin(
    rows: ArrayLike,
    other_rows: ArrayLike,
    reference_rows: ArrayLike,
    *,
    bias: ArrayLike,
    bound: float,
    reference_bias: float = 0.0,
) -> Vector:
    """The criterion margin without eps: 2 [eps_bias + sqrt(K/m) + sqrt(K/m') + 2 sqrt(K/m*) + B].

    >>> float(printed_margin(2000, 2000, 2000, bias=0.0, bound=4.0)).__round__(3)
    0.358
    """
    noise = np.sqrt(bound / np.asarray(rows)) + np.sqrt(bound / np.asarray(other_rows))
    noise = noise + 2.0 * np.sqrt(bound / np.asarray(reference_rows))
    margin: Vector = 2.0 * (np.asarray(bias) + noise + reference_bias)
    return margin


def reference_rows(weights: Vector, sizes: Vector) -> float:
    """m_N for a weighted mixture: 1 / sum_j w_j^2 / m_j, the rows whose mean would be as noisy.

    For equal weights and equal previews of m rows this is n m, the size of the paper's union of previews.

    >>> reference_rows(np.array([0.5, 0.5]), np.array([100.0, 100.0]))
    200.0
    """
    return float(1.0 / (weights**2 / sizes).sum())


def _harmonic(rows: ArrayLike, reference_rows: ArrayLike) -> Vector:
    m, r = np.asarray(rows, dtype=np.float64), np.asarray(reference_rows, dtype=np.float64)
    rate: Vector = m * r / (m + r)
    return rate
