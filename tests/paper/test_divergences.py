from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import wasserstein_distance

from karat.paper.divergences import (
    Divergences,
    bandwidth,
    kl_estimate,
    laws,
    mmd_estimate,
    normal_pair,
    squared_mmd_estimate,
    truths,
    wasserstein,
    wasserstein_estimate,
)
from karat.paper.verification import POINTS, random_distributions
from truths import Ball, gaussian_mean


@pytest.mark.parametrize("d", [1, 7])
def test_the_closed_form_of_mmd_is_that_of_normal_distributions(d):
    p, q = Ball((0.0,) * d, 1.0), Ball((1.0, *(0.0,) * (d - 1)), 1.0)
    s = bandwidth(d)
    expected = gaussian_mean(p, p, s) + gaussian_mean(q, q, s) - 2.0 * gaussian_mean(p, q, s)
    assert truths(d)["MMD²"] == pytest.approx(expected, rel=1e-12)
    assert truths(d)["MMD"] == pytest.approx(math.sqrt(expected), rel=1e-12)


def test_every_estimate_comes_near_its_closed_form():
    x, y = normal_pair(2, 600, np.random.default_rng(0))
    truth = truths(2)
    assert kl_estimate(x, y) == pytest.approx(truth["KL"], abs=0.2)
    assert wasserstein_estimate(x, y) == pytest.approx(truth["WD"], abs=0.2)
    assert squared_mmd_estimate(x, y) == pytest.approx(truth["MMD²"], abs=0.05)
    assert mmd_estimate(x, y) == pytest.approx(truth["MMD"], abs=0.06)


@pytest.mark.parametrize("seed", range(3))
def test_the_first_wasserstein_distance_agrees_with_scipy(seed):
    p, q = random_distributions(2, np.random.default_rng(seed))
    points = np.arange(POINTS)
    assert wasserstein(p, q, 1) == pytest.approx(wasserstein_distance(points, points, p, q), abs=1e-12)


def test_laws_hold_where_they_are_theorems_and_fail_where_they_are_not():
    found = laws(np.random.default_rng(0))
    violations, ratio = found["triangle_violations"], found["huber_ratio"]
    assert violations["MMD"] == violations["WD"] == violations["WD, second"] == 0
    assert violations["KL"] > 0
    assert violations["MMD²"] > 0
    for name in ("MMD", "WD"):
        assert ratio[name] == pytest.approx([1.0, 1.0], abs=1e-9)
    assert ratio["MMD²"] == pytest.approx([0.1, 0.9], abs=1e-9)
    assert ratio["WD, second"][1] > 1.1


def test_the_experiment_sums_up_errors_costs_and_laws():
    settings = {"columns": (2,), "sizes": (30, 60), "cost_sizes": (40, 80), "large_sizes": (160,)}
    experiment = Divergences(name="divergences", scale="quick", trials=2, **settings)
    summary = experiment.summary({cell: experiment.run(cell) for cell in experiment.cells()})
    assert set(summary["errors"]) == {"KL", "WD", "MMD²", "MMD"}
    assert len(summary["errors"]["KL"]["2"]["relative"]) == 2
    assert all(seconds > 0.0 for seconds in summary["seconds"]["WD"])
    assert [len(summary["seconds"][name]) for name in ("KL", "WD", "MMD²", "MMD")] == [2, 2, 3, 3]
