"""Kernels of the distance between two rows: Gaussians and their sums, Laplace, rational quadratic, energy."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from karat.errors import KernelError
from karat.kernels.base import Kernel, check_positive
from karat.kernels.distances import manhattan_row_distances, squared_row_distances
from karat.kernels.profile import LADDERS, Fill, Form, Profile
from karat.typing import Matrix, Rows, Vector

LOG2_E = math.log2(math.e)

MOST_APART = 1e15
"""Bandwidths of one kernel further apart than this have exponents that no common scale holds in float32."""

MOST_ALPHA = 1e30
"""Beyond it a rational quadratic kernel is a Gaussian in every digit, and its rows too small for float32."""


class _Gaussians(Kernel):
    """share * sum over bandwidths s of exp(-|x - y|^2 / (2 s^2))."""

    is_shift_invariant = True
    share: float

    def __init__(self, bandwidths: Sequence[float]) -> None:
        if not bandwidths:
            raise KernelError(
                f"the {self.name} kernel got no bandwidths.", hint="Pass at least one positive number."
            )
        self.bandwidths = tuple(sorted(check_positive(self.name, "bandwidth", s) for s in bandwidths))
        if self.bandwidths[-1] > MOST_APART * self.bandwidths[0]:
            raise KernelError(
                f"the bandwidths of the {self.name} kernel reach from {self.bandwidths[0]:g} to "
                f"{self.bandwidths[-1]:g}, more than {MOST_APART:g} times as far.",
                hint="Leave out the narrow ones: at the widest one's scale they only know equal rows.",
            )

    @property
    def bound(self) -> float:  # type: ignore[override]
        """The share times the number of bandwidths."""
        return self.share * len(self.bandwidths)

    def block(self, a: Rows, b: Rows) -> Matrix:
        squares = squared_row_distances(a, b)
        total = np.zeros_like(squares)
        for s in self.bandwidths:
            total += np.exp(squares / (-2.0 * s * s))
        return self.share * total

    def diagonal(self, a: Rows) -> Vector:
        return np.full(len(a), self.bound)

    def parameters(self) -> dict[str, object]:
        return {"bandwidths": list(self.bandwidths)}

    @property
    def profile(self) -> Profile:
        """One exponential 2^e of the widest Gaussian; the others are its powers where those are whole."""
        widest = self.bandwidths[-1]
        rates = tuple((widest / s) ** 2 for s in reversed(self.bandwidths))
        form = LADDERS.get(tuple(round(r, 9) for r in rates), Form.EXP2_RATES)
        return Profile(form, row_scale=math.sqrt(LOG2_E) / widest, scale=self.share, rates=rates)


class Gaussian(_Gaussians):
    """k(x, y) = exp(-|x - y|^2 / (2 bandwidth^2)); bound 1."""

    name: ClassVar[str] = "gaussian"
    share = 1.0

    def __init__(self, bandwidth: float) -> None:
        super().__init__([bandwidth])
        self.bandwidth = self.bandwidths[0]

    def parameters(self) -> dict[str, object]:
        return {"bandwidth": self.bandwidth}


class GaussianSum(_Gaussians):
    """The sum of Gaussians of several bandwidths; its bound is their number."""

    name: ClassVar[str] = "gaussian-sum"
    share = 1.0


class GaussianMean(_Gaussians):
    """The mean of Gaussians of several bandwidths; bound 1."""

    name: ClassVar[str] = "gaussian-mean"

    @property
    def share(self) -> float:  # type: ignore[override]
        """One over the number of bandwidths."""
        return 1.0 / len(self.bandwidths)

    @property
    def bound(self) -> float:  # type: ignore[override]
        return 1.0


class Laplace(Kernel):
    """k(x, y) = exp(-sum |x_c - y_c| / bandwidth), on the Manhattan distance; bound 1."""

    name: ClassVar[str] = "laplace"
    bound = 1.0
    is_shift_invariant = True

    def __init__(self, bandwidth: float) -> None:
        self.bandwidth = check_positive(self.name, "bandwidth", bandwidth)

    def block(self, a: Rows, b: Rows) -> Matrix:
        values: Matrix = np.exp(manhattan_row_distances(a, b) / -self.bandwidth)
        return values

    def diagonal(self, a: Rows) -> Vector:
        return np.ones(len(a))

    def parameters(self) -> dict[str, object]:
        return {"bandwidth": self.bandwidth}

    @property
    def profile(self) -> Profile:
        return Profile(Form.EXP2, row_scale=LOG2_E / self.bandwidth, fill=Fill.MANHATTAN, norms=False)


class RationalQuadratic(Kernel):
    """k(x, y) = (1 + |x - y|^2 / (2 alpha bandwidth^2))^-alpha; bound 1 and heavier tails."""

    name: ClassVar[str] = "rational-quadratic"
    bound = 1.0
    is_shift_invariant = True

    def __init__(self, bandwidth: float, alpha: float = 1.0) -> None:
        self.bandwidth = check_positive(self.name, "bandwidth", bandwidth)
        self.alpha = check_positive(self.name, "alpha", alpha, most=MOST_ALPHA)

    def block(self, a: Rows, b: Rows) -> Matrix:
        ratio = squared_row_distances(a, b) / (2.0 * self.alpha * self.bandwidth**2)
        values: Matrix = np.exp(-self.alpha * np.log1p(ratio))
        return values

    def diagonal(self, a: Rows) -> Vector:
        return np.ones(len(a))

    def parameters(self) -> dict[str, object]:
        return {"bandwidth": self.bandwidth, "alpha": self.alpha}

    @property
    def profile(self) -> Profile:
        return Profile(
            Form.RATIONAL, row_scale=1.0 / (self.bandwidth * math.sqrt(self.alpha)), rates=(self.alpha,)
        )


class Energy(Kernel):
    """k(x, y) = (|x| + |y| - |x - y|) / 2: its squared MMD is half the energy distance.

    Unbounded: fine for values and their asymptotic intervals, refused by guarantees. Values do not depend on
    the origin, because contrasts sum to zero; Sejdinovic et al. (2013), section 3.
    """

    name: ClassVar[str] = "energy"
    bound = math.inf
    is_shift_invariant = True

    def block(self, a: Rows, b: Rows) -> Matrix:
        norms_a, norms_b = self.diagonal(a), self.diagonal(b)
        return 0.5 * (norms_a[:, None] + norms_b[None, :] - np.sqrt(squared_row_distances(a, b)))

    def diagonal(self, a: Rows) -> Vector:
        norms: Vector = np.sqrt(np.einsum("ij,ij->i", a, a, dtype=np.float64))
        return norms

    @property
    def profile(self) -> Profile:
        return Profile(Form.DISTANCE)
