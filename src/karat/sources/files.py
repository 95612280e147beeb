"""Files, folders and globs: one source each, whatever the format.

What a file is, is told by its first bytes; the suffix only decides between readers of text.
"""

from __future__ import annotations

import difflib
import glob
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from karat.errors import SourceError
from karat.sources.delimited import delimited_cells, large_delimited, read_delimited
from karat.sources.large import LargeFile, LargeTable
from karat.sources.npz import large_npz, npz_cells, read_npz
from karat.sources.parquet import large_parquet, parquet_cells, read_parquet
from karat.sources.stack import stack_tables
from karat.sources.table import Table
from karat.sources.unchanged import opened_unchanged


@dataclass(frozen=True)
class Format:
    """How a kind of file is read whole, how in parts, and about how many cells it holds."""

    read: Callable[[Path], Table]
    open_large: Callable[[Path], LargeFile]
    cells: Callable[[Path], float]


DELIMITED = Format(read_delimited, large_delimited, delimited_cells)
PARQUET = Format(read_parquet, large_parquet, parquet_cells)
NPZ = Format(read_npz, large_npz, npz_cells)

FORMATS = {
    ".csv": DELIMITED,
    ".tsv": DELIMITED,
    ".txt": DELIMITED,
    ".parquet": PARQUET,
    ".pq": PARQUET,
    ".npz": NPZ,
}

MOST_FILES = 10_000
"""A folder with more files is refused before any is opened."""

MOST_CELLS_PER_BYTE = 64
"""Cells that a byte of an honest file stands for, at most: even columns of zeros take a bit now and then."""

KINDS = "CSV (.csv, .tsv, .txt), Parquet (.parquet, .pq) and npz (.npz)"

FOREIGN = (
    (b"\x1f\x8b", "gzip"),
    (b"BZh", "bzip2"),
    (b"\xfd7zXZ", "xz"),
    (b"\x28\xb5\x2f\xfd", "zstandard"),
    (b"7z\xbc\xaf", "7-zip"),
    (b"\xd0\xcf\x11\xe0", "an old spreadsheet"),
    (b"%PDF", "PDF"),
    (b"\x89PNG", "PNG"),
    (b"SQLite format 3", "SQLite"),
)

PAGES = (b"<!doctype", b"<html", b"<?xml")
"""What saved error pages begin with."""

LOOK = 64
"""Bytes that tell what a file is."""


def read_path(given: str | Path | Sequence[str | Path]) -> Table:
    """The table of a file, of all files in a folder or that a pattern finds, or of a list of these.

    Several files are one table, rows below rows, columns matched by name.
    """
    tables = [_format_of(path).read(path) for path in files_of(given)]
    return tables[0] if len(tables) == 1 else stack_tables(tables)


def open_large(given: str | Path | Sequence[str | Path]) -> LargeTable:
    """The same as `read_path`, in parts."""
    return LargeTable(tuple(opened_unchanged(path, _format_of(path).open_large) for path in files_of(given)))


def cells_of(given: str | Path | Sequence[str | Path]) -> float:
    """About how many cells the files hold; 0 for what cannot be read, or unfolds like no honest file.

    A file of one megabyte that promises a hundred million cells is left to the readers, which refuse it.
    """
    cells = 0.0
    with suppress(SourceError, OSError):
        for path in files_of(given):
            held = _format_of(path).cells(path)
            if held > MOST_CELLS_PER_BYTE * path.stat().st_size:
                return 0.0
            cells += held
    return cells


def files_of(given: str | Path | Sequence[str | Path]) -> list[Path]:
    """The files that a path, a folder, a pattern, or a list of these stands for."""
    if isinstance(given, (str, Path)):
        return _files_at(given)
    if not given:
        raise SourceError("a source was given as an empty list of files.", hint="Give at least one file.")
    found = [file for path in given for file in _files_at(path)]
    if len(found) > MOST_FILES:
        raise SourceError(
            f"a source has {len(found):,} files; at most {MOST_FILES:,} are read.",
            hint="Join them into fewer files.",
        )
    return found


