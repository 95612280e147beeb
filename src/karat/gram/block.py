"""The estimator of the paper's authors (Xu et al. 2024, their code): squared MMD in blocks of rows.

The rows of a preview and of a reference are shuffled together and cut into blocks, and a block of one side
meets the block in its place on the other only. That is linear in the rows and never builds more than one
block, but each block of b rows adds about

    (K - E k(x, x')) / b  +  (K - E k(y, y')) / b,        K = k(x, x),

to the truth: more than many differences between vendors. It is kept to compare with published numbers.
The authors also divide the sum over blocks by the block size, where a mean divides by the number of blocks:
values then grow with the rows, and previews of different sizes cannot be compared. `compat="xu2024"` does so.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from karat.errors import MarketError, UsageError
from karat.kernels import Kernel
from karat.typing import Rows, Seed, Vector

Compat = Literal["xu2024"]

BLOCK = 1024
"""Rows of a block in the authors' classification experiments; 256 in their regressions."""

SHUFFLE_SEED = 1234
"""The authors shuffle both sides with scikit-learn's `shuffle(x, y, random_state=1234)`."""

XU2024_FLOOR = 1e-6
"""The authors take the root of at least this, which hides values nearer to 0 than 0.001."""


@dataclass(frozen=True)
class BlockValues:
    """Per vendor (n,): the block estimate of its squared MMD, minus its root, and the rows that it used."""

    squared: Vector
    values: Vector
    rows: Vector


def block_values(
    sources: Sequence[Rows],
    reference_rows: Rows,
    kernel: Kernel,
    *,
    block: int = BLOCK,
    biased: bool = True,
    compat: Compat | None = None,
    seed: Seed = 0,
) -> BlockValues:
    """The block estimate of every vendor against the reference.

    Both sides are cut to the length of the shorter, after a random permutation each: one for the reference,
    and one per vendor that depends on its number of rows but not on its place among the vendors.
    """
    draws = np.random.default_rng(seed)
    reference = reference_rows[draws.permutation(len(reference_rows))]
    vendor_seed = int(draws.integers(2**62))
    squared, rows = np.zeros(len(sources)), np.zeros(len(sources))
    for j, source in enumerate(sources):
        shorter = min(len(source), len(reference))
        order = np.random.default_rng(vendor_seed).permutation(len(source))[:shorter]
        squared[j] = block_squared_mmd(
            source[order], reference[:shorter], kernel, block=block, biased=biased, compat=compat
        )
        rows[j] = shorter
    floor = XU2024_FLOOR if compat == "xu2024" else 0.0
    return BlockValues(squared, -np.sqrt(np.maximum(squared, floor)), rows)


def block_squared_mmd(
    x: Rows,
    y: Rows,
    kernel: Kernel,
    *,
    block: int = BLOCK,
    biased: bool = True,
    compat: Compat | None = None,
) -> float:
    """Mean over blocks of mean k(x, x') + mean k(y, y') - 2 mean k(x, y); x and y have equally many rows.

    The last block may be shorter and counts like the others. biased: pairs of a row with itself count, as in
    the authors' code; otherwise they are left out, and so is a last block of one row.
    compat="xu2024": the sum over blocks divided by the block size instead.
    O(rows * block) kernel values, block^2 at a time.

    >>> from karat.kernels import Linear
    >>> block_squared_mmd(np.zeros((4, 1)), np.full((4, 1), 3.0), Linear(), block=2)
    9.0
    """
    fewest = 1 if biased else 2
    _check(len(x), len(y), block, fewest, biased, compat)
    shift = y.mean(axis=0, dtype=np.float64) if kernel.is_shift_invariant else np.zeros(y.shape[1])
    parts = [
        _squared_mmd(x[rows] - shift, y[rows] - shift, kernel, biased=biased)
        for rows in _blocks(len(x), block)
        if len(rows) >= fewest
    ]
    return float(sum(parts) / (block if compat == "xu2024" else len(parts)))


def _check(x: int, y: int, block: int, fewest: int, biased: bool, compat: str | None) -> None:
    if x != y:
        raise MarketError(
            f"blocks of {x} rows cannot be paired with blocks of {y}.",
            hint="Cut both sides to the same number of rows, or use block_values, which does.",
        )
    if min(x, block) < fewest:
        raise UsageError(
            f"{x} rows in blocks of {block} give no block of {fewest} rows or more.",
            hint="Choose larger blocks, bring more rows, or use the biased form, which needs one row.",
        )
    if compat not in (None, "xu2024"):
        raise UsageError(f"there is no compat mode {compat!r}.", hint="Choose 'xu2024', or leave it out.")
    if compat is not None and not biased:
        raise UsageError(
            "compat='xu2024' was asked for in the unbiased form, which the authors never use.",
            hint="Leave biased at True, or leave compat out.",
        )


def _blocks(rows: int, block: int) -> Iterator[NDArray[np.intp]]:
    """The shuffled row numbers, block by block; both sides take the same."""
    order = np.random.RandomState(SHUFFLE_SEED).permutation(rows)
    for start in range(0, rows, block):
        yield order[start : start + block]


def _squared_mmd(x: Rows, y: Rows, kernel: Kernel, *, biased: bool) -> float:
    across = kernel.block(x, y).mean()
    return float(_own_mean(x, kernel, biased=biased) + _own_mean(y, kernel, biased=biased) - 2.0 * across)


def _own_mean(x: Rows, kernel: Kernel, *, biased: bool) -> float:
    values, m = kernel.block(x, x), len(x)
    if biased:
        return float(values.mean())
    return float((values.sum() - np.trace(values)) / (m * (m - 1)))
