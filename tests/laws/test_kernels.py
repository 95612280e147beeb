"""What every kernel of the registry must satisfy, each under its own name."""

from __future__ import annotations

import math

import numpy as np
import pytest

from karat.kernels import RULES, kernel_from_dict, kernel_named

NAMES = list(RULES)


@pytest.fixture
def rows():
    return np.random.default_rng(0).normal(1.0, 2.0, size=(40, 3))


@pytest.fixture(params=NAMES)
def kernel(request, rows):
    return kernel_named(request.param, [rows])


def test_kernel_is_symmetric(kernel, rows):
    block = kernel.block(rows[:15], rows[15:])
    assert block.shape == (15, 25)
    np.testing.assert_allclose(block, kernel.block(rows[15:], rows[:15]).T, rtol=1e-12, atol=1e-13)


def test_kernel_is_positive_semidefinite(kernel, rows):
    eigenvalues = np.linalg.eigvalsh(kernel.block(rows, rows))
    assert eigenvalues[0] >= -1e-10 * eigenvalues[-1]


def test_diagonal_is_the_value_of_a_row_with_itself(kernel, rows):
    np.testing.assert_allclose(kernel.diagonal(rows), np.diag(kernel.block(rows, rows)), rtol=1e-7)


def test_values_stay_within_the_bound(kernel, rows):
    spread = rows * np.geomspace(0.01, 100.0, len(rows))[:, None]
    values = kernel.block(spread, spread)
    assert kernel.bound > 0.0
    assert np.abs(values).max() <= kernel.bound * (1.0 + 1e-12)
    assert kernel.diagonal(spread).max() <= kernel.bound * (1.0 + 1e-12)


def test_an_infinite_bound_is_exceeded_by_far_rows(kernel, rows):
    if math.isinf(kernel.bound):
        assert kernel.diagonal(1e4 * rows).max() > 1e3


def test_nonnegative_kernels_are_never_negative(kernel, rows):
    lowest = kernel.block(rows, -3.0 * rows).min()
    assert (lowest >= -1e-12) if kernel.is_nonnegative else (lowest < -1.0)


def test_inputs_are_left_untouched(kernel, rows):
    before = rows.copy()
    rows.flags.writeable = False
    kernel.block(rows, rows[:5])
    kernel.diagonal(rows)
    np.testing.assert_array_equal(rows, before)


def test_float32_rows_give_float64_values(kernel, rows):
    small = rows.astype(np.float32)
    for values in (kernel.block(small, small), kernel.diagonal(small)):
        assert values.dtype == np.float64
    np.testing.assert_allclose(kernel.block(small, small), kernel.block(rows, rows), rtol=1e-3, atol=1e-5)


def test_bounded_shift_invariant_kernels_do_not_see_a_shift(kernel, rows):
    if kernel.is_shift_invariant and math.isfinite(kernel.bound):
        shifted = kernel.block(rows[:20] + 1e3, rows[20:] + 1e3)
        np.testing.assert_allclose(shifted, kernel.block(rows[:20], rows[20:]), rtol=1e-9, atol=1e-13)


def test_kernels_survive_being_saved(kernel, rows):
    again = kernel_from_dict(kernel.to_dict())
    assert again == kernel
    np.testing.assert_array_equal(again.block(rows, rows), kernel.block(rows, rows))


def test_same_reference_same_kernel(kernel, rows):
    names = {name: kernel_named(name, [rows]) for name in NAMES}
    assert kernel in names.values()
    assert {name: kernel_named(name, [rows]) for name in NAMES} == names
