"""Kernels made of kernels: on some of the columns, and sums and products of several.

A product over column blocks compares joint behaviour ("this label with these features"); a sum compares each
block on its own and adds up.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np

from karat.errors import KernelError
from karat.kernels.base import Kernel
from karat.typing import Matrix, Rows, Vector


class OnColumns(Kernel):
    """A kernel that sees the columns start to stop (exclusive) of a row and nothing else."""

    name: ClassVar[str] = "on-columns"

    def __init__(self, kernel: Kernel, start: int, stop: int) -> None:
        if not 0 <= start < stop:
            raise KernelError(
                f"the {kernel.name} kernel was put on the columns {start} to {stop}, which are none.",
                hint="Give a start below the stop, counted from 0.",
            )
        self.kernel, self.start, self.stop = kernel, int(start), int(stop)
        self.bound, self.is_nonnegative = kernel.bound, kernel.is_nonnegative
        self.is_shift_invariant = kernel.is_shift_invariant

    def _part(self, a: Rows) -> Rows:
        if a.shape[1] < self.stop:
            raise KernelError(
                f"the {self.kernel.name} kernel looks at the columns {self.start} to {self.stop}, "
                f"but rows have {a.shape[1]}.",
                hint="Build the kernel from the layout of the market that it is used on.",
            )
        return a[:, self.start : self.stop]

    def block(self, a: Rows, b: Rows) -> Matrix:
        return self.kernel.block(self._part(a), self._part(b))

    def diagonal(self, a: Rows) -> Vector:
        return self.kernel.diagonal(self._part(a))

    def parameters(self) -> dict[str, object]:
        return {"kernel": self.kernel.to_dict(), "start": self.start, "stop": self.stop}

    def __repr__(self) -> str:
        return f"OnColumns({self.kernel!r}, {self.start}, {self.stop})"


class _Several(Kernel):
    """Shared by sums and products: the parts, and what follows from all of them."""

    def __init__(self, parts: Sequence[Kernel]) -> None:
        if not parts:
            raise KernelError(f"the {self.name} kernel has no parts.", hint="Pass at least one kernel.")
        self.parts = tuple(parts)
        self.is_nonnegative = all(part.is_nonnegative for part in parts)
        self.is_shift_invariant = all(part.is_shift_invariant for part in parts)

    def parameters(self) -> dict[str, object]:
        return {"parts": [part.to_dict() for part in self.parts]}

    def __repr__(self) -> str:
        return f"{type(self).__name__}({list(self.parts)!r})"


class Sum(_Several):
    """k = k_1 + ... + k_p; the bounds add up."""

    name: ClassVar[str] = "sum"

    def __init__(self, parts: Sequence[Kernel]) -> None:
        super().__init__(parts)
        self.bound = math.fsum(part.bound for part in parts)

    def block(self, a: Rows, b: Rows) -> Matrix:
        total = self.parts[0].block(a, b)
        for part in self.parts[1:]:
            total = total + part.block(a, b)
        return total

    def diagonal(self, a: Rows) -> Vector:
        values: Vector = np.sum([part.diagonal(a) for part in self.parts], axis=0)
        return values


class Product(_Several):
    """k = k_1 * ... * k_p; the bounds multiply."""

    name: ClassVar[str] = "product"

    def __init__(self, parts: Sequence[Kernel]) -> None:
        super().__init__(parts)
        self.bound = math.prod(part.bound for part in parts)
        # An unbounded kernel is shift invariant only up to what contrasts cancel (see Kernel); multiplied by
        # another kernel, that would count.
        if not math.isfinite(self.bound):
            self.is_shift_invariant = False

    def block(self, a: Rows, b: Rows) -> Matrix:
        product = self.parts[0].block(a, b)
        for part in self.parts[1:]:
            product = product * part.block(a, b)
        return product

    def diagonal(self, a: Rows) -> Vector:
        values: Vector = np.prod([part.diagonal(a) for part in self.parts], axis=0)
        return values


def on_blocks(blocks: Mapping[str, tuple[int, int]], kernels: Mapping[str, Kernel]) -> list[Kernel]:
    """One kernel per named column block, ready for `Sum` or `Product`.

    blocks: name -> (start, stop), as the layout of an encoder has them.
    """
    unknown = sorted(set(kernels) - set(blocks))
    if unknown:
        raise KernelError(
            f"kernels were given for column blocks that do not exist: {', '.join(map(repr, unknown))}.",
            hint=f"The blocks are {', '.join(map(repr, blocks))}.",
        )
    return [OnColumns(kernel, *blocks[name]) for name, kernel in kernels.items()]
