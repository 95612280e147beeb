from __future__ import annotations

import numpy as np
import pytest

from karat.errors import SourceError
from karat.sources.names import checked_names
from karat.sources.table import SourceFile, Table, Text, text_column


def test_a_row_is_placed_in_its_file_counting_from_one():
    table = Table((), 5, files=(SourceFile("a.csv", "", 2), SourceFile("b.csv", "", 3)))
    assert [table.place(row) for row in (0, 1, 2, 4)] == [
        "row 1 of a.csv",
        "row 2 of a.csv",
        "row 1 of b.csv",
        "row 3 of b.csv",
    ]


def test_text_keeps_each_word_once_and_its_gaps():
    column = text_column("town", ["B", None, "A", "B"])
    assert column.words == ("B", "A")
    np.testing.assert_array_equal(column.codes, [0, -1, 1, 0])


def test_a_table_by_hand_tells_numbers_from_text():
    table = Table.of(age=[1, 2], town=["A", "B"])
    assert [column.kind for column in table.columns] == ["number", "text"]
    assert isinstance(table.by_name["town"], Text)


def test_names_are_trimmed_and_columns_without_one_are_named_by_place():
    assert checked_names([" a", "", 3], place="t") == ("a", "unnamed_2", "3")


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["a", "b", "a "], "more than one column called 'a'"),
        (["a" * 2000], "2,000 characters"),
        ([], "no columns"),
    ],
)
def test_names_that_cannot_name_columns_are_refused(names, said):
    with pytest.raises(SourceError, match=f"market.csv .*{said}"):
        checked_names(names, place="market.csv")
