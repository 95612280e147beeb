"""Rows that do not have to be in memory: read in chunks, as often as a computation has passes.

A chunk may be of any size; what is computed from it is not, because rows are cut again into pieces of a
fixed size. So the same rows give the same bits however they arrive. Which rows are drawn follows from their
place in the stream and a seed alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from karat.errors import MarketError
from karat.sources.draws import Kept, priorities
from karat.typing import Rows, Vector

PIECE_ROWS = 1024
"""Rows that are worked on at a time."""


@runtime_checkable
class RowStream(Protocol):
    """Rows of one source, from the first to the last, as often as asked."""

    def chunks(self) -> Iterator[Rows]:
        """The rows (m, d), some at a time; every chunk has the same width."""
        ...


@dataclass(frozen=True, eq=False)
class InMemory:
    """An array as a stream."""

    rows: Rows

    def chunks(self) -> Iterator[Rows]:
        yield self.rows


@dataclass(frozen=True, eq=False)
class FromReader:
    """A stream that opens its reader anew for every pass: a function that returns an iterator of chunks."""

    open: Callable[[], Iterator[Rows]]

    def chunks(self) -> Iterator[Rows]:
        return self.open()


@dataclass(frozen=True)
class FromArrayFile:
    """An .npy file (m, d), some megabytes at a time; encode turns a chunk of it into rows."""

    path: Path
    encode: Callable[[NDArray[Any]], Rows] | None = None
    chunk_rows: int = 4096

    def chunks(self) -> Iterator[Rows]:
        # The file is mapped anew for every chunk: pages of an old map would count as memory in use.
        size = len(np.load(self.path, mmap_mode="r"))
        for start in range(0, size, self.chunk_rows):
            part = np.array(np.load(self.path, mmap_mode="r")[start : start + self.chunk_rows])
            yield part if self.encode is None else self.encode(part)


def as_stream(source: Rows | RowStream) -> RowStream:
    """Arrays and streams alike."""
    return source if isinstance(source, RowStream) else InMemory(source)


def pieces(stream: RowStream, size: int = PIECE_ROWS) -> Iterator[Rows]:
    """The rows in pieces of this many, the last one shorter, whatever the chunks.

    >>> ragged = FromReader(lambda: iter([np.zeros((1, 2)), np.zeros((4, 2))]))
    >>> [len(piece) for piece in pieces(ragged, 2)]
    [2, 2, 1]
    """
    waiting: list[Rows] = []
    count = 0
    for chunk in stream.chunks():
        waiting.append(chunk)
        count += len(chunk)
        if count < size:
            continue
        rows = stacked(waiting)
        whole = count - count % size
        for start in range(0, whole, size):
            yield rows[start : start + size]
        waiting, count = [rows[whole:]], count - whole
    if count:
        yield stacked(waiting)


def stacked(parts: Sequence[Rows]) -> Rows:
    """Parts one below the other; a single one is not copied."""
    whole: Any = parts[0] if len(parts) == 1 else np.concatenate(parts)
    rows: Rows = whole
    return rows


@dataclass(frozen=True, eq=False)
class Drawn:
    """What one pass over a source gives.

    size: how many rows it has; mean: (d,), theirs, or None where it was not asked for.
    draws: one array (q, d) per number asked for, each a simple random sample in random order.
    """

    size: int
    mean: Vector | None
    draws: tuple[Rows, ...]


def draw_rows(stream: RowStream, counts: Sequence[int], *, seed: int, with_mean: bool = False) -> Drawn:
    """Simple random samples without replacement, one per count, independent of one another (`Kept`)."""
    if isinstance(stream, InMemory):
        rows = stream.rows
        picks = [np.argsort(priorities(seed, k, 0, len(rows)))[:count] for k, count in enumerate(counts)]
        mean = rows.mean(axis=0, dtype=np.float64) if with_mean else None
        return Drawn(len(rows), mean, tuple(rows[pick] for pick in picks))
    kept = [Kept(count, seed, k) for k, count in enumerate(counts)]
    size, total = 0, None
    for piece in pieces(stream):
        for sample in kept:
            sample.offer(piece, size)
        if with_mean:
            part = piece.sum(axis=0, dtype=np.float64)
            total = part if total is None else total + part
        size += len(piece)
    if size == 0:
        raise MarketError("a source has no rows.", hint="Leave it out, or look at how it is read.")
    return Drawn(size, None if total is None else total / size, tuple(sample.rows for sample in kept))


def shares(total: int, among: int) -> list[int]:
    """Equal shares of a number, the first ones a little larger.

    >>> shares(7, 3)
    [3, 2, 2]
    """
    return [math.ceil((total - j) / among) for j in range(among)]
