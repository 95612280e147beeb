"""What an experiment is: settings that say everything, cut into cells that can be run one by one.

A cell is the unit that is stored: one trial, one draw, one timing. Cells depend on the settings, the code and
their own name alone, so a run that was killed goes on where it stopped and ends with the same numbers.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

Cell = Mapping[str, Any]
"""What one cell found: plain JSON values."""

EXTENT = ("trials", "draws")
"""Settings that say how many cells there are, and so change none of them."""


@dataclass(frozen=True, kw_only=True)
class Experiment(ABC):
    """Settings of a run; equal settings give equal results.

    name: how results are stored; scale: "quick" or "full"; trials: independent repetitions;
    seed: every draw follows from it, the cell's name and the vendor's number.
    """

    family: ClassVar[str]

    name: str
    scale: str
    trials: int
    seed: int = 2024

    @abstractmethod
    def cells(self) -> tuple[str, ...]:
        """The cells in the order in which they are run: values first, the ground truth after."""

    @abstractmethod
    def run(self, cell: str) -> dict[str, Any]:
        """What one cell finds."""

    @abstractmethod
    def summary(self, cells: Mapping[str, Cell]) -> dict[str, Any]:
        """What all cells together say."""

    def settings(self) -> dict[str, Any]:
        """The settings as plain JSON values."""
        plain: dict[str, Any] = json.loads(json.dumps(dataclasses.asdict(self)))
        return {"family": self.family} | plain

    @property
    def digest(self) -> str:
        """SHA-256 of the settings that decide what a cell finds; cells of other settings are not reused."""
        decisive = {key: value for key, value in self.settings().items() if key not in EXTENT}
        return hashlib.sha256(json.dumps(decisive, sort_keys=True).encode()).hexdigest()

    def generator(self, *key: int) -> np.random.Generator:
        """Random numbers for one use; the same key gives the same numbers."""
        return np.random.default_rng([self.seed, *key])


def parts(cell: str) -> tuple[str, tuple[int, ...]]:
    """A cell's name as its kind and numbers.

    >>> parts("values-3"), parts("pools")
    (('values', (3,)), ('pools', ()))
    """
    kind, *numbers = cell.split("-")
    return kind, tuple(map(int, numbers))
