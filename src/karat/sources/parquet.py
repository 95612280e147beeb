"""Parquet, read batch by batch, with page checksums verified where the file has them.

A flipped bit in a page without a checksum can read back as another number, silently: such files
are read, and noted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from karat.errors import KaratError, SourceError
from karat.sources.arrow import ColumnReader, kind_of
from karat.sources.budget import Budget
from karat.sources.digest import sha256_of
from karat.sources.large import CELLS_AT_ONCE, LargeFile
from karat.sources.names import checked_names
from karat.sources.table import Column, Note, SourceFile, Table

SAVED_INDEX = "__index_level_"
"""How pandas names the columns in which it saves a row index; they are no data."""

READ_FAILURES = (OSError, ValueError, TypeError, KeyError, OverflowError, MemoryError, NotImplementedError)
"""What Arrow raises on damaged files, beside its own exceptions."""


def read_parquet(path: Path) -> Table:
    """The table of a Parquet file; lists, bytes and other nested columns are named, not read."""
    with _opened(path) as file:
        columns = _columns(path, file)
        rows = file.metadata.num_rows
        notes = _notes(path, file)
        sha256 = sha256_of(path)
    return Table(columns, rows, (SourceFile(path.name, sha256, rows),), notes)


def large_parquet(path: Path) -> LargeFile:
    """The same file, batch by batch."""

    def chunks(wanted: Sequence[str]) -> Iterator[Table]:
        with _opened(path) as file:
            names, fields = _named_fields(path, file)
            chosen = [fields[names.index(name)] for name in wanted]
            readable = [field.name for field in chosen if kind_of(field.type) != "other"]
            if not readable:
                columns = tuple(_one_column(*pair, None) for pair in zip(wanted, chosen, strict=True))
                yield Table(columns, file.metadata.num_rows)
            for batch in _batches(file, readable):
                batch.validate(full=True)
                yield Table(
                    tuple(_one_column(*pair, batch) for pair in zip(wanted, chosen, strict=True)), len(batch)
                )

    with _opened(path) as file:
        names, _ = _named_fields(path, file)
        if file.metadata.num_rows == 0:
            raise _no_rows(path)
        notes = _notes(path, file)
        sha256 = sha256_of(path)
    return LargeFile(path.name, sha256, names, chunks, notes)


def parquet_cells(path: Path) -> float:
    """How many cells the file says that it holds."""
    with _opened(path) as file:
        return float(file.metadata.num_rows) * len(file.schema_arrow)


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    """The file, with its text as codes; whatever goes wrong with it is said in words."""
    import pyarrow as pa
    import pyarrow.parquet as parquet

    try:
        with parquet.ParquetFile(path, page_checksum_verification=True) as file:
            text = [field.name for field in file.schema_arrow if kind_of(field.type) == "text"]
        with parquet.ParquetFile(path, page_checksum_verification=True, read_dictionary=text) as file:
            yield file
    except (pa.ArrowException, *READ_FAILURES) as problem:
        if isinstance(problem, KaratError):
            raise
        raise SourceError(
            f"{path.name} cannot be read as Parquet: {_first_line(problem)}.",
            hint="The file is damaged or cut short: fetch it again, or ask the vendor for another copy.",
        ) from problem


def _named_fields(path: Path, file: Any) -> tuple[tuple[str, ...], list[Any]]:
    """The columns' names and Arrow's fields, without a saved index."""
    fields = [field for field in file.schema_arrow if not field.name.startswith(SAVED_INDEX)]
    return checked_names([field.name for field in fields], place=path.name), fields


def _one_column(name: str, field: Any, batch: Any) -> Column:
    reader = ColumnReader(name, field.type)
    if reader.kind != "other":
        reader.add(batch.column(field.name))
    return reader.finish()


def _notes(path: Path, file: Any) -> tuple[Note, ...]:
    return () if _has_checksums(path, file.metadata) else (_no_checksums(path),)


def _columns(path: Path, file: Any) -> tuple[Column, ...]:
    budget = Budget.of(path.name)
    names, fields = _named_fields(path, file)
    rows = file.metadata.num_rows
    if rows == 0:
        raise _no_rows(path)
    readers = [ColumnReader(name, field.type, budget) for name, field in zip(names, fields, strict=True)]
    wanted = [i for i, reader in enumerate(readers) if reader.kind != "other"]
    _refuse_unfolding(file.metadata, len(wanted), path)
    seen = 0
    for batch in _batches(file, [fields[i].name for i in wanted]):
        batch.validate(full=True)  # a damaged page can name words that its dictionary lacks
        seen += batch.num_rows
        for place, i in enumerate(wanted):
            readers[i].add(batch.column(place))
    if wanted and seen != rows:
        raise SourceError(
            f"{path.name} promises {rows} rows and holds {seen}.",
            hint="The file is damaged: fetch it again.",
        )
    return tuple(reader.finish() for reader in readers)


def _batches(file: Any, names: list[str]) -> Iterator[Any]:
    if not names:
        return
    for batch in file.iter_batches(batch_size=max(1, CELLS_AT_ONCE // len(names)), columns=names):
        yield batch.select(names)  # a dotted name may bring its relatives along


def _refuse_unfolding(metadata: Any, width: int, path: Path) -> None:
    """Look before reading: what the file says of itself is already too much."""
    budget = Budget.of(path.name)
    budget.take_cells(width * metadata.num_rows)
    for group in range(metadata.num_row_groups):
        budget.check_text(metadata.row_group(group).total_byte_size)


def _has_checksums(path: Path, metadata: Any) -> bool:
    """Whether the first page carries a CRC; one writer either writes all or none."""
    if metadata.num_row_groups == 0 or metadata.num_columns == 0:
        return False
    chunk = metadata.row_group(0).column(0)
    start = chunk.dictionary_page_offset if chunk.has_dictionary_page else chunk.data_page_offset
    with path.open("rb") as stream:
        stream.seek(start)
        return _header_has_crc(stream.read(64))


def _header_has_crc(header: bytes) -> bool:
    """Walk a page header (Thrift's compact form): its field 4 is the optional CRC.

    Fields 1 to 3 are integers, each a byte (distance to the last field, type 5) and a varint;
    a fourth such field is the CRC, anything else is not.
    """
    place = 0
    for _ in range(3):
        if place >= len(header) or header[place] & 0x0F != 5:
            return False
        place += 1
        while place < len(header) and header[place] & 0x80:
            place += 1
        place += 1
    return place < len(header) and header[place] == 0x15


def _no_rows(path: Path) -> SourceError:
    return SourceError(
        f"{path.name} has columns and no rows.", hint="Ask the vendor for rows, or leave the file out."
    )


def _no_checksums(path: Path) -> Note:
    return Note(
        "no-checksums",
        f"{path.name} has no page checksums: a flipped bit in it would go unnoticed "
        "(pyarrow writes them with write_page_checksum=True).",
    )


def _first_line(problem: BaseException) -> str:
    lines = str(problem).strip().splitlines()
    return lines[0][:200].rstrip(".") if lines else type(problem).__name__
