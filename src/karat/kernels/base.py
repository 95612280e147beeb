"""What a kernel is to the rest of karat: values, a bound, and a name that survives a saved file.

A kernel of your own is a subclass with three things: `block`, `diagonal` and `bound`.

>>> import numpy as np
>>> class Overlap(Kernel):
...     "The share of columns in which two rows agree."
...     name, bound = "overlap", 1.0
...     def block(self, a, b):
...         return (a[:, None, :] == b[None, :, :]).mean(axis=2)
...     def diagonal(self, a):
...         return np.ones(len(a))
>>> Overlap().block(np.array([[1.0, 2.0]]), np.array([[1.0, 3.0]]))
array([[0.5]])
"""

from __future__ import annotations

import hashlib
import json
import math
from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np

from karat.errors import KernelError
from karat.kernels.profile import Profile
from karat.typing import Matrix, Rows, Vector


class Kernel(ABC):
    """A symmetric positive semidefinite function of two rows.

    bound: sup of k(x, x); infinite for kernels that no guarantee can use.
    is_nonnegative: k(x, y) >= 0 for all rows; sharper constants hold then.
    is_shift_invariant: k depends on x - y alone, or shifting all rows adds f(x) + f(y) to it, which no
        contrast sees; so rows may be centred first.
    """

    name: ClassVar[str]
    bound: float
    is_nonnegative: bool = True
    is_shift_invariant: bool = False

    @abstractmethod
    def block(self, a: Rows, b: Rows) -> Matrix:
        """Kernel values between the rows of a (m, d) and of b (l, d), float64 (m, l)."""

    @abstractmethod
    def diagonal(self, a: Rows) -> Vector:
        """k(x, x) for every row x of a."""

    @property
    def profile(self) -> Profile | None:
        """The kernel for the fused tile pass, or None: then `block` is summed."""
        return None

    def parameters(self) -> dict[str, object]:
        """What, with the name, makes this kernel again; plain JSON values."""
        return {}

    def to_dict(self) -> dict[str, object]:
        """Name, parameters and properties, as the saved appraisal holds them, an infinite bound as null."""
        return {
            "name": self.name,
            "parameters": self.parameters(),
            "bound": self.bound if math.isfinite(self.bound) else None,
            "is_nonnegative": self.is_nonnegative,
            "digest": self.digest,
        }

    @property
    def digest(self) -> str:
        """A hash of name and parameters: two appraisals compare only if theirs agree."""
        text = json.dumps([self.name, self.parameters()], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def __repr__(self) -> str:
        inside = ", ".join(f"{key}={value!r}" for key, value in self.parameters().items())
        return f"{type(self).__name__}({inside})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        return hash((self.name, self.digest))


def check_positive(kernel: str, parameter: str, value: object, *, most: float = math.inf) -> float:
    """The parameter as a float, if it is positive, finite and not larger than the most."""
    number = float(value) if isinstance(value, (int, float, np.number)) else math.nan
    if 0.0 < number <= most and math.isfinite(number):
        return number
    within = "positive and finite" if most == math.inf else f"positive and at most {most:g}"
    raise KernelError(
        f"the {parameter} of the {kernel} kernel is {value!r}; it must be {within}.",
        hint="Pass a positive number, or leave it out to have it set from the reference's own rows.",
    )
