from __future__ import annotations

import math

import numpy as np
import pytest
from sklearn.metrics import pairwise

from karat.errors import KernelError
from karat.kernels import Linear, Polynomial


@pytest.fixture
def rows():
    rng = np.random.default_rng(2)
    return rng.normal(size=(9, 4)), rng.normal(0.5, 2.0, size=(6, 4))


def test_linear_is_the_linear_kernel_of_scikit_learn(rows):
    np.testing.assert_allclose(Linear().block(*rows), pairwise.linear_kernel(*rows), rtol=1e-12)


@pytest.mark.parametrize(("degree", "offset"), [(1, 1.0), (2, 0.5), (3, 1.0)])
def test_polynomial_is_the_polynomial_kernel_of_scikit_learn(rows, degree, offset):
    expected = pairwise.polynomial_kernel(*rows, degree=degree, gamma=0.25, coef0=offset)
    np.testing.assert_allclose(Polynomial(degree, offset).block(*rows), expected, rtol=1e-12)


@pytest.mark.parametrize("kernel", [Linear(), Polynomial(2), Polynomial(3)], ids=repr)
def test_inner_product_kernels_have_no_bound(kernel):
    assert kernel.bound == math.inf


def test_even_degrees_are_never_negative_and_odd_ones_may_be():
    opposite = np.array([[2.0]]), np.array([[-2.0]])
    assert Polynomial(2).is_nonnegative
    assert Polynomial(2).block(*opposite)[0, 0] == 9.0
    assert not Polynomial(3).is_nonnegative
    assert Polynomial(3).block(*opposite)[0, 0] == -27.0
    assert not Linear().is_nonnegative


@pytest.mark.parametrize("degree", [0, -1, 2.5, math.nan, math.inf, "cubic"])
def test_a_degree_that_is_not_a_whole_number_from_one_up_is_refused(degree):
    with pytest.raises(KernelError, match="degree of the polynomial kernel"):
        Polynomial(degree)


@pytest.mark.parametrize("offset", [0.0, -1.0, math.nan, math.inf])
def test_an_offset_that_is_not_positive_and_finite_is_refused(offset):
    with pytest.raises(KernelError, match="offset of the polynomial kernel"):
        Polynomial(2, offset)
