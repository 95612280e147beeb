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
from numpy.typing import NDArray

from karat.gram import Moments
from karat.typing import Matrix, Vector

STARTS = 20
"""Balls tried: those around the vendors with the nearest h-th neighbour."""

MANY_VENDORS = 50
"""From this number on the core is a quarter of the vendors, below it is half."""

Indices = NDArray[np.intp]


def robust_weights(moments: Moments, *, core_share: float | None = None) -> Vector:
    """Weights on the vendors: equal on a core near the centre of the smallest ball that holds most of them.

    Deterministic; ties go by the order of the distances to all others, which does not depend on input order.
    O(n^2) per step.
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
    between = np.diag(gram)[:, None] + np.diag(gram)[None, :] - 2.0 * gram
    np.fill_diagonal(between, 0.0)
    reach = np.partition(between, half - 1, axis=1)[:, half - 1]
    order = np.lexsort((between.sum(axis=1), reach))

    best_radius, best = np.inf, np.empty(0)
    for start in order[:STARTS]:
        inside = _nearest(between[start], half)
        weights, distances = _settle(inside, half, biased, noise, most_steps=50)
        radius = np.partition(distances, half - 1)[half - 1]
        if radius < best_radius:
            best_radius, best = radius, weights

    weights, size = best, half
    core = max(1, int(np.ceil(core_share * n)))
    while size > core:
        size = max(core, int(np.floor(0.9 * size)))
        inside = _nearest(distances_to_mixture(weights, biased, noise), size)
        weights, _ = _settle(inside, size, biased, noise, most_steps=20)
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


def _nearest(distances: Vector, count: int) -> Indices:
    return np.sort(np.argsort(distances, kind="stable")[:count])


def _settle(
    inside: Indices, size: int, biased: Matrix, noise: Vector, *, most_steps: int
) -> tuple[Vector, Vector]:
    """Move the members to the nearest of their own mean until they stay; the weights and all distances."""
    for _ in range(most_steps):
        weights = np.zeros(len(biased))
        weights[inside] = 1.0 / size
        distances = distances_to_mixture(weights, biased, noise)
        nearest = _nearest(distances, size)
        if np.array_equal(nearest, inside):
            break
        inside = nearest
    return weights, distances
