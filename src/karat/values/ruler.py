"""The ruler: what a distance means in terms that a buyer can hold.

Two marks. The noise floor: how far two fresh halves of the reference's own rows lie apart by chance. And one
per cent: the distance that the reference is moved by mixing in one per cent of the farthest vendor, which
under the Huber model is one per cent of that vendor's distance.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from karat.gram import Moments
from karat.typing import Vector
from karat.values.mmd import mmd

FLOOR_QUANTILE = 2.0
"""Standard deviations above zero that 95 % of squared distances without difference stay below: (1.96^2 - 1) /
sqrt(2), the chi-square with one degree of freedom, the widest of the weighted chi-squares they follow."""


@dataclass(frozen=True)
class Ruler:
    """Marks on the scale of distances.

    vendor: the farthest one, whose share is the unit; percent: the distance that 1 % of it makes.
    noise_floor: 95 % of fresh halves of the anchor lie nearer than this to each other; None without an anchor
        of at least eight rows.
    """

    vendor: str
    percent: float
    noise_floor: float | None

    def share(self, distance: float) -> float | None:
        """A distance as a percentage of the farthest vendor mixed in; None where all distances are zero."""
        return distance / self.percent if self.percent > 0.0 else None

    def distance(self, percentage: float) -> float:
        """The distance that so many per cent of the farthest vendor make."""
        return percentage * self.percent

    def to_dict(self) -> dict[str, object]:
        return {"vendor": self.vendor, "percent": self.percent, "noise_floor": self.noise_floor}


def ruler(moments: Moments, squared: Vector) -> Ruler:
    """The ruler of a market whose vendors have these squared distances to the reference."""
    farthest = int(np.argmax(squared))
    return Ruler(moments.vendor_names[farthest], float(mmd(squared)[farthest]) / 100.0, noise_floor(moments))


def noise_floor(moments: Moments) -> float | None:
    """The distance that 95 % of pairs of fresh halves of the anchor stay below.

    With halves of h rows from one distribution, the unbiased squared distance has mean 0 and variance
    4 eta / (h (h - 1)) + 4 eta / h^2, where eta is the anchor's interaction variance.
    """
    j = moments.anchor
    if j is None or moments.effective_sizes[j] < 8 or not moments.interaction[j, j] >= 0.0:
        return None
    h = moments.effective_sizes[j] / 2.0
    variance = 4.0 * moments.interaction[j, j] * (1.0 / (h * (h - 1.0)) + 1.0 / h**2)
    return math.sqrt(FLOOR_QUANTILE * math.sqrt(variance))
