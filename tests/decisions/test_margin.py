from __future__ import annotations

import pytest

from karat.decisions import Margin
from karat.errors import DecisionError


@pytest.mark.parametrize(
    ("given", "mmd"),
    [(None, 0.0), (0.02, 0.02), ("0.02", 0.02), ("5%", 0.05), (" -5 %", -0.05), ("1e-3", 0.001)],
)
def test_margins_are_in_mmd_or_in_per_cent_of_the_ruler(given: str | float | None, mmd: float) -> None:
    assert Margin.parse(given, percent=0.01).mmd == pytest.approx(mmd)


@pytest.mark.parametrize("given", ["five", "", "%", "nan", "inf", "5%%"])
def test_what_is_not_a_number_is_refused_with_an_example(given: str) -> None:
    with pytest.raises(DecisionError, match=r'is not a number.*"5%"'):
        Margin.parse(given, percent=0.01)


@pytest.mark.parametrize("percent", [None, 0.0])
def test_per_cent_without_a_ruler_is_refused(percent: float | None) -> None:
    with pytest.raises(DecisionError, match="in MMD, as a plain number"):
        Margin.parse("5%", percent=percent)
