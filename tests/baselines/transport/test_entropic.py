from __future__ import annotations

import math
import tracemalloc

import numpy as np
import pytest

from karat.baselines.transport import (
    Ground,
    entropic,
    entropic_transport,
    exact_transport,
    self_transport,
    sinkhorn_divergence,
)
from karat.baselines.transport.ground import uniform

ot = pytest.importorskip("ot")


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 10.0])
def test_two_points_onto_themselves_have_the_textbook_plan(epsilon):
    """A share 1 / (1 + exp(-c / eps)) stays, and OT_eps = -eps log((1 + exp(-c / eps)) / 2)."""
    ground = Ground.between(np.array([[0.0], [2.0]]), np.array([[0.0], [2.0]]))
    expected = -epsilon * math.log((1.0 + math.exp(-2.0 / epsilon)) / 2.0)
    for solved in (
        entropic_transport(ground, uniform(2), uniform(2), epsilon, tolerance=1e-12),
        self_transport(ground, uniform(2), epsilon, tolerance=1e-12),
    ):
        assert solved.is_converged
        assert solved.cost == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("epsilon", [0.05, 0.5])
def test_cost_and_potentials_are_those_of_another_library(epsilon):
    rng = np.random.default_rng(0)
    ground = Ground.between(rng.normal(size=(40, 2)), rng.normal(size=(30, 2)) + 0.5)
    a, b = rng.dirichlet(np.ones(40)), rng.dirichlet(np.ones(30))
    costs = ground.block(0, 40)
    plan, log = ot.sinkhorn(
        a, b, costs, epsilon, method="sinkhorn_log", stopThr=1e-10, numItermax=100_000, log=True
    )
    solved = entropic_transport(ground, a, b, epsilon, tolerance=1e-8, most_rounds=10_000)
    expected = (plan * costs).sum() + epsilon * (plan * np.log(plan / np.outer(a, b))).sum()
    assert solved.cost == pytest.approx(expected, abs=1e-7)
    ours = solved.source + epsilon * np.log(a)
    theirs = epsilon * log["log_u"]
    np.testing.assert_allclose(ours - ours.mean(), theirs - theirs.mean(), atol=1e-6)


def test_less_entropy_comes_closer_to_the_exact_cost_from_above():
    rng = np.random.default_rng(1)
    ground = Ground.between(rng.normal(size=(50, 2)), rng.normal(size=(60, 2)))
    weights = uniform(50), uniform(60)
    exact = exact_transport(ground, *weights).cost
    gaps = [entropic_transport(ground, *weights, e, tolerance=1e-6).cost - exact for e in (1.0, 0.1, 0.01)]
    assert gaps[0] > gaps[1] > gaps[2] > 0.0
    assert gaps[2] < 0.05


@pytest.mark.parametrize("size", [3, 200])
def test_the_divergence_of_a_set_from_itself_is_zero_and_from_another_positive(size):
    rng = np.random.default_rng(2)
    x, y = rng.normal(size=(size, 3)), rng.normal(size=(size, 3)) + 0.5
    weights = uniform(size)
    own = {
        name: self_transport(Ground.between(rows, rows), weights, 0.3)
        for name, rows in {"x": x, "y": y}.items()
    }
    same = entropic_transport(Ground.between(x, x[::-1]), weights, weights, 0.3)
    other = entropic_transport(Ground.between(x, y), weights, weights, 0.3)
    assert sinkhorn_divergence(same, own["x"], own["x"]) == pytest.approx(0.0, abs=1e-4)
    assert sinkhorn_divergence(other, own["x"], own["y"]) > 0.05


def test_strips_and_precision_do_not_change_the_answer(monkeypatch):
    rng = np.random.default_rng(3)
    ground = Ground.between(rng.normal(size=(70, 3)), rng.normal(size=(50, 3)))
    weights = uniform(70), uniform(50)
    whole = entropic_transport(ground, *weights, 0.1).cost
    monkeypatch.setattr(entropic, "STRIP_CELLS", 100)
    assert entropic_transport(ground, *weights, 0.1).cost == pytest.approx(whole, rel=1e-10)
    monkeypatch.setattr(entropic, "EXACT_CELLS", 0)
    assert entropic_transport(ground, *weights, 0.1).cost == pytest.approx(whole, rel=1e-4)


def test_the_matrix_of_costs_is_never_held():
    rng = np.random.default_rng(4)
    ground = Ground.between(rng.normal(size=(6000, 3)), rng.normal(size=(2000, 3)))
    tracemalloc.start()
    entropic_transport(ground, uniform(6000), uniform(2000), 1.0, tolerance=0.5)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 0.6 * 6000 * 2000 * 4
