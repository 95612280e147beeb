from __future__ import annotations

import numpy as np
import pytest

from karat.errors import MarketError, SchemaError
from karat.vendors import arrays
from karat.vendors.arrays import rows_from


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_float_arrays_are_looked_at_and_never_copied(dtype):
    given = np.ones((5, 3), dtype=dtype)
    rows = rows_from(given, vendor="acme")
    assert np.shares_memory(rows, given)
    assert rows.dtype == dtype
    assert not rows.flags.writeable
    assert given.flags.writeable


@pytest.mark.parametrize(
    "given",
    [
        [[1, 2], [3, 4]],
        np.array([[1, 2], [3, 4]], dtype=np.uint8),
        np.array([[1, 2], [3, 4]], dtype=">f8"),
        np.array([[1, 3], [2, 4]], dtype=np.float64).T,
        np.array([[1, 0, 2], [3, 0, 4]], dtype=np.float32)[:, ::2],
        np.ma.masked_array([[1.0, 2.0], [3.0, 4.0]], mask=False),
        np.array([[1, 2], [3, 4]], dtype=np.longdouble),
        np.array([[1, 2], [3, 4]], dtype=np.float16),
    ],
)
def test_whatever_holds_numbers_becomes_contiguous_floats(given):
    rows = rows_from(given, vendor="acme")
    assert rows.tolist() == [[1, 2], [3, 4]]
    assert rows.flags.c_contiguous
    assert rows.dtype in (np.float32, np.float64)
    assert rows.dtype.isnative


def test_one_dimension_is_one_column():
    assert rows_from([True, False, True], vendor="acme").tolist() == [[1], [0], [1]]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (np.zeros((2, 2, 2)), r"3 dimensions, shape \(2, 2, 2\).*reshape"),
        (5.0, "0 dimensions"),
        (np.zeros((3, 0)), "without columns"),
        (np.array([{}]), "an array of objects"),
        (None, "an array of objects"),
        (np.array([["a"]]), "an array of text"),
        (np.array([[1j]]), "an array of complex numbers"),
        (np.array(["2015"], dtype="M8[D]"), "an array of dates"),
        ([[1], [2, 3]], "'list', which is no array"),
        (np.ma.masked_array([1.0, 2.0], mask=[True, False]), "masked cells"),
    ],
)
def test_what_is_no_table_of_numbers_is_refused(given, said):
    with pytest.raises(MarketError, match=f"vendor 'acme' .*{said}") as caught:
        rows_from(given, vendor="acme")
    assert caught.value.vendor == "acme"


def test_sparse_matrices_are_refused_with_the_way_out():
    sparse = pytest.importorskip("scipy.sparse")
    with pytest.raises(MarketError, match="toarray"):
        rows_from(sparse.eye(3), vendor="acme")


@pytest.mark.parametrize(
    ("dtype", "cell", "said"),
    [
        (np.float64, np.nan, "not a number.*data frame"),
        (np.float64, -np.inf, "-inf.*replace infinities"),
        (np.float64, 1e200, r"1e\+200 .*beyond 1e\+150"),
        (np.float32, 1e30, r"beyond 1e\+18.*float64"),
    ],
)
def test_a_cell_that_cannot_be_used_is_placed_wherever_it_stands(dtype, cell, said, monkeypatch):
    monkeypatch.setattr(arrays, "CELLS_AT_ONCE", 12)  # several steps
    for row in (0, 3, 9):
        given = np.ones((10, 3), dtype=dtype)
        given[row, 2] = cell
        with pytest.raises(SchemaError, match=said) as caught:
            rows_from(given, vendor="acme")
        assert (caught.value.vendor, caught.value.column, caught.value.row) == ("acme", "x2", row + 1)


def test_the_anchor_is_not_called_a_vendor():
    with pytest.raises(MarketError, match=r"^the anchor was given"):
        rows_from(None, vendor="anchor")
