from __future__ import annotations

import pytest

from karat.errors import SourceError
from karat.sources.budget import CELLS, Budget, allowed_cells


def test_cells_are_counted_until_they_are_used_up():
    budget = Budget("a.csv", cells=10, text_bytes=0)
    budget.take_cells(10)
    with pytest.raises(SourceError, match=r"a\.csv unfolds to more than .* cells .*KARAT_MAX_CELLS"):
        budget.take_cells(1)


def test_text_is_counted_in_bytes():
    budget = Budget("a.csv", cells=0, text_bytes=10)
    budget.take_text(6)
    budget.check_text(4)
    with pytest.raises(SourceError, match="bytes of text"):
        budget.take_text(5)


def test_the_setting_changes_the_budget(monkeypatch):
    assert allowed_cells() == CELLS
    monkeypatch.setenv("KARAT_MAX_CELLS", "1000")
    assert Budget.of("a.csv").cells == 1000


@pytest.mark.parametrize("given", ["many", "-3", "0", "1e6"])
def test_a_setting_that_is_no_number_of_cells_says_so(monkeypatch, given):
    monkeypatch.setenv("KARAT_MAX_CELLS", given)
    with pytest.raises(SourceError, match=f"KARAT_MAX_CELLS is '{given}'"):
        allowed_cells()
