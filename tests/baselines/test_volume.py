from __future__ import annotations

import math
import time

import numpy as np
import pytest

from karat.baselines import value
from karat.baselines.standard import living_directions, standardised
from karat.baselines.volume import cubed, log_repeats, log_volume
from karat.errors import ValuationError
from karat.vendors import Market


def slow_cubes(rows, omega):
    """The authors' loop over rows: cubes in a dictionary."""
    cubes = {}
    low = rows.min(axis=0)
    for row in rows:
        cubes.setdefault(tuple(np.floor((row - low) / omega).astype(int)), []).append(row)
    return {place: (np.mean(group, axis=0), len(group)) for place, group in cubes.items()}


def test_cubes_are_those_of_a_loop_over_rows():
    rows = np.random.default_rng(0).normal(size=(200, 2))
    fast, slow = cubed(rows, 0.5), slow_cubes(rows, 0.5)
    assert len(fast.counts) == len(slow) < 200
    np.testing.assert_allclose(fast.means, [mean for _, (mean, _) in sorted(slow.items())], atol=1e-12)
    assert fast.counts.tolist() == [count for _, (_, count) in sorted(slow.items())]


def test_the_robust_volume_is_the_formula_of_the_authors():
    rng = np.random.default_rng(1)
    vendors = {"a": rng.normal(size=(60, 2)), "b": 2.0 * rng.normal(size=(60, 2))}
    pooled = np.concatenate(list(vendors.values()))
    parts = [(rows - pooled.mean(axis=0)) / pooled.std(axis=0) for rows in vendors.values()]
    cubes = [slow_cubes(rows, 0.5) for rows in parts]
    alpha = 1.0 / (10 * sum(map(len, cubes)))
    expected = []
    for one in cubes:
        means = np.array([mean for mean, _ in one.values()])
        repeats = math.prod((1 - alpha ** (count + 1)) / (1 - alpha) for _, count in one.values())
        expected.append(math.log(math.sqrt(np.linalg.det(means.T @ means) + 1e-8) * repeats))
    values = value(vendors, "volume", omega=0.5)
    np.testing.assert_allclose(values.scores, expected, rtol=1e-9)
    assert values.details["cubes"] == sum(map(len, cubes))


def test_the_plain_volume_of_a_box_is_the_product_of_its_sides():
    corners = np.array([[3.0, 0.0, 0.0], [0.0, 0.5, 0.0], [0.0, 0.0, 4.0]])
    assert log_volume(corners) == pytest.approx(math.log(6.0), rel=1e-9)


def test_a_determinant_beyond_float64_has_a_logarithm():
    rows = np.eye(200) * 1e10
    assert log_volume(rows) == pytest.approx(200 * math.log(1e10), rel=1e-12)


@pytest.mark.parametrize("robust", [True, False])
def test_dead_and_dependent_columns_change_nothing(robust):
    """A constant column gives every vendor the determinant 0 otherwise; so does a copy of a column."""
    rng = np.random.default_rng(2)
    vendors = {name: rng.normal(0.0, scale, size=(50, 3)) for name, scale in [("a", 1.0), ("b", 2.0)]}
    dead = {name: np.column_stack([rows, np.full(50, 7.0)]) for name, rows in vendors.items()}
    plain = value(vendors, "volume", robust=robust)
    assert value(dead, "volume", robust=robust).scores.tolist() == plain.scores.tolist()
    copied = {name: np.column_stack([rows, rows[:, :1]]) for name, rows in vendors.items()}
    values = value(copied, "volume", robust=robust)
    assert values.details["directions"] == 3
    assert values.scores[1] > values.scores[0] > 0.0


def test_copies_swell_the_plain_volume_and_hardly_the_robust_one():
    rng = np.random.default_rng(3)
    rows = rng.normal(size=(40, 2))
    vendors = {"honest": rows, "copies": np.tile(rows, (10, 1))}
    plain = np.diff(value(vendors, "volume", robust=False).scores)[0]
    robust = np.diff(value(vendors, "volume", robust=True).scores)[0]
    assert plain == pytest.approx(math.log(10.0), abs=1e-6)  # every x x' ten times, two columns: sqrt(10^2)
    assert abs(robust) < 0.05


def test_a_cube_with_one_row_adds_almost_nothing():
    assert log_repeats(np.array([1]), 10) == pytest.approx(math.log(1.01), rel=1e-9)


def test_a_flat_preview_has_the_smallest_volume_and_not_minus_infinity():
    rng = np.random.default_rng(4)
    vendors = {"flat": np.column_stack([rng.normal(size=30), np.zeros(30)]), "full": rng.normal(size=(30, 2))}
    scores = value(vendors, "volume", robust=False).scores
    assert np.isfinite(scores).all()
    assert scores[0] < scores[1]


def test_standard_rows_have_mean_zero_and_deviation_one_with_vendors_weighing_alike():
    rng = np.random.default_rng(5)
    vendors = {"few": rng.normal(5.0, 2.0, size=(10, 2)), "many": rng.normal(size=(90, 2))}
    parts = standardised(Market.from_arrays(vendors).samples)
    np.testing.assert_allclose(np.mean([p.mean(axis=0) for p in parts], axis=0), 0.0, atol=1e-12)
    np.testing.assert_allclose(np.mean([(p**2).mean(axis=0) for p in parts], axis=0), 1.0, rtol=1e-12)


@pytest.mark.parametrize("name", ["volume", "information-gain"])
def test_rows_that_never_vary_are_refused(name):
    with pytest.raises(ValuationError, match="all columns are constant"):
        value({"a": [[1.0], [1.0]], "b": [[1.0], [1.0]]}, name)


def test_more_columns_than_rows_are_taken_by_a_shorter_way_to_the_same_directions():
    draw = np.random.default_rng(3).normal
    parts = [draw(size=(6, 30)), draw(size=(8, 30))]
    basis = living_directions(parts)
    moment = np.mean([rows.T @ rows / len(rows) for rows in parts], axis=0)
    assert basis.shape == (30, 14)
    np.testing.assert_allclose(basis.T @ basis, np.eye(14), atol=1e-12)
    np.testing.assert_allclose(basis @ (basis.T @ moment), moment, atol=1e-12)


def test_thousands_of_columns_take_seconds():
    draw = np.random.default_rng(3).normal
    parts = [draw(size=(20, 5000)), draw(size=(20, 5000))]
    before = time.process_time()
    assert living_directions(parts).shape == (5000, 40)
    assert time.process_time() - before < 10.0
