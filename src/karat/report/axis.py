"""The axis of distances that every bar and ring of a report shares, marked in units that a buyer can hold."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)
"""Ticks stand at these multiples of a power of ten."""

INTERVALS = 5
"""At most this many steps between zero and the end."""


@dataclass(frozen=True)
class Axis:
    """Distances from zero, the reference, to `end`.

    unit: the distance that one on the labels means: one per cent of the farthest vendor mixed in, or 1.
    step: between ticks, in units.
    """

    end: float
    unit: float
    step: float
    suffix: str

    @classmethod
    def reaching(cls, distances: Iterable[float], percent: float) -> Axis:
        """The axis that holds these distances, in percentages of the ruler where there is one.

        >>> [round(tick) for tick, _ in Axis.reaching([0.34, 0.5], percent=0.004).ticks]
        [0, 25, 50, 75, 100, 125]
        """
        unit, suffix = (percent, " %") if percent > 0.0 else (1.0, "")
        end = max(distances, default=0.0) or unit
        return cls(end, unit, nice_step(end / unit), suffix)

    @property
    def ticks(self) -> list[tuple[float, str]]:
        """Where the ticks stand, in units, and what they say."""
        count = math.floor(self.end / self.unit / self.step + 1e-9)
        return [(self.step * i, f"{self.step * i:.6g}{self.suffix}") for i in range(count + 1)]

    def place(self, distance: float) -> float:
        """A distance as a percentage of the axis, for coordinates."""
        return round(100.0 * min(max(distance / self.end, 0.0), 1.0), 3)


def nice_step(length: float) -> float:
    """The round number that divides a length into at most five steps.

    >>> nice_step(125.0), nice_step(0.43), nice_step(3.0)
    (25.0, 0.1, 1.0)
    """
    rough = length / INTERVALS
    power = 10.0 ** math.floor(math.log10(rough))
    return power * next(step for step in STEPS if step * power >= rough * (1.0 - 1e-9))
