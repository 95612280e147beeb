from __future__ import annotations

import codecs

import numpy as np
import pytest

from karat.errors import SourceError
from karat.sources import delimited
from karat.sources.delimited import read_delimited


@pytest.fixture
def read(tmp_path):
    def write_and_read(content: bytes | str):
        path = tmp_path / "acme.csv"
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return read_delimited(path)

    return write_and_read


def values(table, name):
    return table.by_name[name].values.tolist()


def test_numbers_come_back_bit_for_bit(read):
    rng = np.random.default_rng(0)
    wanted = rng.normal(size=(50, 3)) * 10.0 ** rng.integers(-300, 300, (50, 3))
    lines = "\n".join(",".join(repr(float(cell)) for cell in row) for row in wanted)
    table = read(f"a,b,c\n{lines}\n")
    np.testing.assert_array_equal(np.column_stack([column.values for column in table.columns]), wanted)
    assert table.rows == 50
    assert table.notes == ()


@pytest.mark.parametrize(
    "content",
    [
        "a,b\n1,2\n3,4\n",
        "a,b\r\n1,2\r\n3,4\r\n",
        "a,b\r1,2\r3,4\r",
        "a,b\n1,2\n3,4",
        "\n\na,b\n\n1,2\n\n3,4\n\n",
        "a,b\n 1 , +2\n3.,4e0\n",
        '"a","b"\n"1","2"\n3,4\n',
        codecs.BOM_UTF8 + b"a,b\n1,2\n3,4\n",
        "a;b\n1;2\n3;4\n",
        "a\tb\n1\t2\n3\t4\n",
        "a|b\n1|2\n3|4\n",
        "a,b\n1,2\n3,4\n".encode("utf-16"),
        codecs.BOM_UTF16_BE + "a,b\n1,2\n3,4\n".encode("utf-16-be"),
    ],
)
def test_the_same_table_is_read_from_every_way_to_write_it(read, content):
    table = read(content)
    assert (values(table, "a"), values(table, "b")) == ([1, 3], [2, 4])


def test_unusual_manners_are_noted(read):
    assert [note.kind for note in read("a;b\n1;2\n").notes] == ["delimiter"]
    assert [note.kind for note in read("a,b\n1,2\n".encode("utf-16")).notes] == ["encoding"]


def test_a_delimiter_inside_quotes_does_not_count(read):
    assert read('"a,b,c,d";e\n1;2\n').names == ("a,b,c,d", "e")


@pytest.mark.parametrize("gap", ["", "NA", "n/a", "NaN", "null", "None", '""', '"NA"'])
def test_a_cell_that_says_nothing_is_missing(read, gap):
    assert np.isnan(values(read(f"a,b\n1,{gap}\n2,3\n"), "b")).tolist() == [True, False]


def test_infinities_are_kept_for_the_schema_to_judge(read):
    assert values(read("a\n1e999\n-inf\nInfinity\n"), "a") == [np.inf, -np.inf, np.inf]


def test_truths_and_times_are_numbers_of_their_kind(read):
    table = read("t,d,z\ntrue,2015-01-01,1970-01-01T00:00:01Z\nFALSE,1970-01-02 00:00,\nNA,,\n")
    assert [column.kind for column in table.columns] == ["bool", "time", "time"]
    np.testing.assert_array_equal(values(table, "t"), [1, 0, np.nan])
    np.testing.assert_array_equal(values(table, "d"), [1_420_070_400, 86_400, np.nan])
    np.testing.assert_array_equal(values(table, "z"), [1, np.nan, np.nan])


def test_a_few_stray_cells_are_counted_and_the_first_is_named(read):
    column = read("a\n1\n2\n60000 USD\n4\nx\n5\n").by_name["a"]
    assert (column.kind, column.stray.count, column.stray.row, column.stray.word) == (
        "text",
        2,
        2,
        "60000 USD",
    )


@pytest.mark.parametrize("cell", ["\u0661", "\uff11", "0x10", "1_000", "1d5", "\u22121", "1,5", "--1", "."])
def test_what_arrow_reads_as_no_number_is_counted_as_none(read, cell):
    column = read(f'a\n1\n2\n"{cell}"\n').by_name["a"]
    assert (column.stray.count, column.stray.row, column.stray.word) == (1, 2, cell)


