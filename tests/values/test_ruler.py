"""The ruler: shares of the farthest vendor, and how far fresh halves of the anchor lie apart."""

from __future__ import annotations

import numpy as np
import pytest

from karat.gram import kernel_sums, moments_from_sums
from karat.kernels import Gaussian
from karat.values import reference_named, ruler, squared_mmd
from karat.values.ruler import noise_floor

KERNEL = Gaussian(1.0)


def moments(sources, anchor=True):
    names = [f"v{i}" for i in range(len(sources))]
    sums = kernel_sums(sources, KERNEL, precision="float64")
    return moments_from_sums(sums, names=names, kernel=KERNEL, anchor=len(sources) - 1 if anchor else None)


def test_one_per_cent_of_the_farthest_vendor_is_a_hundredth_of_its_distance():
    rng = np.random.default_rng(0)
    market = moments([rng.normal(1, 1, (40, 1)), rng.normal(3, 1, (40, 1)), rng.normal(size=(40, 1))])
    squared = squared_mmd(market.gram, reference_named(market, None).contrasts)
    mark = ruler(market, squared)
    assert mark.vendor == "v1"
    assert mark.share(np.sqrt(squared[1])) == pytest.approx(100.0)
    assert mark.distance(5.0) == pytest.approx(0.05 * np.sqrt(squared[1]))


def test_without_any_distance_there_is_no_share():
    market = moments([np.zeros((5, 1)), np.zeros((5, 1))])
    assert ruler(market, np.array([0.0])).share(0.1) is None


def test_nineteen_of_twenty_fresh_halves_lie_below_the_noise_floor():
    """The floor is made for the widest null, so it holds at least so often; and it is not vacuous."""
    rng = np.random.default_rng(1)
    below, size = [], []
    for _ in range(400):
        rows = rng.normal(size=(40, 2))
        floor = noise_floor(moments([rows, rows]))
        halves = rng.normal(size=(2, 20, 2))
        gap = moments(list(halves), anchor=False)
        squared = squared_mmd(gap.gram, np.array([[1.0, -1.0]]))[0]
        below.append(squared < floor**2)
        size.append(np.sqrt(max(squared, 0.0)) / floor)
    assert 0.93 <= np.mean(below) <= 0.995
    assert np.quantile(size, 0.95) > 0.7


def test_an_anchor_of_seven_rows_has_no_noise_floor():
    rng = np.random.default_rng(2)
    assert noise_floor(moments([rng.normal(size=(9, 1)), rng.normal(size=(7, 1))])) is None
