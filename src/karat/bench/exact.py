"""The exact engine against the bare matrix product, scikit-learn and torch, per pair of rows.

The bare product is what a method built on a matrix product cannot go below: inner products of the same rows,
written to memory that is already there, on all cores, in the best of several tile shapes.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from karat.bench.timing import least_seconds
from karat.gram import Moments, kernel_sums, moments_from_sums
from karat.gram.exact import Precision
from karat.kernels import GaussianMean, GaussianSum, Kernel

Singles = NDArray[np.float32]

ROWS = {1024: 8192, 784: 8192, 64: 16384, 16: 32768}
"""Rows for each width: enough that a repeat takes a fraction of a second."""

SHAPES = ((512, 512), (512, 2048), (1024, 1024), (2048, 2048))
"""Tiles that are tried for the bare product, with one thread per core and one BLAS thread each."""

BASELINE_ROWS = 3000
"""Rows for scikit-learn and torch, which need tens of nanoseconds per pair and hold all pairs in memory."""

DEFAULT = GaussianMean([0.7, 1.4, 2.8])
"""The default kernel where the median distance is 1.4, as it is for these rows."""

PAPER = GaussianSum([1.0, 2.0, 5.0, 10.0])


def exact_figures(*, quick: bool) -> dict[str, dict[str, float | None]]:
    """For every width, nanoseconds per pair and ratios; see the table in docs/speed.md."""
    return {str(width): _at_width(width, rows // (2 if quick else 1), quick) for width, rows in ROWS.items()}


def _at_width(width: int, rows: int, quick: bool) -> dict[str, float | None]:
    x = np.random.default_rng(0).standard_normal((rows, width)).astype(np.float32) / math.sqrt(width)
    repeats = 3 if quick else 7
    shape = _best_shape(x)
    ours = least_seconds(
        {
            "product": bare_product(x, *shape),
            "default": lambda: whole_engine(x, DEFAULT),
            "paper": lambda: whole_engine(x, PAPER),
        },
        repeats=repeats,
    )
    default, paper = (ours[name] / (rows * (rows - 1) / 2) for name in ("default", "paper"))
    product = ours["product"] / rows**2
    few = x[: BASELINE_ROWS // (2 if quick else 1)]
    others = least_seconds(_others(few), repeats=1 if quick else 3)
    figures: dict[str, float | None] = {
        "ns_per_pair": 1e9 * default,
        "ns_per_pair_paper": 1e9 * paper,
        "product_ns_per_pair": 1e9 * product,
        "over_blas": default / product,
        "over_blas_paper": paper / product,
        "tile_rows": float(shape[0]),
        "tile_columns": float(shape[1]),
        "rows": float(rows),
        "torch_over_exact": None,
    }
    for name, seconds in others.items():
        figures[f"{name}_over_exact"] = seconds / len(few) ** 2 / paper
    return figures


def whole_engine(
    x: Singles, kernel: Kernel, *, precision: Precision = "float32", workers: int | None = None
) -> Moments:
    """Everything that moments need, for four vendors and an anchor."""
    sums = kernel_sums(np.array_split(x, 5), kernel, precision=precision, workers=workers)
    return moments_from_sums(sums, names=list("abcde"), kernel=kernel, anchor=4)


def bare_product(x: Singles, height: int, width: int) -> Callable[[], object]:
    """All inner products of the rows, in tiles of this shape, into the same tile again and again."""
    rows, workers = len(x), os.cpu_count() or 1
    height, width = min(height, rows), min(width, rows)
    tiles = [(i, j) for i in range(0, rows, height) for j in range(0, rows, width)]
    room = [np.empty(height * width, dtype=np.float32) for _ in range(workers)]

    def share(worker: int) -> None:
        for i, j in tiles[worker::workers]:
            a, b = x[i : i + height], x[j : j + width]
            np.matmul(a, b.T, out=room[worker][: len(a) * len(b)].reshape(len(a), len(b)))

    def run() -> object:
        with threadpool_limits(1, user_api="blas"), ThreadPoolExecutor(workers) as pool:
            return list(pool.map(share, range(workers)))

    return run


def _best_shape(x: Singles) -> tuple[int, int]:
    seconds = least_seconds({str(k): bare_product(x, *shape) for k, shape in enumerate(SHAPES)}, repeats=3)
    return SHAPES[int(min(seconds, key=lambda k: seconds[k]))]


def _others(x: Singles) -> dict[str, Callable[[], object]]:
    """The sum of the paper's four Gaussians over all pairs, as one would write it with each library."""
    from sklearn.metrics.pairwise import rbf_kernel

    gammas = [0.5 / bandwidth**2 for bandwidth in PAPER.bandwidths]
    calls: dict[str, Callable[[], object]] = {
        "sklearn": lambda: sum(rbf_kernel(x, x, gamma=gamma).sum() for gamma in gammas)
    }
    try:
        import torch
    except ImportError:
        return calls
    rows = torch.from_numpy(x)
    calls["torch"] = lambda: _naive_torch(torch, rows, gammas)
    return calls


def _naive_torch(torch: Any, rows: Any, gammas: list[float]) -> object:
    """The authors' way: squared distances by expansion, then one exponential per bandwidth."""
    product = rows @ rows.T
    squares = product.diagonal()
    distances = squares[:, None] + squares[None, :] - 2.0 * product
    return sum(torch.exp(-gamma * distances) for gamma in gammas).sum()
