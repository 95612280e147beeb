"""CSV and its kin, read in chunks: numbers where every cell is one, else text.

Arrow splits the lines; what a cell means is decided here. A first pass turns every column into
floats, chunk by chunk. Columns that refuse are read once more as text, and only then is it known
whether they are truths, times, words, or numbers with a few stray cells.
"""

from __future__ import annotations

import codecs
import csv
import hashlib
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from karat.errors import SourceError
from karat.sources.arrow import ColumnReader, floats
from karat.sources.budget import Budget
from karat.sources.large import LargeFile
from karat.sources.names import checked_names
from karat.sources.table import Column, Note, Numbers, SourceFile, Stray, Table, Text
from karat.typing import Vector

CHUNK = 1 << 20
LONGEST_ROW = 1 << 24
"""Bytes Arrow holds at a time: no row of a CSV file may be longer."""

DELIMITERS = ",;\t|"

MISSING = ("", "NA", "N/A", "n/a", "#N/A", "NaN", "nan", "-nan", "NULL", "null", "None", "none", "<NA>")
"""Cells that say that there is nothing."""

DIGITS = r"([0-9]+\.?[0-9]*|\.[0-9]+)"
NUMBER = re.compile(rf"\s*[+-]?({DIGITS}(e[+-]?[0-9]+)?|inf(inity)?)\s*", re.IGNORECASE)

MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))


@dataclass(frozen=True)
class _Manner:
    """How a file is written, found out before Arrow sees it."""

    encoding: str
    delimiter: str
    sha256: str
    has_quotes: bool
    names: tuple[str, ...]
    lines_before_data: int


def read_delimited(path: Path) -> Table:
    """The table of a CSV file (or tabs, semicolons, bars), numbers as float64.

    Memory: one chunk of text, 8 bytes per number; the file is read twice where it holds text.
    """
    manner = _manner_of(path)
    budget = Budget.of(path.name)
    first = _first_pass(path, manner, budget)
    unsettled = [name for name, column in first.items() if column is None]
    as_text = _second_pass(path, manner, budget, unsettled)
    columns = tuple(column if column is not None else as_text[name] for name, column in first.items())
    rows = _length(columns[0])
    return Table(columns, rows, (SourceFile(path.name, manner.sha256, rows),), _notes(path, manner))


def large_delimited(path: Path) -> LargeFile:
    """The same file in chunks. What a column is follows from each chunk alone."""
    manner = _manner_of(path)

    def chunks(wanted: Sequence[str]) -> Iterator[Table]:
        for batch in _batches(path, manner, wanted):
            budget = Budget.of(path.name)
            columns = tuple(_one_column(name, batch.column(i), budget) for i, name in enumerate(wanted))
            yield Table(columns, batch.num_rows)

    return LargeFile(path.name, manner.sha256, manner.names, chunks, _notes(path, manner))


def delimited_cells(path: Path) -> float:
    """About how many cells the file holds, from how many its beginning holds."""
    with path.open("rb") as stream:
        start = stream.read(CHUNK)
    delimiter = max(DELIMITERS.encode(), key=start.count)
    return (start.count(delimiter) + start.count(b"\n")) / max(len(start), 1) * path.stat().st_size


def _one_column(name: str, cells: Any, budget: Budget) -> Column:
    """A chunk of strings as what it is."""
    import pyarrow as pa

    numbers = _numbers(cells)
    if numbers is not None:
        return Numbers(name, numbers, "empty" if np.isnan(numbers).all() else "number")
    reader = ColumnReader(name, pa.string(), budget)
    reader.add(cells)
    return _settle_text(reader.finish())


def _notes(path: Path, manner: _Manner) -> tuple[Note, ...]:
    notes = []
    if manner.delimiter != ",":
        notes.append(Note("delimiter", f"{path.name} is separated by {manner.delimiter!r}."))
    if manner.encoding == "utf-16":
        notes.append(Note("encoding", f"{path.name} is written in UTF-16."))
    return tuple(notes)


def _manner_of(path: Path) -> _Manner:
    encoding, sha256, has_quotes = _scan(path)
    with path.open(encoding=encoding, newline="") as lines:
        head = lines.readline(LONGEST_ROW)
        while head and not head.strip():
            head = lines.readline(LONGEST_ROW)
        if not head:
            raise SourceError(f"{path.name} is empty.", hint="Give a file with a header and rows.")
        unquoted = re.sub('"[^"]*"', "", head)
        delimiter = max(DELIMITERS, key=unquoted.count)  # the first of equals: the comma
        lines.seek(0)
        names, skipped, has_rows = _header(lines, delimiter, path.name)
    if not has_rows:
        raise SourceError(
            f"{path.name} has a header and no rows.",
            hint="Ask the vendor for rows, or leave the file out.",
        )
    return _Manner(encoding, delimiter, sha256, has_quotes, names, skipped)


