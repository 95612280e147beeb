from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

from karat.promises import housing as housing_module
from karat.promises.coverage import coverage
from karat.promises.errors import boundary_errors
from karat.promises.housing import HousingPools, housing, split_by_hash
from karat.promises.images import blocks, image_features
from karat.promises.page import as_markdown
from karat.promises.promise import QUICK, Effort, Must, Result
from karat.promises.repeated import repeated_looks
from karat.promises.run import FAMILIES, as_lines, stored_results, verify_guarantees
from karat.promises.stacked import Stack
from karat.promises.variance import variances

TINY = Effort("tiny", {20: 12, 50: 6, 500: 1}, 2, 30, {20: 12}, 4, 1, errors=6.0)


@pytest.fixture
def no_data(tmp_path, monkeypatch):
    """A machine without any of the real data sets."""
    monkeypatch.setenv("KARAT_DATA", str(tmp_path))
    image_features.cache_clear()
    housing_module.housing_pools.cache_clear()
    yield
    image_features.cache_clear()
    housing_module.housing_pools.cache_clear()


@pytest.mark.parametrize(
    ("must", "words", "good", "bad"),
    [
        (Must(at_least=0.92), "at least 0.92", 0.92, 0.919),
        (Must(at_most=0.06), "at most 0.06", 0.06, 0.0601),
        (Must(0.9, 1.1), "0.9 to 1.1", 1.0, 1.2),
    ],
)
def test_a_must_says_what_it_asks_and_whether_it_holds(must, words, good, bad):
    assert str(must) == words
    assert must.holds(good)
    assert not must.holds(bad)


def test_what_was_not_measured_or_is_only_reported_neither_holds_nor_fails():
    assert Result("p", None, Must(at_least=1.0), 0, 0.0, 0).holds is None
    assert Result("p", 5.0, Must(), 1, 0.0, 0).holds is None
    assert Result("p", 5.0, Must(at_least=4.0), 1, 0.0, 0).holds is True


def test_few_runs_widen_a_must_by_what_chance_adds_and_full_runs_do_not():
    assert QUICK.widened(0.92, 0.95, 100) == pytest.approx(0.92 - 4.2 * math.sqrt(0.05 * 0.95 / 100))
    assert QUICK.widened(0.06, 0.05, 100) == pytest.approx(0.06 + 4.2 * math.sqrt(0.05 * 0.95 / 100))
    full = Effort("full", {}, 0, 0, {}, 0, 0, errors=0.0)
    assert full.widened(0.92, 0.95, 2000) == 0.92


@pytest.mark.parametrize(
    "family", [coverage, variances, boundary_errors, repeated_looks], ids=lambda f: f.__name__
)
def test_every_family_measures_what_it_promises_on_few_runs(family, no_data):
    results = list(family(TINY, 1))
    assert len({result.promise for result in results}) == len(results)
    for result in results:
        plain = json.loads(json.dumps(result.to_dict(), allow_nan=False))
        assert set(plain) >= {"promise", "measured", "must", "holds"}
        if "image" in result.promise:
            assert plain["measured"] is None
            assert plain["holds"] is None
        else:
            assert result.measured is not None


def test_the_same_seed_measures_the_same(no_data):
    first, second = ([r.measured for r in boundary_errors(TINY, 3)] for _ in range(2))
    assert first == second


def test_without_data_the_housing_promises_are_listed_and_left_open(no_data):
    results = list(housing(TINY, 1))
    assert results
    assert all(result.measured is None and result.holds is None for result in results)


def test_housing_counts_what_each_policy_decides(monkeypatch):
    """On pools that are far apart everything but the paper's policy decides most pairs, and rightly."""
    rng = np.random.default_rng(0)
    pools = HousingPools(
        rng.normal(size=(200, 2)), rng.normal(size=(300, 2)), rng.normal(3.0, 1.0, size=(300, 2))
    )
    counted = housing_module._count(pools, 300, 300, np.random.default_rng(1))
    assert counted.pairwise > 35
    assert counted.holm <= counted.pairwise
    assert counted.guaranteed_all <= counted.guaranteed <= counted.holm
    assert counted.paper == counted.wrong_guaranteed == 0
    monkeypatch.setattr(housing_module, "housing_pools", lambda: pools)
    results = {result.promise: result for result in housing(TINY, 1)}
    assert len(results) == 21
    assert results["CaliH/KingH, 300 rows, anchor 300: pairs of 135 decided, one at a time"].measured > 35


def test_pools_are_split_by_content_alone():
    rows = np.random.default_rng(0).normal(size=(400, 3))
    anchor, rest = split_by_hash(rows)
    assert 60 < len(anchor) < 140
    assert len(anchor) + len(rest) == 400
    shuffled, _ = split_by_hash(rows[::-1])
    np.testing.assert_array_equal(np.sort(anchor, axis=0), np.sort(shuffled, axis=0))


def test_images_become_the_means_of_their_blocks():
    image = np.zeros((1, 28, 28), dtype=np.uint8)
    image[0, :4, 4:8] = 255
    means = blocks(image)
    assert means.shape == (1, 49)
    assert means[0, 1] == 1.0
    assert means.sum() == 1.0


def test_a_stack_asks_the_same_functions_as_an_appraisal():
    from made_distances import made_distances

    distances = [made_distances([0.01 + k * 1e-3, 0.02], degrees=30.0) for k in range(3)]
    stack = Stack.of([(d, np.array([0.0108, 0.02])) for d in distances])
    for k, d in enumerate(distances):
        found = d.intervals(0.95)
        assert stack.covered(0, 0.95)[k] == (found.squared_lower[0] <= 0.0108 <= found.squared_upper[0])
    assert stack.pairs(0, 1).statistic().shape == (3,)


def test_a_report_is_a_table_and_plain_json(no_data):
    told = []
    report = verify_guarantees(
        quick=True, families=[lambda effort, seed: repeated_looks(TINY, seed)], progress=told.append
    )
    assert list(report.promises) == told
    lines = as_lines(report)
    assert lines[0].split() == ["promise", "measured", "must"]
    assert "wrong verdicts over ten looks" in lines[1]
    plain = json.loads(json.dumps(report.to_dict(), allow_nan=False))
    assert plain["holds"] is report.holds
    assert len(FAMILIES) == 6


def test_the_stored_full_run_holds_every_promise():
    stored = stored_results()
    assert stored["effort"] == "full"
    missed = [p["promise"] for p in stored["promises"] if p["holds"] is False]
    assert missed == []
    assert all(p["measured"] is not None for p in stored["promises"])


def test_the_page_of_promises_is_made_from_the_stored_run():
    page = Path(__file__).parents[2] / "docs" / "theory" / "promises.md"
    assert page.read_text(encoding="utf-8") == as_markdown(stored_results())


@pytest.mark.slow
def test_the_quick_run_holds_every_promise():
    assert verify_guarantees(quick=True).holds
