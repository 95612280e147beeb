"""Kernels of the inner product of two rows: linear and polynomial. Unbounded, so without guarantees."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from karat.errors import KernelError
from karat.kernels.base import Kernel, check_positive
from karat.kernels.profile import Form, Profile
from karat.typing import Matrix, Rows, Vector


class Linear(Kernel):
    """k(x, y) = x . y: the MMD is the distance of the means, nothing more, wherever the origin is."""

    name: ClassVar[str] = "linear"
    bound = math.inf
    is_nonnegative = False
    is_shift_invariant = True

    def block(self, a: Rows, b: Rows) -> Matrix:
        return a.astype(np.float64) @ b.astype(np.float64).T

    def diagonal(self, a: Rows) -> Vector:
        squares: Vector = np.einsum("ij,ij->i", a, a, dtype=np.float64)
        return squares

    @property
    def profile(self) -> Profile:
        return Profile(Form.GIVEN, norms=False)


class Polynomial(Kernel):
    """k(x, y) = (x . y / width + offset)^degree: compares moments up to the degree."""

    name: ClassVar[str] = "polynomial"
    bound = math.inf

    def __init__(self, degree: float = 3, offset: float = 1.0) -> None:
        if check_positive(self.name, "degree", degree) < 1.0 or degree != int(degree):
            raise KernelError(
                f"the degree of the polynomial kernel is {degree:g}.", hint="Pass a whole number from 1 up."
            )
        self.degree, self.offset = int(degree), check_positive(self.name, "offset", offset)

    @property
    def is_nonnegative(self) -> bool:  # type: ignore[override]
        """Even degrees only."""
        return self.degree % 2 == 0

    def block(self, a: Rows, b: Rows) -> Matrix:
        product = a.astype(np.float64) @ b.astype(np.float64).T
        values: Matrix = (product / a.shape[1] + self.offset) ** self.degree
        return values

    def diagonal(self, a: Rows) -> Vector:
        squares = np.einsum("ij,ij->i", a, a, dtype=np.float64)
        values: Vector = (squares / a.shape[1] + self.offset) ** self.degree
        return values

    def parameters(self) -> dict[str, object]:
        return {"degree": self.degree, "offset": self.offset}
