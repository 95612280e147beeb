"""Can these vendors be ranked without an anchor at all?

If all vendors are one distribution with more or less of one contamination in it, their mean embeddings lie
on a line. Both ends of the line are possible needs of a buyer, and nothing in the previews says which: the
order along the line is known, its direction is not.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from karat.gram import Moments
from karat.typing import Vector

ONE_DIRECTION_SHARE = 0.8
"""From this share of the spread on, one direction explains the market."""


@dataclass(frozen=True)
class Identifiability:
    """How the vendors lie to each other, with no reference in sight.

    share: of the spread between vendors that lies along one direction, between 0 and 1.
    positions: (vendors,), where each lies along it, in units of distance; the sign is arbitrary.
    is_one_direction: the vendors lie on a line, so an order by closeness to their middle says nothing of
        quality.
    """

    names: tuple[str, ...]
    share: float
    positions: Vector
    is_one_direction: bool

    def to_dict(self) -> dict[str, object]:
        return {
            "share": self.share,
            "is_one_direction": self.is_one_direction,
            "positions": dict(zip(self.names, self.positions.tolist(), strict=True)),
        }


def identifiability(moments: Moments) -> Identifiability:
    """The leading direction of the vendors' unbiased Gram matrix, centred with equal weights; O(n^3).

    Negative eigenvalues are noise: one direction is declared when the first eigenvalue is above 0.8 of the
    positive sum and above twice the size of the most negative one.
    """
    vendors = list(moments.vendors)
    gram = moments.gram[np.ix_(vendors, vendors)]
    centred = gram - gram.mean(axis=0) - gram.mean(axis=1)[:, None] + gram.mean()
    eigenvalues, vectors = np.linalg.eigh(centred)
    first = max(float(eigenvalues[-1]), 0.0)
    positive = float(eigenvalues[eigenvalues > 0.0].sum())
    share = first / positive if positive > 0.0 else 0.0
    direction = vectors[:, -1] * np.sign(vectors[np.argmax(np.abs(vectors[:, -1])), -1])
    return Identifiability(
        moments.vendor_names,
        share,
        np.sqrt(first) * direction,
        bool(share > ONE_DIRECTION_SHARE and first > 2.0 * max(-float(eigenvalues[0]), 0.0)),
    )
