"""The compiled pass alone, on tiles whose sums are known."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit

from karat.gram.tile import exp2, fill_manhattan, sum_tile
from karat.kernels.profile import Form


@njit
def powers_of_two(exponents, out):
    for i in range(len(exponents)):
        out[i] = exp2(exponents[i])


def compiled_exp2(exponents):
    out = np.empty_like(exponents)
    powers_of_two(exponents, out)
    return out


def test_two_to_the_power_is_right_to_seven_digits_in_float32():
    exponents = np.linspace(-126.0, 0.0, 200_001, dtype=np.float32)
    np.testing.assert_allclose(compiled_exp2(exponents), np.exp2(exponents.astype(np.float64)), rtol=1.5e-7)


def test_two_to_the_power_is_right_to_thirteen_digits_in_float64():
    exponents = np.linspace(-700.0, 0.0, 10_001)
    np.testing.assert_allclose(compiled_exp2(exponents), np.exp2(exponents), rtol=1e-13)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_two_to_the_power_never_exceeds_one_and_ends_in_nothing(dtype):
    ends = compiled_exp2(np.array([1e-3, 5.0, -200.0, -1e30], dtype=dtype))
    np.testing.assert_allclose(ends, [1.0, 1.0, 0.0, 0.0], rtol=1e-7, atol=1e-37)
    assert exp2(-3.0) == 0.125


FORMS = {
    Form.GIVEN: (lambda e: e, (1.0,)),
    Form.EXP2: (np.exp2, (1.0,)),
    Form.EXP2_1_4_16: (lambda e: sum(np.exp2(r * e) for r in (1, 4, 16)), (1.0,)),
    Form.EXP2_1_4_25_100: (lambda e: sum(np.exp2(r * e) for r in (1, 4, 25, 100)), (1.0,)),
    Form.EXP2_RATES: (lambda e: np.exp2(e) + np.exp2(2.5 * e) + np.exp2(7.0 * e), (1.0, 2.5, 7.0)),
    Form.RATIONAL: (lambda e: 1.0 / (1.0 - e), (1.0,)),
}


def sums_of(
    tile, form, *, rates=(1.0,), on_diagonal=False, x_bounds=None, y_bounds=None, x_norms=None, y_norms=None
):
    a, b = tile.shape
    x_bounds = np.array([0, a] if x_bounds is None else x_bounds, dtype=np.intp)
    y_bounds = np.array([0, b] if y_bounds is None else y_bounds, dtype=np.intp)
    x_norms = np.zeros(a, tile.dtype) if x_norms is None else x_norms
    y_norms = np.zeros(b, tile.dtype) if y_norms is None else y_norms
    row_sums = np.zeros((a, len(y_bounds) - 1))
    column_sums = np.zeros((len(x_bounds) - 1, b))
    squares = np.zeros((len(x_bounds) - 1, len(y_bounds) - 1))
    rates = np.array(rates, dtype=tile.dtype)
    sum_tile(
        tile,
        x_norms,
        y_norms,
        int(form),
        rates,
        on_diagonal,
        x_bounds,
        y_bounds,
        row_sums,
        column_sums,
        squares,
    )
    return row_sums, column_sums, squares


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
@pytest.mark.parametrize(("dtype", "rtol"), [(np.float64, 1e-13), (np.float32, 2e-6)])
def test_every_form_is_its_formula(form, dtype, rtol):
    formula, rates = FORMS[form]
    exponents = -np.random.default_rng(0).exponential(0.3, size=(45, 70))
    values = formula(exponents.astype(dtype).astype(np.float64))
    row_sums, column_sums, squares = sums_of(exponents.astype(dtype), form, rates=rates)
    np.testing.assert_allclose(row_sums[:, 0], values.sum(axis=1), rtol=rtol)
    np.testing.assert_allclose(column_sums[0], values.sum(axis=0), rtol=rtol)
    np.testing.assert_allclose(squares[0, 0], (values**2).sum(), rtol=rtol)


@pytest.mark.parametrize("alpha", [0.5, 2.5])
def test_a_rational_form_takes_any_power(alpha):
    exponents = -np.random.default_rng(1).exponential(0.3, size=(5, 6))
    row_sums, _, _ = sums_of(exponents, Form.RATIONAL, rates=(alpha,))
    np.testing.assert_allclose(row_sums[:, 0], ((1.0 - exponents) ** -alpha).sum(axis=1), rtol=1e-13)


def test_half_the_norms_of_both_rows_are_taken_off_a_product():
    rng = np.random.default_rng(2)
    x, y = rng.normal(size=(4, 3)), rng.normal(size=(6, 3))
    half = [0.5 * (rows**2).sum(axis=1) for rows in (x, y)]
    row_sums, _, _ = sums_of(x @ y.T, Form.EXP2, x_norms=half[0], y_norms=half[1])
    squared = ((x[:, None] - y[None]) ** 2).sum(axis=2)
    np.testing.assert_allclose(row_sums[:, 0], np.exp2(-squared / 2.0).sum(axis=1), rtol=1e-13)


def test_the_distance_form_is_what_the_triangle_leaves():
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(4, 3)), rng.normal(size=(6, 3))
    half = [0.5 * (rows**2).sum(axis=1) for rows in (x, y)]
    row_sums, _, _ = sums_of(x @ y.T, Form.DISTANCE, x_norms=half[0], y_norms=half[1])
    lengths = np.linalg.norm(x, axis=1)[:, None] + np.linalg.norm(y, axis=1)[None, :]
    values = (lengths - np.linalg.norm(x[:, None] - y[None], axis=2)) / 2.0
    np.testing.assert_allclose(row_sums[:, 0], values.sum(axis=1), rtol=1e-12)


def test_sources_that_share_a_tile_are_summed_apart():
    values = np.random.default_rng(4).random((9, 7))
    row_sums, column_sums, squares = sums_of(values, Form.GIVEN, x_bounds=[0, 2, 3, 9], y_bounds=[0, 4, 7])
    np.testing.assert_allclose(row_sums, np.add.reduceat(values, [0, 4], axis=1), rtol=1e-13)
    np.testing.assert_allclose(column_sums, np.add.reduceat(values, [0, 2, 3], axis=0), rtol=1e-13)
    both = np.add.reduceat(np.add.reduceat(values**2, [0, 2, 3], axis=0), [0, 4], axis=1)
    np.testing.assert_allclose(squares, both, rtol=1e-13)


def test_a_tile_that_meets_itself_leaves_its_diagonal_out():
    row_sums, column_sums, squares = sums_of(np.ones((5, 5)), Form.GIVEN, on_diagonal=True)
    np.testing.assert_array_equal(row_sums[:, 0], 4.0)
    np.testing.assert_array_equal(column_sums[0], 4.0)
    assert squares[0, 0] == 20.0


def test_float32_columns_do_not_lose_digits_over_many_rows():
    rng = np.random.default_rng(5)
    values = rng.random((1024, 20)).astype(np.float32)
    row_sums, column_sums, _ = sums_of(values, Form.GIVEN)
    np.testing.assert_allclose(column_sums[0], values.sum(axis=0, dtype=np.float64), rtol=3e-7)
    np.testing.assert_allclose(row_sums[:, 0], values.sum(axis=1, dtype=np.float64), rtol=3e-7)


def test_manhattan_tiles_hold_minus_the_absolute_differences():
    rng = np.random.default_rng(6)
    x, y = rng.normal(size=(4, 3)), rng.normal(size=(6, 3))
    tile = np.full((4, 6), np.nan)
    fill_manhattan(x, y.T.copy(), tile)
    np.testing.assert_allclose(tile, -np.abs(x[:, None] - y[None]).sum(axis=2), rtol=1e-14)
