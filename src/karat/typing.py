"""The few types that every room speaks."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]
Rows = NDArray[np.float32] | NDArray[np.float64]
Seed = int | np.random.Generator

Progress = Callable[[float, float], None]
"""Told (done, total) as work goes on; the unit is the caller's, usually pairs of rows."""
