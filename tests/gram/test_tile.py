"""The compiled pass alone, on blocks whose exponents are known."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pytest

from karat.gram.emit import DIFFERENCES
from karat.gram.engines import FusedEngine
from karat.gram.forms import RECIPROCAL
from karat.gram.layout import lay_out
from karat.gram.panels import HEIGHT, NOBODY, Panels, Shelf
from karat.gram.tasks import Task, TaskSums
from karat.kernels.profile import Fill, Form, Profile


class Sums(NamedTuple):
    row_sums: np.ndarray
    column_sums: np.ndarray
    squares: np.ndarray


def packed(sizes, rows, norms, precision):
    """Sources below one another in panels, as `Panels.pack` leaves them, but with rows as they are."""
    shelf = Shelf.of(sizes)
    panels = np.zeros((len(shelf), rows.shape[1], HEIGHT), precision)
    halves = np.full(HEIGHT * len(shelf), NOBODY[precision], precision)
    offsets = np.cumsum([0, *sizes])
    for j, (start, stop) in enumerate(pairwise(offsets)):
        room = panels[shelf.first(j) : shelf.first(j + 1)]
        lay_out(rows[start:stop], np.zeros(rows.shape[1]), 1.0, room, np.zeros(stop - start))
        halves[shelf.rows_of(j)] = norms[start:stop]
    return Panels(shelf, panels, halves, np.zeros(len(shelf), dtype=bool))


def sums_between(
    x,
    y,
    form,
    *,
    fill=Fill.PRODUCT,
    rates=(1.0,),
    x_sizes=None,
    y_sizes=None,
    norms=None,
    precision="float64",
):
    """The sums of the rows x against the rows y, each of one source or of several."""
    x_sizes, y_sizes = x_sizes or [len(x)], y_sizes or [len(y)]
    norms = np.zeros(len(x) + len(y)) if norms is None else norms
    rows = packed([*x_sizes, *y_sizes], np.concatenate([x, y]), norms, precision)
    shelf, n, profile = rows.shelf, len(x_sizes), Profile(form, rates=rates)
    engine = FusedEngine(rows, profile, int(fill), np.zeros(len(shelf), dtype=bool))
    middle = shelf.first(n)
    sources = slice(0, n), slice(n, n + len(y_sizes))
    found = engine.run(Task(0, middle, middle, len(shelf), *sources))
    assert not found.own_seen.any()
    np.testing.assert_array_equal(found.seen, np.outer(x_sizes, y_sizes))
    of_x = np.concatenate([np.r_[shelf.rows_of(j)] for j in range(n)])
    of_y = np.concatenate([np.r_[shelf.rows_of(j)] for j in range(n, n + len(y_sizes))]) - HEIGHT * middle
    return Sums(found.row_sums[of_x], found.column_sums[:, of_y], found.squares)


def sums_of(exponents, form, **given):
    """The sums over a matrix of exponents: its inner products with the rows of a unit matrix are itself."""
    return sums_between(exponents, np.eye(exponents.shape[1]), form, **given)


def values_of(exponents, form, **given):
    """The form of each exponent by itself."""
    return sums_of(np.asarray(exponents)[:, None], form, **given).row_sums[:, 0]


def test_two_to_the_power_is_right_to_seven_digits_in_float32():
    exponents = np.linspace(-126.0, 0.0, 20_001, dtype=np.float32)
    powers = values_of(exponents, Form.EXP2, precision="float32")
    np.testing.assert_allclose(powers, np.exp2(exponents.astype(np.float64)), rtol=1.5e-7)


def test_two_to_the_power_is_right_to_fifteen_digits_in_float64():
    exponents = np.linspace(-1000.0, 0.0, 10_001)
    np.testing.assert_allclose(values_of(exponents, Form.EXP2), np.exp2(exponents), rtol=2e-15)


@pytest.mark.parametrize("precision", ["float32", "float64"])
def test_two_to_the_power_never_exceeds_one_and_ends_in_nothing(precision):
    ends = values_of([1e-3, 5.0, -2000.0, -1e30], Form.EXP2, precision=precision)
    np.testing.assert_allclose(ends, [1.0, 1.0, 0.0, 0.0], rtol=1e-7, atol=0.0)
    assert (ends <= 1.0).all()


FORMS = {
    Form.GIVEN: (lambda e: e, (1.0,)),
    Form.EXP2: (np.exp2, (1.0,)),
    Form.EXP2_1_4_16: (lambda e: sum(np.exp2(r * e) for r in (1, 4, 16)), (1.0,)),
    Form.EXP2_1_4_25_100: (lambda e: sum(np.exp2(r * e) for r in (1, 4, 25, 100)), (1.0,)),
    Form.EXP2_RATES: (lambda e: np.exp2(e) + np.exp2(2.5 * e) + np.exp2(7.0 * e), (1.0, 2.5, 7.0)),
    Form.RATIONAL: (lambda e: 1.0 / (1.0 - e), (1.0,)),
}


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
@pytest.mark.parametrize(("precision", "rtol"), [("float64", 1e-13), ("float32", 2e-6)])
def test_every_form_is_its_formula(form, precision, rtol):
    formula, rates = FORMS[form]
    exponents = -np.random.default_rng(0).exponential(0.3, size=(45, 70)).astype(precision)
    values = formula(exponents.astype(np.float64))
    sums = sums_of(exponents, form, rates=rates, precision=precision)
    np.testing.assert_allclose(sums.row_sums[:, 0], values.sum(axis=1), rtol=rtol)
    np.testing.assert_allclose(sums.column_sums[0], values.sum(axis=0), rtol=rtol)
    np.testing.assert_allclose(sums.squares[0, 0], (values**2).sum(), rtol=rtol)


@pytest.mark.parametrize(("precision", "rtol"), [("float64", 1e-13), ("float32", 2e-6)])
@pytest.mark.parametrize("alpha", [0.5, 1.0, 2.5])
def test_a_rational_form_takes_any_power(alpha, precision, rtol):
    """From exponents where the logarithm is near 0 to those where it is large."""
    exponents = -np.geomspace(1e-8, 1e4, 300).astype(precision)
    values = values_of(exponents, Form.RATIONAL, rates=(alpha,), precision=precision)
    np.testing.assert_allclose(values, (1.0 - exponents.astype(np.float64)) ** -alpha, rtol=rtol)
    assert RECIPROCAL not in list(Form)


@pytest.mark.parametrize(("precision", "rtol"), [("float64", 1e-13), ("float32", 2e-6)])
@pytest.mark.parametrize("alpha", [1e3, 1e6, 1e12])
def test_a_large_power_does_not_multiply_what_rounding_takes(alpha, precision, rtol):
    """1 - e would lose the digits of a small e; near a Gaussian all exponents are small."""
    exponents = (-np.geomspace(1e-8, 3.0, 300) / alpha).astype(precision)
    values = values_of(exponents, Form.RATIONAL, rates=(alpha,), precision=precision)
    exact = np.exp(-alpha * np.log1p(-exponents.astype(np.float64)))
    np.testing.assert_allclose(values, exact, rtol=rtol)


def test_half_the_norms_of_both_rows_are_taken_off_a_product():
    rng = np.random.default_rng(2)
    x, y = rng.normal(size=(4, 3)), rng.normal(size=(6, 3))
    norms = 0.5 * (np.concatenate([x, y]) ** 2).sum(axis=1)
    sums = sums_between(x, y, Form.EXP2, norms=norms)
    squared = ((x[:, None] - y[None]) ** 2).sum(axis=2)
    np.testing.assert_allclose(sums.row_sums[:, 0], np.exp2(-squared / 2.0).sum(axis=1), rtol=1e-13)


def test_the_distance_form_is_what_the_triangle_leaves():
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(4, 3)), rng.normal(size=(6, 3))
    norms = 0.5 * (np.concatenate([x, y]) ** 2).sum(axis=1)
    sums = sums_between(x, y, Form.DISTANCE, norms=norms)
    lengths = np.linalg.norm(x, axis=1)[:, None] + np.linalg.norm(y, axis=1)[None, :]
    values = (lengths - np.linalg.norm(x[:, None] - y[None], axis=2)) / 2.0
    np.testing.assert_allclose(sums.row_sums[:, 0], values.sum(axis=1), rtol=1e-12)


def test_sources_that_share_a_task_are_summed_apart():
    values = np.random.default_rng(4).random((39, 27))
    sums = sums_of(values, Form.GIVEN, x_sizes=[2, 1, 36], y_sizes=[20, 7])
    np.testing.assert_allclose(sums.row_sums, np.add.reduceat(values, [0, 20], axis=1), rtol=1e-13)
    np.testing.assert_allclose(sums.column_sums, np.add.reduceat(values, [0, 2, 3], axis=0), rtol=1e-13)
    both = np.add.reduceat(np.add.reduceat(values**2, [0, 2, 3], axis=0), [0, 20], axis=1)
    np.testing.assert_allclose(sums.squares, both, rtol=1e-13)


@pytest.mark.parametrize("form", [Form.GIVEN, Form.EXP2, Form.RATIONAL, Form.DISTANCE], ids=lambda f: f.name)
def test_a_range_that_meets_itself_is_a_triangle_without_its_diagonal(form):
    """Every ordered pair of different rows is found once: by its row, by its column, or within one panel."""
    rng = np.random.default_rng(5)
    x, sizes = rng.normal(size=(52, 4)), [20, 32]
    norms = 0.5 * (x**2).sum(axis=1) if form != Form.GIVEN else np.zeros(52)
    rows = packed(sizes, x, norms, "float64")
    engine = FusedEngine(rows, Profile(form, rates=(0.7,)), int(Fill.PRODUCT), np.zeros(4, dtype=bool))
    found = engine.run(Task(0, 4, 0, 4, slice(0, 2), slice(0, 2)))
    whole = whole_matrix(x, form)
    np.fill_diagonal(whole, 0.0)
    real = np.concatenate([np.r_[rows.shelf.rows_of(j)] for j in range(2)])
    both_sides = found.row_sums + found.column_sums.T
    np.testing.assert_allclose(both_sides[real], np.add.reduceat(whole, [0, 20], axis=1), rtol=1e-10)
    squares = np.add.reduceat(np.add.reduceat(whole**2, [0, 20], axis=0), [0, 20], axis=1)
    np.testing.assert_allclose(found.squares + found.squares.T + found.own_squares, squares, rtol=1e-10)
    seen = found.seen + found.seen.T + found.own_seen
    np.testing.assert_array_equal(seen, np.outer(sizes, sizes) - np.diag(sizes))


def whole_matrix(x, form):
    products = x @ x.T
    e = np.minimum(products - 0.5 * np.add.outer((x**2).sum(axis=1), (x**2).sum(axis=1)), 0.0)
    lengths = np.add.outer(np.linalg.norm(x, axis=1), np.linalg.norm(x, axis=1))
    return {
        Form.GIVEN: products,
        Form.EXP2: np.exp2(e),
        Form.RATIONAL: (1.0 - e) ** -0.7,
        Form.DISTANCE: (lengths - np.sqrt(-2.0 * e)) / 2.0,
    }[form]


def test_panels_that_are_skipped_do_not_meet_one_another_but_meet_all_others():
    rows = packed([40], np.zeros((40, 1)), np.zeros(40), "float64")
    skip = np.array([True, False, True])
    engine = FusedEngine(rows, Profile(Form.EXP2), int(Fill.PRODUCT), skip)
    task = Task(0, 3, 0, 3, slice(0, 1), slice(0, 1))
    found: TaskSums = engine.run(task)
    sums = (found.row_sums + found.column_sums.T)[:, 0]
    np.testing.assert_array_equal(sums[:16], 16.0)
    np.testing.assert_array_equal(sums[16:32], 39.0)
    np.testing.assert_array_equal(sums[32:40], 16.0)
    assert 2.0 * found.seen[0, 0] + found.own_seen[0, 0] == 16 * 16 + 16 * 39 + 8 * 16


def test_float32_sums_do_not_lose_digits_over_many_rows():
    rng = np.random.default_rng(6)
    values = rng.random((1024, 20)).astype(np.float32)
    sums = sums_of(values, Form.GIVEN, precision="float32")
    np.testing.assert_allclose(sums.column_sums[0], values.sum(axis=0, dtype=np.float64), rtol=3e-7)
    np.testing.assert_allclose(sums.row_sums[:, 0], values.sum(axis=1, dtype=np.float64), rtol=3e-7)
    turned = sums_between(np.eye(20), values, Form.GIVEN, precision="float32")
    np.testing.assert_allclose(turned.row_sums[:, 0], values.sum(axis=0, dtype=np.float64), rtol=3e-7)


@pytest.mark.parametrize(
    ("fill", "exponents"),
    [
        (Fill.MANHATTAN, lambda x, y: -np.abs(x[:, None] - y[None]).sum(axis=2)),
        (DIFFERENCES, lambda x, y: -((x[:, None] - y[None]) ** 2).sum(axis=2)),
    ],
)
def test_distances_may_grow_from_differences(fill, exponents):
    """The second one is half the squared distance of rows that come scaled by the root of a half."""
    rng = np.random.default_rng(7)
    x, y = rng.normal(size=(20, 3)), rng.normal(size=(6, 3))
    sums = sums_between(x, y, Form.EXP2, fill=fill)
    np.testing.assert_allclose(sums.row_sums[:, 0], np.exp2(exponents(x, y)).sum(axis=1), rtol=1e-13)


@pytest.mark.parametrize("given", [np.float32, np.float64])
@pytest.mark.parametrize("kept", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(1, 1), (16, 16), (37, 21), (40, 5)])
def test_rows_are_laid_out_shifted_scaled_and_rounded_once(given, kept, shape):
    rng = np.random.default_rng(8)
    rows, shift = rng.normal(size=shape).astype(given), rng.normal(size=shape[1])
    rows.flags.writeable = False
    panels, halves = np.zeros((-(-shape[0] // HEIGHT), shape[1], HEIGHT), kept), np.full(shape[0], np.nan)
    lay_out(rows, shift, 0.3, panels, halves)
    expected = ((rows - shift) * 0.3).astype(kept)
    found = panels.transpose(0, 2, 1).reshape(-1, shape[1])
    np.testing.assert_array_equal(found[: shape[0]], expected)
    assert not found[shape[0] :].any()
    np.testing.assert_allclose(halves, 0.5 * (expected.astype(float) ** 2).sum(axis=1), rtol=1e-14)
