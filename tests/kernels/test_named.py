from __future__ import annotations

import json
import math

import numpy as np
import pytest

from karat.errors import KernelError
from karat.kernels import (
    RULES,
    Energy,
    Gaussian,
    GaussianMean,
    GaussianSum,
    Laplace,
    Linear,
    OnColumns,
    Polynomial,
    Product,
    RationalQuadratic,
    Sum,
    default_kernel,
    kernel_from_dict,
    kernel_named,
)
from karat.kernels.bandwidth import median_distance

REFERENCE = [np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 3.0], [2.0, 2.0]])]


@pytest.mark.parametrize(
    ("text", "kernel"),
    [
        ("gaussian:0.5", Gaussian(0.5)),
        ("gaussian-sum:1,2", GaussianSum([1.0, 2.0])),
        ("gaussian-mean:4,2", GaussianMean([2.0, 4.0])),
        ("laplace:3", Laplace(3.0)),
        ("rational-quadratic:2", RationalQuadratic(2.0)),
        ("rational-quadratic:2,0.5", RationalQuadratic(2.0, 0.5)),
        ("energy", Energy()),
        ("linear", Linear()),
        ("polynomial", Polynomial(3, 1.0)),
        ("polynomial:2", Polynomial(2, 1.0)),
        ("polynomial:2,0.5", Polynomial(2, 0.5)),
        ("paper", GaussianSum([1.0, 2.0, 5.0, 10.0])),
    ],
)
def test_a_name_with_numbers_means_that_kernel(text, kernel):
    assert kernel_named(text, REFERENCE) == kernel


def test_a_name_without_a_bandwidth_takes_the_median_of_the_reference():
    median, manhattan = median_distance(REFERENCE), median_distance(REFERENCE, manhattan=True)
    assert kernel_named("gaussian", REFERENCE) == Gaussian(median)
    assert kernel_named("rational-quadratic", REFERENCE) == RationalQuadratic(median)
    assert kernel_named("laplace", REFERENCE) == Laplace(manhattan)
    assert manhattan > median


def test_the_default_is_the_mean_of_three_gaussians_around_the_median():
    median = median_distance(REFERENCE)
    expected = GaussianMean([median / 2.0, median, 2.0 * median])
    assert kernel_named("default", REFERENCE) == default_kernel(REFERENCE) == expected
    assert expected.bound == 1.0
    assert kernel_named("gaussian-sum", REFERENCE) == GaussianSum(expected.bandwidths)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("gausian", r"no kernel called 'gausian'.*Choose from default, paper, gaussian"),
        ("", "no kernel called ''"),
        ("gaussian:wide", "'gaussian:wide' has a parameter that is not a number"),
        ("gaussian:1,", "not a number"),
        ("gaussian:1,2", "more than 1 parameters"),
        ("default:1", "more than 0 parameters"),
        ("gaussian:0", "must be positive and finite"),
        ("gaussian:-1", "must be positive and finite"),
        ("laplace:nan", "must be positive and finite"),
        ("rational-quadratic:1,inf", "alpha of the .* must be positive and at most"),
        ("polynomial:2.5", "degree of the polynomial kernel is 2.5"),
        ("polynomial:nan", "degree of the polynomial kernel is nan"),
        ("polynomial:inf", "degree of the polynomial kernel is inf"),
        ("polynomial:0", "degree of the polynomial kernel is 0"),
    ],
)
def test_a_bad_name_or_number_says_what_is_wrong_and_what_there_is(text, message):
    with pytest.raises(KernelError, match=message) as caught:
        kernel_named(text, REFERENCE)
    assert caught.value.hint


SHIPPED = [kernel_named(name, REFERENCE) for name in RULES] + [
    Polynomial(2, 0.3),
    OnColumns(Gaussian(0.7), 0, 1),
    Sum([Gaussian(1.0), OnColumns(Energy(), 1, 2)]),
    Product([OnColumns(Laplace(1.0), 0, 1), Sum([Gaussian(2.0), Linear()])]),
]


@pytest.mark.parametrize("kernel", SHIPPED, ids=repr)
def test_every_shipped_kernel_comes_back_from_strict_json(kernel):
    text = json.dumps(kernel.to_dict(), allow_nan=False)
    again = kernel_from_dict(json.loads(text))
    assert again == kernel
    assert hash(again) == hash(kernel)
    assert again.bound == kernel.bound
    assert again.is_nonnegative == kernel.is_nonnegative
    np.testing.assert_array_equal(again.block(REFERENCE[0], REFERENCE[0]), kernel.block(*REFERENCE * 2))


def test_kernels_have_a_digest_each():
    assert len({kernel.digest for kernel in SHIPPED}) == len(set(SHIPPED))
    assert Gaussian(1.0).digest != Gaussian(math.nextafter(1.0, 2.0)).digest


def test_a_saved_kernel_of_ones_own_says_what_still_works():
    saved = {"name": "overlap", "parameters": {}, "bound": 1.0, "is_nonnegative": True, "digest": "0"}
    with pytest.raises(KernelError, match=r"'overlap' is not one that karat ships.*make the kernel again"):
        kernel_from_dict(saved)
