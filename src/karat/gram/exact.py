"""Every pair of rows, tile by tile: the exact engine.

The rows of all sources stand one below the other, cut into strips: a long source gives several, short ones
share one. A task is a strip against a run of strips from itself onwards, so each pair of rows is met once.
Tasks run on one thread per core, each with one BLAS thread; their sums are added in the order of the tasks,
whatever the number of threads, so that number never changes a bit of the result.

Cost N^2 d / 2 multiply-adds. Memory: one float32 copy of the rows, one tile per thread, one float64
per row and source.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from karat.errors import KernelError
from karat.gram.sums import KernelSums
from karat.kernels import Kernel
from karat.kernels.profile import Fill, Form, Profile
from karat.typing import Matrix, Progress, Rows, Vector

Precision = Literal["float32", "float64"]
Floats = NDArray[np.floating]

STRIP = 1024
"""Rows of a strip: a tile of 1024 x 1024 float32 values is 4 MB and still close to the core."""

RUN = 8
"""Strips that one task is held against: enough work to hide the hand-over between threads."""

CHUNK = 8192
"""Rows that are shifted and scaled at a time."""

FAR = 64.0
"""Mean half squared norm of a strip's rows (scaled and centred) beyond which float32 errs by over 1e-5 in an
exponent, so that two such strips meet in float64: those of a vendor whose columns are in other units, say."""


@dataclass(frozen=True)
class Strip:
    """Rows start to stop of all rows, and the sources they belong to.

    sources: first to last (exclusive), consecutive; bounds: where each begins, relative to start.
    """

    start: int
    stop: int
    first: int
    bounds: NDArray[np.intp]

    @property
    def size(self) -> int:
        return self.stop - self.start

    @property
    def last(self) -> int:
        return self.first + len(self.bounds) - 1

    @property
    def parts(self) -> list[tuple[int, int, int]]:
        """Per source its index and where its rows begin and end, relative to start."""
        return [(self.first + s, int(a), int(b)) for s, (a, b) in enumerate(pairwise(self.bounds))]


@dataclass(frozen=True)
class TileSums:
    """What one tile adds: see `karat.gram.tile.sum_tile`."""

    x: Strip
    y: Strip
    row_sums: Matrix
    column_sums: Matrix
    squares: Matrix


def cut_into_strips(sizes: Sequence[int], *, known: int = 0, most: int = STRIP) -> list[Strip]:
    """Strips of at most so many rows; known and new sources never share one."""
    strips: list[Strip] = []
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    j = 0
    while j < len(sizes):
        if sizes[j] > most:
            pieces = -(-sizes[j] // most)
            cuts = offsets[j] + np.linspace(0, sizes[j], pieces + 1).astype(int)
            for a, b in pairwise(cuts):
                strips.append(Strip(int(a), int(b), j, np.array([0, b - a], dtype=np.intp)))
            j += 1
            continue
        end = j + 1
        limit = known if j < known else len(sizes)
        while end < limit and offsets[end + 1] - offsets[j] <= most:
            end += 1
        bounds = (offsets[j : end + 1] - offsets[j]).astype(np.intp)
        strips.append(Strip(int(offsets[j]), int(offsets[end]), j, bounds))
        j = end
    return strips


def kernel_sums(
    sources: Sequence[Rows],
    kernel: Kernel,
    *,
    centre: Vector | None = None,
    known: KernelSums | None = None,
    share: tuple[int, int] = (0, 1),
    precision: Precision = "float32",
    workers: int | None = None,
    progress: Progress | None = None,
) -> KernelSums:
    """The kernel sums over all pairs of rows of the sources.

    centre: subtracted from every row first, where the kernel allows it; default the one of the known sums, or
        the mean of the last source, which is the anchor where there is one.
    known: sums of the first sources; only pairs with a new source are then computed, and added to them.
    share: (k, of), the k-th part of the tasks alone; the parts add up with `+` to the whole. Known sums are
        in the first part only.
    precision: of the tiles; sums over tiles are float64 always.
    """
    sizes = [len(rows) for rows in sources]
    old = 0 if known is None else len(known.sizes)
    if centre is None:
        centre = sources[-1].mean(axis=0, dtype=np.float64) if known is None else known.centre
    engine = _Engine(sources, kernel, centre, precision)
    base = KernelSums.nothing(sizes, engine.self_sums, centre)
    if known is not None:
        wide = known.with_room_for(base)
        base = wide if share[0] == 0 else base
    tasks = _tasks(cut_into_strips(sizes, known=old, most=STRIP), old)[share[0] :: share[1]]
    total = float(sum(x.size * sum(y.size for y in ys) for x, ys in tasks))
    done = 0.0
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    row_sums = np.concatenate(base.row_sums) if len(base.row_sums) > 1 else base.row_sums[0].copy()
    squares, seen = base.squares.copy(), base.seen.copy()
    for results in _in_order(engine, tasks, workers or os.cpu_count() or 1):
        for tile in results:
            _add_tile(tile, engine.scale, row_sums, squares, seen)
            done += tile.x.size * tile.y.size
        if progress is not None:
            progress(done, total)
    per_source = tuple(row_sums[a:b] for a, b in pairwise(offsets))
    return KernelSums(base.sizes, base.self_sums, per_source, squares, seen, base.centre)


def _tasks(strips: list[Strip], known: int) -> list[tuple[Strip, list[Strip]]]:
    """Each strip against runs of the strips from itself onwards; pairs of known sources are left out."""
    tasks = []
    for i, x in enumerate(strips):
        partners = [y for y in strips[i:] if y.first >= known]
        tasks += [(x, partners[r : r + RUN]) for r in range(0, len(partners), RUN)]
    return tasks


def _in_order(
    engine: _Engine, tasks: Sequence[tuple[Strip, list[Strip]]], workers: int
) -> Iterator[list[TileSums]]:
    """The tasks' results in the order of the tasks, with a few in flight per worker."""
    with threadpool_limits(limits=1, user_api="blas"), ThreadPoolExecutor(workers) as pool:
        flying: deque[Future[list[TileSums]]] = deque()
        try:
            for x, ys in tasks:
                flying.append(pool.submit(engine.run, x, ys))
                if len(flying) >= 3 * workers:
                    yield flying.popleft().result()
            while flying:
                yield flying.popleft().result()
        finally:
            for future in flying:
                future.cancel()


