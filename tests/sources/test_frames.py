from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from karat.errors import SourceError
from karat.sources.frames import is_frame, read_frame

PANDAS = pd.DataFrame(
    {
        "n": [1.5, None, 3.0],
        "i": [1, 2, 3],
        "b": [True, False, True],
        "w": ["u", None, "v"],
        "t": pd.to_datetime(["1970-01-02", None, "1970-01-03"]),
        "c": pd.Categorical(["p", "q", "p"]),
    }
)
KINDS = {"pandas": PANDAS, "polars": pl.from_pandas(PANDAS), "pyarrow": pa.Table.from_pandas(PANDAS)}


@pytest.mark.parametrize("library", KINDS)
def test_the_same_table_is_read_from_every_library(library):
    table = read_frame(KINDS[library])
    assert [(column.name, column.kind) for column in table.columns] == [
        ("n", "number"),
        ("i", "number"),
        ("b", "bool"),
        ("w", "text"),
        ("t", "time"),
        ("c", "text"),
    ]
    np.testing.assert_array_equal(table.by_name["n"].values, [1.5, np.nan, 3.0])
    np.testing.assert_array_equal(table.by_name["t"].values, [86_400, np.nan, 2 * 86_400])
    assert (table.by_name["w"].words, table.by_name["w"].codes.tolist()) == (("u", "v"), [0, -1, 1])
    assert (table.rows, table.files) == (3, ())


def test_a_frame_is_left_as_it_is():
    frame = PANDAS.copy(deep=True)
    values = read_frame(frame).by_name["i"].values
    values[:] = 0
    pd.testing.assert_frame_equal(frame, PANDAS)


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        (pd.array([1, None], dtype="Int64"), "number"),
        (pd.Series([1, 2.5], dtype=object), "number"),
        (pd.Series([1, "x"], dtype=object), "other"),
        (pd.Series([[1], [2]]), "other"),
        (pd.Series([2**70, 1], dtype=object), "other"),
        (pd.Series([1j, 2]), "other"),
        (pd.period_range("2015", periods=2, freq="M"), "other"),
    ],
)
def test_unusual_pandas_columns_are_numbers_or_named(cells, kind):
    assert read_frame(pd.DataFrame({"x": cells})).columns[0].kind == kind


def test_names_that_are_numbers_or_tuples_become_text():
    assert read_frame(pd.DataFrame(np.eye(2))).names == ("0", "1")
    assert read_frame(pd.DataFrame(np.eye(1), columns=pd.MultiIndex.from_tuples([("a", "b")]))).names == (
        "('a', 'b')",
    )


def test_a_series_is_one_column():
    assert read_frame(pd.Series([1.0, 2.0], name="age")).names == ("age",)
    assert read_frame(pl.Series([1.0, 2.0])).names == ("x0",)


@pytest.mark.parametrize(
    ("frame", "said"),
    [
        (pd.DataFrame(np.eye(2), columns=["a", "a"]), "more than one column called 'a'"),
        (pa.table([[1], [2]], names=["a", "a"]), "more than one column called 'a'"),
        (pd.DataFrame(), "no columns"),
        (pl.DataFrame({"a": [1]}).lazy(), "frame.collect"),
    ],
)
def test_frames_that_are_no_tables_say_so(frame, said):
    with pytest.raises(SourceError, match=said):
        read_frame(frame)


@pytest.mark.parametrize("thing", [np.eye(2), [[1.0]], {"a": [1]}, object(), None])
def test_what_is_no_frame_is_not_taken_for_one(thing):
    assert not is_frame(thing)
