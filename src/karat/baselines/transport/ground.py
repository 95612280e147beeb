"""What it costs to move one row onto another, and what a solved transport problem says."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from karat.typing import Matrix, Vector


@dataclass(frozen=True, eq=False)
class Ground:
    """The cost of moving row k of one set onto row l of another, as c_kl = p_k + q_l - u_k . v_l.

    Half the squared distance has this form, and a distance between labels fits into it: it adds W[s_k, t_l],
    which is the inner product of a row of W with an indicator. So every block of costs is one matrix product.

    p: (n,), q: (m,), u: (n, r), v: (m, r).
    """

    p: Vector
    q: Vector
    u: Matrix
    v: Matrix

    @classmethod
    def between(cls, x: Matrix, y: Matrix) -> Ground:
        """c_kl = |x_k - y_l|^2 / 2, after centring on the mean of y."""
        centre = y.mean(axis=0)
        x, y = x - centre, y - centre
        return cls(0.5 * np.einsum("ij,ij->i", x, x), 0.5 * np.einsum("ij,ij->i", y, y), x, y)

    def with_labels(self, x_codes: NDArray[np.intp], y_codes: NDArray[np.intp], distances: Matrix) -> Ground:
        """The same cost plus distances[x_codes[k], y_codes[l]]; distances: (classes of x, classes of y)."""
        indicator = np.eye(distances.shape[1])[y_codes]
        return Ground(
            self.p, self.q, np.hstack([self.u, -distances[x_codes]]), np.hstack([self.v, indicator])
        )

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.p), len(self.q)

    def block(self, start: int, stop: int) -> Matrix:
        """The costs of rows start to stop against all of the other set, float64, never negative."""
        costs = self.u[start:stop] @ self.v.T
        np.subtract(self.q, costs, out=costs)
        costs += self.p[start:stop, None]
        return np.maximum(costs, 0.0, out=costs)

    def mean(self, a: Vector, b: Vector) -> float:
        """The cost of moving everything everywhere, sum_kl a_k b_l c_kl; O((n + m) r)."""
        return float(a @ self.p + b @ self.q - (a @ self.u) @ (b @ self.v))


@dataclass(frozen=True, eq=False)
class Transport:
    """A solved problem.

    cost: its optimal value; source (n,), target (m,): dual potentials f and g, cost = a . f + b . g.
    rounds: iterations; is_converged: whether the tolerance was met.
    """

    cost: float
    source: Vector
    target: Vector
    rounds: int = 0
    is_converged: bool = True


def uniform(size: int) -> Vector:
    """Equal weights that sum to one."""
    return np.full(size, 1.0 / size)
