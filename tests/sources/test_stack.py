from __future__ import annotations

import numpy as np
import pytest

from karat.errors import SourceError
from karat.sources.stack import stack_tables
from karat.sources.table import Numbers, SourceFile, Table, Text, text_column


def table(name, *columns):
    rows = len(columns[0].codes if isinstance(columns[0], Text) else columns[0].values)
    return Table(columns, rows, (SourceFile(name, "", rows),))


def numbers(*cells, kind="number", name="x"):
    return Numbers(name, np.array(cells, dtype=np.float64), kind)


def test_text_below_text_shares_one_list_of_words():
    stacked = stack_tables(
        [
            table("a.csv", text_column("x", ["u", "v"])),
            table("b.csv", numbers(np.nan, kind="empty")),
            table("c.csv", text_column("x", ["w", None, "u"])),
        ]
    )
    column = stacked.by_name["x"]
    assert column.words == ("u", "v", "w")
    assert column.codes.tolist() == [0, 1, -1, 2, -1, 0]


@pytest.mark.parametrize(
    ("kinds", "expected"),
    [
        (("number", "bool"), "number"),
        (("bool", "bool"), "bool"),
        (("time", "empty"), "time"),
        (("empty", "empty"), "empty"),
        (("time", "number"), "other"),
    ],
)
def test_kinds_meet_or_are_named(kinds, expected):
    tables = [table(f"{i}.csv", numbers(1.0, kind=kind)) for i, kind in enumerate(kinds)]
    column = stack_tables(tables).by_name["x"]
    assert column.kind == expected
    if expected == "other":
        assert column.reason == "time in 0.csv, number in 1.csv"


def test_numbers_below_text_are_named_with_their_files():
    stacked = stack_tables([table("a.csv", numbers(1.0)), table("b.csv", text_column("x", ["u"]))])
    assert stacked.by_name["x"].reason == "number in a.csv, text in b.csv"


@pytest.mark.parametrize(
    ("second", "said"),
    [
        (numbers(1.0, name="y"), r"b\.csv lacks the column 'x', compared with a\.csv"),
        (None, "further column 'y'"),
    ],
)
def test_files_with_other_columns_are_refused_by_name(second, said):
    columns = (second,) if second else (numbers(1.0), numbers(1.0, name="y"))
    with pytest.raises(SourceError, match=said):
        stack_tables([table("a.csv", numbers(1.0)), table("b.csv", *columns)])


def test_many_small_files_share_the_budget(monkeypatch):
    monkeypatch.setenv("KARAT_MAX_CELLS", "5")
    with pytest.raises(SourceError, match="a source of 3 files unfolds"):
        stack_tables([table(f"{i}.csv", numbers(1.0, 2.0)) for i in range(3)])
