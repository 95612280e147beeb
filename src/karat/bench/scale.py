"""Figures of scale: landmarks and the authors' blocks beside the exact engine, memory, and the command."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from karat.bench.timing import cpu_seconds, in_a_process, wall_seconds
from karat.gram import block_values, kernel_sums, moments_from_sums
from karat.gram.landmarks import landmark_moments
from karat.kernels import default_kernel
from karat.sources import catalog

VENDORS = 10
LANDMARKS = (256, 512, 1024)

Singles = NDArray[np.float32]


def images(rows: int) -> tuple[str, list[Singles]]:
    """Ten vendors of digits with a share of clothes in them, and digits as the anchor; noise where absent."""
    rng = np.random.default_rng(0)
    try:
        with np.load(catalog.locate("mnist")) as file:
            clean = file["x_train"].reshape(-1, 784)
        with np.load(catalog.locate("fashion_mnist")) as file:
            other = file["x"].reshape(-1, 784)
        name = "digits with clothes mixed in"
    except ValueError:
        clean, other = rng.normal(size=(20_000, 784)), rng.normal(0.3, 1.0, size=(20_000, 784))
        name = "normal rows"
    sources = []
    for share in (*np.arange(VENDORS) / VENDORS, 0.0):
        foreign = rng.random(rows) < share
        picked = clean[rng.integers(0, len(clean), rows)].astype(np.float32)
        picked[foreign] = other[rng.integers(0, len(other), int(foreign.sum()))]
        sources.append(picked / 127.5 - 1.0 if name.startswith("digits") else picked)
    return name, sources


def approximations(*, quick: bool) -> dict[str, object]:
    """Time and largest error of a squared distance by landmarks and blocks; the exact engine is true."""
    rows = 1_000 if quick else 10_000
    name, sources = images(rows)
    kernel = default_kernel([sources[-1]])
    names = [str(j) for j in range(VENDORS)] + ["anchor"]
    contrasts = np.hstack([np.eye(VENDORS), -np.ones((VENDORS, 1))])

    def squared(gram: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(np.einsum("ij,jk,ik->i", contrasts, gram, contrasts))

    start = time.perf_counter()
    moments = moments_from_sums(kernel_sums(sources, kernel), names=names, kernel=kernel, anchor=VENDORS)
    exact_seconds = time.perf_counter() - start
    truth = squared(moments.gram)
    found: dict[str, object] = {
        "market": f"{VENDORS} vendors x {rows} rows x 784 columns of {name}",
        "exact_seconds": exact_seconds,
    }
    by_landmarks: dict[str, object] = {}
    for count in LANDMARKS:
        start = time.perf_counter()
        near = landmark_moments(sources, kernel, names=names, anchor=VENDORS, landmarks=count)
        seconds = time.perf_counter() - start
        error = near.moments.approximation
        size = np.abs(contrasts)
        stated = 0.0 if error is None else float(np.einsum("ij,jk,ik->i", size, error, size).max())
        by_landmarks[str(count)] = {
            "seconds": seconds,
            "max_error": float(np.abs(squared(near.moments.gram) - truth).max()),
            "estimated_error": stated,
        }
    found["landmarks"] = by_landmarks
    start = time.perf_counter()
    blocks = block_values(sources[:-1], sources[-1], kernel)
    found["block"] = {
        "seconds": time.perf_counter() - start,
        "max_error": float(np.abs(blocks.squared - truth).max()),
    }
    found["rows_per_second"] = len(sources) * rows / exact_seconds
    return found


PEAK = """
import resource, sys
import numpy as np
from karat.gram import kernel_sums, moments_from_sums
from karat.kernels import GaussianMean
rows = int(sys.argv[1])
draw = np.random.default_rng(0)
sources = [draw.standard_normal((rows, 1024), dtype=np.float32) for _ in range(10)]
kernel = GaussianMean([22.0, 45.0, 90.0])
moments_from_sums(kernel_sums(sources, kernel), names=list("abcdefghij"), kernel=kernel, anchor=None)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


def peak_megabytes(*, quick: bool) -> float:
    """Peak memory of a process that values ten vendors of 10,000 (quick: 2,000) x 1,024 exactly."""
    return float(in_a_process(PEAK, str(2_000 if quick else 10_000)))


def command_figures(*, quick: bool) -> dict[str, float]:
    """CPU seconds to start; seconds from command to leaderboard for five vendors of 10,000 x 20."""
    repeats = 2 if quick else 5
    karat = [sys.executable, "-c", "from karat.cli.main import main; main()"]
    draw = np.random.default_rng(0)
    with tempfile.TemporaryDirectory() as folder:
        for name, shift in (("a", 0.0), ("b", 0.1), ("c", 0.2), ("d", 0.3), ("e", 0.4), ("mine", 0.0)):
            table = draw.normal(shift, 1.0, (10_000, 20))
            header = ",".join(f"column{c}" for c in range(20))
            path = Path(folder) / f"{name}.csv"
            np.savetxt(path, table, fmt="%.6f", delimiter=",", header=header, comments="")
        files = [f"{name}.csv" for name in "abcde"]
        command = [*karat, "appraise", *files, "--anchor", "mine.csv", "--no-save"]
        seconds = wall_seconds(command, repeats=repeats, folder=folder)
    return {
        "import_cpu_seconds": cpu_seconds([sys.executable, "-c", "import karat"], repeats=repeats),
        "help_cpu_seconds": cpu_seconds([*karat, "--help"], repeats=repeats),
        "five_vendors_seconds": seconds,
    }


def machine() -> dict[str, object]:
    """What the figures were measured on."""
    import platform

    return {"cores": os.cpu_count(), "processor": _processor(), "python": platform.python_version()}


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return "unknown"
