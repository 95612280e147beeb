"""What simulated markets are drawn from, with inner products of mean embeddings that are known exactly.

A population is a pair (P, Q): a source with contamination e draws from (1 - e) P + e Q. All truths of a
market follow from three numbers, <P, P>, <P, Q> and <Q, Q> under the kernel of the run, because embeddings
are linear in the distribution.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from karat.kernels.bandwidth import median_distance
from karat.kernels.distances import squared_row_distances
from karat.typing import Matrix, Vector

Batch = NDArray[np.float64]

FACTORS = (0.5, 1.0, 2.0)
"""The default kernel: the mean of Gaussians at these multiples of the median distance."""

NODES = 17
"""Chebyshev nodes in the logarithm of the bandwidth; log products are interpolated to about 1e-6."""


class Population(Protocol):
    """A pair of distributions that rows are drawn from, and their inner products."""

    @property
    def name(self) -> str: ...

    def draw(self, rng: np.random.Generator, runs: int, rows: int, share: float) -> Batch:
        """(runs, rows, d) independent rows of (1 - share) P + share Q."""
        ...

    def products(self, bandwidth: Vector, scale: Matrix | None) -> Batch:
        """(runs, 2, 2) inner products of P and Q under each run's kernel, on columns divided by the scale."""
        ...


def mixed(rng: np.random.Generator, clean: Batch, other: Batch, share: float) -> Batch:
    """Each row from the other sample with probability `share`."""
    chosen: Batch = np.where(rng.random((*clean.shape[:2], 1)) < share, other, clean)
    return chosen


@dataclass(frozen=True)
class Components:
    """A mixture of normals with independent columns; variance 0 makes an atom.

    weights: (c,). means, variances: (c, d).
    """

    weights: Vector
    means: Matrix
    variances: Matrix

    def draw(self, rng: np.random.Generator, runs: int, rows: int) -> Batch:
        which = rng.choice(len(self.weights), size=(runs, rows), p=self.weights)
        noise = rng.standard_normal((runs, rows, self.means.shape[1]))
        drawn: Batch = self.means[which] + np.sqrt(self.variances)[which] * noise
        return drawn

    def product(self, other: Components, bandwidth: Vector, scale: Matrix) -> Vector:
        """(runs,), E k(x, y) for x from this and y from the other mixture.

        x - y is normal per pair of components: with v its variance, g its mean and s the bandwidth of one
        Gaussian, E = prod over columns of sqrt(s^2 / (s^2 + v)) exp(-g^2 / (2 (s^2 + v))).
        """
        gaps = (self.means[:, None] - other.means[None]) ** 2  # (a, b, d)
        spread = self.variances[:, None] + other.variances[None]
        unit = scale[:, None, None, :] ** 2  # (runs, 1, 1, d)
        total = np.zeros(len(bandwidth))
        for factor in FACTORS:
            s2 = ((factor * bandwidth) ** 2)[:, None, None, None]
            wide = s2 + spread / unit
            values = np.exp(0.5 * (np.log(s2 / wide) - gaps / unit / wide).sum(axis=-1))
            total += np.einsum("a,rab,b->r", self.weights, values, other.weights)
        return total / len(FACTORS)


@dataclass(frozen=True)
class Normals:
    """P and Q as mixtures of normals or atoms: everything in closed form."""

    name: str
    clean: Components
    other: Components

    def draw(self, rng: np.random.Generator, runs: int, rows: int, share: float) -> Batch:
        return mixed(rng, self.clean.draw(rng, runs, rows), self.other.draw(rng, runs, rows), share)

    def products(self, bandwidth: Vector, scale: Matrix | None) -> Batch:
        unit = np.ones((len(bandwidth), self.clean.means.shape[1])) if scale is None else scale
        between = self.clean.product(self.other, bandwidth, unit)
        found = np.empty((len(bandwidth), 2, 2))
        found[:, 0, 0] = self.clean.product(self.clean, bandwidth, unit)
        found[:, 1, 1] = self.other.product(self.other, bandwidth, unit)
        found[:, 0, 1] = found[:, 1, 0] = between
        return found


