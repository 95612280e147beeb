"""The robust reference, on population values of discrete distributions where the truth is exact."""

from __future__ import annotations

import numpy as np
import pytest

from karat.values.robust import core_weights, distances_to_mixture

POINTS = np.arange(11.0)
KERNEL = np.exp(-((POINTS[:, None] - POINTS[None, :]) ** 2) / 2.0)


def draw(rng, count):
    """Discrete distributions on 0..10: independent uniforms, normalised."""
    raw = rng.random((count, 11))
    return raw / raw.sum(axis=1, keepdims=True)


def distances(vendors, target):
    gap = vendors - target
    return np.sqrt(np.maximum(np.einsum("ij,jk,ik->i", gap, KERNEL, gap), 0.0))


def correlations(n_vendors, trials=10):
    """Mean correlation of value and true value in the paper's verification: (uniform, robust)."""
    found = []
    for trial in range(trials):
        rng = np.random.default_rng(trial)
        needed, others = draw(rng, 1)[0], draw(rng, n_vendors)
        share = rng.uniform(0.0, 0.5, n_vendors)[:, None]
        vendors = (1.0 - share) * needed + share * others
        gram = vendors @ KERNEL @ vendors.T
        robust = core_weights(gram, gram, np.zeros(n_vendors))
        true = -distances(vendors, needed)
        found.append(
            [
                np.corrcoef(-distances(vendors, weights @ vendors), true)[0, 1]
                for weights in (np.full(n_vendors, 1.0 / n_vendors), robust)
            ]
        )
    return np.mean(found, axis=0)


@pytest.mark.parametrize("n_vendors", [100, 200, 500, 1000])
def test_on_the_papers_verification_robust_is_near_the_truth_where_uniform_is_as_printed(n_vendors):
    """The paper prints 0.80 to 0.89 for the uniform mixture, with standard errors up to 0.043."""
    uniform, robust = correlations(n_vendors)
    assert 0.78 < uniform < 0.90
    assert robust > 0.97


def test_renumbering_the_vendors_renumbers_the_weights():
    rng = np.random.default_rng(1)
    vendors = draw(rng, 30)
    gram = vendors @ KERNEL @ vendors.T
    weights = core_weights(gram, gram, np.zeros(30))
    order = rng.permutation(30)
    np.testing.assert_array_equal(
        core_weights(gram[np.ix_(order, order)], gram[np.ix_(order, order)], np.zeros(30)), weights[order]
    )


def test_a_minority_far_away_gets_no_weight():
    rng = np.random.default_rng(2)
    near = np.eye(11)[5] * 0.9 + 0.1 * draw(rng, 12)
    far = np.eye(11)[rng.integers(0, 3, 8)]
    vendors = np.vstack([near, far])
    gram = vendors @ KERNEL @ vendors.T
    weights = core_weights(gram, gram, np.zeros(20))
    assert weights[12:].sum() == 0.0
    assert weights.sum() == pytest.approx(1.0)


def test_the_distance_to_a_mixture_that_contains_the_vendor_is_unbiased():
    """Averaged over samples, it meets the population's squared distance."""
    rng = np.random.default_rng(3)
    vendors = draw(rng, 3)
    weights = np.array([0.2, 0.5, 0.3])
    truth = distances(vendors, weights @ vendors) ** 2
    seen = []
    rows = 25
    for _ in range(3000):
        counts = np.array([rng.multinomial(rows, p) for p in vendors]) / rows
        biased = counts @ KERNEL @ counts.T
        unbiased = biased.copy()
        np.fill_diagonal(unbiased, (rows * np.diag(biased) - 1.0) / (rows - 1))
        seen.append(distances_to_mixture(weights, biased, (1.0 - np.diag(unbiased)) / rows))
    error = np.std(seen, axis=0) / np.sqrt(len(seen))
    assert (np.abs(np.mean(seen, axis=0) - truth) < 4 * error).all()
