"""npz: arrays in a zip. Pickled objects are refused, and so is whatever unfolds beyond the budget.

Members of one length stand side by side: a 1-D member is a column of its own name, a member of
shape (m, d) gives columns name_0, name_1, ...; a member alone gives x0, x1, ... as a bare array does.
"""

from __future__ import annotations

import math
import zipfile
import zlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy_format
from numpy.typing import NDArray

from karat.errors import KaratError, SourceError
from karat.sources.budget import Budget, allowed_cells
from karat.sources.digest import sha256_of
from karat.sources.large import CELLS_AT_ONCE, LargeFile
from karat.sources.names import checked_names
from karat.sources.table import Column, Note, Numbers, SourceFile, Table, Unreadable, text_column
from karat.typing import Matrix

MOST_MEMBERS = 1000
"""An npz holds a handful of arrays; a zip with a million members costs seconds before any is read."""

END_OF_ZIP = b"PK\x05\x06"

READ_FAILURES = (
    OSError,
    ValueError,
    TypeError,
    KeyError,
    EOFError,
    OverflowError,
    MemoryError,
    NotImplementedError,
    RuntimeError,  # an encrypted member
    SyntaxError,  # a header that is no literal
    RecursionError,
    zipfile.BadZipFile,
    zlib.error,
)


def read_npz(path: Path) -> Table:
    """The table of an npz file of equally long arrays."""
    with _opened(path) as archive:
        arrays, notes = _members(archive, path, Budget.of(path.name))
    columns = _side_by_side(arrays, path)
    rows = len(next(iter(arrays.values())))
    return Table(columns, rows, (SourceFile(path.name, sha256_of(path), rows),), tuple(notes))


def large_npz(path: Path) -> LargeFile:
    """The same file, some rows of every member at a time; its arrays hold numbers, row after row.

    A file with other arrays is read whole in every pass, where it fits in memory.
    """
    with _opened(path) as archive:
        members, notes = _outlines(archive, path)
    is_whole = any(map(_misfit, members.values())) and _cells(members) <= allowed_cells()
    if not is_whole:
        _refuse_misfits(members, path)
    _refuse_other_lengths({name: member.shape[0] for name, member in members.items()}, path)
    places = _places({name: member.shape for name, member in members.items()}, path)

    def chunks(wanted: Sequence[str]) -> Iterator[Table]:
        if is_whole:
            table = read_npz(path)
            yield replace(table, columns=tuple(table.by_name[name] for name in wanted))
            return
        with _opened(path) as archive:
            used = {name: members[name] for name in dict.fromkeys(places[column][0] for column in wanted)}
            for rows, arrays in _in_step(archive, used):
                matrix = _picked(arrays, [places[name] for name in wanted])
                kinds = (members[places[name][0]].dtype.kind for name in wanted)
                columns = tuple(
                    Numbers(name, values, "bool" if kind == "b" else "number")
                    for name, values, kind in zip(wanted, matrix.T, kinds, strict=True)
                )
                yield Table(columns, rows, matrix=matrix)

    return LargeFile(path.name, sha256_of(path), tuple(places), chunks, notes)


def npz_cells(path: Path) -> float:
    """How many cells the file says that it holds."""
    with _opened(path) as archive:
        members, _ = _outlines(archive, path)
    return _cells(members)


@contextmanager
def _opened(path: Path) -> Iterator[zipfile.ZipFile]:
    """The archive; whatever goes wrong with it is said in words."""
    try:
        _refuse_crowds(path)
        with zipfile.ZipFile(path) as archive:
            yield archive
    except READ_FAILURES as problem:
        if isinstance(problem, KaratError):
            raise
        raise SourceError(
            f"{path.name} cannot be read as npz: {str(problem)[:200].rstrip('.') or type(problem).__name__}.",
            hint="The file is damaged or no npz: write it with numpy.savez(path, rows=array).",
        ) from problem


@dataclass(frozen=True)
class _Member:
    """An array in the archive, before it is read."""

    filename: str
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    is_fortran: bool


