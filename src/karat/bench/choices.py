"""What the engine's choices are worth: the same moments by another choice, in times of the default's."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import numpy as np

from karat.bench.exact import DEFAULT, PAPER, whole_engine
from karat.bench.timing import least_seconds
from karat.gram.exact import PRECISIONS
from karat.kernels import GaussianMean, Polynomial, kernel_named

ROWS = {1024: 4096, 784: 4096, 64: 12288, 16: 24576}

NAMED = ("gaussian", "laplace", "rational-quadratic", "energy", "linear")
"""Kernels that the fused pass knows; the polynomial one is summed from its blocks."""

BLOCK_ROWS = 2048
"""Rows for kernels that are summed from their blocks, which take much longer."""

APART = GaussianMean([0.7, 1.41, 2.8])
"""The default kernel but for a bandwidth that is no half of another: three exponentials instead of one."""


def choice_figures(*, quick: bool = False) -> dict[str, dict[str, float]]:
    """By width, seconds of each choice over those of the default, and the error of float32 products.

    float32_error: the largest difference of a mean kernel value from float64, relative to the largest mean.
    """
    return {str(width): _at_width(width, rows // (4 if quick else 1)) for width, rows in ROWS.items()}


def _at_width(width: int, rows: int) -> dict[str, float]:
    x = np.random.default_rng(0).standard_normal((rows, width)).astype(np.float32) / math.sqrt(width)
    sample = [x[:1000]]
    calls: dict[str, Callable[[], object]] = {
        "default": partial(whole_engine, x, DEFAULT),
        "paper": partial(whole_engine, x, PAPER),
        "three exponentials": partial(whole_engine, x, APART),
        "float64": partial(whole_engine, x, DEFAULT, precision="float64"),
        "one thread": partial(whole_engine, x, DEFAULT, workers=1),
    }
    calls |= {name: partial(whole_engine, x, kernel_named(name, sample)) for name in NAMED}
    seconds = least_seconds(calls, repeats=3)
    few = x[:BLOCK_ROWS]
    blocks = least_seconds(
        {
            "default": partial(whole_engine, few, DEFAULT),
            "polynomial": partial(whole_engine, few, Polynomial()),
        },
        repeats=1,
    )
    found = {name: taken / seconds["default"] for name, taken in seconds.items() if name != "default"}
    found["polynomial"] = blocks["polynomial"] / blocks["default"]
    single, double = (whole_engine(few, DEFAULT, precision=precision).gram for precision in PRECISIONS)
    found["float32_error"] = float(np.abs(single - double).max() / np.abs(double).max())
    return found
