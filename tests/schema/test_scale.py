from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from karat.schema.scale import centre_and_scale


def exactly(parts):
    """Mean and variance of the equal-weight mixture in rational numbers."""
    parts = [[Fraction(float(x)) for x in part if not math.isnan(x)] for part in parts]
    means = [sum(part) / len(part) for part in parts]
    mean = sum(means) / len(means)
    squares = [sum((x - mean) ** 2 for x in part) / len(part) for part in parts]
    return mean, sum(squares) / len(squares)


@pytest.mark.parametrize("offset", [0.0, 1e9, -1e12])
@pytest.mark.parametrize("n_parts", [1, 3])
def test_centre_and_scale_agree_with_exact_arithmetic(offset, n_parts):
    rng = np.random.default_rng(0)
    parts = [offset + rng.normal(i, 1 + i, size=10 + 7 * i) for i in range(n_parts)]
    centre, scale, is_constant = centre_and_scale(parts)
    mean, variance = exactly(parts)
    assert centre == pytest.approx(float(mean), rel=1e-15, abs=1e-15)
    assert scale == pytest.approx(math.sqrt(variance), rel=1e-12)
    assert not is_constant


@pytest.mark.parametrize("unit", [1e-320, 1e-200, 1e160, 1e307])
def test_no_unit_is_too_small_or_too_large(unit):
    values = np.array([-1.0, 0.0, 3.0])
    centre, scale, is_constant = centre_and_scale([values * unit])
    assert centre == pytest.approx(2 / 3 * unit, rel=1e-3)  # denormals have few digits
    assert scale == pytest.approx(math.sqrt(26 / 9) * unit, rel=1e-3)
    assert not is_constant


def test_a_part_weighs_the_same_however_long_it_is():
    short, long = np.array([0.0, 2.0]), np.array([10.0, 12.0])
    for times in (1, 500):
        assert centre_and_scale([short, np.tile(long, times)]) == (6.0, math.sqrt(26), False)


def test_missing_numbers_are_absent():
    assert centre_and_scale([np.array([1.0, np.nan, 3.0])]) == (2.0, 1.0, False)
    assert centre_and_scale([np.array([1.0, 3.0]), np.array([np.nan])]) == (2.0, 1.0, False)


@pytest.mark.parametrize("value", [0.0, 0.1, 1e9 / 3, -1e300])
def test_a_constant_column_has_scale_one(value):
    assert centre_and_scale([np.full(7, value)]) == (value, 1.0, True)


def test_without_any_number_nothing_is_moved():
    assert centre_and_scale([np.array([np.nan]), np.array([])]) == (0.0, 1.0, True)


def test_a_spread_of_one_rounding_step_is_a_spread():
    near = np.array([1.0, np.nextafter(1.0, 2.0)])
    _, scale, is_constant = centre_and_scale([near])
    assert scale > 0.0
    assert not is_constant
