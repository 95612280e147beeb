"""Table 5 and figure 6: discrete distributions on 0..10, where everything is known in closed form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from karat.kernels import Gaussian
from karat.paper.base import Cell, Experiment, parts
from karat.paper.statistics import line_fit, mean_and_error, pearson
from karat.typing import Matrix, Vector
from karat.values import mmd, squared_mmd
from karat.values.robust import core_weights
from karat.vendors.huber import contaminated_probabilities, discrete_gram

POINTS = 11
"""The integers 0 to 10."""

MOST_CONTAMINATION = 0.5


@dataclass(frozen=True, kw_only=True)
class Verification(Experiment):
    """Vendors with random Q_i and e_i uniform on [0, 0.5]; how well do values without P* track -d(P_i, P*)?

    The paper does not say how distributions are drawn: here as uniform numbers divided by their sum.
    sizes: vendors; rows: rows per vendor, 0 for the population itself, as printed.
    """

    family: ClassVar[str] = "verification"

    sizes: tuple[int, ...]
    rows: tuple[int, ...] = (0, 200, 1000)

    def cells(self) -> tuple[str, ...]:
        return tuple(f"vendors-{n}-{t}" for n in self.sizes for t in range(self.trials))

    def run(self, cell: str) -> dict[str, Any]:
        _, (n, trial) = parts(cell)
        rng = self.generator(n, trial)
        clean = random_distributions(1, rng)[0]
        foreign = random_distributions(n, rng)
        share = rng.uniform(0.0, MOST_CONTAMINATION, n)
        kernel = kernel_matrix()
        vendors = contaminated_probabilities(clean, foreign, share)
        errors = mmd(squared_gaps(vendors, clean, kernel))
        found: dict[str, Any] = {}
        for rows in self.rows:
            gram, biased, noise = observed(vendors, kernel, rows, rng)
            for name, weights in weightings(gram, biased, noise).items():
                values = -mmd(squared_mmd(gram, np.eye(n) - weights))
                found[f"{name}-{rows}"] = pearson(values, -errors)
                if rows == 0 and name == "uniform" and trial == 0:
                    found["scatter"] = {"error": errors.tolist(), "value": values.tolist()}
        return found

    def summary(self, cells: Mapping[str, Cell]) -> dict[str, Any]:
        table: dict[str, Any] = {}
        for n in self.sizes:
            trials = [cells[f"vendors-{n}-{t}"] for t in range(self.trials)]
            names = [name for name in trials[0] if name != "scatter"]
            table[str(n)] = {name: mean_and_error([trial[name] for trial in trials]) for name in names}
            scatter = trials[0]["scatter"]
            table[str(n)]["fit"] = line_fit(scatter["error"], scatter["value"])
        return {"table": table}


def random_distributions(count: int, rng: np.random.Generator) -> Matrix:
    """Distributions on the points, (count, points): uniform numbers divided by their sum."""
    drawn = rng.random((count, POINTS))
    shares: Matrix = drawn / drawn.sum(axis=1, keepdims=True)
    return shares


def kernel_matrix() -> Matrix:
    """exp(-(x - y)^2 / 2) on the points: the paper's bandwidth is 1."""
    points = np.arange(float(POINTS))[:, None]
    return Gaussian(1.0).block(points, points)


def squared_gaps(vendors: Matrix, clean: Vector, kernel: Matrix) -> Vector:
    """(p_i - p*)' K (p_i - p*)."""
    gaps = vendors - clean
    squares: Vector = np.einsum("ij,jk,ik->i", gaps, kernel, gaps)
    return squares


def observed(
    vendors: Matrix, kernel: Matrix, rows: int, rng: np.random.Generator
) -> tuple[Matrix, Matrix, Vector]:
    """Gram matrix without bias, the biased one, and spread / rows; exact where rows is 0.

    A preview on finitely many points is its counts, so no pair of rows needs to be looked at: with shares p
    of m rows, the biased product is p'Kp and the unbiased one (m p'Kp - sum_x p_x k(x, x)) / (m - 1).
    """
    if rows == 0:
        gram = discrete_gram(vendors, kernel)
        return gram, gram, np.zeros(len(gram))
    shares = rng.multinomial(rows, vendors) / rows
    biased = discrete_gram(shares, kernel)
    own = np.diag(biased)
    self_mean = shares @ np.diag(kernel)
    unbiased = (rows * own - self_mean) / (rows - 1)
    gram = biased.copy()
    np.fill_diagonal(gram, unbiased)
    return gram, biased, np.maximum(self_mean - unbiased, 0.0) / rows


def weightings(gram: Matrix, biased: Matrix, noise: Vector) -> dict[str, Vector]:
    """The two references that need no rows of the buyer's."""
    n = len(gram)
    return {"uniform": np.full(n, 1.0 / n), "robust": core_weights(gram, biased, noise)}
