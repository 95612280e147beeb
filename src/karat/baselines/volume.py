"""Volume: how much room a vendor's rows take, whatever the buyer needs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from karat.baselines.base import Case, Valuation
from karat.baselines.standard import living_directions, standardised
from karat.typing import Matrix
from karat.values import Values

SMALLEST_DETERMINANT = 1e-8
"""Added to the determinant, as the authors do, so that the logarithm of a flat preview's volume is finite."""


@dataclass(frozen=True, kw_only=True)
class Volume(Valuation):
    """The logarithm of the volume of a vendor's rows, plain or robust to copies.

        plain   log Vol(X) = log sqrt(det X'X + 1e-8)
        robust  log Vol(X~) + sum over cubes c of log((1 - a^(n_c + 1)) / (1 - a)),   a = 1 / (10 N)

    X~ are the means of the rows in each non-empty cube of edge `omega`, counted from the vendor's own least
    values; n_c are the rows in a cube and N the cubes of all vendors together, as the authors' code counts
    when it is called with all of them. Copies fall into one cube and hardly add to the robust form.
    Rows are standardised over all vendors; dead columns, and directions that depend on others, are dropped
    for all alike. No labels and no reference enter: outliers and noise enlarge a volume, so that under
    contamination it often orders vendors the wrong way round. It grows with the number of rows.
    """

    name: ClassVar[str] = "volume"
    needs: ClassVar[tuple[str, ...]] = ()
    converges_to: ClassVar[str] = "(d/2) log m + log det(E xx') / 2: it grows with m"
    cost: ClassVar[str] = "O(m d^2) per vendor"
    citation: ClassVar[str] = "Xu et al. 2021"

    robust: bool = True
    omega: float = 0.1

    def run(self, case: Case) -> Values:
        parts = standardised(case.market.samples)
        if not self.robust:
            basis = living_directions(parts)
            return case.values(self, [log_volume(rows @ basis) for rows in parts], directions=basis.shape[1])
        cubes = [cubed(rows, self.omega) for rows in parts]
        basis = living_directions([one.means for one in cubes])
        n_cubes = sum(len(one.counts) for one in cubes)
        scores = [log_volume(one.means @ basis) + log_repeats(one.counts, n_cubes) for one in cubes]
        return case.values(self, scores, directions=basis.shape[1], omega=self.omega, cubes=n_cubes)


@dataclass(frozen=True, eq=False)
class Cubes:
    """The non-empty cubes of a grid: the mean of the rows in each (c, d), and how many they are (c,)."""

    means: Matrix
    counts: NDArray[np.intp]


def cubed(rows: Matrix, omega: float) -> Cubes:
    """The rows gathered into cubes of edge omega; O(m d + m log m)."""
    places = np.floor((rows - rows.min(axis=0)) / omega)
    _, cube, counts = np.unique(places, axis=0, return_inverse=True, return_counts=True)
    cube = cube.reshape(-1)
    means = np.stack([np.bincount(cube, column) for column in rows.T], axis=1) / counts[:, None]
    return Cubes(means, counts)


def log_volume(rows: Matrix) -> float:
    """The log of sqrt(det X'X + 1e-8), from the logarithm of the determinant in float64.

    >>> round(log_volume(np.array([[3.0, 0.0], [0.0, 2.0]])), 6) == round(math.log(6.0), 6)
    True
    """
    sign, log_determinant = np.linalg.slogdet(rows.T @ rows)
    is_flat = sign <= 0.0 or len(rows) < rows.shape[1]
    floor = math.log(SMALLEST_DETERMINANT)
    return 0.5 * (floor if is_flat else float(np.logaddexp(log_determinant, floor)))


def log_repeats(counts: NDArray[np.intp], n_cubes: int) -> float:
    """The sum over cubes of log((1 - a^(n_c + 1)) / (1 - a)), a = 1 / (10 N): what repeats add."""
    a = 1.0 / (10.0 * n_cubes)
    return float((np.log1p(-(a ** (counts + 1.0))) - math.log1p(-a)).sum())