def _scan(path: Path) -> tuple[str, str, bool]:
    """Encoding, SHA-256 and whether there are quotes, in one pass over the bytes."""
    digest, has_quotes, lines = hashlib.sha256(), False, 0
    with path.open("rb") as stream:
        start = stream.read(4)
        encoding = next((name for mark, name in MARKS if start.startswith(mark)), "utf-8")
        decoder = codecs.getincrementaldecoder(encoding)()
        stream.seek(0)
        while chunk := stream.read(CHUNK):
            digest.update(chunk)
            try:
                text = decoder.decode(chunk)
            except UnicodeDecodeError as problem:
                raise _not_decodable(path.name, encoding, problem, lines) from problem
            if "\0" in text:
                raise SourceError(
                    f"{path.name} has a NUL character in line {lines + _lines(text.split(chr(0))[0]) + 1}.",
                    hint="The file is damaged, binary, or UTF-16 without its mark: save it as UTF-8.",
                )
            has_quotes = has_quotes or '"' in text
            lines += _lines(text)
        try:
            decoder.decode(b"", final=True)
        except UnicodeDecodeError as problem:
            raise _not_decodable(path.name, encoding, problem, lines) from problem
    return encoding, digest.hexdigest(), has_quotes


def _lines(text: str) -> int:
    return text.count("\n")


def _not_decodable(name: str, encoding: str, problem: UnicodeDecodeError, lines: int) -> SourceError:
    wanted = "UTF-8" if encoding.startswith("utf-8") else "UTF-16"
    line = lines + problem.object[: problem.start].count(b"\n") + 1
    return SourceError(
        f"{name} is not {wanted}: byte 0x{problem.object[problem.start]:02x} in line {line}.",
        hint="Save it as UTF-8; if it is Latin-1, pandas.read_csv(path, encoding='latin-1') reads it, "
        "and karat takes the data frame.",
    )


def _header(lines: io.TextIOBase, delimiter: str, name: str) -> tuple[tuple[str, ...], int, bool]:
    """The column names, how many rows to skip to the data, and whether there are any."""
    reader = csv.reader(lines, delimiter=delimiter)
    skipped = 0
    try:
        cells: list[str] = []
        while not cells:
            cells = next(reader)
            skipped += 1
        names = checked_names(cells, place=name)
        _refuse_data_as_header(cells, name)
    except (csv.Error, StopIteration) as problem:
        raise SourceError(
            f"the header of {name} cannot be read: {problem}.",
            hint="Check the quotes in its first line.",
        ) from problem
    return names, skipped, _has_more(reader)


def _has_more(reader: Iterator[list[str]]) -> bool:
    try:
        return any(cells for cells in reader)
    except csv.Error:  # a cell too long for this reader is a row all the same
        return True


def _refuse_data_as_header(cells: Sequence[str], name: str) -> None:
    """Names like "0", "1", "2" are usual for saved arrays; names like "3.7" are a row of data."""
    try:
        _ = [float(cell) for cell in cells]
    except ValueError:
        return
    if all(cell.strip().isdecimal() for cell in cells):
        return
    raise SourceError(
        f"the first line of {name} holds numbers ({', '.join(cells[:3])[:60]}), not column names.",
        hint="Add a line with the names of the columns.",
    )


def _first_pass(path: Path, manner: _Manner, budget: Budget) -> dict[str, Numbers | None]:
    """Each column as numbers; None for those with a cell that is not one."""
    parts: dict[str, list[Vector]] = {name: [] for name in manner.names}
    places = {name: i for i, name in enumerate(manner.names)}
    for batch in _batches(path, manner, manner.names):
        budget.take_cells(len(parts) * batch.num_rows)
        for name in list(parts):
            numbers = _numbers(batch.column(places[name]))
            if numbers is None:
                budget.take_cells(-sum(map(len, parts.pop(name))) - batch.num_rows)
            else:
                parts[name].append(numbers)
    settled: dict[str, Numbers | None] = {}
    for name in manner.names:
        if name not in parts:
            settled[name] = None
            continue
        values = np.concatenate(parts.pop(name))
        settled[name] = Numbers(name, values, "empty" if np.isnan(values).all() else "number")
    return settled


def _second_pass(path: Path, manner: _Manner, budget: Budget, wanted: Sequence[str]) -> dict[str, Column]:
    """The columns that are not numbers throughout: truths, times or text."""
    if not wanted:
        return {}
    import pyarrow as pa

    readers = {name: ColumnReader(name, pa.string(), budget) for name in wanted}
    for batch in _batches(path, manner, wanted):
        for i, reader in enumerate(readers.values()):
            reader.add(batch.column(i))
    return {name: _settle_text(reader.finish()) for name, reader in readers.items()}


