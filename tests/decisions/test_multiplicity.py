from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from karat.decisions.multiplicity import covariance_root, holm, holm_one_sided, holm_over_pairs, max_type
from karat.errors import DecisionError
from made_distances import made_distances


def slow_holm(p: list[float]) -> list[float]:
    """Adjusted p of hypothesis i: the largest of (m - k) p_(k) over the steps up to its own."""
    order = sorted(range(len(p)), key=lambda i: p[i])
    adjusted, worst = [0.0] * len(p), 0.0
    for k, i in enumerate(order):
        worst = max(worst, (len(p) - k) * p[i])
        adjusted[i] = min(worst, 1.0)
    return adjusted


def test_holm_is_the_textbook_step_down() -> None:
    p = np.random.default_rng(0).random(30) ** 3
    np.testing.assert_allclose(holm(p), slow_holm(p.tolist()))


def test_holm_leaves_out_what_is_not_known() -> None:
    np.testing.assert_allclose(holm(np.array([0.01, np.nan, 0.03])), [0.02, np.nan, 0.03])


def p_values(gaps: np.ndarray) -> np.ndarray:
    p = norm.sf(gaps)
    np.fill_diagonal(p, 1.0)
    return p


Z = np.array([[0.0, 3.5, 1.0], [-3.5, 0.0, -2.6], [-1.0, 2.6, 0.0]])


def test_over_pairs_each_pair_counts_once_with_twice_its_smaller_p_value() -> None:
    adjusted = holm_over_pairs(p_values(Z))
    assert adjusted[0, 1] == pytest.approx(3 * 2 * norm.sf(3.5))
    assert adjusted[2, 1] == pytest.approx(2 * 2 * norm.sf(2.6))
    assert adjusted[0, 2] == pytest.approx(2 * norm.sf(1.0))
    assert adjusted[1, 0] == adjusted[1, 2] == adjusted[2, 0] == 1.0


def test_one_sided_every_direction_counts() -> None:
    adjusted = holm_one_sided(p_values(Z))
    assert adjusted[0, 1] == pytest.approx(6 * norm.sf(3.5))
    assert adjusted[2, 1] == pytest.approx(5 * norm.sf(2.6))


def test_over_pairs_never_asks_more_than_one_sided() -> None:
    rng = np.random.default_rng(1)
    z = np.triu(rng.normal(size=(8, 8)) * 3, 1)
    p = p_values(z - z.T)
    both, single = holm_over_pairs(p), holm_one_sided(p)
    decided = single <= 0.05
    assert (both[decided] <= 0.05).all()


def test_max_type_of_two_vendors_is_their_own_two_sided_p_value() -> None:
    distances = made_distances([0.010, 0.0125])
    z = np.array([[0.0, 2.5e-3], [-2.5e-3, 0.0]]) / np.sqrt(2e-6)
    adjusted = max_type(distances, z, margin=0.0, seed=0)
    assert adjusted[0, 1] == pytest.approx(2 * norm.sf(z[0, 1]), abs=0.003)


def test_max_type_costs_little_where_all_pairs_move_together() -> None:
    """Vendors 2.. are copies of vendor 1: one question, not many."""
    k = 6
    root = np.zeros((k, 2))
    root[0, 0] = root[1:, 1] = 1e-3
    distances = made_distances([0.01] + [0.0135] * (k - 1), covariance=root @ root.T)
    z = np.zeros((k, k))
    z[0, 1:] = 3.5e-3 / np.sqrt(2e-6)
    z[1:, 0] = -z[0, 1:]
    adjusted = max_type(distances, z, margin=0.0, seed=0)
    assert adjusted[0, 1] == pytest.approx(2 * norm.sf(z[0, 1]), abs=0.002)
    assert holm_over_pairs(p_values(z))[0, 1] > 10 * norm.sf(z[0, 1])


def test_max_type_gives_the_same_draws_for_the_same_seed() -> None:
    distances = made_distances([0.01, 0.012, 0.013])
    z = np.array([[0.0, 1.4, 2.1], [-1.4, 0.0, 0.7], [-2.1, -0.7, 0.0]])
    first, second = (max_type(distances, z, margin=0.0, seed=7) for _ in range(2))
    np.testing.assert_array_equal(first, second)


def test_max_type_says_for_how_many_vendors_it_is_made() -> None:
    with pytest.raises(DecisionError, match=r'65 vendors, and takes up to 64.*"holm"'):
        max_type(made_distances([0.01] * 65), np.zeros((65, 65)), margin=0.0, seed=0)


def test_the_root_gives_the_covariance_back() -> None:
    rng = np.random.default_rng(0)
    root = rng.normal(size=(4, 4)) * 1e-3
    distances = made_distances([0.01] * 4, covariance=root @ root.T)
    found = covariance_root(distances)
    np.testing.assert_allclose(found @ found.T, root @ root.T, atol=1e-15)


@pytest.mark.parametrize("method", ["holm", "one-sided", pytest.param("max", marks=pytest.mark.slow)])
def test_a_family_of_equal_vendors_is_wrongly_decided_no_more_often_than_it_may(method: str) -> None:
    """Five equal vendors that share an anchor's noise: any verdict is wrong."""
    rng = np.random.default_rng(3)
    k, runs, wrong = 5, 400, 0
    root = np.hstack([np.full((k, 1), 1e-3), np.eye(k) * 1e-3])
    covariance = root @ root.T
    i, j = np.nonzero(~np.eye(k, dtype=bool))
    for run in range(runs):
        theta = 0.01 + rng.normal(size=k + 1) @ root.T
        z = np.zeros((k, k))
        z[i, j] = (theta[j] - theta[i]) / np.sqrt(2e-6)
        if method == "max":
            if run % 8:
                continue
            adjusted = max_type(made_distances(list(theta), covariance=covariance), z, margin=0.0, seed=run)
        else:
            adjusted = (holm_over_pairs if method == "holm" else holm_one_sided)(p_values(z))
        wrong += bool((adjusted[i, j] <= 0.05).any())
    tried = runs // 8 if method == "max" else runs
    assert wrong / tried <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / tried)