def _outlines(archive: zipfile.ZipFile, path: Path) -> tuple[dict[str, _Member], tuple[Note, ...]]:
    """The arrays of a file, from their headers alone; single values are passed over, and noted."""
    found: dict[str, _Member] = {}
    notes = []
    for member in archive.infolist():
        name = _array_name(member.filename, found, path)
        with archive.open(member) as stream:
            shape, is_fortran, dtype = _header(stream)
        if not shape:
            notes.append(_ignored(name, path))
            continue
        found[name] = _Member(member.filename, shape, dtype, is_fortran)
    if not found:
        raise _no_arrays(path)
    return found, tuple(notes)


def _cells(members: Mapping[str, _Member]) -> float:
    return float(sum(math.prod(member.shape) for member in members.values()))


def _misfit(member: _Member) -> str:
    """Why an array cannot be read some rows at a time; nothing where it can."""
    if member.dtype.kind not in "iufb":
        return "holds no numbers"
    return "stands column after column" if member.is_fortran and math.prod(member.shape[1:]) > 1 else ""


def _refuse_misfits(members: Mapping[str, _Member], path: Path) -> None:
    for name, member in members.items():
        if member.dtype.hasobject:
            raise _pickled(name, path)
        if _misfit(member):
            raise SourceError(
                f"{name[:100]!r} in {path.name} is too large to be held, and {_misfit(member)}.",
                hint="Save numbers, row after row: numpy.savez(path, rows=numpy.ascontiguousarray(array)).",
                column=name[:100],
            )


