from __future__ import annotations

import hashlib

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

from karat.errors import SourceError
from karat.sources.parquet import read_parquet


@pytest.fixture
def path(tmp_path):
    return tmp_path / "acme.parquet"


def table_of(rows=100):
    rng = np.random.default_rng(0)
    return pa.table(
        {"a": rng.normal(size=rows), "b": rng.integers(0, 9, rows), "t": [f"w{i % 3}" for i in range(rows)]}
    )


def test_columns_come_back_bit_for_bit_with_the_file_s_hash(path):
    written = table_of()
    parquet.write_table(written, path, write_page_checksum=True, row_group_size=30)
    table = read_parquet(path)
    np.testing.assert_array_equal(table.by_name["a"].values, written["a"].to_numpy())
    np.testing.assert_array_equal(table.by_name["b"].values, written["b"].to_numpy())
    assert [table.by_name["t"].words[code] for code in table.by_name["t"].codes] == written["t"].to_pylist()
    (file,) = table.files
    assert (file.path, file.sha256, file.rows) == (
        "acme.parquet",
        hashlib.sha256(path.read_bytes()).hexdigest(),
        100,
    )


@pytest.mark.parametrize("compression", ["none", "snappy", "zstd"])
@pytest.mark.parametrize("use_dictionary", [True, False])
def test_absent_checksums_are_noted_and_present_ones_are_not(path, compression, use_dictionary):
    for has_checksums in (True, False):
        parquet.write_table(
            table_of(),
            path,
            write_page_checksum=has_checksums,
            compression=compression,
            use_dictionary=use_dictionary,
        )
        assert [note.kind for note in read_parquet(path).notes] == ([] if has_checksums else ["no-checksums"])


def test_no_flipped_bit_passes_the_checksums(path):
    """Every bit flip is an error, or changes nothing; without checksums some read back differently."""
    written = table_of(500)
    parquet.write_table(written, path, write_page_checksum=True, compression="none")
    sound, rng = path.read_bytes(), np.random.default_rng(1)
    for _ in range(60):
        damaged = bytearray(sound)
        damaged[rng.integers(4, len(sound) - 4)] ^= 1 << int(rng.integers(8))
        path.write_bytes(damaged)
        try:
            table = read_parquet(path)
        except SourceError:
            continue
        if {"a", "b"} <= set(table.names):  # a flip in the metadata may rename a column, never change a cell
            for name in ("a", "b"):
                np.testing.assert_array_equal(table.by_name[name].values, written[name].to_numpy())


def test_saved_row_indexes_are_no_columns(path):
    pd.DataFrame({"a": [1.0, 2.0, 3.0]}, index=[5, 9, 2]).to_parquet(path)
    assert read_parquet(path).names == ("a",)


def test_nested_columns_are_named_and_dotted_names_are_not_confused_with_them(path):
    parquet.write_table(pa.table({"a.b": [1.0, 2.0], "a": [{"b": 5}, {"b": 6}], "l": [[1], [2]]}), path)
    table = read_parquet(path)
    assert [column.kind for column in table.columns] == ["number", "other", "other"]
    assert table.by_name["a.b"].values.tolist() == [1, 2]


@pytest.mark.parametrize("share", [0.02, 0.5, 0.99])
def test_a_truncated_file_says_so(path, share):
    parquet.write_table(table_of(), path)
    whole = path.read_bytes()
    path.write_bytes(whole[: int(share * len(whole))])
    with pytest.raises(SourceError, match=r"acme\.parquet cannot be read as Parquet.*cut short"):
        read_parquet(path)


def test_no_rows_and_duplicate_names_are_refused(path):
    parquet.write_table(table_of(0), path)
    with pytest.raises(SourceError, match="columns and no rows"):
        read_parquet(path)
    parquet.write_table(pa.table([[1], [2]], names=["a", "a"]), path)
    with pytest.raises(SourceError, match="more than one column called 'a'"):
        read_parquet(path)


def test_a_small_file_of_many_equal_numbers_stops_at_the_budget(path):
    with parquet.ParquetWriter(path, pa.schema([("a", pa.float64())]), compression="zstd") as writer:
        million = pa.table({"a": np.zeros(1_000_000)})
        for _ in range(51):
            writer.write_table(million)
    assert path.stat().st_size < 1_000_000
    with pytest.raises(SourceError, match="more than 50,000,000 cells"):
        read_parquet(path)


def test_a_small_file_of_long_words_stops_at_the_budget(path, monkeypatch):
    monkeypatch.setenv("KARAT_MAX_CELLS", "1000000")
    with parquet.ParquetWriter(path, pa.schema([("a", pa.string())]), use_dictionary=False) as writer:
        for i in range(10):
            writer.write_table(pa.table({"a": [str(i) + "x" * 1_000_000]}))
    with pytest.raises(SourceError, match="bytes of text"):
        read_parquet(path)


def test_a_long_word_shown_often_costs_one_word(path):
    words = pa.DictionaryArray.from_arrays(pa.array([0] * 1500), pa.array(["x" * 1_000_000]))
    parquet.write_table(pa.table({"a": words}), path)
    column = read_parquet(path).by_name["a"]
    assert len(column.codes) == 1500
    assert len(column.words) == 1