def _add_tile(tile: TileSums, scale: float, row_sums: Matrix, squares: Matrix, seen: Matrix) -> None:
    """Add what one tile found to the running sums; a tile off the diagonal counts for both of its sides."""
    x, y = tile.x, tile.y
    row_sums[x.start : x.stop, y.first : y.last] += scale * tile.row_sums
    pairs = np.outer(np.diff(x.bounds), np.diff(y.bounds)).astype(np.float64)
    squared = scale * scale * tile.squares
    across = (slice(x.first, x.last), slice(y.first, y.last))
    squares[across] += squared
    seen[across] += pairs
    if x.start == y.start:
        own = np.arange(x.first, x.last)
        seen[own, own] -= np.diff(x.bounds)
        return
    row_sums[y.start : y.stop, x.first : x.last] += scale * tile.column_sums.T
    squares[across[::-1]] += squared.T
    seen[across[::-1]] += pairs.T


class _Engine:
    """The prepared rows and the way from a pair of strips to its sums."""

    def __init__(self, sources: Sequence[Rows], kernel: Kernel, centre: Vector, precision: Precision) -> None:
        from karat.gram import tile  # numba is imported by the first kernel that runs

        self._compiled = tile
        self.kernel = kernel
        profile = kernel.profile
        self.profile = profile or Profile(Form.GIVEN, norms=False)
        self.is_fused = profile is not None
        self.scale = self.profile.scale
        dtype = np.dtype(np.float32 if precision == "float32" and self.is_fused else np.float64)
        self.sources = sources
        self.offsets = np.cumsum([0, *map(len, sources)])
        self.shift = centre if kernel.is_shift_invariant else np.zeros_like(centre)
        self.rows = np.empty((sum(map(len, sources)), len(centre)), dtype=dtype)
        self.self_sums = np.zeros(len(sources))
        at = 0
        for j, rows in enumerate(sources):
            for start in range(0, len(rows), CHUNK):
                chunk = rows[start : start + CHUNK] - self.shift
                with np.errstate(over="ignore"):  # seen by check_finite
                    self.self_sums[j] += kernel.diagonal(chunk).sum()
                    self.rows[at : at + len(chunk)] = chunk * self.profile.row_scale
                at += len(chunk)
        self.norms = np.zeros(len(self.rows), dtype=dtype)
        if self.profile.norms:
            with np.errstate(over="ignore"):
                self.norms[:] = half_squared_norms(self.rows)
        self._check_finite()
        is_exponent = self.profile.norms and self.profile.form != Form.DISTANCE
        self.has_far_rows = is_exponent and bool((self.norms > FAR).any())
        self.columns = self.rows.T.copy() if self.profile.fill == Fill.MANHATTAN else None
        self.rates = np.array(self.profile.rates or (1.0,), dtype=dtype)
        self._room = threading.local()

    def _check_finite(self) -> None:
        if all(np.isfinite(part).all() for part in (self.rows, self.norms, self.self_sums)):
            return
        raise KernelError(
            f"rows are too large for {self.rows.dtype} sums with the kernel {self.kernel!r}.",
            hint="Scale the columns, choose a wider bandwidth, or ask for precision float64.",
        )

    def run(self, x: Strip, ys: Sequence[Strip]) -> list[TileSums]:
        """The sums of a strip against each of a run of strips."""
        results = []
        for y in ys:
            sums = TileSums(
                x,
                y,
                np.zeros((x.size, y.last - y.first)),
                np.zeros((x.last - x.first, y.size)),
                np.zeros((x.last - x.first, y.last - y.first)),
            )
            tile, x_norms, y_norms = self._filled(x, y)
            self._compiled.sum_tile(
                tile,
                x_norms,
                y_norms,
                int(self.profile.form),
                self.rates.astype(tile.dtype, copy=False),
                x.start == y.start,
                x.bounds,
                y.bounds,
                sums.row_sums,
                sums.column_sums,
                sums.squares,
            )
            results.append(sums)
        return results

    def _filled(self, x: Strip, y: Strip) -> tuple[Floats, Floats, Floats]:
        """The tile before its form is applied, in this thread's own buffer, and the norms of both sides."""
        a, b = self.rows[x.start : x.stop], self.rows[y.start : y.stop]
        norms = self.norms[x.start : x.stop], self.norms[y.start : y.stop]
        if not self.is_fused:
            return checked_block(self.kernel, a, b), *norms
        if self.has_far_rows and min(norms[0].mean(), norms[1].mean()) > FAR:
            return self._filled_far_away(x, y)
        buffer = getattr(self._room, "buffer", None)
        if buffer is None or buffer.size < x.size * y.size:
            buffer = self._room.buffer = np.empty(x.size * y.size, dtype=self.rows.dtype)
        tile = buffer[: x.size * y.size].reshape(x.size, y.size)
        if self.columns is not None:
            self._compiled.fill_manhattan(a, self.columns[:, y.start : y.stop], tile)
        else:
            np.matmul(a, b.T, out=tile)
        return tile, *norms

    def _filled_far_away(self, x: Strip, y: Strip) -> tuple[Floats, Floats, Floats]:
        """The same in float64 from the original rows, each pair of sources around the one's own mean."""
        tile = np.empty((x.size, y.size))
        for s, a_start, a_stop in x.parts:
            a = self._original(s, x.start + a_start, x.start + a_stop)
            for t, b_start, b_stop in y.parts:
                b = self._original(t, y.start + b_start, y.start + b_stop)
                tile[a_start:a_stop, b_start:b_stop] = exponents(a, b)
        return tile, np.zeros(x.size), np.zeros(y.size)

    def _original(self, j: int, start: int, stop: int) -> Matrix:
        """Rows start to stop of all, which are source j's, shifted and scaled without rounding to float32."""
        rows = self.sources[j][start - self.offsets[j] : stop - self.offsets[j]]
        original: Matrix = (rows.astype(np.float64) - self.shift) * self.profile.row_scale
        return original


