"""A table of text, and how numbers stand in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

Result = Mapping[str, Any]
"""A stored result."""

ABSENT = "-"


@dataclass(frozen=True)
class Table:
    """A title, a head, rows of text, and what to know."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()


def number(value: float | None, digits: int = 3) -> str:
    """A number, or a dash where there is none."""
    return ABSENT if value is None else f"{value:.{digits}f}"


def with_error(found: Mapping[str, Any] | None, digits: int = 3) -> str:
    """Mean and standard error, as the paper writes them, and how many trials have no number.

    >>> with_error({"mean": 0.5, "stderr": 0.25, "trials": [0.25, None, 0.75]}, 2)
    '0.50 (0.25), 1 of 3 none'
    """
    if found is None or found.get("mean") is None:
        return ABSENT
    error, trials = found.get("stderr"), found.get("trials", [])
    lost = f", {trials.count(None)} of {len(trials)} none" if None in trials else ""
    return number(found["mean"], digits) + ("" if error is None else f" ({error:.{digits}f})") + lost


def as_printed(pair: tuple[float, float] | None) -> str:
    """A printed mean and standard error."""
    return "N.A." if pair is None else f"{pair[0]:.3f} ({pair[1]:.2f})"
