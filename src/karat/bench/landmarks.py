"""Landmarks and the authors' block estimator against the exact values, on the same market.

MNIST mixed with Fashion-MNIST where these are in the data folder (ten vendors, the i-th with a share i / 10
of the other set, and a clean anchor), else Gaussians of the same width. Errors are of the squared MMD of
every vendor against the anchor.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from karat.gram import (
    Approximated,
    BlockValues,
    block_values,
    kernel_sums,
    landmark_moments,
    moments_from_sums,
)
from karat.kernels import Kernel, default_kernel
from karat.sources import catalog
from karat.typing import Matrix, Vector

Result = TypeVar("Result")

COUNTS = (256, 512, 1024)
VENDORS, ROWS, WIDTH = 10, 10_000, 1024


@dataclass(frozen=True, eq=False)
class Stage:
    """A market for this comparison: the vendors' rows, the anchor's last, and where they are from."""

    sources: list[NDArray[np.float32]]
    kernel: Kernel
    data: str

    @property
    def anchor(self) -> int:
        return len(self.sources) - 1

    @property
    def names(self) -> list[str]:
        return [f"v{j}" for j in range(len(self.sources) - 1)] + ["anchor"]


def landmark_figures(*, quick: bool) -> dict[str, Any]:
    """Seconds and errors of landmarks (by number) and of the block estimator, beside the exact engine."""
    stage, repeats = set_the_stage(2000 if quick else ROWS), 1 if quick else 3
    start = time.perf_counter()
    sums = kernel_sums(stage.sources, stage.kernel)
    exact = moments_from_sums(sums, names=stage.names, kernel=stage.kernel, anchor=stage.anchor)
    exact_seconds = time.perf_counter() - start
    truth = to_the_anchor(exact.gram)
    landmarks = {
        "default" if count is None else str(count): _landmarks(stage, count, truth, repeats)
        for count in (None, *COUNTS)
    }
    rows = sum(map(len, stage.sources))
    return {
        "landmarks": landmarks,
        "block": _block(stage, truth, repeats),
        "rows_per_second": rows / landmarks["default"]["seconds"],
        "landmark_market": {
            "data": stage.data,
            "rows": float(rows),
            "exact_seconds": exact_seconds,
            "largest_squared": float(truth.max()),
        },
    }


def _landmarks(stage: Stage, count: int | None, truth: Vector, repeats: int) -> dict[str, float]:
    def run() -> Approximated:
        return landmark_moments(
            stage.sources, stage.kernel, names=stage.names, anchor=stage.anchor, landmarks=count
        )

    seconds, found = _least_seconds(run, repeats)
    assert found.moments.approximation is not None
    return {
        "landmarks": float(found.landmarks),
        "seconds": seconds,
        "max_error": float(np.abs(to_the_anchor(found.moments.gram) - truth).max()),
        "estimated_error": float(_of_distances(found.moments.approximation).max()),
    }


def _block(stage: Stage, truth: Vector, repeats: int) -> dict[str, float]:
    def run() -> BlockValues:
        return block_values(stage.sources[:-1], stage.sources[-1], stage.kernel)

    seconds, found = _least_seconds(run, repeats)
    return {"seconds": seconds, "max_error": float(np.abs(found.squared - truth).max())}


def _least_seconds(run: Callable[[], Result], repeats: int) -> tuple[float, Result]:
    """The least time of several runs, and what they gave."""
    least = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        found = run()
        least = min(least, time.perf_counter() - start)
    return least, found


def to_the_anchor(gram: Matrix) -> Vector:
    """|mu_i - mu_anchor|^2 of every vendor, from inner products with the anchor last."""
    distances: Vector = np.diag(gram)[:-1] - 2.0 * gram[:-1, -1] + gram[-1, -1]
    return distances


def _of_distances(errors: Matrix) -> Vector:
    """What intervals add for the error of their squared distance: the entries' errors, all one way."""
    added: Vector = np.diag(errors)[:-1] + 2.0 * errors[:-1, -1] + errors[-1, -1]
    return added


def set_the_stage(rows: int) -> Stage:
    """Ten vendors and an anchor of so many rows each, 1,024 columns."""
    draw = np.random.default_rng(0)
    if catalog.is_here("mnist") and catalog.is_here("fashion_mnist"):
        clean, other, data = (
            _images("mnist", "x_train"),
            _images("fashion_mnist", "x"),
            "MNIST, Fashion-MNIST",
        )
    else:
        clean = draw.standard_normal((3 * rows, WIDTH), dtype=np.float32)
        other, data = clean[::-1] + np.float32(0.1), "Gaussians"
    sources = []
    for j in range(VENDORS + 1):
        foreign = draw.binomial(rows, j / VENDORS) if j < VENDORS else 0
        own = clean[draw.choice(len(clean), rows - foreign)]
        sources.append(np.concatenate([own, other[draw.choice(len(other), foreign)]]))
    return Stage(sources, default_kernel([sources[-1]]), data)


def _images(name: str, array: str) -> NDArray[np.float32]:
    """Images of 28 x 28 in a frame of 32 x 32, as the paper's authors use them; grey values from 0 to 1."""
    with np.load(catalog.locate(name), allow_pickle=False) as file:
        images = file[array].reshape(-1, 28, 28)
    framed = np.pad(images, ((0, 0), (2, 2), (2, 2))).reshape(len(images), WIDTH)
    return framed.astype(np.float32) / np.float32(255.0)
