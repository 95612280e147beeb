from __future__ import annotations

import math

import numpy as np
import pytest

from karat.errors import KernelError
from karat.gram import kernel_sums, moments_from_sums
from karat.kernels import Energy, Gaussian, Laplace, Linear, OnColumns, Product, Sum, on_blocks


@pytest.fixture
def rows():
    rng = np.random.default_rng(3)
    return rng.normal(size=(8, 4)), rng.normal(0.5, 2.0, size=(5, 4))


def test_a_kernel_on_columns_sees_those_columns_and_nothing_else(rows):
    a, b = rows
    part = OnColumns(Gaussian(1.5), 1, 3)
    np.testing.assert_array_equal(part.block(a, b), Gaussian(1.5).block(a[:, 1:3], b[:, 1:3]))
    np.testing.assert_array_equal(part.diagonal(a), np.ones(len(a)))


def test_sums_add_values_diagonals_and_bounds(rows):
    a, b = rows
    parts = [Gaussian(1.0), OnColumns(Laplace(2.0), 0, 2), Linear()]
    total = Sum(parts)
    np.testing.assert_allclose(total.block(a, b), sum(part.block(a, b) for part in parts), rtol=1e-15)
    np.testing.assert_allclose(total.diagonal(a), sum(part.diagonal(a) for part in parts), rtol=1e-15)
    assert total.bound == math.inf
    assert Sum(parts[:2]).bound == 2.0


def test_products_multiply_values_diagonals_and_bounds(rows):
    a, b = rows
    parts = [Sum([Gaussian(1.0), Gaussian(2.0)]), OnColumns(Laplace(2.0), 0, 2)]
    product = Product(parts)
    expected = parts[0].block(a, b) * parts[1].block(a, b)
    np.testing.assert_allclose(product.block(a, b), expected, rtol=1e-15)
    np.testing.assert_allclose(product.diagonal(a), 2.0, rtol=1e-15)
    assert product.bound == 2.0


def test_a_product_of_gaussians_over_all_blocks_is_the_gaussian_of_the_whole_row(rows):
    parts = on_blocks({"rooms": (0, 1), "age": (1, 4)}, {"rooms": Gaussian(2.0), "age": Gaussian(2.0)})
    np.testing.assert_allclose(Product(parts).block(*rows), Gaussian(2.0).block(*rows), rtol=1e-12)


def test_a_composition_inherits_what_all_of_its_parts_have():
    assert Sum([Gaussian(1.0), Laplace(1.0)]).is_nonnegative
    assert not Sum([Gaussian(1.0), Linear()]).is_nonnegative
    assert Product([Gaussian(1.0), Laplace(1.0)]).is_shift_invariant


@pytest.mark.parametrize("inner", [Energy(), Linear()], ids=repr)
def test_rows_are_not_centred_for_a_product_whose_values_depend_on_the_origin(inner):
    """Shifting rows adds f(x) + f(y) to these kernels: contrasts cancel that in a sum, not in a product."""
    assert not Product([inner, Gaussian(1.0)]).is_shift_invariant
    rng = np.random.default_rng(4)
    sources = [rng.normal(3.0, 1.0, size=(12, 2)), rng.normal(4.0, 1.0, size=(9, 2))]
    product = Product([inner, Gaussian(1.0)])
    moments = moments_from_sums(kernel_sums(sources, product), names=["a", "b"], kernel=product, anchor=None)
    assert moments.gram[0, 1] == pytest.approx(product.block(*sources).mean(), rel=1e-12)


def test_kernels_for_column_blocks_that_do_not_exist_are_refused_by_name():
    with pytest.raises(KernelError, match=r"do not exist: 'prize'\. The blocks are 'price', 'rooms'"):
        on_blocks({"price": (0, 1), "rooms": (1, 2)}, {"prize": Gaussian(1.0)})


def test_a_kernel_on_columns_that_the_rows_lack_is_refused(rows):
    with pytest.raises(KernelError, match="looks at the columns 2 to 9, but rows have 4"):
        OnColumns(Gaussian(1.0), 2, 9).block(*rows)


@pytest.mark.parametrize("columns", [(2, 2), (3, 1), (-1, 2)])
def test_a_kernel_on_no_columns_is_refused(columns):
    with pytest.raises(KernelError, match="which are none"):
        OnColumns(Gaussian(1.0), *columns)


@pytest.mark.parametrize("kind", [Sum, Product])
def test_a_composition_of_nothing_is_refused(kind):
    with pytest.raises(KernelError, match="has no parts"):
        kind([])
