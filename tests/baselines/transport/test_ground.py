from __future__ import annotations

import numpy as np

from karat.baselines.transport import Ground
from karat.baselines.transport.ground import uniform


def test_a_block_holds_half_the_squared_distances_and_the_label_distances():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(7, 3)) + 1e6, rng.normal(size=(5, 3)) + 1e6
    s, t = rng.integers(2, size=7), rng.integers(3, size=5)
    between = rng.random((2, 3))
    ground = Ground.between(x, y).with_labels(s, t, between)
    slow = [[0.5 * ((x[k] - y[l]) ** 2).sum() + between[s[k], t[l]] for l in range(5)] for k in range(7)]
    np.testing.assert_allclose(ground.block(0, 7), slow, rtol=1e-9)
    np.testing.assert_allclose(ground.block(2, 4), slow[2:4], rtol=1e-9)
    a, b = rng.dirichlet(np.ones(7)), rng.dirichlet(np.ones(5))
    np.testing.assert_allclose(ground.mean(a, b), a @ np.array(slow) @ b, rtol=1e-9)


def test_uniform_weights_sum_to_one():
    assert uniform(4).tolist() == [0.25] * 4
