from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog

from karat.baselines.transport import Ground, exact_transport
from karat.baselines.transport.ground import uniform

pytest.importorskip("ot")

LIST, WHOLE = 0, 10**9


def by_linear_program(costs, a, b):
    """The same optimum from HiGHS, with every constraint written out."""
    n, m = costs.shape
    sums = np.vstack([np.kron(np.eye(n), np.ones(m)), np.kron(np.ones(n), np.eye(m))])
    return linprog(costs.ravel(), A_eq=sums, b_eq=np.concatenate([a, b]), method="highs").fun


@pytest.mark.parametrize("whole_cells", [LIST, WHOLE])
def test_the_cost_is_that_of_the_linear_program(whole_cells):
    rng = np.random.default_rng(1)
    ground = Ground.between(rng.normal(size=(9, 2)), rng.normal(size=(6, 2)))
    a, b = rng.dirichlet(np.ones(9)), rng.dirichlet(np.ones(6))
    solved = exact_transport(ground, a, b, whole_cells=whole_cells)
    assert solved.is_converged
    assert solved.cost == pytest.approx(by_linear_program(ground.block(0, 9), a, b), abs=1e-12)


@pytest.mark.parametrize("whole_cells", [LIST, WHOLE])
def test_prices_prove_the_optimum(whole_cells):
    """Feasible prices whose value equals the cost leave nothing to gain: weak duality."""
    rng = np.random.default_rng(2)
    ground = Ground.between(rng.normal(size=(120, 4)), rng.normal(size=(90, 4)) + 0.5)
    solved = exact_transport(ground, uniform(120), uniform(90), whole_cells=whole_cells)
    slack = ground.block(0, 120) - solved.source[:, None] - solved.target
    assert slack.min() > -1e-9
    assert solved.source.mean() + solved.target.mean() == pytest.approx(solved.cost, abs=1e-10)


HARD_CASES = {
    "ties": lambda rng: (rng.integers(0, 3, (300, 3)), rng.integers(0, 3, (250, 3)) * 1.5),
    "one column": lambda rng: (rng.normal(size=(200, 1)), rng.normal(size=(150, 1)) + 1.0),
    "heavy tails": lambda rng: (rng.standard_cauchy((200, 3)), rng.standard_cauchy((200, 3))),
    "far apart": lambda rng: (rng.normal(size=(150, 2)), rng.normal(size=(200, 2)) + 50.0),
    "one point": lambda rng: (np.zeros((100, 2)), rng.normal(size=(80, 2))),
}


@pytest.mark.parametrize("case", HARD_CASES)
def test_a_short_list_of_pairs_finds_what_all_pairs_find(case):
    x, y = HARD_CASES[case](np.random.default_rng(3))
    ground = Ground.between(x.astype(float), y.astype(float))
    weights = uniform(len(x)), uniform(len(y))
    listed = exact_transport(ground, *weights, whole_cells=LIST)
    assert listed.is_converged
    assert listed.cost == pytest.approx(exact_transport(ground, *weights, whole_cells=WHOLE).cost, rel=1e-9)


@pytest.mark.parametrize("whole_cells", [LIST, WHOLE])
def test_a_shifted_copy_costs_half_the_squared_shift(whole_cells):
    """Brenier: a translation is optimal for the squared distance, whatever the rows."""
    x = np.random.default_rng(4).normal(size=(80, 3))
    shift = np.array([1.0, -2.0, 0.5])
    solved = exact_transport(Ground.between(x, x + shift), uniform(80), uniform(80), whole_cells=whole_cells)
    assert solved.cost == pytest.approx(0.5 * shift @ shift, rel=1e-9)


@pytest.mark.parametrize("whole_cells", [LIST, WHOLE])
def test_a_set_is_at_no_distance_from_itself_in_any_order(whole_cells):
    x = np.random.default_rng(5).normal(size=(60, 3))
    solved = exact_transport(Ground.between(x, x[::-1]), uniform(60), uniform(60), whole_cells=whole_cells)
    assert solved.cost == pytest.approx(0.0, abs=1e-12)
