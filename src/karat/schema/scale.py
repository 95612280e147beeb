"""Centre and scale of a column, in float64 and two passes, whatever its size.

Sums of numbers near 1e300 overflow and squares near 1e-200 vanish, so such columns are measured
after a shift of their exponent, which is exact.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from karat.typing import Vector

SAFE_EXPONENT = 400
"""Powers of two beyond which squares (2^800) and their sums come near the ends of float64."""


def centre_and_scale(parts: Sequence[Vector]) -> tuple[float, float, bool]:
    """Mean, standard deviation and constancy of a mixture of parts, each with the same weight.

    With m_i, v_i the mean and variance (divisor: count) of part i,

        mean = average of m_i,   variance = average of v_i + (m_i - mean)^2;

    for one part that is its own mean and deviation. NaN counts as absent; parts without numbers
    are left out; without any number the centre is 0 and the scale 1. A constant column has scale 1.

    >>> centre_and_scale([np.array([1.0, 3.0]), np.array([5.0, 7.0, 5.0, 7.0])])[0]
    4.0
    """
    present = [part[~np.isnan(part)] for part in parts]
    present = [part for part in present if len(part)]
    if not present:
        return 0.0, 1.0, True
    low, high = min(part.min() for part in present), max(part.max() for part in present)
    if low == high:
        return float(low), 1.0, True
    exponent = _exponent(max(abs(low), abs(high)))
    parts = [np.ldexp(part, -exponent) for part in present]
    # All parts are measured from one origin, so what rounding takes from a mean near 1e9 is common to all.
    origin = float(np.mean([part.mean() for part in parts]))
    means, variances = zip(*(_mean_and_variance(part - origin) for part in parts), strict=True)
    mean = float(np.mean(means))
    variance = float(np.mean(variances) + np.mean(np.square(np.subtract(means, mean))))
    centre, scale = math.ldexp(origin + mean, exponent), math.ldexp(math.sqrt(variance), exponent)
    return centre, scale, False


def _exponent(largest: float) -> int:
    exponent = math.frexp(largest)[1]
    return exponent if abs(exponent) > SAFE_EXPONENT else 0


def _mean_and_variance(values: Vector) -> tuple[float, float]:
    """In two passes: the mean first, then the squares around it."""
    mean = values.mean()
    return float(mean), float(np.square(values - mean).mean())
