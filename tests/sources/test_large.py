"""Files in parts: the same cells as read whole, in every format, however the parts fall."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

from karat.errors import SourceError
from karat.sources import LargeTable, Numbers, Table, large, npz, open_large, open_table
from karat.sources import parquet as our_parquet
from karat.sources.files import cells_of
from karat.sources.opening import is_large


@pytest.fixture
def columns():
    rng = np.random.default_rng(0)
    found = {"price": rng.normal(size=500), "rooms": rng.integers(1, 9, 500), "new": rng.random(500) < 0.5}
    found["price"][[3, 499]] = np.nan
    return found


def write_csv(path, columns):
    cells = zip(*[c.tolist() for c in columns.values()], strict=True)
    lines = [",".join("" if cell != cell else str(cell) for cell in row) for row in cells]
    path.write_text("\n".join([",".join(columns), *lines]) + "\n")


def write_parquet(path, columns):
    table = pa.table({name: pa.array(c, from_pandas=True) for name, c in columns.items()})
    parquet.write_table(table, path, row_group_size=120, write_page_checksum=True)


def write_npz(path, columns):
    np.savez(path, **columns)


@pytest.fixture(params=[("a.csv", write_csv), ("a.parquet", write_parquet), ("a.npz", write_npz)])
def path(request, tmp_path, columns, monkeypatch):
    """A file of 1,500 cells that is read 100 cells, or 300 bytes, at a time."""
    for room in (large, npz, our_parquet):
        monkeypatch.setattr(room, "CELLS_AT_ONCE", 100)
    monkeypatch.setattr("karat.sources.delimited.LONGEST_ROW", 300)
    name, write = request.param
    write(tmp_path / name, columns)
    return tmp_path / name


def joined(parts, name):
    return np.concatenate([part.by_name[name].values for part in parts])


def test_parts_hold_the_cells_of_the_whole_in_the_columns_wanted(path):
    whole = open_table(path)
    parts = list(open_large(path).chunks(["rooms", "price"]))
    assert len(parts) > 5
    assert {part.names for part in parts} == {("rooms", "price")}
    for name in ("rooms", "price"):
        np.testing.assert_array_equal(joined(parts, name), whole.by_name[name].values)


def test_a_part_knows_its_file_and_where_its_rows_stand(path):
    parts = list(open_large(path).chunks(["price"]))
    assert [part.before for part in parts] == np.cumsum([0, *(part.rows for part in parts[:-1])]).tolist()
    assert parts[2].place(1) == f"row {parts[2].before + 2} of {path.name}"
    assert {part.files[0].sha256 for part in parts} == {open_table(path).files[0].sha256}


def test_the_number_of_cells_is_known_about(path):
    assert cells_of(path) == pytest.approx(1500, rel=0.05)
    assert cells_of([path, path]) == pytest.approx(3000, rel=0.05)


def test_what_is_large_follows_from_the_setting(path, monkeypatch):
    assert not is_large([str(path)])
    monkeypatch.setenv("KARAT_MAX_CELLS", "1400")
    assert is_large([str(path)])
    monkeypatch.setenv("KARAT_MAX_CELLS", "1600")
    assert not is_large([str(path)] * 4)
    assert is_large([str(path)] * 5)
    assert not is_large([open_table(path)] * 9)


def test_a_file_that_unfolds_like_no_honest_one_is_left_to_the_readers(tmp_path, monkeypatch):
    zeros = pa.table({"x": np.zeros(3_000_000)})
    parquet.write_table(zeros, tmp_path / "bomb.parquet", compression="zstd")
    np.savez_compressed(tmp_path / "bomb.npz", np.zeros(3_000_000))
    monkeypatch.setenv("KARAT_MAX_CELLS", "1000000")
    for name in ("bomb.parquet", "bomb.npz"):
        assert cells_of(tmp_path / name) == 0.0
        with pytest.raises(SourceError, match="unfolds to more than 1,000,000 cells"):
            open_table(tmp_path / name)


def test_what_cannot_be_read_is_not_large(tmp_path):
    (tmp_path / "torn.parquet").write_bytes(b"PAR1 torn")
    (tmp_path / "torn.npz").write_bytes(b"PK torn")
    for name in ("torn.parquet", "torn.npz", "absent.csv"):
        assert not is_large([tmp_path / name])


def test_a_large_file_that_is_damaged_is_named(tmp_path):
    for name in ("torn.parquet", "torn.npz"):
        (tmp_path / name).write_bytes(b"PAR1 torn" if name.endswith("parquet") else b"PK torn")
        with pytest.raises(SourceError, match=f"{name} cannot be read"):
            open_large(tmp_path / name)


def test_several_files_of_a_source_follow_one_another(path):
    both = LargeTable((*open_large(path).files, *open_large(path).files))
    parts = list(both.chunks(["rooms"]))
    assert sum(part.rows for part in parts) == 1000
    assert sum(part.before == 0 for part in parts) == 2


def test_files_with_other_columns_are_refused(tmp_path):
    (tmp_path / "a.csv").write_text("x,y\n1,2\n")
    (tmp_path / "b.csv").write_text("x,z\n1,2\n")
    with pytest.raises(SourceError, match=r"b\.csv lacks the column 'y', compared with a\.csv"):
        open_large([tmp_path / "a.csv", tmp_path / "b.csv"])


def test_a_table_in_memory_is_one_part():
    parts = list(LargeTable.of(Table.of(x=[1.0, 2.0], y=[3.0, 4.0])).chunks(["y"]))
    assert len(parts) == 1
    assert parts[0].names == ("y",)


def test_a_column_that_becomes_something_else_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("karat.sources.delimited.LONGEST_ROW", 40)
    (tmp_path / "a.csv").write_text("x\n" + "1.5\n" * 40 + "2020-01-01\n" * 40)
    with pytest.raises(SourceError, match=r"'x' of a\.csv holds numbers at first, and times from about row"):
        list(open_large(tmp_path / "a.csv").chunks(["x"]))


def test_a_stray_word_far_down_is_found_at_its_row(tmp_path, monkeypatch):
    monkeypatch.setattr("karat.sources.delimited.LONGEST_ROW", 40)
    (tmp_path / "a.csv").write_text("x\n" + "1.5\n" * 100 + "oops\n" + "1.5\n" * 7)
    *_, last = [
        part for part in open_large(tmp_path / "a.csv").chunks(["x"]) if part.columns[0].kind == "text"
    ]
    assert last.place(last.columns[0].stray.row) == "row 101 of a.csv"


def test_a_large_npz_holds_numbers_row_after_row(tmp_path, monkeypatch):
    monkeypatch.setenv("KARAT_MAX_CELLS", "1")
    np.savez(tmp_path / "words.npz", x=np.array(["a", "b"]))
    np.savez(tmp_path / "turned.npz", x=np.asfortranarray(np.ones((3, 2))))
    with pytest.raises(SourceError, match=r"'x' in words\.npz is too large to be held, and holds no numbers"):
        open_large(tmp_path / "words.npz")
    with pytest.raises(SourceError, match=r"turned\.npz .* stands column after column"):
        open_large(tmp_path / "turned.npz")


def test_a_wide_member_of_a_large_npz_gives_numbered_columns(tmp_path, monkeypatch):
    monkeypatch.setattr(npz, "CELLS_AT_ONCE", 7)
    rows = np.arange(30.0, dtype=np.float32).reshape(10, 3)
    np.savez(tmp_path / "a.npz", rows)
    parts = list(open_large(tmp_path / "a.npz").chunks(["x2", "x0"]))
    assert [part.rows for part in parts] == [2] * 5
    np.testing.assert_array_equal(joined(parts, "x2"), rows[:, 2])
    assert isinstance(parts[0].columns[0], Numbers)


def test_an_npz_that_holds_more_than_rows_of_numbers_is_read_whole_where_it_fits(tmp_path):
    rows = np.arange(30.0).reshape(10, 3)
    np.savez(tmp_path / "turned.npz", np.asfortranarray(rows))
    np.savez(tmp_path / "mixed.npz", a=rows[:, 0], town=np.array(["x"] * 10))
    (turned,) = open_large(tmp_path / "turned.npz").chunks(["x2", "x0"])
    (mixed,) = open_large(tmp_path / "mixed.npz").chunks(["a"])
    assert turned.names == ("x2", "x0")
    np.testing.assert_array_equal(turned.by_name["x2"].values, rows[:, 2])
    np.testing.assert_array_equal(mixed.by_name["a"].values, rows[:, 0])


def test_an_npz_is_no_smaller_for_standing_column_after_column(tmp_path):
    np.savez(tmp_path / "turned.npz", np.asfortranarray(np.ones((30, 20))))
    assert cells_of(tmp_path / "turned.npz") == 600


def test_a_large_npz_is_refused_and_noted_for_what_a_small_one_is(tmp_path):
    import zipfile

    def write(name, members):
        with zipfile.ZipFile(tmp_path / name, "w") as archive:
            for member in members:
                with archive.open(member, "w") as stream:
                    np.lib.format.write_array(stream, np.ones(3))

    with pytest.warns(UserWarning, match="Duplicate"):
        write("twice.npz", ["a.npy", "a.npy"])
    write("foreign.npz", ["a.npy", "README.txt"])
    for name, says in (("twice.npz", "holds 'a' twice"), ("foreign.npz", r"holds 'README\.txt'")):
        with pytest.raises(SourceError, match=says):
            open_large(tmp_path / name)
    np.savez(tmp_path / "single.npz", a=np.ones(3), version=np.array(3))
    assert open_large(tmp_path / "single.npz").notes == open_table(tmp_path / "single.npz").notes != ()


def test_truths_of_one_file_may_be_numbers_in_another_and_times_may_not(tmp_path):
    for name, cell in (("truths", "true"), ("numbers", "0"), ("times", "2020-01-01")):
        (tmp_path / f"{name}.csv").write_text("x\n" + f"{cell}\n" * 3)
    parts = list(open_large([tmp_path / "truths.csv", tmp_path / "numbers.csv"]).chunks(["x"]))
    np.testing.assert_array_equal(joined(parts, "x"), [1, 1, 1, 0, 0, 0])
    with pytest.raises(SourceError, match=r"'x' of times\.csv holds times, and numbers in the files before"):
        list(open_large([tmp_path / "truths.csv", tmp_path / "times.csv"]).chunks(["x"]))


def test_a_file_that_changes_or_goes_between_passes_is_said_to(path):
    opened = open_large(path)
    first = opened.chunks(["rooms"])
    next(first)
    path.write_bytes(path.read_bytes() + b"1.5,2,True\n")
    with pytest.raises(SourceError, match=f"{path.name} has changed while it was read"):
        list(first)
    path.write_bytes(b"torn")
    with pytest.raises(SourceError, match=f"{path.name} has changed while it was read"):
        list(opened.chunks(["rooms"]))
    path.unlink()
    with pytest.raises(SourceError, match=f"{path.name} is gone"):
        list(opened.chunks(["rooms"]))


def test_parquet_without_rows_or_without_numbers_is_told_apart(tmp_path):
    parquet.write_table(pa.table({"x": pa.array([], pa.float64())}), tmp_path / "none.parquet")
    parquet.write_table(pa.table({"x": [[1.0], [2.0]]}), tmp_path / "lists.parquet")
    with pytest.raises(SourceError, match=r"none\.parquet has columns and no rows"):
        open_large(tmp_path / "none.parquet")
    assert open_large(tmp_path / "lists.parquet").head().by_name["x"].kind == "other"
