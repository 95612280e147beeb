"""npz: arrays in a zip. Pickled objects are refused, and so is whatever unfolds beyond the budget.

Members of one length stand side by side: a 1-D member is a column of its own name, a member of
shape (m, d) gives columns name_0, name_1, ...; a member alone gives x0, x1, ... as a bare array does.
"""

from __future__ import annotations

import hashlib
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy_format
from numpy.typing import NDArray

from karat.errors import SourceError
from karat.sources.budget import Budget
from karat.sources.names import checked_names
from karat.sources.table import Column, Note, Numbers, SourceFile, Table, Unreadable, text_column

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
    try:
        _refuse_crowds(path)
        with zipfile.ZipFile(path) as archive:
            arrays, notes = _members(archive, path, Budget.of(path.name))
    except READ_FAILURES as problem:
        if isinstance(problem, SourceError):
            raise
        raise SourceError(
            f"{path.name} cannot be read as npz: {str(problem)[:200].rstrip('.') or type(problem).__name__}.",
            hint="The file is damaged or no npz: write it with numpy.savez(path, rows=array).",
        ) from problem
    columns = _side_by_side(arrays, path)
    rows = len(next(iter(arrays.values())))
    with path.open("rb") as stream:
        sha256 = hashlib.file_digest(stream, "sha256").hexdigest()
    return Table(columns, rows, (SourceFile(path.name, sha256, rows),), tuple(notes))


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
        name = member.filename.removesuffix(".npy")
        if name == member.filename:
            raise SourceError(
                f"{path.name} holds {member.filename[:100]!r}, which is no array.",
                hint="Write the arrays with numpy.savez(path, rows=array).",
            )
        if name in arrays:
            raise SourceError(f"{path.name} holds {name[:100]!r} twice.", hint="Write the file again.")
        with archive.open(member) as stream:
            shape, dtype = _header(stream)
            _refuse_unfit(name, shape, dtype, path, budget)
        if not shape:
            notes.append(Note("ignored-member", f"{name!r} in {path.name} is a single value, not used."))
            continue
        with archive.open(member) as stream:
            arrays[name] = npy_format.read_array(stream, allow_pickle=False)
    if not arrays:
        raise SourceError(
            f"{path.name} holds no arrays.", hint="Write it with numpy.savez(path, rows=array)."
        )
    return arrays, notes


def _header(stream: Any) -> tuple[tuple[int, ...], np.dtype[Any]]:
    """Shape and type of a member, from its first bytes."""
    version = npy_format.read_magic(stream)
    read = npy_format.read_array_header_1_0 if version == (1, 0) else npy_format.read_array_header_2_0
    shape, _, dtype = read(stream)
    return shape, dtype


def _refuse_unfit(
    name: str, shape: tuple[int, ...], dtype: np.dtype[Any], path: Path, budget: Budget
) -> None:
    if dtype.hasobject:
        raise SourceError(
            f"{name[:100]!r} in {path.name} holds pickled objects, which can run code when read.",
            hint="Save plain arrays: numpy.savez(path, rows=array.astype(float)).",
            column=name[:100],
        )
    cells = 1
    for extent in shape:
        cells *= int(extent)
    budget.take_cells(cells)
    budget.take_text(cells * dtype.itemsize)


def _side_by_side(arrays: dict[str, NDArray[Any]], path: Path) -> tuple[Column, ...]:
    lengths = {name: len(array) for name, array in arrays.items()}
    if len(set(lengths.values())) > 1:
        shown = ", ".join(f"{name} {length}" for name, length in list(lengths.items())[:6])
        raise SourceError(
            f"the arrays in {path.name} have different numbers of rows: {shown}.",
            hint="Save the arrays that belong together in a file of their own.",
        )
    if 0 in lengths.values():
        raise SourceError(f"{path.name} has no rows.", hint="Ask the vendor for rows, or leave the file out.")
    pieces: list[tuple[str, NDArray[Any]]] = []
    for name, array in arrays.items():
        if array.ndim == 1:
            pieces.append((name, array))
            continue
        flat = array.reshape(len(array), -1)
        stem = "x" if len(arrays) == 1 else f"{name}_"
        pieces += [(f"{stem}{i}", flat[:, i]) for i in range(flat.shape[1])]
    names = checked_names([name for name, _ in pieces], place=path.name)
    return tuple(_column(name, cells) for name, (_, cells) in zip(names, pieces, strict=True))


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
