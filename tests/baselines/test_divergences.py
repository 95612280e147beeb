from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import digamma
from sklearn.neighbors import NearestNeighbors

from karat.baselines import divergences, value
from karat.baselines.divergences import kl_divergence
from karat.vendors import Market


@pytest.mark.parametrize("adaptive", [True, False])
@pytest.mark.parametrize(("shift", "scale"), [(0.0, 1.0), (1.0, 1.0), (0.0, 0.5)])
def test_normal_rows_have_the_textbook_divergence(shift, scale, adaptive):
    """KL(N(shift, scale^2) | N(0, 1)) = (scale^2 + shift^2 - 1) / 2 - log scale, in each of two columns."""
    rng = np.random.default_rng(0)
    expected = 2 * ((scale**2 + shift**2 - 1.0) / 2.0 - math.log(scale))
    found = [
        kl_divergence(rng.normal(shift, scale, size=(1500, 2)), rng.normal(size=(1500, 2)), adaptive=adaptive)
        for _ in range(3)
    ]
    assert np.mean(found) == pytest.approx(expected, abs=0.05 + 0.06 * expected)


@pytest.mark.parametrize("k", [1, 5])
def test_without_ties_it_is_the_formula_with_neighbours_of_another_library(k):
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(60, 3)), rng.normal(0.5, 1.0, size=(45, 3))
    rho = NearestNeighbors(n_neighbors=k).fit(x).kneighbors()[0][:, -1]
    nu = NearestNeighbors(n_neighbors=k).fit(y).kneighbors(x)[0][:, -1]
    expected = 3 * np.mean(np.log(nu / rho)) + math.log(45 / 59)
    assert kl_divergence(x, y, neighbours=k, adaptive=False) == pytest.approx(expected, abs=1e-9)


def test_counting_neighbours_within_one_radius_is_that_of_a_loop():
    rng = np.random.default_rng(6)
    x, y = np.round(rng.normal(size=(40, 2)), 1), np.round(rng.normal(size=(30, 2)), 1)
    total = 0.0
    for i, row in enumerate(x):
        own = np.sort(np.delete(np.linalg.norm(x - row, axis=1), i))
        other = np.sort(np.linalg.norm(y - row, axis=1))
        radius = max(own[2], other[2]) + 1e-9
        total += digamma((own <= radius).sum()) - digamma((other <= radius).sum())
    expected = total / 40 + math.log(30 / 39)
    assert kl_divergence(x, y, neighbours=3) == pytest.approx(expected, abs=1e-9)


def test_columns_that_depend_on_others_favour_nobody_when_neighbours_are_counted():
    """One number in three columns; the larger preview is of the same distribution, and is told so."""
    rng = np.random.default_rng(7)
    x, y = (np.tile(rng.normal(size=(rows, 1)), (1, 3)) for rows in (900, 180))
    assert abs(kl_divergence(x, y)) < 0.1
    assert kl_divergence(x, y, adaptive=False) == pytest.approx(2.0 * math.log(5.0), abs=0.4)


def test_on_discrete_rows_it_compares_frequencies():
    """Three values, each often: psi(others alike here) - psi(alike there) + log(l / (m - 1)), by counting."""
    p, q = {0: 100, 1: 60, 5: 40}, {0: 50, 1: 80, 5: 90}
    x, y = (np.repeat(list(c), list(c.values())).astype(float)[:, None] for c in (p, q))
    expected = sum(p[v] * (digamma(p[v] - 1) - digamma(q[v])) for v in p) / 200 + math.log(220 / 199)
    assert kl_divergence(x, y) == pytest.approx(expected, abs=1e-12)
    truth = sum(p[v] / 200 * math.log((p[v] / 200) / (q[v] / 220)) for v in p)
    assert expected == pytest.approx(truth, abs=0.02)


def test_repeated_rows_far_from_the_reference_give_a_finite_large_value():
    x = np.repeat([[0.0], [1.0]], 20, axis=0)
    assert 1.0 < kl_divergence(x, np.linspace(5.0, 6.0, 30)[:, None]) < np.inf


def test_an_offset_of_a_billion_changes_nothing():
    rng = np.random.default_rng(2)
    x, y = rng.normal(size=(50, 2)), rng.normal(size=(50, 2))
    assert kl_divergence(x + 1e9, y + 1e9) == pytest.approx(kl_divergence(x, y), abs=1e-4)


def test_strips_do_not_change_the_answer(monkeypatch):
    rng = np.random.default_rng(3)
    x, y = np.round(rng.normal(size=(40, 1)), 1), np.round(rng.normal(size=(30, 1)), 1)
    whole = kl_divergence(x, y)
    monkeypatch.setattr(divergences, "STRIP_CELLS", 100)
    assert kl_divergence(x, y) == pytest.approx(whole, abs=1e-12)


def test_a_vendor_that_lacks_rows_is_seen_from_the_reference():
    rng = np.random.default_rng(4)
    own = np.concatenate([rng.normal(size=(150, 2)), rng.normal(8.0, 1.0, size=(150, 2))])
    market = Market.from_arrays({"half": rng.normal(size=(150, 2)), "all": own + 0.01}, anchor=own)
    forward = value(market, "kl").scores
    backward = value(market, "kl", direction="reference").scores
    assert forward[0] == pytest.approx(-math.log(2.0), abs=0.25)
    assert backward[0] < forward[0] - 0.3
    fixed = value(market, "kl", direction="reference", adaptive=False).scores
    assert fixed[0] < backward[0]  # far from all rows, distances go on growing where counts are used up


def test_without_an_anchor_a_vendor_meets_the_others():
    rng = np.random.default_rng(5)
    vendors = {name: rng.normal(shift, 1.0, (80, 2)) for name, shift in [("a", 0.0), ("b", 0.0), ("c", 2.0)]}
    values = value(vendors, "kl")
    assert values.details["reference"] == "others"
    assert values.scores.argmin() == 2