def exponents(a: Matrix, b: Matrix) -> Matrix:
    """-|x - y|^2 / 2 for all pairs, around the mean of a where that brings the rows closer to the origin."""
    centre = a.mean(axis=0)
    near_a, near_b = a - centre, b - centre
    if half_squared_norms(near_a).sum() < half_squared_norms(a).sum() / 4.0:
        a, b = near_a, near_b
    values: Matrix = a @ b.T - half_squared_norms(a)[:, None] - half_squared_norms(b)[None, :]
    return values


def half_squared_norms(rows: Floats) -> Vector:
    """|z|^2 / 2 per row, in float64."""
    norms: Vector = 0.5 * np.einsum("ij,ij->i", rows, rows, dtype=np.float64)
    return norms


def checked_block(kernel: Kernel, a: Floats, b: Floats) -> Matrix:
    """A kernel's own block, as the compiled pass needs it; kernels come from users, too."""
    block = np.ascontiguousarray(kernel.block(a, b), dtype=np.float64)
    if block.shape != (len(a), len(b)):
        raise KernelError(
            f"the kernel {kernel!r} gave a block of shape {block.shape} for {len(a)} and {len(b)} rows.",
            hint="`block` returns one value per pair of rows: shape (rows of a, rows of b).",
        )
    if not np.isfinite(block).all():
        raise KernelError(
            f"the kernel {kernel!r} gave values that are not finite.",
            hint="Scale the columns, or choose another kernel.",
        )
    return block
