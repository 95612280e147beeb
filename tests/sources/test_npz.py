from __future__ import annotations

import zipfile

import numpy as np
import pytest

from karat.errors import SourceError
from karat.sources.npz import read_npz


@pytest.fixture
def path(tmp_path):
    return tmp_path / "acme.npz"


def test_one_array_has_the_columns_of_a_bare_array(path):
    rows = np.random.default_rng(0).normal(size=(5, 3))
    np.savez(path, rows)
    table = read_npz(path)
    assert table.names == ("x0", "x1", "x2")
    np.testing.assert_array_equal(np.column_stack([column.values for column in table.columns]), rows)


def test_arrays_of_one_length_stand_side_by_side(path):
    days = np.array(["1970-01-02", "NaT"], dtype="M8[D]")
    np.savez(path, x=np.eye(2, dtype=np.uint8), y=[True, False], word=["a", "b"], day=days, z=[1j, 2])
    table = read_npz(path)
    assert table.names == ("x_0", "x_1", "y", "word", "day", "z")
    assert [column.kind for column in table.columns] == ["number", "number", "bool", "text", "time", "other"]
    np.testing.assert_array_equal(table.by_name["day"].values, [86_400, np.nan])


def test_images_are_flattened(path):
    images = np.arange(24, dtype=np.uint8).reshape(2, 3, 4)
    np.savez(path, images)
    table = read_npz(path)
    assert [column.values[1] for column in table.columns] == images[1].ravel().tolist()


def test_a_single_value_is_left_out_and_noted(path):
    np.savez(path, rows=np.eye(2), seed=5)
    table = read_npz(path)
    assert table.names == ("x0", "x1")
    assert [note.kind for note in table.notes] == ["ignored-member"]


def test_pickled_objects_are_never_unpickled(path):
    class Trap:
        def __reduce__(self):
            return pytest.fail, ("was unpickled",)

    np.savez(path, a=np.array([Trap()], dtype=object))
    with pytest.raises(SourceError, match=r"'a' in acme\.npz holds pickled objects"):
        read_npz(path)


@pytest.mark.parametrize(
    ("arrays", "said"),
    [
        ({"a": np.eye(2), "b": np.eye(3)}, "different numbers of rows: a 2, b 3"),
        ({"a": np.empty((0, 3))}, "no rows"),
        ({}, "holds no arrays"),
        ({"a": 5}, "holds no arrays"),
        ({"a_0": [1.0], "a": [[1.0]]}, "more than one column called 'a_0'"),
    ],
)
def test_arrays_that_make_no_table_are_refused(path, arrays, said):
    np.savez(path, **arrays)
    with pytest.raises(SourceError, match=said):
        read_npz(path)


def test_a_zip_bomb_is_refused_before_it_is_unfolded(path):
    np.savez_compressed(path, np.zeros(60_000_000, dtype=np.uint8))
    assert path.stat().st_size < 100_000
    with pytest.raises(SourceError, match="more than 50,000,000 cells"):
        read_npz(path)


def test_a_header_that_promises_the_world_is_refused(path):
    with zipfile.ZipFile(path, "w") as archive, archive.open("a.npy", "w") as member:
        np.lib.format.write_array_header_1_0(
            member, {"descr": "<f8", "fortran_order": False, "shape": (2**40, 2**40)}
        )
    with pytest.raises(SourceError, match="more than 50,000,000 cells"):
        read_npz(path)


def test_a_crowd_of_members_is_refused_before_the_directory_is_read(path):
    with zipfile.ZipFile(path, "w") as archive:
        for i in range(1001):
            archive.writestr(f"{i}.npy", b"")
    with pytest.raises(SourceError, match="more than 1000 members"):
        read_npz(path)


def test_other_zips_and_damaged_files_are_refused(path):
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("inner.npz", b"PK")
    with pytest.raises(SourceError, match=r"'inner\.npz', which is no array"):
        read_npz(path)
    np.savez(path, np.eye(20))
    path.write_bytes(path.read_bytes()[:700])
    with pytest.raises(SourceError, match="cannot be read as npz"):
        read_npz(path)
