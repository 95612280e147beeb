"""A promise, what was measured for it, and whether that holds."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field


@dataclass(frozen=True)
class Must:
    """What a measured number has to reach: at least, at most, both, or neither (then it is only reported)."""

    at_least: float | None = None
    at_most: float | None = None

    def holds(self, measured: float) -> bool:
        """Whether the number reaches it."""
        above = self.at_least is None or measured >= self.at_least
        return above and (self.at_most is None or measured <= self.at_most)

    def __str__(self) -> str:
        if self.at_least is not None and self.at_most is not None:
            return f"{self.at_least:.4g} to {self.at_most:.4g}"
        if self.at_least is not None:
            return f"at least {self.at_least:.4g}"
        if self.at_most is not None:
            return f"at most {self.at_most:.4g}"
        return "reported"


@dataclass(frozen=True)
class Result:
    """One line of `karat verify-guarantees`.

    measured, holds: None where the data that a promise is about are absent; holds is also None where a number
    is only reported. runs: simulated markets behind it. details: the cells that the number was taken over.
    """

    promise: str
    measured: float | None
    must: Must
    runs: int
    seconds: float
    seed: int
    details: dict[str, float] = field(default_factory=dict)

    @property
    def holds(self) -> bool | None:
        if self.measured is None or self.must == Must():
            return None
        return self.must.holds(self.measured)

    def to_dict(self) -> dict[str, object]:
        """Plain JSON values."""
        plain = asdict(self)
        plain["must"], plain["holds"] = str(self.must), self.holds
        return plain


@dataclass(frozen=True)
class Effort:
    """How much is simulated: `full` gives the numbers in the docs, `quick` ends within a minute.

    errors: by how many standard errors of its runs a must is widened. The musts are stated for the full run
    and stand there as they are; a quick one takes the worst of many cells of few runs each.
    """

    name: str
    coverage_runs: dict[int, int]
    landmark_runs: int
    variance_runs: int
    error_runs: dict[int, int]
    look_runs: int
    housing_seeds: int
    errors: float

    @property
    def is_full(self) -> bool:
        return self.name == "full"

    def widened(self, share: float, level: float, runs: int) -> float:
        """A must on a share whose true value is about `level`, less (below 1/2: plus) what chance adds.

        >>> round(QUICK.widened(0.92, 0.95, 100), 3)
        0.828
        """
        chance = self.errors * math.sqrt(level * (1.0 - level) / runs)
        return share - math.copysign(chance, level - 0.5)


FULL = Effort(
    "full",
    coverage_runs={20: 2000, 50: 2000, 500: 2000},
    landmark_runs=1000,
    variance_runs=10_000,
    error_runs={20: 4000, 50: 4000, 200: 2000},
    look_runs=2000,
    housing_seeds=20,
    errors=0.0,
)
QUICK = Effort(
    "quick",
    coverage_runs={20: 100, 50: 50, 500: 12},
    landmark_runs=15,
    variance_runs=400,
    error_runs={20: 150, 50: 80},
    look_runs=40,
    housing_seeds=3,
    errors=4.2,
)
