"""Correlations and means as the tables print them; None where a number does not exist."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from karat.typing import Vector


def pearson(a: ArrayLike, b: ArrayLike) -> float | None:
    """Pearson's correlation; None where one side is constant.

    >>> pearson([1.0, 2.0, 3.0], [2.0, 4.0, 6.0])
    1.0
    """
    x, y = _centred(a), _centred(b)
    scale = math.sqrt(float(x @ x) * float(y @ y))
    if scale <= CONSTANT * (1.0 + _size(a) * _size(b)):
        return None
    return min(1.0, max(-1.0, float(x @ y) / scale))


CONSTANT = 1e-14
"""A vector that varies less than this, relative to its size, is constant up to rounding."""


def spearman(a: ArrayLike, b: ArrayLike) -> float | None:
    """Pearson's correlation of the ranks; ties share their mean rank."""
    return pearson(stats.rankdata(np.asarray(a)), stats.rankdata(np.asarray(b)))


def mean(numbers: Iterable[float | None]) -> float | None:
    """The mean of the numbers there are."""
    known = [number for number in numbers if number is not None]
    return float(np.mean(known)) if known else None


def standard_error(numbers: Iterable[float | None]) -> float | None:
    """Standard deviation (divisor n - 1) over the root of n; None with fewer than two numbers."""
    known = [number for number in numbers if number is not None]
    return float(np.std(known, ddof=1) / math.sqrt(len(known))) if len(known) > 1 else None


def mean_and_error(numbers: Sequence[float | None]) -> dict[str, Any]:
    """Mean, standard error and every single number."""
    return {"mean": mean(numbers), "stderr": standard_error(numbers), "trials": list(numbers)}


def inversions(found: ArrayLike, truth: ArrayLike) -> int:
    """Pairs that `found` orders strictly the other way round than `truth` does.

    >>> inversions([1.0, 2.0, 3.0], [1.0, 3.0, 2.0])
    1
    """
    x, y = np.asarray(found, dtype=np.float64), np.asarray(truth, dtype=np.float64)
    return int(((x[:, None] < x) & (y[:, None] > y)).sum())


def places(numbers: Mapping[str, float | None]) -> dict[str, int]:
    """The place of each number among all, 1 the smallest; equal ones share a place, None has none.

    >>> places({"a": 0.5, "b": 0.1, "c": 0.5, "d": None})
    {'a': 2, 'b': 1, 'c': 2}
    """
    known = {name: number for name, number in numbers.items() if number is not None}
    return {name: 1 + sum(other < number for other in known.values()) for name, number in known.items()}


def v_shape(levels: ArrayLike) -> Vector:
    """-|e_i - mean e|: vendors that share one Q, against their uniform mixture, but for a factor.

    >>> v_shape([0.0, 0.5, 1.0])
    array([-0.5, -0. , -0.5])
    """
    shape: Vector = -np.abs(_centred(levels))
    return shape


def mean_square(average: float, error: float, count: int) -> float:
    """The mean square of so many numbers, from their mean and its standard error.

    mean of x^2 = mean^2 + (count - 1) error^2, because error^2 = (sum of (x - mean)^2) / (count (count - 1)).

    >>> round(mean_square(2.0, 1.0 / 3.0**0.5, 3), 12)  # of 1, 2 and 3: 14 / 3
    4.666666666667
    """
    return average**2 + (count - 1) * error**2


def slope_p_value(r2: float, count: int) -> float:
    """Two-sided p-value of the slope of a line through so many points, from its r^2: Student's t.

    >>> slope_p_value(0.0, 10), slope_p_value(1.0, 10)
    (1.0, 0.0)
    """
    if r2 >= 1.0:
        return 0.0
    t = math.sqrt(r2 * (count - 2) / (1.0 - r2))
    return float(2.0 * stats.t.sf(t, count - 2))


def line_fit(x: ArrayLike, y: ArrayLike) -> dict[str, float]:
    """Least squares y = intercept + slope x, with its r^2."""
    a, b = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    slope, intercept = np.polyfit(a, b, 1)
    r = pearson(a, b)
    return {"slope": float(slope), "intercept": float(intercept), "r2": 0.0 if r is None else r * r}


def _centred(a: ArrayLike) -> Vector:
    vector: Vector = np.asarray(a, dtype=np.float64)
    centred: Vector = vector - vector.mean()
    return centred


def _size(a: ArrayLike) -> float:
    return float(np.abs(np.asarray(a, dtype=np.float64)).max())
