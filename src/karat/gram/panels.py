"""All rows of all sources, one below the other, laid out for the fused pass.

A panel holds 16 rows of one source, column by column, in the precision of the products. The last panel of a
source is filled up with rows that count for nothing. This is the only copy of the rows that the engine makes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from karat.errors import KernelError
from karat.gram.workers import in_order
from karat.kernels import Kernel
from karat.kernels.profile import Fill, Form, Profile
from karat.typing import Matrix, Rows, Vector

HEIGHT = 16
"""Rows of a panel: what a vector register holds of float32."""

FAR = 64.0
"""Half the squared norm of a row (scaled and centred) that float32 products still bear; see `farthest`."""

NARROW = 16.0
"""The rate of several Gaussians up to which FAR stands as it is: that of the default kernel's narrowest."""

FLUSH = 64
"""Panels of a source after which sums in the precision of the products move into float64 ones."""

PART = 32
"""Panels that are filled at a time by each thread."""

CHUNK_BYTES = 1 << 22
"""Rows are shifted and scaled in float64 so many bytes at a time."""

NOBODY: Mapping[str, float] = {"float32": 1e37, "float64": 1e300}
"""Half the squared norm of a row that is not there: its kernel values come out as 0."""

Floats = NDArray[np.floating[Any]]


@dataclass(frozen=True)
class Shelf:
    """Which source's rows stand in which panel.

    owners: (p,), the source of each panel; filled: (p,), its rows; within: (p,), its place in the source;
    places: (p,), its place among the panels of all rows, which is 0, 1, 2, ... unless panels were picked.
    """

    owners: NDArray[np.int64]
    filled: NDArray[np.int64]
    within: NDArray[np.int64]
    places: NDArray[np.int64]

    @classmethod
    def of(cls, sizes: Sequence[int]) -> Shelf:
        """Every source starts a panel of its own."""
        counts = [-(-size // HEIGHT) for size in sizes]
        owners = np.repeat(np.arange(len(sizes)), counts).astype(np.int64)
        filled = np.full(len(owners), HEIGHT, dtype=np.int64)
        ends = np.cumsum(counts) - 1
        filled[ends] -= -np.array(sizes) % HEIGHT
        places = np.arange(len(owners), dtype=np.int64)
        return cls(owners, filled, places - np.repeat(ends + 1 - counts, counts), places)

    def __len__(self) -> int:
        return len(self.owners)

    def pick(self, chosen: NDArray[np.bool_]) -> Shelf:
        """Some of the panels, in their order."""
        return Shelf(self.owners[chosen], self.filled[chosen], self.within[chosen], self.places[chosen])

    def first(self, source: int) -> int:
        """The first panel of this source, or of a later one."""
        return int(np.searchsorted(self.owners, source))

    def sources(self, start: int, stop: int) -> slice:
        """The sources of some panels, from the first to the last."""
        return slice(int(self.owners[start]), int(self.owners[stop - 1]) + 1)

    def rows_of(self, source: int) -> slice:
        """Where a source's rows stand among all rows, padding counted."""
        start, stop = self.first(source), self.first(source + 1)
        return slice(HEIGHT * start, HEIGHT * (stop - 1) + int(self.filled[stop - 1]))

    def rows(self, start: int, stop: int) -> slice | NDArray[np.int64]:
        """Where the rows of some panels stand among all rows."""
        places = self.places[start:stop]
        if places[-1] - places[0] == stop - start - 1:
            return slice(HEIGHT * int(places[0]), HEIGHT * (int(places[-1]) + 1))
        return (HEIGHT * places[:, None] + np.arange(HEIGHT)).ravel()


@dataclass(frozen=True)
class Panels:
    """The rows themselves: panels (p, d, 16) and norms (16 p,), half the squared norms where they are wanted.

    is_far: (p,), panels whose rows are on average so far out that float32 would not do for two of them.
    """

    shelf: Shelf
    panels: Floats
    norms: Floats
    is_far: NDArray[np.bool_]

    @classmethod
    def pack(
        cls,
        sources: Sequence[Rows],
        kernel: Kernel,
        profile: Profile,
        *,
        shift: Vector,
        precision: str,
        workers: int | None = None,
    ) -> Panels:
        """Shift and scale every row in float64, then round it into its place."""
        shelf = Shelf.of([len(rows) for rows in sources])
        panels = np.zeros((len(shelf), len(shift), HEIGHT), dtype=precision)
        norms = np.full(len(shelf) * HEIGHT, NOBODY[precision], dtype=precision)
        squares = np.zeros(len(norms))
        for j, rows in enumerate(sources):
            start, stop = shelf.first(j), shelf.first(j + 1)
            halves = fill(panels[start:stop], rows, kernel, profile, shift, workers=workers)
            squares[shelf.rows_of(j)] = halves
            norms[shelf.rows_of(j)] = halves if profile.norms else 0.0
        means = squares.reshape(-1, HEIGHT).sum(axis=1) / shelf.filled
        return cls(shelf, panels, norms, means > farthest(profile, len(shift)))

    def picked(
        self, chosen: NDArray[np.bool_], sources: Sequence[Rows], shift: Vector, profile: Profile
    ) -> Panels:
        """Some of the panels again, for differences: in float64 from the original rows, without norms.

        Rows are scaled by sqrt(1/2) where halves of squared differences are wanted.
        """
        scale = 1.0 if profile.fill == Fill.MANHATTAN else math.sqrt(0.5)
        shelf = self.shelf.pick(chosen)
        panels = np.zeros((len(shelf), len(shift), HEIGHT))
        norms = np.full((len(shelf), HEIGHT), NOBODY["float64"])
        for p, (j, place, count) in enumerate(zip(shelf.owners, shelf.places, shelf.filled, strict=True)):
            start = HEIGHT * (int(place) - self.shelf.first(int(j)))
            rows = sources[int(j)][start : start + int(count)]
            panels[p, :, :count] = scale * scaled(rows, shift, profile).T
            norms[p, :count] = 0.0
        return Panels(shelf, panels, norms.ravel(), np.zeros(len(shelf), dtype=bool))


def fill(
    panels: Floats, rows: Rows, kernel: Kernel, profile: Profile, shift: Vector, *, workers: int | None = 1
) -> Vector:
    """Shift, scale and round rows into panels; half their squared norms."""
    from karat.gram.layout import lay_out  # numba is imported by the first kernel that runs

    halves = np.zeros(len(rows))

    def part(first: int) -> None:
        some = slice(HEIGHT * first, HEIGHT * (first + PART))
        lay_out(rows[some], shift, profile.row_scale, panels[first : first + PART], halves[some])

    for _ in in_order(part, range(0, len(panels), PART), workers):
        pass
    precision = panels.dtype.name
    if not np.isfinite(halves).all() or halves.max(initial=0.0) > 0.01 * NOBODY[precision]:
        raise too_large(kernel, precision)
    return halves


def self_sum(rows: Rows, kernel: Kernel, shift: Vector) -> float:
    """The sum of k(x, x) over the rows; one value serves all where k depends on x - y alone."""
    if kernel.is_shift_invariant and math.isfinite(kernel.bound):
        return len(rows) * float(kernel.diagonal(rows[:1] - shift)[0])
    step = max(1, CHUNK_BYTES // (8 * max(1, rows.shape[1])))
    chunks = (rows[at : at + step] - shift for at in range(0, len(rows), step))
    with np.errstate(over="ignore"):
        total = float(sum(kernel.diagonal(chunk).sum() for chunk in chunks))
    if not math.isfinite(total):
        raise too_large(kernel, "float64")
    return total


def farthest(profile: Profile, width: int) -> float:
    """Half the squared norm up to which float32 keeps exponents right to 1e-5.

    Products of rows with half squared norms h err by some h 1e-7; sums of d absolute differences by 1e-7
    times sqrt(2 h d). Kernels that are no functions of an exponent are right relative to their own size. A
    rate multiplies the exponent, and with it what it errs by: of several Gaussians the narrowest bears least.
    """
    if profile.fill == Fill.MANHATTAN:
        return FAR**2 / width
    if not profile.norms or profile.form == Form.DISTANCE:
        return math.inf
    borne = 1.0 if profile.form == Form.RATIONAL else NARROW
    return FAR / max(1.0, max(profile.rates, default=1.0) / borne)


def scaled(rows: Rows, shift: Vector, profile: Profile) -> Matrix:
    """Rows as the profile wants them, in float64."""
    moved: Matrix = (rows - shift) * profile.row_scale
    return moved


def too_large(kernel: Kernel, precision: str) -> KernelError:
    """The error for rows beyond the range of the precision."""
    return KernelError(
        f"rows are too large for {precision} sums with the kernel {kernel!r}.",
        hint="Scale the columns, choose a wider bandwidth, or ask for precision float64.",
    )
