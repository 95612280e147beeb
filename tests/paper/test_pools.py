from __future__ import annotations

import numpy as np
import pytest

from karat.kernels import Gaussian
from karat.paper import encoding
from karat.paper.drawing import Vendors
from karat.paper.originals import FLOW
from karat.paper.pools import PairPools, Part, Pools, split
from karat.paper.schedules import schedule_values
from karat.paper.sets import DataSet


def some_set(rows=2000, seed=0):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 10, rows)
    return DataSet("some", rng.normal(size=(rows, 2)) + labels[:, None], labels, tuple("0123456789"))


def test_pools_are_a_fifth_a_fifth_and_three_fifths():
    sizes = split(some_set(), None).sizes
    assert sizes["test"] == pytest.approx(400, abs=60)
    assert sizes["anchor"] == pytest.approx(400, abs=60)
    assert sum(sizes.values()) == 2000


def test_the_split_depends_on_rows_alone_and_equal_rows_never_part():
    found = some_set()
    order = np.random.default_rng(1).permutation(2000)
    turned = DataSet("some", np.repeat(found.rows[order], 2, axis=0), np.repeat(found.labels[order], 2), None)
    plain, doubled = split(found, None), split(turned, None)
    for name in ("test", "anchor", "vendor"):
        ours, theirs = getattr(plain, name), getattr(doubled, name)
        assert 2 * ours.size == theirs.size
        assert set(map(tuple, ours.rows)) == set(map(tuple, theirs.rows))


def test_fewer_rows_are_a_part_of_all_of_them():
    few, all_of_them = split(some_set(), 500), split(some_set(), None)
    assert sum(few.sizes.values()) == 500
    assert set(map(tuple, few.vendor.rows)) <= set(map(tuple, all_of_them.vendor.rows))


@pytest.fixture
def pools():
    return PairPools(split(some_set(), None), split(some_set(1000, seed=5), None))


def test_under_the_huber_model_the_true_distance_is_linear_in_the_contamination(pools):
    levels = schedule_values("huber", "(i-1)/n", 5)
    truth = Vendors(pools, "huber", levels, own_labels=True).truth(Gaussian(1.0))
    clean, foreign = pools.clean.vendor.rows, pools.foreign.vendor.rows
    k = Gaussian(1.0).block
    whole = np.sqrt(k(clean, clean).mean() + k(foreign, foreign).mean() - 2.0 * k(clean, foreign).mean())
    np.testing.assert_allclose(truth, levels * whole, atol=1e-6)


@pytest.mark.parametrize(("kind", "schedule"), [("classes", "1, 2, .., n"), ("interpolated", "2i+1")])
def test_the_true_distance_of_class_mixtures_is_that_of_the_rows_they_are_made_of(pools, kind, schedule):
    levels = schedule_values(kind, schedule, 5)
    truth = Vendors(pools, kind, levels, own_labels=True).truth(Gaussian(1.0))
    clean = pools.clean.vendor
    k = Gaussian(1.0).block
    for i, level in enumerate(levels):
        own = clean.labels < level
        weights = own / own.sum()
        if kind == "interpolated":
            weights = (weights + 1.0 / clean.size) / 2.0
        gap = weights - 1.0 / clean.size
        assert truth[i] == pytest.approx(np.sqrt(max(gap @ k(clean.rows, clean.rows) @ gap, 0.0)), abs=1e-5)


def test_draws_follow_the_levels(pools):
    rng = np.random.default_rng(0)
    classes = Vendors(pools, "classes", schedule_values("classes", "1, 2, .., n", 10), own_labels=True)
    assert set(classes.draw(0, 50, rng).labels) == {0}
    assert set(classes.draw(9, 500, rng).labels) == set(range(10))
    mixed = Vendors(pools, "interpolated", schedule_values("interpolated", "2i", 5), own_labels=True)
    drawn = mixed.draw(0, 400, rng)
    assert (drawn.labels[:200] < 2).all()
    assert (drawn.labels[200:] >= 2).any()
    noise = Vendors(pools, "noise", np.array([0.0, 3.0]), own_labels=True)
    assert noise.draw(1, 4000, rng).rows.std() > noise.draw(0, 4000, rng).rows.std()


def test_rows_of_q_get_a_class_at_random_unless_they_answer_the_same_question(pools):
    rng = np.random.default_rng(0)
    levels = np.array([1.0])
    own = Vendors(pools, "huber", levels, own_labels=True).draw(0, 3000, rng)
    drawn = Vendors(pools, "huber", levels, own_labels=False).draw(0, 3000, rng)
    assert abs(np.corrcoef(own.rows[:, 0], own.labels)[0, 1]) > 0.9
    assert abs(np.corrcoef(drawn.rows[:, 0], drawn.labels)[0, 1]) < 0.1


def test_flows_become_the_papers_22_columns():
    rng = np.random.default_rng(0)
    flows = np.zeros(300, dtype=FLOW)
    flows["source"] = rng.choice([f"10.0.0.{i}" for i in range(9)], 300)
    flows["target"] = rng.choice([f"10.0.1.{i}" for i in range(9)], 300)
    flows["protocol"] = rng.choice(["TCP", "UDP", "GRE"], 300)
    flows["bytes"] = rng.exponential(100.0, 300)
    encode, _ = encoding.flows(flows, None)
    rows = encode(flows)
    assert rows.shape == (300, 22)
    np.testing.assert_array_equal(rows[:, 4:].sum(axis=1), 3.0)


def test_thirty_columns_become_seven_uncorrelated_ones():
    rng = np.random.default_rng(0)
    clean, foreign = rng.normal(size=(100, 7)), rng.normal(size=(200, 30)) @ rng.normal(size=(30, 30))
    own, others = encoding.cards(clean, foreign)
    rows = others(foreign)
    assert own(clean).std(axis=0) == pytest.approx(1.0)
    assert rows.shape == (200, 7)
    covariance = np.cov(rows, rowvar=False)
    np.testing.assert_allclose(covariance - np.diag(np.diag(covariance)), 0.0, atol=1e-5)


def test_pools_know_what_stands_in():
    part = Part(np.zeros((1, 1)), np.zeros(1))
    pools = Pools("x", part, part, part, None, "letters stand in")
    assert PairPools(pools, None).notes == ["letters stand in"]
