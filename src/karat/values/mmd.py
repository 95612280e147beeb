"""Values: minus the distance between each vendor's mean embedding and its reference's."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from karat.shown import Shown
from karat.typing import Matrix, Vector


@dataclass(frozen=True)
class Values(Shown):
    """One number per vendor, larger is better, from any valuation.

    details: what else the valuation wants to say, as plain JSON values.
    """

    valuation: str
    names: tuple[str, ...]
    scores: Vector
    details: dict[str, object] = field(default_factory=dict)

    def to_dict(self) -> dict[str, object]:
        scores = dict(zip(self.names, self.scores.tolist(), strict=True))
        return {"valuation": self.valuation, "scores": scores, "details": self.details}


def squared_mmd(gram: Matrix, contrasts: Matrix) -> Vector:
    """The squared distance c' G c of every contrast c, one per row.

    From an unbiased gram matrix an entry may be slightly negative, and is kept so: it is what ranks.

    >>> squared_mmd(np.array([[1.0, 0.5], [0.5, 1.0]]), np.array([[0.5, -0.5]]))
    array([0.25])
    """
    squares: Vector = np.einsum("ij,ij->i", contrasts @ gram, contrasts)
    return squares


def mmd(squared: Vector) -> Vector:
    """The distance, 0 where noise makes its square negative.

    >>> mmd(np.array([0.25, -1e-6]))
    array([0.5, 0. ])
    """
    distances: Vector = np.sqrt(np.maximum(squared, 0.0))
    return distances


def value(squared: Vector) -> Vector:
    """Minus the distance: 0 is the best, and equal zeros are ties.

    >>> value(np.array([0.25, -1e-6]))
    array([-0.5,  0. ])
    """
    return 0.0 - mmd(squared)
