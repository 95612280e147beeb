"""The MMD of features and labels together, without a model.

The kernel on (x, y) is a product, k(x, x') * l(y, y'). For classes l is 1 where the labels agree and 0
elsewhere; for numbers it is a Gaussian whose bandwidth is the median distance of the reference's labels.
With k a Gaussian, or a sum or mean of Gaussians, that product is one Gaussian (or a sum of them) on the
features with the labels beside them as scaled columns; so it costs what a plain MMD costs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from karat.baselines.base import Case, Valuation
from karat.baselines.options import ANY_ROWS
from karat.errors import ValuationError
from karat.gram import kernel_sums, moments_from_sums
from karat.kernels import Gaussian, GaussianMean, GaussianSum, Kernel, kernel_named
from karat.kernels.bandwidth import median_distance
from karat.typing import Matrix, Rows
from karat.values import Values, reference_named, squared_mmd, value

GaussianKind = Gaussian | GaussianMean | GaussianSum

APART = 25.0
"""Rows of two classes have at most e^-25 in common: nothing that a float32 sum would notice."""


@dataclass(frozen=True, kw_only=True)
class JointMmd(Valuation):
    """Minus the MMD of (features, label) to the reference, from the unbiased estimate of its square.

    kernel: on the features, one of the Gaussian family. For numbers every bandwidth s of it has a label
    bandwidth of its own, in proportion: median * s / (the middle bandwidth), so the default compares both
    coarsely and finely.
    """

    name: ClassVar[str] = "mmd-joint"
    needs: ClassVar[tuple[str, ...]] = ("reference", "labels")
    converges_to: ClassVar[str] = "-MMD of the joint distributions of features and label"
    cost: ClassVar[str] = "O(N^2 (d + classes)), N rows in all"
    citation: ClassVar[str] = "product kernels: Gretton et al. 2005, 2012"

    kernel: str | Kernel = "default"

    def __post_init__(self) -> None:
        super().__post_init__()
        self._gaussian(ANY_ROWS)

    def run(self, case: Case) -> Values:
        assert case.labels is not None
        sources = case.market.sources if case.reference.name == "anchor" else case.market.samples
        fitted_on = [source.rows for source in case.reference.sources]
        kernel = self._gaussian(fitted_on)
        if case.labels.kind == "classes":
            columns = [class_columns(codes, case.labels.n_classes, kernel) for codes in case.labels.codes]
        else:
            references = case.labels.numbers[-1:] if case.reference.name == "anchor" else case.labels.numbers
            median = median_distance([numbers[:, None] for numbers in references])
            columns = [number_column(numbers, median, kernel) for numbers in case.labels.numbers]
        joint = [beside(source.rows, extra) for source, extra in zip(sources, columns, strict=True)]
        sums = kernel_sums(joint, kernel, progress=case.progress)
        anchor = len(sources) - 1 if case.reference.name == "anchor" else None
        moments = moments_from_sums(sums, names=[s.name for s in sources], kernel=kernel, anchor=anchor)
        chosen = reference_named(moments, case.reference.name)
        squared = squared_mmd(moments.gram, chosen.contrasts)
        return case.values(self, value(squared), reference=chosen.name, squared=squared.tolist())

    def _gaussian(self, fitted_on: Sequence[Rows]) -> GaussianKind:
        """The kernel on the features, with bandwidths from these rows where none are named."""
        kernel = self.kernel if isinstance(self.kernel, Kernel) else kernel_named(self.kernel, fitted_on)
        if not isinstance(kernel, GaussianKind):
            raise ValuationError(
                f"the valuation {self.name!r} needs a Gaussian kernel, not {kernel.name!r}.",
                hint="Choose 'default', 'paper', 'gaussian', 'gaussian-mean' or 'gaussian-sum'.",
            )
        return kernel


def class_columns(codes: NDArray[np.intp], n_classes: int, kernel: GaussianKind) -> Matrix:
    """One-hot columns, so long that the widest Gaussian of the kernel sees two classes as strangers."""
    columns: Matrix = np.eye(n_classes)[codes] * (math.sqrt(APART) * kernel.bandwidths[-1])
    return columns


def number_column(numbers: NDArray[np.float64], median: float, kernel: GaussianKind) -> Matrix:
    """The numbers as a column in which the kernel's middle bandwidth is the median distance of the labels."""
    middle = kernel.bandwidths[len(kernel.bandwidths) // 2]
    return numbers[:, None] * (middle / median)


def beside(rows: Rows, columns: Matrix) -> NDArray[Any]:
    """Features and label columns side by side, float64."""
    return np.hstack([rows, columns])
