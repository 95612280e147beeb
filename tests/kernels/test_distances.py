from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

from karat.kernels.distances import manhattan_row_distances, squared_row_distances


@given(st.integers(1, 8), st.integers(1, 8), st.integers(1, 5), st.integers(0, 1000))
def test_row_distances_are_those_of_scipy(m, n, d, seed):
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=(m, d)), rng.normal(size=(n, d))
    np.testing.assert_allclose(squared_row_distances(a, b), cdist(a, b, "sqeuclidean"), rtol=1e-9, atol=1e-13)
    np.testing.assert_allclose(manhattan_row_distances(a, b), cdist(a, b, "cityblock"), rtol=1e-12)


def test_squared_distances_survive_a_column_of_epoch_seconds():
    rng = np.random.default_rng(0)
    rows = np.round(rng.normal(size=(30, 2)), 3)
    shifted = rows + np.array([1.7e9, 0.0])
    exact = cdist(shifted, shifted, "sqeuclidean")
    np.testing.assert_allclose(squared_row_distances(shifted, shifted), exact, rtol=1e-9, atol=1e-12)


def test_equal_rows_are_at_no_negative_distance():
    rows = np.full((5, 3), 0.1) + 1e6
    assert (squared_row_distances(rows, rows) >= 0.0).all()


def test_distances_of_float32_rows_are_float64():
    rows = np.random.default_rng(0).normal(size=(4, 2)).astype(np.float32)
    assert squared_row_distances(rows, rows).dtype == np.float64
    assert manhattan_row_distances(rows, rows).dtype == np.float64


def test_one_cell_far_out_leaves_the_distances_of_all_other_rows():
    rows = np.random.default_rng(1).normal(size=(30, 2))
    near = squared_row_distances(rows, rows)
    rows[3, 0] = 1e15
    others = np.arange(30) != 3
    found = squared_row_distances(rows, rows)
    np.testing.assert_allclose(found[others][:, others], near[others][:, others], rtol=1e-9, atol=1e-13)
    np.testing.assert_allclose(found[3][others], 1e30, rtol=1e-9)