def _batches(path: Path, manner: _Manner, wanted: Sequence[str]) -> Iterator[Any]:
    """Chunks of rows, every wanted column as strings; ragged rows are counted, then refused."""
    import pyarrow as pa
    import pyarrow.csv as arrow_csv

    ragged: list[Any] = []
    count = 0

    def meet_ragged(row: Any) -> str:
        nonlocal count
        count += 1
        if not ragged:
            ragged.append(row)
        return "skip"

    # Places stand in for names while Arrow reads: it would take duplicate names without a word.
    places = {name: str(i) for i, name in enumerate(manner.names)}
    encoding = "utf-8" if manner.encoding == "utf-8-sig" else manner.encoding
    try:
        with path.open("rb") as stream:
            reader = arrow_csv.open_csv(
                pa.PythonFile(stream, mode="r"),
                read_options=arrow_csv.ReadOptions(
                    column_names=list(places.values()),
                    skip_rows_after_names=manner.lines_before_data,
                    block_size=LONGEST_ROW,
                    encoding=encoding,
                    use_threads=False,  # with threads Arrow does not say which row is ragged
                ),
                parse_options=arrow_csv.ParseOptions(
                    delimiter=manner.delimiter,
                    newlines_in_values=manner.has_quotes,
                    invalid_row_handler=meet_ragged,
                ),
                convert_options=arrow_csv.ConvertOptions(
                    column_types=dict.fromkeys(places.values(), pa.string()),
                    include_columns=[places[name] for name in wanted],
                    null_values=list(MISSING),
                    strings_can_be_null=True,
                    quoted_strings_can_be_null=True,
                ),
            )
            yield from reader
    except (pa.ArrowException, OSError, UnicodeError) as problem:
        is_long = "straddling" in str(problem)
        raise SourceError(
            f"{path.name} cannot be split into rows: {str(problem).splitlines()[0][:200]}.",
            hint="A row is too long, or a quote is never closed."
            if is_long
            else "Check the quotes and line ends of the file.",
        ) from problem
    if count:
        _refuse_ragged(path.name, count, ragged[0], header=manner.lines_before_data)


def _refuse_ragged(name: str, count: int, first: Any, *, header: int) -> None:
    row = None if first.number is None else int(first.number) - header
    which = "" if row is None else f"; the first is row {row}"
    cells = "1 cell" if first.actual_columns == 1 else f"{first.actual_columns} cells"
    columns = "1 column" if first.expected_columns == 1 else f"{first.expected_columns} columns"
    raise SourceError(
        f"{'1 row' if count == 1 else f'{count} rows'} of {name} {'has' if count == 1 else 'have'} another "
        f"number of cells than the header{which}, with {cells} for {columns}.",
        hint="Repair or leave out such rows: their cells may stand under the wrong names.",
        row=row,
    )


def _numbers(cells: Any) -> Vector | None:
    """A chunk of strings as floats, or None if one is not a number."""
    import pyarrow as pa
    import pyarrow.compute as compute

    for tidy in (lambda strings: strings, compute.utf8_trim_whitespace):
        try:
            return floats(tidy(cells).cast(pa.float64()))
        except pa.ArrowInvalid:
            continue
    return None


def _settle_text(column: Column) -> Column:
    """Truths and times by their words; for the rest, whether only a few cells are not numbers."""
    assert isinstance(column, Text)
    lowered = [word.strip().lower() for word in column.words]
    if set(lowered) <= {"true", "false"}:
        return _by_words(column, [float(word == "true") for word in lowered], "bool")
    times = _times(column.words)
    if times is not None:
        return _by_words(column, times, "time")
    return Text(column.name, column.codes, column.words, _stray(column))


def _by_words(column: Text, values: Sequence[float] | Vector, kind: str) -> Numbers:
    return Numbers(column.name, np.append(np.asarray(values, np.float64), np.nan)[column.codes], kind)


def _times(words: Sequence[str]) -> Vector | None:
    """ISO dates and times as seconds since 1970 (UTC where no zone is given), or None."""
    import pyarrow as pa

    strings = pa.array([word.strip() for word in words], pa.string())
    for zone in (None, "UTC"):
        try:
            return floats(strings.cast(pa.timestamp("us", zone)))
        except pa.ArrowInvalid:
            continue
    return None


def _stray(column: Text) -> Stray | None:
    """The cells that are not numbers, if most cells are."""
    is_word = np.array([NUMBER.fullmatch(word) is None for word in column.words])
    stray = np.append(is_word, False)[column.codes]
    count = int(stray.sum())
    if 2 * count > np.count_nonzero(column.codes >= 0):
        return None
    row = int(np.argmax(stray))
    return Stray(count, row, column.words[column.codes[row]])


def _length(column: Column) -> int:
    if isinstance(column, Numbers):
        return len(column.values)
    assert isinstance(column, Text)
    return len(column.codes)
