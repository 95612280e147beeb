"""The two parts of every variance: influences of single rows, and interactions of pairs of rows.

Both are quadratic in the contrasts and are computed here for all pairs of contrasts at once. When every
contrast is its own vendor minus one shared reference, c_i = s_i e_i - u, the interactions have a closed form
in O(k^2); otherwise they cost O(k^2 n^2).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from karat.gram import Moments
from karat.gram.packing import pack, unpack
from karat.typing import Matrix, Vector


@dataclass(frozen=True)
class Influence:
    """P and where it comes from.

    total: (k, k). shares: (n, k), what each source adds to the diagonal. anchor: (k, k), the anchor's part.
    """

    total: Matrix
    shares: Matrix
    anchor: Matrix | None


@dataclass(frozen=True)
class AnchorShare:
    """What stays of P and V2 when only the vendors send more rows, and what then falls as 1 / rows.

    rows: rows of the anchor. plug_in, second_order: (k, k), from the anchor alone. mixed: (k, k), the part of
    V2 between the anchor and the vendors.
    """

    rows: float
    plug_in: Matrix
    second_order: Matrix
    mixed: Matrix

    def to_dict(self) -> dict[str, object]:
        """Plain JSON values; arrays keep every bit."""
        return {"rows": self.rows} | {name: pack(getattr(self, name)) for name in _PARTS}

    @classmethod
    def from_dict(cls, saved: Mapping[str, Any]) -> AnchorShare:
        """The inverse of `to_dict`."""
        return cls(rows=float(saved["rows"]), **{name: unpack(saved[name]) for name in _PARTS})

    def subset(self, pick: NDArray[np.intp]) -> AnchorShare:
        square = np.ix_(pick, pick)
        return AnchorShare(self.rows, self.plug_in[square], self.second_order[square], self.mixed[square])


_PARTS = ("plug_in", "second_order", "mixed")


@dataclass(frozen=True)
class SharedReference:
    """Contrasts of the form c_i = scale_i e_own(i) - reference, each with a source of its own."""

    own: NDArray[np.intp]
    scale: Vector
    reference: Vector

    @classmethod
    def of(cls, contrasts: Matrix) -> SharedReference | None:
        """The contrasts in this form, or None where they do not have it.

        >>> SharedReference.of(np.array([[1.0, 0.0, -1.0], [0.0, 1.0, -1.0]])).reference
        array([0., 0., 1.])
        """
        if len(contrasts) < 2:
            return None
        reference = 0.0 - contrasts.min(axis=0)
        rest = contrasts + reference
        own = np.argmax(rest, axis=1)
        if np.count_nonzero(rest) != len(rest) or len(set(own.tolist())) != len(own):
            return None
        return cls(own, rest[np.arange(len(own)), own], reference)


def plug_in(moments: Moments, contrasts: Matrix, row_means: Sequence[Matrix] | None = None) -> Influence:
    """P_ab = 4 sum_j a_j b_j (a' S_j b) / m_j for all pairs of contrasts; nan where nothing tells S_j."""
    k, n = contrasts.shape
    if row_means is not None:
        return _from_row_means(moments, contrasts, row_means)
    if moments.covariance is None:
        return Influence(np.full((k, k), np.nan), np.full((n, k), np.nan), None)
    weights = contrasts.T  # (n, k)
    spread = contrasts @ moments.covariance @ contrasts.T  # (n, k, k)
    rates = 4.0 / moments.effective_sizes
    parts = rates[:, None, None] * weights[:, :, None] * weights[:, None, :] * spread
    anchor = None if moments.anchor is None else parts[moments.anchor]
    return Influence(parts.sum(axis=0), np.einsum("jaa->ja", parts).copy(), anchor)


def _from_row_means(moments: Moments, contrasts: Matrix, row_means: Sequence[Matrix]) -> Influence:
    """The same source by source, (k, k) at a time: for more sources than a covariance is kept for."""
    k, n = contrasts.shape
    total, shares = np.zeros((k, k)), np.zeros((n, k))
    anchor = None if moments.anchor is None else np.zeros((k, k))
    for j, means in enumerate(row_means):
        carries = np.flatnonzero(contrasts[:, j])
        if len(carries) == 0:
            continue
        weight = contrasts[carries, j]
        spread = np.cov(means @ contrasts[carries].T, rowvar=False, ddof=1).reshape(len(carries), -1)
        part = 4.0 * np.outer(weight, weight) * spread / moments.effective_sizes[j]
        total[np.ix_(carries, carries)] += part
        shares[j, carries] = np.diag(part)
        if j == moments.anchor and anchor is not None:
            anchor[np.ix_(carries, carries)] = part
    return Influence(total, shares, anchor)


def second_order(moments: Moments, contrasts: Matrix) -> Matrix:
    """V2_ab = 2 (a * b)' E (a * b) with E_jl = eta_jl / (m_j (m_l - [j = l])), for all pairs of contrasts.

    Unknown interactions (sources of fewer than four rows) count as zero; the caller blanks what needs them.
    """
    rates = interaction_rates(moments)
    shared = SharedReference.of(contrasts)
    return 2.0 * (_second_order_shared(rates, shared) if shared else _second_order_any(rates, contrasts))


def interaction_rates(moments: Moments) -> Matrix:
    """E: the interaction variances over the number of ordered pairs of rows."""
    sizes = moments.effective_sizes
    pairs = np.outer(sizes, sizes) - np.diag(sizes)
    known = np.isfinite(moments.interaction) & (pairs > 0.0)
    return np.divide(moments.interaction, pairs, out=np.zeros_like(pairs), where=known)


def _second_order_any(rates: Matrix, contrasts: Matrix) -> Matrix:
    result = np.empty((len(contrasts), len(contrasts)))
    for i, contrast in enumerate(contrasts):
        products = contrast * contrasts  # (k, n)
        result[i] = np.einsum("ij,ij->i", products @ rates, products)
    return result


def _second_order_shared(rates: Matrix, shared: SharedReference) -> Matrix:
    """The closed form of (a * b)' E (a * b) for contrasts s_i e_i - u.

    With w = u * u, q = E w, t = w' q, a_i = s_i u_i and b_i = s_i^2 - 2 a_i it is between i and j

        t - 2 (a_i q_i + a_j q_j) + a_i^2 E_ii + a_j^2 E_jj + 2 a_i a_j E_ij,

    and of i with itself t + 2 b_i q_i + b_i^2 E_ii.
    """
    squares = shared.reference**2
    to_reference = rates @ squares
    total = float(squares @ to_reference)
    own, itself = shared.own, np.diag(rates)[shared.own]
    a = shared.scale * shared.reference[own]
    b = shared.scale**2 - 2.0 * a
    single = a**2 * itself - 2.0 * a * to_reference[own]
    mutual = 2.0 * np.outer(a, a) * rates[np.ix_(own, own)]
    result: Matrix = total + single[:, None] + single[None, :] + mutual
    np.fill_diagonal(result, total + 2.0 * b * to_reference[own] + b**2 * itself)
    return result


def anchor_share(
    moments: Moments, contrasts: Matrix, influence: Influence, interactions: Matrix
) -> AnchorShare:
    """Split P and V2 into the anchor's part, the part between anchor and vendors, and the rest."""
    assert moments.anchor is not None
    anchor = moments.anchor
    without = contrasts.copy()
    without[:, anchor] = 0.0
    weight = contrasts[:, anchor] ** 2
    fixed = 2.0 * np.outer(weight, weight) * interaction_rates(moments)[anchor, anchor]
    mixed = interactions - second_order(moments, without) - fixed
    own = np.full_like(influence.total, np.nan) if influence.anchor is None else influence.anchor
    return AnchorShare(float(moments.effective_sizes[anchor]), own, fixed, mixed)


def degrees_of_freedom(shares: Matrix, sizes: Vector, fewest: Vector) -> Vector:
    """(sum_j p_j)^2 / sum_j p_j^2 / (m_j - 1) over what each source adds to a variance.

    Welch (1938) and Satterthwaite (1946): the degrees of freedom of a sum of independent variance estimates.
    Where nothing varies, one less than the smallest size.
    """
    freedom = np.maximum(sizes - 1.0, 1.0)
    spent = (shares**2 / freedom[:, None]).sum(axis=0)
    least = np.maximum(fewest - 1.0, 1.0)
    degrees: Vector = np.divide(shares.sum(axis=0) ** 2, spent, out=least, where=spent > 0.0)
    return degrees