@pytest.mark.parametrize("cell", ["+1", "-.5", "5.", "1E+05", " 7 ", "\u00a07", "Inf", "-infinity", "1e999"])
def test_numbers_are_read_and_never_called_stray(read, cell):
    assert read(f"a\n1\n{cell}\n").by_name["a"].kind == "number"
    assert read(f"a\n1\n2\n{cell}\nx\n").by_name["a"].stray.count == 1


def test_text_is_kept_as_text(read):
    column = read("a,b\nred,1\nblue,2\nred,3\n").by_name["a"]
    assert (column.words, column.codes.tolist(), column.stray) == (("red", "blue"), [0, 1, 0], None)


def test_chunks_do_not_change_what_is_read(read, monkeypatch):
    lines = [f"{i},{'text' if i == 9_000 else i / 7},w{i % 3}" for i in range(10_000)]
    content = "a,b,c\n" + "\n".join(lines)
    whole = read(content)
    monkeypatch.setattr(delimited, "LONGEST_ROW", 1 << 10)
    monkeypatch.setattr(delimited, "CHUNK", 100)
    pieces = read(content)
    assert pieces.files == whole.files
    np.testing.assert_array_equal(pieces.by_name["a"].values, whole.by_name["a"].values)
    for name in ("b", "c"):
        assert pieces.by_name[name].words == whole.by_name[name].words
        np.testing.assert_array_equal(pieces.by_name[name].codes, whole.by_name[name].codes)
    assert whole.by_name["b"].stray.row == 9_000


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "acme.csv is empty"),
        ("\n \n\n", "acme.csv is empty"),
        ("a,b\n", "a header and no rows"),
        ("a,b", "a header and no rows"),
        ("a,b\n\n\n", "a header and no rows"),
        ("a,b,a\n1,2,3\n", "more than one column called 'a'"),
        ("1.5,-2\n3,4\n", r"first line of acme.csv holds numbers \(1.5, -2\)"),
        (b"a,b\n1,2\n3,caf\xe9\n", r"not UTF-8: byte 0xe9 in line 3.*latin-1"),
        (b"\xff\xfea\x00,\x00b\x00\n\x00\x00\xd8", "not UTF-16"),
        ("a,b\n1,2\n".encode("utf-16-le"), "NUL character in line 1.*UTF-16"),
        (b"a,b\n1,2\n3,\x004\n", "NUL character in line 3"),
        ("a,b\n1,2\n3,4,5\n\n6\n", r"2 rows of acme.csv .* the first is row 2, with 3 cells for 2 columns"),
        ("a,b\n1,2\n3", "1 row of acme.csv"),
        ('a,b\n1,2\n"3,4\n', "acme.csv"),
        ('"' + "x" * 200_000 + '"\n1\n', "header of acme.csv cannot be read"),
    ],
)
def test_a_file_that_is_no_table_says_what_and_where(read, content, said):
    with pytest.raises(SourceError, match=said):
        read(content)


def test_the_first_ragged_row_is_the_error_s_row(read):
    with pytest.raises(SourceError) as caught:
        read("\na,b\n1,2\n1,2\n1,2,3\n")
    assert caught.value.row == 3


def test_names_that_are_whole_numbers_are_names(read):
    assert read("0,1\n5,6\n").names == ("0", "1")


def test_a_column_without_a_name_is_named_after_its_place(read):
    assert read(",a\n0,5\n").names == ("unnamed_1", "a")


def test_ten_thousand_columns_are_read(read):
    names = [f"c{i}" for i in range(10_000)]
    table = read(",".join(names) + "\n" + ",".join("1" for _ in names) + "\n")
    assert table.names == tuple(names)


def test_a_cell_of_a_megabyte_is_a_cell(read):
    table = read("a,b\n" + "x" * 1_000_000 + ",1\ny,2\n")
    assert len(table.by_name["a"].words[0]) == 1_000_000


def test_reading_stops_at_the_budget(read, monkeypatch):
    monkeypatch.setenv("KARAT_MAX_CELLS", "100")
    with pytest.raises(SourceError, match="more than 100 cells"):
        read("a,b\n" + "1,2\n" * 51)
    assert read("a,b\n" + "1,2\n" * 50).rows == 50


def test_text_does_not_spend_the_budget_twice(read, monkeypatch):
    monkeypatch.setenv("KARAT_MAX_CELLS", "100")
    assert read("a,b\n" + "x,2\n" * 50).rows == 50
