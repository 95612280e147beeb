from __future__ import annotations

import math

import numpy as np
import pytest
from sklearn.metrics import pairwise

from karat.errors import KernelError
from karat.kernels import Energy, Gaussian, GaussianMean, GaussianSum, Laplace, RationalQuadratic


@pytest.fixture
def rows():
    rng = np.random.default_rng(1)
    return rng.normal(size=(9, 4)), rng.normal(0.5, 2.0, size=(6, 4))


@pytest.mark.parametrize("bandwidth", [0.1, 1.0, 7.5])
def test_a_gaussian_is_the_rbf_kernel_of_scikit_learn(rows, bandwidth):
    expected = pairwise.rbf_kernel(*rows, gamma=1.0 / (2.0 * bandwidth**2))
    np.testing.assert_allclose(Gaussian(bandwidth).block(*rows), expected, rtol=1e-11)


@pytest.mark.parametrize("bandwidth", [0.3, 1.0, 7.5])
def test_laplace_is_the_laplacian_kernel_of_scikit_learn(rows, bandwidth):
    expected = pairwise.laplacian_kernel(*rows, gamma=1.0 / bandwidth)
    np.testing.assert_allclose(Laplace(bandwidth).block(*rows), expected, rtol=1e-12)


def test_the_papers_sum_adds_four_gaussians_and_the_mean_divides_by_four(rows):
    widths = (1.0, 2.0, 5.0, 10.0)
    total = sum(Gaussian(s).block(*rows) for s in widths)
    np.testing.assert_allclose(GaussianSum(widths).block(*rows), total, rtol=1e-14)
    np.testing.assert_allclose(GaussianMean(widths).block(*rows), total / 4.0, rtol=1e-14)


@pytest.mark.parametrize("alpha", [0.5, 1.0, 3.0])
def test_the_rational_quadratic_is_its_formula_row_by_row(rows, alpha):
    a, b = rows
    block = RationalQuadratic(1.5, alpha).block(a, b)
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            squared = float(np.sum((x - y) ** 2))
            assert block[i, j] == pytest.approx((1.0 + squared / (2.0 * alpha * 2.25)) ** -alpha, rel=1e-12)


def test_a_rational_quadratic_of_large_alpha_is_nearly_a_gaussian(rows):
    np.testing.assert_allclose(
        RationalQuadratic(2.0, 1e8).block(*rows), Gaussian(2.0).block(*rows), rtol=1e-6
    )
    np.testing.assert_allclose(
        RationalQuadratic(2.0, 1e30).block(*rows), Gaussian(2.0).block(*rows), rtol=1e-12
    )


def test_energy_is_half_of_what_the_triangle_leaves(rows):
    a, b = rows
    block = Energy().block(a, b)
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            spare = math.dist(x, 0.0 * x) + math.dist(y, 0.0 * y) - math.dist(x, y)
            assert block[i, j] == pytest.approx(spare / 2.0, rel=1e-12)


@pytest.mark.parametrize(
    ("kernel", "bound"),
    [
        (Gaussian(2.0), 1.0),
        (GaussianSum([1.0, 2.0, 5.0, 10.0]), 4.0),
        (GaussianMean([1.0, 2.0]), 1.0),
        (Laplace(2.0), 1.0),
        (RationalQuadratic(2.0), 1.0),
        (Energy(), math.inf),
    ],
    ids=repr,
)
def test_the_bound_is_the_supremum_of_the_diagonal(kernel, bound, rows):
    assert kernel.bound == bound
    if math.isfinite(bound):
        np.testing.assert_allclose(kernel.diagonal(rows[0]), bound, rtol=1e-15)


def test_bandwidths_are_a_set_whatever_their_order():
    assert GaussianSum([5.0, 1.0, 2.0]) == GaussianSum((1.0, 2.0, 5.0))
    assert GaussianSum([1.0]) != GaussianMean([1.0])


@pytest.mark.parametrize("kind", [Gaussian, Laplace, RationalQuadratic, lambda s: GaussianSum([1.0, s])])
@pytest.mark.parametrize("bandwidth", [0.0, -1.0, math.nan, math.inf, "wide", None])
def test_a_bandwidth_that_is_not_positive_and_finite_is_refused(kind, bandwidth):
    with pytest.raises(KernelError, match=r"bandwidth of the .* must be positive and finite"):
        kind(bandwidth)


def test_a_mixture_without_bandwidths_is_refused():
    with pytest.raises(KernelError, match="got no bandwidths"):
        GaussianSum([])


def test_bandwidths_that_no_scale_holds_together_are_refused():
    with pytest.raises(KernelError, match=r"from 1e-300 to 1, more than 1e\+15 times"):
        GaussianSum([1.0, 1e-300])
    assert GaussianSum([1.0, 1e-15]).bound == 2.0


def test_an_alpha_beyond_every_digit_is_refused():
    with pytest.raises(KernelError, match=r"alpha .* positive and at most 1e\+30"):
        RationalQuadratic(1.0, 1e31)
