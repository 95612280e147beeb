"""Simulated markets: draw, encode, choose the kernel, sum; with the truth that this run's kernel makes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from karat.gram import Moments, kernel_sums, moments_from_sums
from karat.kernels import Kernel, default_kernel
from karat.promises.batches import (
    batched_moments,
    default_kernel_values,
    median_distances,
    runs_per_batch,
    squared_distances_within,
)
from karat.promises.populations import Batch, Population
from karat.typing import Matrix, Vector

ENGINE_ROWS = 400
"""Markets with more rows than this in all go through the exact engine, the others through numpy batches."""


@dataclass(frozen=True)
class Setting:
    """One simulated market.

    shares, sizes: contamination and rows of each source. anchor: the last source is the buyer's own, and
    fixes encoder and kernel; without one all vendors do. encode: columns are divided by the reference's
    deviations.
    """

    population: Population
    shares: tuple[float, ...]
    sizes: tuple[int, ...]
    anchor: bool = True
    encode: bool = False

    @property
    def name(self) -> str:
        sizes = "/".join(str(size) for size in self.sizes)
        return f"{self.population.name}, rows {sizes}"


@dataclass(frozen=True)
class Run:
    """One run: its moments, and the inner products of the sources' distributions under its kernel."""

    moments: Moments
    truth: Matrix

    def squared(self, contrasts: Matrix) -> Vector:
        """The true squared distances."""
        true: Vector = np.einsum("ij,ij->i", contrasts @ self.truth, contrasts)
        return np.maximum(true, 0.0)


def simulate(setting: Setting, runs: int, rng: np.random.Generator) -> Iterator[Run]:
    """Independent runs of a market; encoder and kernel are chosen anew in each, from what the buyer sees."""
    total = sum(setting.sizes)
    batch = runs_per_batch(min(total, ENGINE_ROWS))
    for start in range(0, runs, batch):
        yield from _batch(setting, min(batch, runs - start), rng)


def _batch(setting: Setting, runs: int, rng: np.random.Generator) -> Iterator[Run]:
    population = setting.population
    sources = [
        population.draw(rng, runs, rows, share)
        for share, rows in zip(setting.shares, setting.sizes, strict=True)
    ]
    scale: Matrix | None = None
    if setting.encode:
        scale = reference_rows(sources, anchor=setting.anchor).std(axis=1)
        sources = [rows / scale[:, None, :] for rows in sources]
    reference = reference_rows(sources, anchor=setting.anchor)
    if sum(setting.sizes) > ENGINE_ROWS:
        kernels = [default_kernel([rows]) for rows in reference]
        bandwidth = np.array([kernel.bandwidths[1] for kernel in kernels])
        found: Iterator[Moments] = (
            _engine([rows[run] for rows in sources], kernels[run], anchor=setting.anchor)
            for run in range(runs)
        )
    else:
        squares = squared_distances_within(np.concatenate(sources, axis=1))
        bandwidth = median_distances(squared_distances_within(reference))
        found = batched_moments(
            default_kernel_values(squares, bandwidth), setting.sizes, anchor=setting.anchor
        )
    products = population.products(bandwidth, scale)
    mixing = np.array([[1.0 - share, share] for share in setting.shares])
    for run, moments in enumerate(found):
        yield Run(moments, mixing @ products[run] @ mixing.T)


def reference_rows(sources: list[Batch], *, anchor: bool) -> Batch:
    """The rows that fix encoder and kernel: the anchor's, or without one all vendors' (of equal sizes)."""
    return sources[-1] if anchor else np.concatenate(sources, axis=1)


def _engine(sources: list[Matrix], kernel: Kernel, *, anchor: bool) -> Moments:
    """Moments through the engine that appraisals use, in double precision."""
    names = [f"vendor {j}" for j in range(len(sources) - anchor)] + ["anchor"] * anchor
    sums = kernel_sums(sources, kernel, precision="float64")
    return moments_from_sums(sums, names=names, kernel=kernel, anchor=len(sources) - 1 if anchor else None)
