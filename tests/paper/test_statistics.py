from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from karat.paper.statistics import (
    inversions,
    line_fit,
    mean_and_error,
    mean_square,
    pearson,
    slope_p_value,
    spearman,
)


def test_correlations_agree_with_scipy():
    rng = np.random.default_rng(0)
    a = rng.normal(size=12)
    b = a + rng.normal(size=12)
    b[3] = b[4]
    assert pearson(a, b) == pytest.approx(stats.pearsonr(a, b).statistic, abs=1e-12)
    assert spearman(a, b) == pytest.approx(stats.spearmanr(a, b).statistic, abs=1e-12)


def test_a_constant_side_has_no_correlation():
    assert pearson([0.3, 0.3, 0.3], [1.0, 2.0, 3.0]) is None
    assert spearman([1.0, 2.0], [5.0, 5.0]) is None


def test_inversions_are_counted_as_the_paper_defines_them():
    rng = np.random.default_rng(1)
    found, truth = rng.integers(0, 4, 9), rng.integers(0, 4, 9)
    slow = sum(
        0.5 * (truth[i] > truth[j] and found[i] < found[j])
        + 0.5 * (truth[j] > truth[i] and found[j] < found[i])
        for i in range(9)
        for j in range(9)
        if i != j
    )
    assert inversions(found, truth) == slow


def test_r2_of_a_line_is_the_square_of_the_correlation():
    rng = np.random.default_rng(2)
    x = rng.normal(size=30)
    y = 2.0 * x + rng.normal(size=30)
    fit = line_fit(x, y)
    left = y - fit["intercept"] - fit["slope"] * x
    assert fit["r2"] == pytest.approx(1.0 - left.var() / y.var(), abs=1e-12)


def test_the_mean_square_follows_from_the_mean_and_its_error():
    drawn = np.random.default_rng(3).uniform(0.5, 1.0, 10)
    found = mean_and_error(drawn.tolist())
    assert mean_square(found["mean"], found["stderr"], 10) == pytest.approx((drawn**2).mean(), abs=1e-12)


def test_the_p_value_of_a_slope_agrees_with_scipy():
    rng = np.random.default_rng(4)
    x = rng.normal(size=25)
    y = 0.3 * x + rng.normal(size=25)
    fit = stats.linregress(x, y)
    assert slope_p_value(fit.rvalue**2, 25) == pytest.approx(fit.pvalue, rel=1e-9)


def test_a_mean_leaves_out_what_does_not_exist_and_keeps_every_trial():
    assert mean_and_error([1.0, None, 3.0]) == {"mean": 2.0, "stderr": 1.0, "trials": [1.0, None, 3.0]}
    assert mean_and_error([2.0])["stderr"] is None
