"""Valuations that are kernel distances, all read from kernel sums: ours, its square, the energy distance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from karat.baselines.base import Case, Valuation, kernel_for, moments_of
from karat.errors import ValuationError
from karat.gram import Moments
from karat.gram.block import BLOCK, Compat, block_values
from karat.kernels import Energy, Gaussian, Kernel
from karat.typing import Vector
from karat.values import Values, reference_named, squared_mmd, value

TAY_LENGTHSCALES = (0.01, 1000.0)
"""Between which Tay et al. search."""

TAY_STEPS = 20
"""Halvings of that interval."""


def moments_for(case: Case, kernel: str | Kernel) -> Moments:
    """The moments that were given, if they are of this market, else those with the kernel named."""
    if case.moments is None:
        return moments_of(case.market, kernel, progress=case.progress)
    expected = tuple(source.name for source in case.market.sources)
    if case.moments.names != expected:
        raise ValuationError(
            f"the moments are of {', '.join(case.moments.names)}, the market has {', '.join(expected)}.",
            hint="Pass the moments of this market, or none: then they are computed.",
        )
    return case.moments


@dataclass(frozen=True, kw_only=True)
class Mmd(Valuation):
    """Ours: minus the MMD to the reference, from the unbiased estimate of its square.

    v_i = -sqrt(max(c_i' G c_i, 0)) with c_i = e_i - w. `details["squared"]` is what ranks near zero.
    """

    name: ClassVar[str] = "mmd"
    needs: ClassVar[tuple[str, ...]] = ("reference", "moments")
    converges_to: ClassVar[str] = "-MMD(P_i, reference)"
    cost: ClassVar[str] = "O(N^2 d) once for the moments, N rows in all; then O(n^2)"
    citation: ClassVar[str] = "Xu et al. 2024, eq. 2; estimator of Gretton et al. 2012, eq. 3"
    takes_any_reference: ClassVar[bool] = True

    kernel: str | Kernel = "default"

    def run(self, case: Case) -> Values:
        moments = moments_for(case, self.kernel)
        chosen = reference_named(moments, case.choice)
        squared = squared_mmd(moments.gram, chosen.contrasts)
        return case.values(self, value(squared), reference=chosen.name, squared=squared.tolist())


@dataclass(frozen=True, kw_only=True)
class SquaredMmd(Valuation):
    """Minus the biased squared MMD, v_i = -c_i' V c_i; it ranks as `mmd` does where previews are of one size.

    tay: as Tay et al. define it, v_i = 2 S_iT - S_ii (S_TT, the same for all, is dropped), with one Gaussian
    whose lengthscale is the smallest for which no vendor's value is negative, found by 20 halvings of
    0.01..1000. All vendors take part in the search, so any of them can move everybody's value.
    """

    name: ClassVar[str] = "mmd2"
    needs: ClassVar[tuple[str, ...]] = ("reference", "moments")
    converges_to: ClassVar[str] = "-MMD(P_i, reference)^2, from below by about K / m"
    cost: ClassVar[str] = "O(N^2 d) once for the moments; 20 times that with tay=True"
    citation: ClassVar[str] = "Tay et al. 2022, eq. 1"
    takes_any_reference: ClassVar[bool] = True

    kernel: str | Kernel = "default"
    tay: bool = False

    @property
    def shares_reference(self) -> bool:
        """The search of Tay et al. moves one lengthscale until all vendors do well against one reference."""
        return self.tay

    def run(self, case: Case) -> Values:
        if self.tay:
            return self._run_tay(case)
        moments = moments_for(case, self.kernel)
        chosen = reference_named(moments, case.choice)
        squared = squared_mmd(moments.gram_biased, chosen.contrasts)
        return case.values(self, -squared, reference=chosen.name)

    def _run_tay(self, case: Case) -> Values:
        low, high = TAY_LENGTHSCALES
        scores, name = _tay_scores(case, high)
        if (scores < 0.0).any():
            return case.values(self, scores, reference=name, lengthscale=high, search="no lengthscale fits")
        for step in range(TAY_STEPS):
            middle = (low + high) / 2.0
            tried, _ = _tay_scores(case, middle)
            if (tried < 0.0).any():
                low = middle
            else:
                high, scores = middle, tried
            case.tell(step + 1, TAY_STEPS)
        return case.values(self, scores, reference=name, lengthscale=high)


def _tay_scores(case: Case, lengthscale: float) -> tuple[Vector, str]:
    """2 S_iT - S_ii with one Gaussian, and the name of the reference T."""
    moments = moments_of(case.market, Gaussian(lengthscale))
    chosen = reference_named(moments, case.choice)
    assert chosen.weights is not None
    vendors = list(moments.vendors)
    scores: Vector = (2.0 * moments.gram_biased @ chosen.weights - np.diag(moments.gram_biased))[vendors]
    return scores, chosen.name


@dataclass(frozen=True, kw_only=True)
class BlockMmd(Valuation):
    """The estimator of the paper's authors: a biased squared MMD in blocks of rows, minus its root.

    Each block of b rows adds about 2 (K - E k) / b to the truth, and rows beyond the shorter of vendor and
    reference are left out. compat="xu2024" divides the sum over blocks by the block size, as their code does:
    values then grow with the rows. See `karat.gram.block`. The union of the vendors is the reference without
    an anchor; of it, too, only as many rows are used as the vendor has.
    """

    name: ClassVar[str] = "mmd-block"
    needs: ClassVar[tuple[str, ...]] = ("reference",)
    converges_to: ClassVar[str] = "-sqrt(MMD(P_i, reference)^2 + about 2 (K - E k) / block)"
    cost: ClassVar[str] = "O(m block d) per vendor"
    citation: ClassVar[str] = "code of Xu et al. 2024"

    kernel: str | Kernel = "paper"
    block: int = BLOCK
    compat: Compat | None = None

    def run(self, case: Case) -> Values:
        found = block_values(
            [sample.rows for sample in case.market.samples],
            case.reference.rows,
            kernel_for(case.market, self.kernel),
            block=self.block,
            compat=self.compat,
            seed=case.seed,
        )
        return case.values(
            self,
            found.values,
            reference=case.reference.name,
            squared=found.squared.tolist(),
            block=self.block,
        )


@dataclass(frozen=True, kw_only=True)
class EnergyDistance(Valuation):
    """Minus the energy distance, v_i = -(2 E|x - y| - E|x - x'| - E|y - y'|), unbiased; no bandwidth.

    It is twice the squared MMD of the kernel (|x| + |y| - |x - y|) / 2 (Sejdinovic et al. 2013, section 3).
    Near zero noise may make it slightly positive.
    """

    name: ClassVar[str] = "energy"
    needs: ClassVar[tuple[str, ...]] = ("reference",)
    converges_to: ClassVar[str] = "-(2 E|x - y| - E|x - x'| - E|y - y'|), y from the reference"
    cost: ClassVar[str] = "O(N^2 d), N rows in all"
    citation: ClassVar[str] = "Székely and Rizzo 2013"
    takes_any_reference: ClassVar[bool] = True

    def run(self, case: Case) -> Values:
        moments = moments_of(case.market, Energy(), progress=case.progress)
        chosen = reference_named(moments, case.choice)
        return case.values(self, -2.0 * squared_mmd(moments.gram, chosen.contrasts), reference=chosen.name)
