"""The counter-examples that forced each correction of the paper's policy."""

from __future__ import annotations

import numpy as np
import pytest

from karat.guarantees.printed import (
    bias_for,
    failure,
    printed_confidence,
    printed_margin,
    proved_confidence,
    reference_rows,
)


@pytest.mark.parametrize(("bound", "printed", "proved"), [(1.0, 1.0000, 0.9768), (4.0, 1.0000, 0.3434)])
def test_the_printed_confidence_exceeds_what_its_proof_gives(
    bound: float, printed: float, proved: float
) -> None:
    """100 and 10,000 rows against 10,000, eps_bias = 0.3; K = 4 is the paper's own kernel."""
    given = {"bias": 0.3, "bound": bound}
    assert round(printed_confidence(100, 10_000, 10_000, **given), 4) == pytest.approx(printed, abs=2e-4)
    assert round(proved_confidence(100, 10_000, 10_000, **given), 4) == proved


def test_a_failure_gets_rarer_with_rows_so_the_maximum_picks_the_wrong_one() -> None:
    assert failure(100, 10_000, bias=0.3, bound=1.0) > failure(10_000, 10_000, bias=0.3, bound=1.0)


def test_printed_and_proved_agree_for_equal_previews() -> None:
    same = printed_confidence(500, 500, 900, bias=0.2, bound=1.0)
    assert same == pytest.approx(proved_confidence(500, 500, 900, bias=0.2, bound=1.0))


def test_proved_confidence_is_a_union_bound_not_a_product() -> None:
    """Both failures share the reference's rows, so 1 - a - b is what holds, below (1 - a)(1 - b)."""
    a = failure(100, 100, bias=0.3, bound=1.0)
    assert proved_confidence(100, 100, 100, bias=0.3, bound=1.0) == pytest.approx(1 - 2 * a)
    assert 1 - 2 * a < (1 - a) ** 2


def test_the_bias_for_a_confidence_gives_it_back() -> None:
    bias = bias_for(0.9, np.array([50, 800]), 300, 1000, bound=4.0)
    for rows, value in zip((50, 800), bias, strict=True):
        assert printed_confidence(rows, 300, 1000, bias=float(value), bound=4.0) == pytest.approx(0.9)


def test_the_printed_margin_is_the_printed_formula() -> None:
    margin = printed_margin(100, 400, 900, bias=0.05, bound=1.0, reference_bias=0.01)
    assert float(margin) == pytest.approx(2 * (0.05 + 0.1 + 0.05 + 2 / 30 + 0.01))


def test_with_the_papers_kernel_and_2000_rows_no_gap_of_two_vendors_reaches_the_margin() -> None:
    """K = 4: distances are at most sqrt(8) = 2.83 in theory, and 0.76 on the paper's housing data; the margin
    alone is over 0.6.
    """
    bias = bias_for(0.95, 2000, 2000, 2000, bound=4.0)
    assert float(printed_margin(2000, 2000, 2000, bias=bias, bound=4.0)) > 0.6


def test_a_uniform_mixture_counts_all_its_rows() -> None:
    assert reference_rows(np.full(10, 0.1), np.full(10, 2000.0)) == pytest.approx(20_000)
    assert reference_rows(np.array([0.0, 1.0]), np.array([5.0, 300.0])) == pytest.approx(300)
