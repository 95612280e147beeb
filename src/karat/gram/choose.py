"""Which method: exact where time and memory allow it, landmarks beyond, and why.

The choice follows from sizes, limits and the number of cores alone, never from a stopwatch, so that a command
gives the same numbers tomorrow. The seconds are what the machine of docs/speed.md needs per multiply-add.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from karat.errors import UsageError
from karat.gram.landmarks import FEWEST_COMPARED, MOST_COMPARED, MOST_LANDMARKS
from karat.kernels import Kernel
from karat.kernels.profile import Fill

Method = Literal["exact", "landmarks"]

SECONDS = 120.0
"""Default for how long the exact engine may take."""

SECONDS_PER_COLUMN = 1.8e-11
"""Of one core, for one column of a pair of rows: a multiply-add per lane and cycle."""

COLUMNS_FOR_A_VALUE = 14.0
"""What turning an inner product into a kernel value and its sums costs, in columns."""

SLOWER_DIFFERENCES = 2.0
SLOWER_BLOCKS = 15.0
"""How much longer distances by differences take, and kernels with blocks of their own."""

EXACT_AT = 2e-6
"""Tolerances below this are those of the exact engine's own float32 products."""


@dataclass(frozen=True)
class Choice:
    """A method and its reason, in words for people.

    exact_seconds, exact_bytes: what the exact engine would need; landmark_seconds: the same for landmarks.
    """

    method: Method
    reason: str
    exact_seconds: float
    exact_bytes: float
    landmark_seconds: float


def choose_method(
    sizes: Sequence[int],
    width: int,
    kernel: Kernel,
    *,
    tolerance: float | None = None,
    seconds: float = SECONDS,
    memory: float | None = None,
    in_memory: bool = True,
    workers: int | None = None,
) -> Choice:
    """Exact, unless it takes longer than `seconds` or more than `memory` bytes, or rows are only streamed.

    Args:
        sizes: rows of every source.
        width: columns.
        kernel: some take longer than others.
        tolerance: standard error asked for; below 2e-6 only the exact engine will do.
        seconds: how long the exact engine may take.
        memory: how many bytes it may take; by default half of this machine's.
        in_memory: False for sources that are too large to be held.
        workers: threads.
    """
    if seconds <= 0.0 or (memory is not None and memory <= 0.0):
        raise UsageError("a limit of no time or no memory leaves no method.", hint="Pass a positive limit.")
    limit = memory if memory is not None else 0.5 * machine_bytes()
    cores = workers or os.cpu_count() or 1
    rows = float(sum(sizes))
    per_pair = seconds_per_pair(width, kernel) / cores
    exact_seconds = rows * rows / 2.0 * per_pair
    exact_bytes = rows * (4.0 * width + 3.0 * 8.0 * len(sizes))
    compared = min(max((256.0 * rows) ** 0.5, FEWEST_COMPARED), MOST_COMPARED, rows)
    landmark_seconds = (rows * MOST_LANDMARKS / 2.0 + compared**2) * per_pair
    about = "" if exact_seconds < 1.0 else "about "
    takes = f"all {rows * rows / 2:.2g} pairs of rows take {about}{spoken(exact_seconds)} on {cores} cores"
    needs = f"{exact_bytes / 1e9:.1f} GB"
    exact = tolerance is not None and tolerance < EXACT_AT
    if not in_memory:
        method, reason = "landmarks", f"the rows are read in parts; {takes} and {needs} of memory"
    elif exact_bytes > limit:
        method, reason = (
            "landmarks",
            f"the exact engine needs {needs} of memory, {limit / 1e9:.1f} are allowed",
        )
    elif exact:
        method, reason = "exact", f"a tolerance of {tolerance:g} asks for it; {takes}"
    elif exact_seconds > seconds and landmark_seconds < exact_seconds:
        method, reason = "landmarks", f"{takes}, {spoken(seconds)} are allowed"
    else:
        method, reason = "exact", takes
    chosen: Method = "exact" if method == "exact" else "landmarks"
    return Choice(chosen, reason, exact_seconds, exact_bytes, landmark_seconds)


def seconds_per_pair(width: int, kernel: Kernel) -> float:
    """Of one core."""
    columns = width + COLUMNS_FOR_A_VALUE
    if kernel.profile is None:
        columns *= SLOWER_BLOCKS
    elif kernel.profile.fill == Fill.MANHATTAN:
        columns *= SLOWER_DIFFERENCES
    return SECONDS_PER_COLUMN * columns


def machine_bytes() -> float:
    """Memory of this machine; 8 GB where it does not say."""
    try:
        return float(os.sysconf("SC_PAGE_SIZE")) * float(os.sysconf("SC_PHYS_PAGES"))
    except (AttributeError, ValueError, OSError):
        return 8e9


def spoken(seconds: float) -> str:
    """A time in the unit that people would use.

    >>> spoken(0.2), spoken(75.0), spoken(600.0), spoken(9000.0)
    ('under a second', '75 seconds', '10 minutes', '2.5 hours')
    """
    if seconds < 1.0:
        return "under a second"
    if seconds < 120.0:
        return f"{seconds:.0f} seconds"
    if seconds < 7200.0:
        return f"{seconds / 60.0:.0f} minutes"
    return f"{seconds / 3600.0:.1f} hours"