@dataclass(frozen=True)
class Pools:
    """P and Q as uniform distributions on rows of real data, drawn with replacement."""

    name: str
    clean: Matrix
    other: Matrix

    def draw(self, rng: np.random.Generator, runs: int, rows: int, share: float) -> Batch:
        clean = self.clean[rng.integers(len(self.clean), size=(runs, rows))]
        other = self.other[rng.integers(len(self.other), size=(runs, rows))]
        return mixed(rng, clean, other, share)

    def products(self, bandwidth: Vector, scale: Matrix | None) -> Batch:
        """Interpolated in the bandwidth between exact values on the pools; columns are used as they are."""
        assert scale is None, "pools are not encoded: their products would depend on every column's scale"
        low, high = self._range
        at = 2.0 * (np.log(bandwidth) - low) / (high - low) - 1.0
        assert np.abs(at).max() <= 1.0, "a bandwidth lies outside the table of products"
        found = np.empty((len(bandwidth), 2, 2))
        for (i, j), fit in self._fits.items():
            found[:, i, j] = found[:, j, i] = np.exp(np.polynomial.chebyshev.chebval(at, fit))
        return found

    @cached_property
    def _range(self) -> tuple[float, float]:
        """Logarithms of a third of P's median distance and of three times it; samples' medians lie inside."""
        middle = math.log(median_distance([self.clean]))
        return middle - math.log(3.0), middle + math.log(3.0)

    @cached_property
    def _fits(self) -> dict[tuple[int, int], Vector]:
        """Chebyshev coefficients of the logarithm of each product in the logarithm of the bandwidth."""
        nodes = np.cos(np.pi * (np.arange(NODES) + 0.5) / NODES)
        low, high = self._range
        bandwidths = np.exp(low + (high - low) * (nodes + 1.0) / 2.0)
        parts = (self.clean, self.other)
        fits = {}
        for i, j in ((0, 0), (0, 1), (1, 1)):
            squares = squared_row_distances(parts[i], parts[j])
            values = [
                np.mean([np.exp(squares / (-2.0 * (factor * s) ** 2)).mean() for factor in FACTORS])
                for s in bandwidths
            ]
            fit = np.polynomial.chebyshev.chebfit(nodes, np.log(values), NODES - 1)
            fits[i, j] = np.asarray(fit, dtype=np.float64)
        return fits


def normal() -> Normals:
    """Correlated only through the shift: four columns of unlike scale, Q moved by one deviation in each."""
    scale = np.array([1.0, 10.0, 0.1, 3.0])
    zero, one = np.zeros((1, 4)), np.ones((1, 4))
    return Normals(
        "normal",
        Components(np.ones(1), zero * scale, one * scale**2),
        Components(np.ones(1), one * scale, one * scale**2),
    )


def heavy_tails() -> Normals:
    """A tenth of the rows ten times, a hundredth a hundred times as wide; Q moved and half as wide again."""
    weights, widths = np.array([0.89, 0.1, 0.01]), np.array([1.0, 10.0, 100.0])
    variances = np.repeat(widths[:, None] ** 2, 4, axis=1)
    return Normals(
        "heavy tails",
        Components(weights, np.zeros((3, 4)), variances),
        Components(weights, np.full((3, 4), 0.8), 2.25 * variances),
    )


def discrete() -> Normals:
    """Two columns of counts from 0 to 4, in opposite proportions under P and Q: 25 atoms."""
    shares = np.array([0.5, 0.3, 0.1, 0.07, 0.03])
    atoms = np.array([[a, b] for a in range(5) for b in range(5)], dtype=np.float64)
    still = np.zeros_like(atoms)
    return Normals(
        "discrete",
        Components(np.outer(shares, shares).ravel(), atoms, still),
        Components(np.outer(shares[::-1], shares[::-1]).ravel(), atoms, still),
    )
