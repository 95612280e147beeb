from __future__ import annotations

import datetime as dt
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest

from karat.errors import SourceError
from karat.sources.arrow import ColumnReader, kind_of
from karat.sources.budget import Budget

DAY = 86_400.0


def read(*chunks):
    reader = ColumnReader("x", chunks[0].type)
    for chunk in chunks:
        reader.add(chunk)
    return reader.finish()


@pytest.mark.parametrize(
    ("array", "kind", "expected"),
    [
        (pa.array([1, None, 3]), "number", [1, np.nan, 3]),
        (pa.array([1.5, np.nan, None, np.inf]), "number", [1.5, np.nan, np.nan, np.inf]),
        (pa.array([2**64 - 1], pa.uint64()), "number", [2.0**64]),
        (pa.array([Decimal("1.50")]), "number", [1.5]),
        (pa.array([np.float16(0.5)]), "number", [0.5]),
        (pa.array([1, 2, 1]).dictionary_encode(), "number", [1, 2, 1]),
        (pa.array([True, None, False]), "bool", [1, np.nan, 0]),
        (pa.array([None, None]), "empty", [np.nan, np.nan]),
        (pa.array([dt.date(1970, 1, 2), None]), "time", [DAY, np.nan]),
        (pa.array([2 * 86_400_000], pa.date64()), "time", [2 * DAY]),
        (pa.array([dt.date(1, 1, 1), dt.date(9999, 12, 31)]), "time", [-719_162 * DAY, 2_932_896 * DAY]),
        (pa.array([1_500], pa.timestamp("ms")), "time", [1.5]),
        (pa.array([2_500_000_000], pa.timestamp("ns", "UTC")), "time", [2.5]),
        (pa.array([dt.timedelta(minutes=1)]), "time", [60]),
        (pa.array([dt.time(1)]), "time", [3600]),
        (pa.array([5], pa.time32("s")), "time", [5]),
    ],
)
def test_what_arrow_holds_becomes_numbers(array, kind, expected):
    column = read(array)
    assert column.kind == kind
    np.testing.assert_allclose(column.values, expected, rtol=1e-15)


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.dictionary(pa.int8(), pa.string())])
def test_words_of_many_chunks_share_one_list(kind):
    chunks = [pa.array(["b", None, "a"], kind), pa.array(["a", "c"], kind), pa.array([], kind)]
    column = read(*chunks)
    assert column.words == ("b", "a", "c")
    np.testing.assert_array_equal(column.codes, [0, -1, 1, 1, 2])


@pytest.mark.parametrize("array", [pa.array([[1]]), pa.array([b"x"]), pa.array([{"a": 1}])])
def test_cells_that_are_neither_numbers_nor_text_are_named_not_read(array):
    column = read(array)
    assert column.kind == "other"
    assert str(array.type) in column.reason


def test_many_chunks_with_one_dictionary_are_charged_for_its_words_once():
    words = pa.array(["x" * 1000, "y" * 1000])
    chunk = pa.DictionaryArray.from_arrays(pa.array([0, 1, 0]), words)
    budget = Budget("t", cells=1000, text_bytes=words.nbytes)
    reader = ColumnReader("x", chunk.type, budget)
    for _ in range(50):
        reader.add(chunk)
    assert budget.text_bytes == 0


def test_words_beyond_the_budget_are_refused_before_they_are_unfolded():
    reader = ColumnReader("x", pa.string(), Budget("t", cells=10, text_bytes=100))
    with pytest.raises(SourceError, match="bytes of text"):
        reader.add(pa.array(["x" * 200]))


def test_intervals_and_maps_are_other():
    assert kind_of(pa.month_day_nano_interval()) == "other"
    assert kind_of(pa.map_(pa.string(), pa.int8())) == "other"
