"""Moments of the vendors' mean embeddings: the one small object that every later question is asked of.

With mu_j the mean embedding of source j and h_l(x) the mean of k(x, y) over the rows y of source l (x
itself left out in its own source), moments hold the inner products <mu_j, mu_l>, the covariance of the row
means, and the variance of what no row mean explains. No row is needed afterwards.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from karat.gram.packing import pack, unpack
from karat.gram.room import STEPS_HELD, let_go
from karat.gram.sums import KernelSums
from karat.kernels import Kernel
from karat.typing import Matrix, Vector

MOST_SOURCES_WITH_COVARIANCE = 64
"""Above this the (n, n, n) covariance is not kept: at 64 it takes 2 MB, at 1,000 it would take 8 GB."""


@dataclass(frozen=True)
class Moments:
    """What all later rooms read. n sources: the vendors and, last, the anchor where there is one.

    gram: (n, n), <mu_j, mu_l> without bias: no row meets itself.
    gram_biased: (n, n), the same with all pairs, the paper's estimator; differs on the diagonal only.
    self_mean: (n,), mean of k(x, x).
    covariance: (n, n, n), covariance[j] of the vector of row means over the rows of source j (divisor
        m_j - 1); None for more than 64 sources.
    interaction: (n, n), variance of k(x, y) - E[.|x] - E[.|y] + mean, unbiased; nan where a source has fewer
        than four rows.
    approximation: (n, n) standard error of gram where it is approximated, None where it is exact.
    """

    names: tuple[str, ...]
    anchor: int | None
    sizes: Vector
    effective_sizes: Vector
    bound: float
    nonnegative: bool
    gram: Matrix
    gram_biased: Matrix
    self_mean: Vector
    covariance: NDArray[np.float64] | None
    interaction: Matrix
    approximation: Matrix | None = None

    @property
    def n_sources(self) -> int:
        return len(self.names)

    @property
    def vendors(self) -> tuple[int, ...]:
        """The indices of the vendors among the sources."""
        return tuple(j for j in range(self.n_sources) if j != self.anchor)

    @property
    def n_vendors(self) -> int:
        return len(self.vendors)

    @property
    def vendor_names(self) -> tuple[str, ...]:
        return tuple(self.names[j] for j in self.vendors)

    @property
    def spread(self) -> Vector:
        """Per source, the variance of k(x, .) in the feature space: E k(x, x) - |mu|^2, at least 0."""
        clipped: Vector = np.maximum(self.self_mean - np.diag(self.gram), 0.0)
        return clipped

    def of_vendors(self) -> Moments:
        """The moments of the vendors alone: the market without its anchor."""
        kept = np.array(self.vendors, dtype=np.intp)
        across = np.ix_(kept, kept)
        return replace(
            self,
            names=self.vendor_names,
            anchor=None,
            sizes=self.sizes[kept],
            effective_sizes=self.effective_sizes[kept],
            gram=self.gram[across],
            gram_biased=self.gram_biased[across],
            self_mean=self.self_mean[kept],
            covariance=None if self.covariance is None else self.covariance[np.ix_(kept, kept, kept)],
            interaction=self.interaction[across],
            approximation=None if self.approximation is None else self.approximation[across],
        )

    def to_dict(self) -> dict[str, object]:
        """Plain JSON values; arrays keep every bit."""
        plain: dict[str, object] = {
            "names": list(self.names),
            "anchor": self.anchor,
            "nonnegative": self.nonnegative,
            "bound": self.bound if math.isfinite(self.bound) else None,
        }
        return plain | {name: pack(getattr(self, name)) for name in _ARRAYS}

    @classmethod
    def from_dict(cls, saved: Mapping[str, Any]) -> Moments:
        """The inverse of `to_dict`."""
        arrays = {name: None if saved[name] is None else unpack(saved[name]) for name in _ARRAYS}
        bound = math.inf if saved["bound"] is None else float(saved["bound"])
        return cls(
            names=tuple(saved["names"]),
            anchor=saved["anchor"],
            bound=bound,
            nonnegative=saved["nonnegative"],
            **arrays,  # type: ignore[arg-type]
        )


_ARRAYS = (
    "sizes",
    "effective_sizes",
    "gram",
    "gram_biased",
    "self_mean",
    "covariance",
    "interaction",
    "approximation",
)


def moments_from_sums(
    sums: KernelSums, *, names: Sequence[str], kernel: Kernel, anchor: int | None
) -> Moments:
    """Moments from sums that have seen every pair; O(N n^2), no kernel value is computed."""
    sums.check_complete(names)
    n, sizes = len(names), sums.sizes
    gram, variances = np.empty((n, n)), np.empty((n, n))
    covariance = np.empty((n, n, n)) if n <= MOST_SOURCES_WITH_COVARIANCE else None
    for j, h in enumerate(row_means(sums)):
        gram[j], variances[j] = h.mean(axis=0), h.var(axis=0, ddof=1)
        if covariance is not None:
            covariance[j] = np.cov(h, rowvar=False, ddof=1)
    gram = (gram + gram.T) / 2.0
    biased = gram.copy()
    np.fill_diagonal(biased, (np.diag(gram) * (sizes - 1.0) + sums.self_sums / sizes) / sizes)
    return Moments(
        names=tuple(names),
        anchor=anchor,
        sizes=sizes,
        effective_sizes=sizes.copy(),
        bound=kernel.bound,
        nonnegative=kernel.is_nonnegative,
        gram=gram,
        gram_biased=biased,
        self_mean=sums.self_sums / sizes,
        covariance=covariance,
        interaction=interaction_variances(sums.squares, gram, variances, sizes),
    )


class RowMeans(Sequence[Matrix]):
    """Per source (m_j, n), the mean kernel value of each of its rows with the rows of every source.

    Made when asked for: those of a thousand sources together would not fit in memory.
    """

    def __init__(self, sums: KernelSums) -> None:
        self._sums = sums

    def __len__(self) -> int:
        return len(self._sums.sizes)

    @overload
    def __getitem__(self, j: int) -> Matrix: ...
    @overload
    def __getitem__(self, j: slice) -> list[Matrix]: ...
    def __getitem__(self, j: int | slice) -> Matrix | list[Matrix]:
        if isinstance(j, slice):
            return [self[k] for k in range(len(self))[j]]
        partners = self._sums.sizes.copy()
        partners[j] -= 1.0  # a row does not meet itself
        means: Matrix = np.divide(self._sums.row_sums[j], partners, order="C")  # means add up in one order
        if j % STEPS_HELD == 0:
            let_go(self._sums.row_sums[j])
        return means


def row_means(sums: KernelSums) -> RowMeans:
    """The row means that the sums hold."""
    return RowMeans(sums)


def interaction_variances(squares: Matrix, gram: Matrix, variances: Matrix, sizes: Vector) -> Matrix:
    """For every pair of sources, the variance of a kernel value that neither of its rows explains, unbiased.

    variances[j, l] is the sample variance over the rows of source j of their row means in source l. With S2
    the sum of k^2 over the ordered pairs and G the gram matrix, for two sources

        (S2 - m_l (m_j - 1) variances[j, l] - m_j (m_l - 1) variances[l, j] - m_j m_l G_jl^2)
            / ((m_j - 1) (m_l - 1)),

    and within one, with m rows of which each meets the m - 1 others,

        ((S2 - m (m - 1) G_jj^2) / 2 - (m - 1)^3 / (m - 2) variances[j, j]) / (m (m - 3) / 2).

    Both are the residual mean square of a two-way layout.
    """
    fewer = sizes - 1.0
    between = sizes[None, :] * fewer[:, None] * variances
    across = squares - between - between.T - np.outer(sizes, sizes) * gram**2
    with np.errstate(divide="ignore", invalid="ignore"):
        eta = (across + across.T) / (2.0 * np.outer(fewer, fewer))
        own = (np.diag(squares) - sizes * fewer * np.diag(gram) ** 2) / 2.0
        own = own - fewer**3 / (sizes - 2.0) * np.diag(variances)
        within = own / (sizes * (sizes - 3.0) / 2.0)
    np.fill_diagonal(eta, np.where(sizes >= 4, within, np.nan))
    return eta
