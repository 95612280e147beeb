"""Files that are read several times have to be the same every time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from karat.errors import SourceError
from karat.sources.large import LargeFile
from karat.sources.table import Table

Stamp = tuple[int, int]
"""Size and time of the last change."""


def opened_unchanged(path: Path, open_file: Callable[[Path], LargeFile]) -> LargeFile:
    """The file in parts; every pass is refused once the file is no longer the one that was opened."""
    stamp = _stamp(path)
    file = open_file(path)

    def chunks(wanted: Sequence[str]) -> Iterator[Table]:
        try:
            for table in file.chunks(wanted):
                _refuse_change(path, stamp)
                yield table
        except SourceError:
            _refuse_change(path, stamp)  # the reason why it cannot be read
            raise
        _refuse_change(path, stamp)

    return replace(file, chunks=chunks)


def _refuse_change(path: Path, stamp: Stamp) -> None:
    if _stamp(path) != stamp:
        raise SourceError(
            f"{path.name} has changed while it was read.",
            hint="Large files are read several times: start again when nobody writes to it.",
        )


def _stamp(path: Path) -> Stamp:
    try:
        found = path.stat()
    except OSError as problem:
        raise SourceError(
            f"{path.name} is gone: {problem.strerror or problem}.",
            hint="Large files are read several times: leave them in their place until the end.",
        ) from problem
    return found.st_size, found.st_mtime_ns
