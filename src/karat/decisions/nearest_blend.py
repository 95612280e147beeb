"""The blend of vendors nearest to the anchor: what this market could offer together.

A diagnostic, never a reference for values: where every vendor carries the same contamination, the blend
carries it too, and a vendor valued against the blend would look perfect.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from karat.errors import UnknownReferenceError
from karat.gram import Moments
from karat.typing import Matrix, Vector

MOST_STEPS = 10_000
TOLERANCE = 1e-12
"""The duality gap, relative to the size of the embeddings, at which the search ends."""


@dataclass(frozen=True)
class NearestBlend:
    """Shares of the vendors (sum one) and the blend's distance to the anchor on the rows that chose it.

    The distance is too good, because the same rows chose the shares; judge a blend on fresh rows.
    """

    names: tuple[str, ...]
    shares: Vector
    distance: float

    def to_dict(self) -> dict[str, object]:
        shares = dict(zip(self.names, self.shares.tolist(), strict=True))
        return {"shares": shares, "distance": self.distance, "judged_on": "the rows that chose the shares"}


def nearest_blend(moments: Moments) -> NearestBlend:
    """Minimise w' V w - 2 w' V_a over the simplex, with the biased gram matrix V, which is semidefinite.

    Pairwise Frank-Wolfe steps with exact line search (Lacoste-Julien and Jaggi 2015); O(n) per step.
    """
    if moments.anchor is None:
        raise UnknownReferenceError(
            "the blend nearest to the anchor needs an anchor, and this market has none.",
            hint="Pass some rows of your own as the anchor.",
        )
    vendors = list(moments.vendors)
    gram = moments.gram_biased[np.ix_(vendors, vendors)]
    to_anchor = moments.gram_biased[vendors, moments.anchor]
    shares = nearest_in_simplex(gram, to_anchor)
    squared = float(shares @ gram @ shares - 2.0 * shares @ to_anchor)
    squared += moments.gram_biased[moments.anchor, moments.anchor]
    return NearestBlend(moments.vendor_names, shares, float(np.sqrt(max(squared, 0.0))))


def nearest_in_simplex(gram: Matrix, target: Vector) -> Vector:
    """The w in the simplex that minimises w' gram w - 2 w' target."""
    n = len(gram)
    shares = np.zeros(n)
    shares[int(np.argmin(np.diag(gram) - 2.0 * target))] = 1.0
    product = gram @ shares
    for _ in range(MOST_STEPS):
        slope = product - target
        into = int(np.argmin(slope))
        held = np.where(shares > 0.0, slope, -np.inf)
        out = int(np.argmax(held))
        gap = slope[out] - slope[into]
        if gap <= TOLERANCE * max(1.0, float(np.abs(gram).max())):
            break
        curvature = gram[into, into] + gram[out, out] - 2.0 * gram[into, out]
        step = shares[out] if curvature <= 0.0 else min(shares[out], gap / curvature)
        shares[into] += step
        shares[out] -= step
        if shares[out] < 1e-15:
            shares[out] = 0.0
        product = product + step * (gram[:, into] - gram[:, out])
    total: Vector = shares / shares.sum()
    return total
