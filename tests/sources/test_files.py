from __future__ import annotations

import os

import numpy as np
import pytest

from karat.errors import SourceError
from karat.sources import files
from karat.sources.files import read_path


def write(folder, **contents):
    for name, content in contents.items():
        path = folder / name.replace("_", ".")
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


def test_a_folder_is_one_source_in_the_order_of_its_names(tmp_path):
    write(tmp_path, b_csv="x,y\n3,4\n", a_csv="y,x\n2,1\n", notes_md="not a table")
    np.savez(tmp_path / "c.npz", x=[5.0], y=[6.0])
    (tmp_path / ".hidden.csv").write_text("z\n1\n")
    table = read_path(tmp_path)
    assert table.by_name["x"].values.tolist() == [1, 3, 5]
    assert table.by_name["y"].values.tolist() == [2, 4, 6]
    assert [(file.path, file.rows) for file in table.files] == [("a.csv", 1), ("b.csv", 1), ("c.npz", 1)]
    assert table.place(2) == "row 1 of c.npz"


def test_a_pattern_is_one_source(tmp_path):
    write(tmp_path, a1_csv="x\n1\n", a2_csv="x\n2\n", b_csv="x\n9\n")
    assert read_path(str(tmp_path / "a*.csv")).by_name["x"].values.tolist() == [1, 2]


def test_a_file_whose_name_looks_like_a_pattern_is_that_file(tmp_path):
    write(tmp_path, **{"a[1]_csv": "x\n1\n"})
    assert read_path(tmp_path / "a[1].csv").rows == 1


def test_a_list_of_paths_is_one_source(tmp_path):
    write(tmp_path, a_csv="x\n1\n", b_csv="x\n2\n")
    assert read_path([tmp_path / "b.csv", str(tmp_path / "a.csv")]).by_name["x"].values.tolist() == [2, 1]


def test_parquet_is_known_by_its_content_not_its_name(tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as parquet

    parquet.write_table(pa.table({"x": [1.0]}), tmp_path / "a.csv")
    assert read_path(tmp_path / "a.csv").by_name["x"].values.tolist() == [1]


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.csv", b"", r"a\.csv is empty"),
        ("a.csv.gz", b"\x1f\x8b\x08", r"a\.csv\.gz is gzip.*[Uu]npack"),
        ("a.csv", b"\x1f\x8b\x08", r"a\.csv is gzip"),
        ("a.csv", b"\x28\xb5\x2f\xfd", r"zstandard"),
        ("a.xlsx", b"PK\x03\x04", r"zip archive or a spreadsheet.*CSV"),
        ("a.json", b"{}", r"suffix '\.json'"),
        ("data", b"x\n1\n", r"data has no suffix"),
        ("a.csv", b"\n<!DOCTYPE html><title>Log in</title>", r"web page.*login"),
        ("a.csv", b"\xef\xbb\xbf<html>", r"web page"),
        ("a.npz", b"x\n1\n", r"cannot be read as npz"),
        ("a.parquet", b"x\n1\n", r"cannot be read as Parquet"),
    ],
)
def test_files_that_karat_does_not_read_are_named_with_the_way_out(tmp_path, name, content, said):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(SourceError, match=said):
        read_path(tmp_path / name)


def test_a_misspelt_path_meets_its_neighbour(tmp_path):
    write(tmp_path, acme_csv="x\n1\n")
    with pytest.raises(SourceError, match=r"there is no file .*acmee\.csv.*Did you mean .*acme\.csv"):
        read_path(tmp_path / "acmee.csv")


@pytest.mark.parametrize("given", ["nowhere/a.csv", "a\0b.csv", "x" * 5000, "https://example.org/a.csv", ""])
def test_paths_to_nothing_say_so(tmp_path, monkeypatch, given):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SourceError):
        read_path(given)


def test_an_empty_folder_or_pattern_says_so(tmp_path):
    with pytest.raises(SourceError, match=r"no file that karat reads.*\.parquet"):
        read_path(tmp_path)
    with pytest.raises(SourceError, match="no file matches"):
        read_path(str(tmp_path / "*.csv"))
    with pytest.raises(SourceError, match="empty list"):
        read_path([])


def test_a_link_that_leads_out_of_its_folder_is_refused(tmp_path):
    (tmp_path / "secret.csv").write_text("x\n1\n")
    folder = tmp_path / "previews"
    folder.mkdir()
    (folder / "a.csv").symlink_to(tmp_path / "secret.csv")
    with pytest.raises(SourceError, match="link to a file elsewhere"):
        read_path(folder)


def test_a_link_to_nothing_is_called_one(tmp_path):
    (tmp_path / "a.csv").symlink_to(tmp_path / "gone.csv")
    with pytest.raises(SourceError, match="link to a file that is not there"):
        read_path(tmp_path / "a.csv")


@pytest.mark.parametrize("given", ["closed", "closed/a.csv"])
def test_a_folder_that_may_not_be_looked_into_is_refused(tmp_path, monkeypatch, given):
    (tmp_path / "closed").mkdir()

    def refuse(self):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("pathlib.Path.iterdir", refuse)  # whoever runs the tests may read everything
    with pytest.raises(SourceError, match=r"Permission denied|no file"):
        read_path(tmp_path / given)


def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "a.csv")
    with pytest.raises(SourceError, match="no regular file"):
        read_path(tmp_path / "a.csv")


def test_a_crowded_folder_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "MOST_FILES", 2)
    write(tmp_path, a_csv="x\n1\n", b_csv="x\n1\n", c_csv="x\n1\n")
    with pytest.raises(SourceError, match="more than 2 entries"):
        read_path(tmp_path)
    with pytest.raises(SourceError, match="at most 2"):
        read_path(sorted(tmp_path.iterdir()))


@pytest.mark.parametrize("empty", ["", " "])
def test_an_empty_path_is_not_the_working_folder(tmp_path, monkeypatch, empty):
    (tmp_path / "a.csv").write_text("a\n1\n2\n")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SourceError, match="an empty path"):
        read_path(empty)
