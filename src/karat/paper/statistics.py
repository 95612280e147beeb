"""Correlations and means as the tables print them; None where a number does not exist."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
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
