"""Damaged files: each gives a table or a SourceError, never a traceback (reliability.md, B1)."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

from karat.errors import SourceError
from karat.sources import Numbers, open_large, open_table

MUTANTS = 200
ROWS = 40


def write_csv(path, columns):
    cells = zip(*columns.values(), strict=True)
    lines = "\n".join(f'{number!r},{count},"{word}"' for number, count, word in cells)
    path.write_text(f"{','.join(columns)}\n{lines}\n")


WRITERS = {
    "csv": write_csv,
    "parquet": lambda path, columns: parquet.write_table(pa.table(columns), path),
    "checked.parquet": lambda path, columns: parquet.write_table(
        pa.table(columns), path, write_page_checksum=True
    ),
    "npz": lambda path, columns: np.savez(path, **columns),
    "deflated.npz": lambda path, columns: np.savez_compressed(path, **columns),
}


def mutate(sound: bytes, rng: np.random.Generator) -> bytes:
    """Flip bits, cut, insert or overwrite."""
    damaged, place = bytearray(sound), int(rng.integers(len(sound)))
    match rng.integers(4):
        case 0:
            for _ in range(rng.integers(1, 8)):
                damaged[rng.integers(len(sound))] ^= 1 << int(rng.integers(8))
        case 1:
            del damaged[place:]
        case 2:
            damaged[place:place] = rng.bytes(int(rng.integers(1, 40)))
        case _:
            length = int(rng.integers(1, 60))
            damaged[place : place + length] = rng.bytes(length) if rng.random() < 0.5 else b"\xff" * length
    return bytes(damaged)


def read_in_parts(path):
    """The number columns of a large file, put together again."""
    large = open_large(path)
    names = [name for name in large.names if name != "t"]
    parts = list(large.chunks(names))
    for part in parts:
        for column in part.columns:
            assert not isinstance(column, Numbers) or len(column.values) == part.rows
    return parts


@pytest.mark.parametrize("suffix", [suffix for suffix in WRITERS if "npz" not in suffix])
def test_damaged_files_that_are_read_in_parts_give_these_or_a_clear_error(tmp_path, monkeypatch, suffix):
    monkeypatch.setattr("karat.sources.parquet.CELLS_AT_ONCE", 30)
    monkeypatch.setattr("karat.sources.delimited.LONGEST_ROW", 500)
    check_mutants(tmp_path / f"acme.{suffix}", WRITERS[suffix], read_in_parts)


@pytest.mark.parametrize("suffix", ["npz", "deflated.npz"])
def test_damaged_arrays_that_are_read_in_parts_give_these_or_a_clear_error(tmp_path, monkeypatch, suffix):
    monkeypatch.setattr("karat.sources.npz.CELLS_AT_ONCE", 30)

    def write(path, columns):
        WRITERS[suffix](path, {name: cells for name, cells in columns.items() if name != "t"})

    check_mutants(tmp_path / f"acme.{suffix}", write, read_in_parts)


def read_whole(path):
    table = open_table(path)
    for column in table.columns:
        assert not isinstance(column, Numbers) or len(column.values) == table.rows


@pytest.mark.parametrize("suffix", WRITERS)
def test_damaged_files_give_a_table_or_a_clear_error(tmp_path, suffix):
    check_mutants(tmp_path / f"acme.{suffix}", WRITERS[suffix], read_whole)


def check_mutants(path, write, read):
    """Every mutant is read, or refused with its name; many are refused."""
    rng = np.random.default_rng(20)
    columns = {
        "a": rng.normal(size=ROWS).tolist(),
        "b": rng.integers(0, 9, ROWS).tolist(),
        "t": [f"w{i % 5}" for i in range(ROWS)],
    }
    write(path, columns)
    sound = path.read_bytes()
    errors = 0
    for _ in range(MUTANTS):
        path.write_bytes(mutate(sound, rng))
        try:
            read(path)
        except SourceError as error:
            said = error
            errors += 1
    assert errors > MUTANTS / 4
    assert path.name in said.problem


@pytest.mark.parametrize(
    "name", ["<script>alert(1)</script>", "\u202eevil", "=1+1", "a\x1b[31mb", "x" * 900, "a b", "{x!r}"]
)
def test_hostile_column_names_are_only_names(tmp_path, name):
    path = tmp_path / "acme.csv"
    path.write_text(f'"{name}",b\n1,2\n', encoding="utf-8")
    assert open_table(path).names == (name, "b")
