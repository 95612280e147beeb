"""Squared distances, their square roots, and signs."""

from __future__ import annotations

import math

import numpy as np
import pytest

from karat.kernels import Gaussian
from karat.values import mmd, squared_mmd, value


@pytest.mark.parametrize("distance", [0.0, 0.3, 4.0])
def test_two_point_masses_have_the_textbook_mmd(distance):
    """MMD^2 = 2 (1 - exp(-distance^2 / 2)) for a Gaussian of bandwidth 1."""
    points = np.array([[0.0], [distance]])
    gram = Gaussian(1.0).block(points, points)
    expected = 2.0 * (1.0 - math.exp(-(distance**2) / 2.0))
    assert squared_mmd(gram, np.array([[1.0, -1.0]]))[0] == pytest.approx(expected, abs=1e-12)


def test_a_squared_distance_below_zero_ranks_but_its_value_is_zero_and_not_minus_zero():
    squared = np.array([-1e-5, 0.0, 0.04])
    assert value(squared).tolist() == [0.0, 0.0, -0.2]
    assert not np.signbit(value(squared)[:2]).any()
    assert mmd(squared).tolist() == [0.0, 0.0, 0.2]
