"""The method that is chosen, and what is said about it."""

from __future__ import annotations

import pytest

from karat.errors import UsageError
from karat.gram.choose import choose_method, seconds_per_pair
from karat.kernels import GaussianMean, Laplace, Polynomial

KERNEL = GaussianMean([1.0, 2.0])


def test_a_market_that_takes_seconds_is_computed_exactly():
    choice = choose_method([10_000] * 6, 20, KERNEL, workers=2)
    assert choice.method == "exact"
    assert 0.1 < choice.exact_seconds < 5.0
    assert "on 2 cores" in choice.reason


def test_a_market_that_takes_hours_is_approximated_and_the_hours_are_named():
    choice = choose_method([200_000] * 50, 1024, KERNEL, workers=2, memory=1e12)
    assert choice.method == "landmarks"
    assert choice.exact_seconds > 3600.0
    assert "hours on 2 cores, 2 minutes are allowed" in choice.reason
    assert choice.landmark_seconds < choice.exact_seconds / 100.0


def test_more_time_turns_the_choice_around():
    sizes = [30_000] * 10
    assert choose_method(sizes, 100, KERNEL, workers=2, seconds=5.0).method == "landmarks"
    assert choose_method(sizes, 100, KERNEL, workers=2, seconds=5000.0).method == "exact"


def test_too_little_memory_asks_for_landmarks_and_says_how_much_is_missing():
    choice = choose_method([10_000] * 10, 1024, KERNEL, workers=2, memory=2e8)
    assert choice.method == "landmarks"
    assert choice.reason == "the exact engine needs 0.4 GB of memory, 0.2 are allowed"


def test_rows_that_are_read_in_parts_ask_for_landmarks():
    choice = choose_method([100, 100], 3, KERNEL, in_memory=False)
    assert choice.method == "landmarks"
    assert "in parts" in choice.reason


def test_a_tolerance_below_float32_asks_for_the_exact_engine_however_long_it_takes():
    choice = choose_method([200_000] * 5, 64, KERNEL, workers=2, tolerance=1e-7, memory=1e12)
    assert choice.method == "exact"
    assert "tolerance of 1e-07" in choice.reason


def test_landmarks_are_not_chosen_where_they_would_take_longer():
    assert choose_method([500] * 3, 2000, KERNEL, workers=1, seconds=1e-6).method == "exact"


def test_kernels_that_take_longer_are_expected_to():
    gaussian, laplace, blocks = (seconds_per_pair(50, k) for k in (KERNEL, Laplace(1.0), Polynomial()))
    assert gaussian < laplace < blocks


@pytest.mark.parametrize("limits", [{"seconds": 0.0}, {"memory": -1.0}])
def test_a_limit_of_nothing_is_refused(limits):
    with pytest.raises(UsageError, match="positive limit"):
        choose_method([10], 2, KERNEL, **limits)