def _in_step(
    archive: zipfile.ZipFile, members: dict[str, _Member]
) -> Iterator[tuple[int, dict[str, NDArray[Any]]]]:
    """Some rows of every array at a time, (m, width)."""
    widths = {name: math.prod(member.shape[1:]) for name, member in members.items()}
    step, left = max(1, CELLS_AT_ONCE // sum(widths.values())), next(iter(members.values())).shape[0]
    with ExitStack() as stack:
        streams = {
            name: stack.enter_context(archive.open(member.filename)) for name, member in members.items()
        }
        for stream in streams.values():
            _header(stream)
        while left:
            rows = min(step, left)
            left -= rows
            yield rows, {name: _rows(streams[name], rows, widths[name], members[name]) for name in members}


def _picked(arrays: Mapping[str, NDArray[Any]], places: Sequence[tuple[str, int]]) -> Matrix:
    """Columns of several arrays side by side, (m, k)."""
    parts = []
    for member, group in groupby(places, key=lambda place: place[0]):
        chosen, whole = [i for _, i in group], arrays[member]
        is_all = chosen == list(range(whole.shape[1]))
        parts.append((whole if is_all else whole[:, chosen]).astype(np.float64))
    return parts[0] if len(parts) == 1 else np.hstack(parts)


def _rows(stream: Any, rows: int, width: int, member: _Member) -> NDArray[Any]:
    wanted = rows * width * member.dtype.itemsize
    found = stream.read(wanted)
    if len(found) < wanted:
        raise EOFError(f"{member.filename} ends early")
    return np.frombuffer(found, dtype=member.dtype).reshape(rows, width)


def _refuse_crowds(path: Path) -> None:
    """Read the member count from the zip's last record, before its directory is unfolded."""
    with path.open("rb") as stream:
        size = stream.seek(0, 2)
        stream.seek(max(0, size - 66_000))
        tail = stream.read()
    place = tail.rfind(END_OF_ZIP)
    if place >= 0 and int.from_bytes(tail[place + 10 : place + 12], "little") > MOST_MEMBERS:
        raise SourceError(
            f"{path.name} is a zip of more than {MOST_MEMBERS} members.",
            hint="Write the arrays with numpy.savez(path, rows=array).",
        )


def _members(
    archive: zipfile.ZipFile, path: Path, budget: Budget
) -> tuple[dict[str, NDArray[Any]], list[Note]]:
    arrays: dict[str, NDArray[Any]] = {}
    notes = []
    for member in archive.infolist():
        name = _array_name(member.filename, arrays, path)
        with archive.open(member) as stream:
            shape, _, dtype = _header(stream)
            _refuse_unfit(name, shape, dtype, path, budget)
        if not shape:
            notes.append(_ignored(name, path))
            continue
        with archive.open(member) as stream:
            arrays[name] = npy_format.read_array(stream, allow_pickle=False)
    if not arrays:
        raise _no_arrays(path)
    return arrays, notes


def _array_name(filename: str, known: Collection[str], path: Path) -> str:
    """The name of an array in the archive; what is none, or is there twice, is refused."""
    name = filename.removesuffix(".npy")
    if name == filename:
        raise SourceError(
            f"{path.name} holds {filename[:100]!r}, which is no array.",
            hint="Write the arrays with numpy.savez(path, rows=array).",
        )
    if name in known:
        raise SourceError(f"{path.name} holds {name[:100]!r} twice.", hint="Write the file again.")
    return name


def _ignored(name: str, path: Path) -> Note:
    return Note("ignored-member", f"{name!r} in {path.name} is a single value, not used.")


def _no_arrays(path: Path) -> SourceError:
    return SourceError(f"{path.name} holds no arrays.", hint="Write it with numpy.savez(path, rows=array).")


def _pickled(name: str, path: Path) -> SourceError:
    return SourceError(
        f"{name[:100]!r} in {path.name} holds pickled objects, which can run code when read.",
        hint="Save plain arrays: numpy.savez(path, rows=array.astype(float)).",
        column=name[:100],
    )


def _header(stream: Any) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    """Shape of a member, whether it stands column after column, and its type, from its first bytes."""
    version = npy_format.read_magic(stream)
    read = npy_format.read_array_header_1_0 if version == (1, 0) else npy_format.read_array_header_2_0
    shape, is_fortran, dtype = read(stream)
    return shape, is_fortran, dtype


def _refuse_unfit(
    name: str, shape: tuple[int, ...], dtype: np.dtype[Any], path: Path, budget: Budget
) -> None:
    if dtype.hasobject:
        raise _pickled(name, path)
    cells = 1
    for extent in shape:
        cells *= int(extent)
    budget.take_cells(cells)
    budget.take_text(cells * dtype.itemsize)


def _side_by_side(arrays: dict[str, NDArray[Any]], path: Path) -> tuple[Column, ...]:
    _refuse_other_lengths({name: len(array) for name, array in arrays.items()}, path)
    flat = {name: array.reshape(len(array), -1) for name, array in arrays.items()}
    places = _places({name: array.shape for name, array in arrays.items()}, path)
    return tuple(_column(name, flat[member][:, i]) for name, (member, i) in places.items())


def _refuse_other_lengths(lengths: Mapping[str, int], path: Path) -> None:
    if len(set(lengths.values())) > 1:
        shown = ", ".join(f"{name} {length}" for name, length in list(lengths.items())[:6])
        raise SourceError(
            f"the arrays in {path.name} have different numbers of rows: {shown}.",
            hint="Save the arrays that belong together in a file of their own.",
        )
    if 0 in lengths.values():
        raise SourceError(f"{path.name} has no rows.", hint="Ask the vendor for rows, or leave the file out.")


def _places(shapes: Mapping[str, tuple[int, ...]], path: Path) -> dict[str, tuple[str, int]]:
    """Each column's name, to the member that holds it and its place there."""
    places: list[tuple[str, str, int]] = []
    for member, shape in shapes.items():
        if len(shape) == 1:
            places.append((member, member, 0))
            continue
        stem = "x" if len(shapes) == 1 else f"{member}_"
        places += [(f"{stem}{i}", member, i) for i in range(math.prod(shape[1:]))]
    names = checked_names([name for name, _, _ in places], place=path.name)
    return {name: (member, i) for name, (_, member, i) in zip(names, places, strict=True)}


def _column(name: str, cells: NDArray[Any]) -> Column:
    kind = cells.dtype.kind
    if kind in "iufb":
        return Numbers(name, cells.astype(np.float64), "bool" if kind == "b" else "number")
    if kind == "M":
        seconds = cells.astype("datetime64[us]").astype(np.int64) / 1e6
        return Numbers(name, np.where(np.isnat(cells), np.nan, seconds), "time")
    if kind == "U":
        return text_column(name, cells.tolist())
    return Unreadable(name, f"cells of type {cells.dtype}")
