"""How vendors differ: the paper's schedules as printed, the authors' where their code differs, and ours.

i counts vendors from 1 to n.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from karat.typing import Vector

Schedule = Callable[[int], Vector]


def printed_classes(n: int) -> Vector:
    """Vendor i has the digits 0 .. i - 1: vendor 1 only digit 0, vendor n all n."""
    return np.arange(1.0, n + 1.0)


def code_classes(n: int) -> Vector:
    """What range(linspace(2, 10, n)) gives: vendor 1 has the digits 0 and 1."""
    return np.linspace(2, 10, n).astype(int).astype(np.float64)


def printed_interpolated(n: int) -> Vector:
    """Half of the rows of vendor i are of the first 2 i + 1 digits; 11 means all 10."""
    return np.minimum(2.0 * np.arange(1.0, n + 1.0) + 1.0, 10.0)


def code_interpolated(n: int) -> Vector:
    """Half of the rows of vendor i are of the first 2 i digits."""
    return np.minimum(2.0 * np.arange(1.0, n + 1.0), 10.0)


CONTAMINATIONS: Mapping[str, tuple[Schedule, str]] = {
    "(i-1)/n": (lambda n: np.arange(n) / n, "e_i = (i - 1) / n"),
    "(i-1)/(4n)": (lambda n: np.arange(n) / (4.0 * n), "e_i = (i - 1) / (4 n)"),
    "4(i-1)/n": (
        lambda n: np.minimum(4.0 * np.arange(n) / n, 1.0),
        "e_i = 4 (i - 1) / n in the authors' code, here cut at 1: vendors beyond are all Q",
    ),
    "(i-1)/(10n)": (lambda n: np.arange(n) / (10.0 * n), "e_i = (i - 1) / (10 n) in the authors' code"),
}
"""Shares of Q."""

NOISES: Mapping[str, tuple[Schedule, str]] = {
    "variance 0.02(i-1)": (
        lambda n: np.sqrt(0.02 * np.arange(n)),
        "N(0, e_i I) added, e_i = 0, 0.02, .., 0.18 a variance, as printed",
    ),
    "deviation (i-1)/n": (
        lambda n: np.arange(n) / n,
        "N(0, s_i^2 I) added, s_i = (i - 1) / n, the authors' code",
    ),
}
"""Standard deviations of the noise on pixels in [-1, 1]."""

CLASSES: Mapping[str, tuple[Schedule, str]] = {
    "1, 2, .., n": (printed_classes, "vendor i has the first i digits, as printed"),
    "2, 2, 3, .., 10": (code_classes, "the authors' code: vendors 1 and 2 have digits 0 and 1"),
}
"""How many digits a vendor has."""

INTERPOLATED: Mapping[str, tuple[Schedule, str]] = {
    "2i+1": (printed_interpolated, "half of D_i from the first 2 i + 1 classes, as printed"),
    "2i": (code_interpolated, "half of D_i from the first 2 i classes, the authors' code"),
}
"""How many classes one half of a vendor's rows is limited to."""

SCHEDULES: Mapping[str, Mapping[str, tuple[Schedule, str]]] = {
    "huber": CONTAMINATIONS,
    "noise": NOISES,
    "classes": CLASSES,
    "interpolated": INTERPOLATED,
}
"""kind of market -> name -> (the schedule, in words)."""


def schedule_values(kind: str, name: str, n: int) -> Vector:
    """The levels of n vendors.

    >>> schedule_values("huber", "(i-1)/n", 4)
    array([0.  , 0.25, 0.5 , 0.75])
    """
    return SCHEDULES[kind][name][0](n)


def in_words(kind: str, name: str) -> str:
    """What a schedule means."""
    return SCHEDULES[kind][name][1]
