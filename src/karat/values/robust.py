"""A reference without an anchor that a minority cannot move far: what more than half of the vendors agree on.

Assumption, printed with every result: more than half of the vendors are close to what the buyer needs, and
the others do not all deviate in the same way. If half or more share one contamination, every method without
an anchor follows them.

The smallest ball that holds h = floor(n/2) + 1 vendors is sought from several starts, as least trimmed
squares are (Rousseeuw and Van Driessen 2006), with distances read from the matrix of inner products alone;
then the ball shrinks to a core. If more than half of the vendors lie within rho of P*, the centre of the
first step, on population values, lies within 3 rho of P*.
"""

from __future__ import annotations

import numpy as np

from karat.gram import Moments
from karat.typing import Matrix, Vector

STARTS = 20
"""Balls tried: those around the vendors with the nearest h-th neighbour."""

MANY_VENDORS = 50
"""From this number on the core is a quarter of the vendors, below it is half."""

TIE = 1e-7
"""Squared distances nearer than this, relative to the largest inner product, are equal: float32 sums agree to
some 1e-8. Equal vendors share what weight there is, so that no order of the vendors decides between them."""


def robust_weights(moments: Moments, *, core_share: float | None = None) -> Vector:
    """Weights on the vendors: equal on a core near the centre of the smallest ball that holds most of them.

    Deterministic; vendors that tie for the last places share them, whatever their order. O(n^2) per step.
    """
    chosen = list(moments.vendors)
    gram = moments.gram[np.ix_(chosen, chosen)]
    biased = moments.gram_biased[np.ix_(chosen, chosen)]
    noise = moments.spread[chosen] / moments.sizes[chosen]
    return core_weights(gram, biased, noise, core_share=core_share)


def core_weights(gram: Matrix, biased: Matrix, noise: Vector, *, core_share: float | None = None) -> Vector:
    """`robust_weights` from the matrices: unbiased and biased gram (n, n), noise spread_j / m_j (n,)."""
    n = len(gram)
    if core_share is None:
        core_share = 0.25 if n >= MANY_VENDORS else 0.5
    half = n // 2 + 1
    tie = TIE * float(np.abs(biased).max())
    between = np.diag(gram)[:, None] + np.diag(gram)[None, :] - 2.0 * gram
    np.fill_diagonal(between, 0.0)
    reach = np.partition(between, half - 1, axis=1)[:, half - 1]
    order = np.lexsort((between.sum(axis=1), reach))

    balls = np.array(
        [_settle(_nearest(between[i], half, tie), half, biased, noise, tie, steps=50) for i in order[:STARTS]]
    )
    reached = [distances_to_mixture(ball, biased, noise) for ball in balls]
    radii = np.partition(reached, half - 1, axis=1)[:, half - 1]
    smallest = np.unique(balls[radii <= radii.min() + tie], axis=0)

    weights: Vector = smallest.mean(axis=0)
    size = half
    core = max(1, int(np.ceil(core_share * n)))
    while size > core:
        size = max(core, int(np.floor(0.9 * size)))
        weights = _nearest(distances_to_mixture(weights, biased, noise), size, tie)
        weights = _settle(weights, size, biased, noise, tie, steps=20)
    return weights


def distances_to_mixture(weights: Vector, biased: Matrix, noise: Vector) -> Vector:
    """Unbiased squared distance of every vendor to a mixture that may contain it.

    d2_j(w) = V_jj - 2 (V w)_j + w' V w - b_j (1 - 2 w_j) - sum_l w_l^2 b_l
    """
    to_mixture = biased @ weights
    distances: Vector = (
        np.diag(biased)
        - 2.0 * to_mixture
        + weights @ to_mixture
        - noise * (1.0 - 2.0 * weights)
        - (weights**2) @ noise
    )
    return distances


def _nearest(distances: Vector, count: int, tie: float) -> Vector:
    """Equal weights on so many of the nearest; those that tie for the last places share them."""
    last = np.partition(distances, count - 1)[count - 1]
    inside, tied = distances < last - tie, np.abs(distances - last) <= tie
    weights: Vector = (inside + tied * (count - inside.sum()) / tied.sum()) / count
    return weights


def _settle(weights: Vector, size: int, biased: Matrix, noise: Vector, tie: float, *, steps: int) -> Vector:
    """Move the weights to the nearest of their own mean until they stay: at most so many weights are seen."""
    for _ in range(steps - 1):
        nearest = _nearest(distances_to_mixture(weights, biased, noise), size, tie)
        if np.array_equal(nearest, weights):
            break
        weights = nearest
    return weights
