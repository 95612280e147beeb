from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import pdist

from karat.errors import KernelError
from karat.kernels.bandwidth import evenly_spaced, median_distance


@pytest.mark.parametrize(("manhattan", "metric"), [(False, "euclidean"), (True, "cityblock")])
def test_the_bandwidth_is_the_median_distance_of_all_pairs(manhattan, metric):
    rows = np.random.default_rng(0).normal(size=(41, 3))
    assert median_distance([rows], manhattan=manhattan) == pytest.approx(np.median(pdist(rows, metric)))


def test_every_source_weighs_the_same_in_the_median_however_many_rows_it_has():
    """Half of the weight of all pairs lies on either side, a row weighing one over its source's rows."""
    rng = np.random.default_rng(1)
    sources = [rng.normal(5.0 * i, 1.0 + i, size=(size, 2)) for i, size in enumerate((4, 60, 17))]
    rows = [(row, 1.0 / len(source)) for source in sources for row in source]
    pairs = [(np.linalg.norm(x - y), a * b) for k, (x, a) in enumerate(rows) for y, b in rows[:k]]
    median = median_distance(sources)
    total = sum(weight for _, weight in pairs)
    assert sum(weight for distance, weight in pairs if distance < median * (1 - 1e-9)) <= total / 2
    assert sum(weight for distance, weight in pairs if distance > median * (1 + 1e-9)) <= total / 2


def normal(rng, rows):
    return rng.normal(size=(rows, 4))


def rearranged(rng, rows):
    """Rows that hold the same four numbers in another order, all alike to a hash that adds up cells."""
    order = np.argsort(rng.normal([0.0, 0.5, 1.0, 1.5], size=(rows, 4)), axis=1)
    return np.array([0.0, 1.0, 3.0, 7.5])[order]


def balanced(rng, rows):
    """Every row together with its rotations, so that the columns hold the same numbers."""
    base = rng.normal(size=(rows // 4, 4))
    return np.concatenate([np.roll(base, turn, axis=1) for turn in range(4)])


@pytest.mark.parametrize("most_rows", [2000, 40])
@pytest.mark.parametrize("draw", [normal, rearranged, balanced])
def test_the_bandwidth_does_not_know_the_order_of_rows_or_sources(draw, most_rows):
    rng = np.random.default_rng(2)
    sources = [draw(rng, 70) + 0.25 * j for j in range(3)]
    bandwidth = median_distance(sources, most_rows=most_rows)
    for _ in range(5):
        shuffled = [rng.permutation(rows) for rows in sources]
        assert median_distance(shuffled, most_rows=most_rows) == bandwidth
        assert median_distance(shuffled[::-1], most_rows=most_rows) == bandwidth


@pytest.mark.parametrize("most_rows", [2000, 40])
@pytest.mark.parametrize("draw", [normal, rearranged])
def test_the_bandwidth_does_not_know_the_order_of_columns(draw, most_rows):
    rng = np.random.default_rng(3)
    sources = [draw(rng, 70), draw(rng, 70)]
    bandwidth = median_distance(sources, most_rows=most_rows)
    for _ in range(5):
        order = rng.permutation(4)
        reordered = [rows[:, order] for rows in sources]
        assert median_distance(reordered, most_rows=most_rows) == pytest.approx(bandwidth, rel=1e-12)


@pytest.mark.parametrize("factor", [1e-6, 0.5, 3.0, 1e9])
def test_scaling_the_rows_scales_the_bandwidth(factor):
    sources = [np.random.default_rng(4).normal(size=(30, 3))]
    assert median_distance([factor * s for s in sources]) == pytest.approx(factor * median_distance(sources))


def test_shifting_the_rows_keeps_the_bandwidth():
    rows = np.random.default_rng(5).normal(size=(30, 3))
    assert median_distance([rows + 1e9]) == pytest.approx(median_distance([rows]), rel=1e-6)


def test_a_sample_of_the_rows_gives_nearly_the_median_of_all():
    rows = np.random.default_rng(6).normal(size=(6000, 2))
    assert median_distance([rows]) == pytest.approx(np.median(pdist(rows[:3000])), rel=0.02)


def test_thousands_of_sources_still_take_a_bounded_number_of_rows():
    rng = np.random.default_rng(7)
    sources = [rng.normal(size=(3, 2)) for _ in range(500)]
    few = median_distance(sources, most_rows=100)
    assert few == pytest.approx(median_distance(sources), rel=0.2)
    assert len(evenly_spaced(np.concatenate(sources), 100)) == 100


@pytest.mark.parametrize("seed", range(6))
def test_when_most_pairs_are_equal_the_unequal_ones_set_the_bandwidth(seed):
    """Products of equal rows differ in their last digits: a median of 1e-7 would make a kernel of no use."""
    rng = np.random.default_rng(seed)
    rows = np.repeat(rng.normal(size=(1, 20)), 200, axis=0)
    rows[:30] += rng.normal(size=(30, 20))
    unequal = [d for d in pdist(rows) if d > 0.0]
    assert median_distance([rows]) == pytest.approx(np.median(unequal), rel=1e-12)


@pytest.mark.parametrize("rows", [np.ones((5, 2)), np.ones((1, 2))], ids=["equal", "one"])
def test_a_reference_without_spread_asks_for_a_bandwidth(rows):
    with pytest.raises(KernelError, match=r"all rows of the reference are equal.*gaussian:1\.0"):
        median_distance([rows])