def _files_at(given: str | Path) -> list[Path]:
    path = Path(given)
    if not str(given).strip():  # Path("") is the working folder
        raise SourceError("a source was given as an empty path.", hint="Give a file, a folder or a pattern.")
    if _exists(path):
        return _in_folder(path) if path.is_dir() else [path]
    text = str(given)
    if "://" in text:
        raise SourceError(f"{text!r} is a network address.", hint="Download the file and give its path.")
    if any(mark in text for mark in "*?["):
        found = sorted(Path(name) for name in glob.glob(text) if Path(name).is_file())  # noqa: PTH207 (Path.glob takes no absolute pattern)
        if not found:
            raise SourceError(f"no file matches {text!r}.", hint="Check the folder and the pattern.")
        return found
    raise _not_there(path)


def _in_folder(folder: Path) -> list[Path]:
    """The files of a folder that karat reads, by name; links that lead out of it are refused."""
    inside = folder.resolve()
    found = []
    for number, path in enumerate(_entries(folder)):
        if number >= MOST_FILES:
            raise SourceError(
                f"the folder {folder.name!r} has more than {MOST_FILES:,} entries.",
                hint="Join the files into fewer.",
            )
        if path.name.startswith(".") or path.suffix.lower() not in FORMATS or not path.is_file():
            continue
        if path.is_symlink() and not path.resolve().is_relative_to(inside):
            raise SourceError(
                f"{path.name} in the folder {folder.name!r} is a link to a file elsewhere.",
                hint="Copy the file into the folder, or name it directly.",
            )
        found.append(path)
    if not found:
        raise SourceError(
            f"the folder {str(folder)!r} has no file that karat reads.",
            hint=f"It reads {KINDS}.",
        )
    return sorted(found)


def _entries(folder: Path) -> Iterator[Path]:
    """What a folder holds; one that may not be looked into is refused."""
    try:
        yield from folder.iterdir()
    except OSError as problem:
        raise SourceError(
            f"the folder {folder.name!r} cannot be looked into: {problem.strerror or problem}.",
            hint="Check the path and the permissions.",
        ) from problem


def _format_of(path: Path) -> Format:
    """What a file is, by its first bytes and its suffix."""
    if not path.is_file():
        raise SourceError(f"{path.name!r} is no regular file.", hint="Give a file, a folder or a pattern.")
    try:
        with path.open("rb") as stream:
            start = stream.read(LOOK)
    except OSError as problem:
        raise SourceError(
            f"{path.name} cannot be opened: {problem.strerror or problem}.",
            hint="Check the path and the permissions.",
        ) from problem
    if not start:
        raise SourceError(f"{path.name} is empty.", hint="Give a file with a header and rows.")
    return _format(path, start)


def _format(path: Path, start: bytes) -> Format:
    if start.startswith(b"PAR1"):
        return PARQUET
    suffix = path.suffix.lower()
    if start.startswith(b"PK") and suffix != ".npz":
        raise SourceError(
            f"{path.name} is a zip archive or a spreadsheet.",
            hint="Unpack it, or save the sheet as CSV.",
        )
    foreign = next((name for mark, name in FOREIGN if start.startswith(mark)), None)
    if foreign is not None:
        raise SourceError(
            f"{path.name} is {foreign}, which karat does not read.",
            hint=f"Unpack or convert it: karat reads {KINDS}.",
        )
    if suffix not in FORMATS:
        said = f"the suffix {suffix!r}, which karat does not read" if suffix else "no suffix"
        raise SourceError(f"{path.name} has {said}.", hint=f"karat reads {KINDS}.")
    if start.lstrip(b"\xef\xbb\xbf \t\r\n").lower().startswith(PAGES):
        raise SourceError(
            f"{path.name} is a web page, not a table.",
            hint="Fetch the file itself: its address may ask for a login first.",
        )
    return FORMATS[suffix]


def _exists(path: Path) -> bool:
    return _is(path.exists)


def _is(question: Callable[[], bool]) -> bool:
    """The answer; no for a path that is too long, or has a NUL character."""
    try:
        return question()
    except (OSError, ValueError):
        return False


def _not_there(path: Path) -> SourceError:
    if _is(path.is_symlink):
        return SourceError(
            f"{path.name!r} is a link to a file that is not there.", hint="Name the file itself."
        )
    near: list[str] = []
    folder = path.parent
    if _exists(folder) and folder.is_dir():
        with suppress(SourceError):
            near = difflib.get_close_matches(path.name, [entry.name for entry in _entries(folder)], n=1)
    hint = f"Did you mean {str(folder / near[0])!r}?" if near else "Check the path."
    return SourceError(f"there is no file {str(path)[:300]!r}.", hint=hint)
