"""What a user waits for: imports, the command line, a market from files to leaderboard, and memory."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from karat.bench.timing import cpu_seconds, in_a_process

READ_PEAK = """
import resource, sys
from pathlib import Path
def peak_kilobytes():
    status = Path("/proc/self/status")
    lines = status.read_text().splitlines() if status.exists() else []
    peaks = [line.split()[1] for line in lines if line.startswith("VmHWM")]
    return peaks[0] if peaks else str(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""
"""How a process reads its own peak memory: from /proc where there is one, since getrusage begins with the
parent's."""

COMMAND_PROGRAM = (
    READ_PEAK
    + """
from karat.cli.main import main
place, *sys.argv[1:] = sys.argv[1:]
try:
    main()
finally:
    Path(place).write_text(peak_kilobytes())
"""
)
"""The command line itself, which leaves its peak memory in a file."""

PEAK_PROGRAM = (
    READ_PEAK
    + """
import numpy as np
from karat.gram import kernel_sums, moments_from_sums
from karat.kernels import GaussianMean
vendors, rows, width = map(int, sys.argv[1:])
draw = np.random.default_rng(0)
sources = [draw.standard_normal((rows, width), dtype=np.float32) for _ in range(vendors)]
kernel = GaussianMean([s * width**0.5 for s in (0.7, 1.4, 2.8)])
sums = kernel_sums(sources, kernel)
moments_from_sums(sums, names=[str(j) for j in range(vendors)], kernel=kernel, anchor=None)
print(peak_kilobytes())
"""
)
"""Random rows as a reader of float32 images would hold them, and the exact engine on all of them."""


def process_figures(*, quick: bool) -> dict[str, float | None]:
    """CPU seconds of import and help, seconds of small and of many vendors' files, peak memory."""
    repeats = 2 if quick else 5
    program = [sys.executable, "-c", "from karat.cli.main import main; main()"]
    five = [_from_files(vendors=5, rows=10_000) for _ in range(2)]
    thousand = None if quick else _from_files(vendors=1000, rows=500)
    return {
        "import_cpu_seconds": cpu_seconds([sys.executable, "-c", "import karat"], repeats=repeats),
        "help_cpu_seconds": cpu_seconds([*program, "--help"], repeats=repeats),
        "five_vendors_seconds": min(one.seconds for one in five),
        "thousand_vendors_seconds": None if thousand is None else thousand.seconds,
        "thousand_vendors_peak_mb": None if thousand is None else thousand.peak_mb,
        "peak_rss_mb": peak_rss_mb(vendors=10, rows=1_000 if quick else 10_000, width=1024),
    }


def peak_rss_mb(*, vendors: int, rows: int, width: int) -> float:
    """Peak memory of a process that computes exact moments of this many rows of float32."""
    return int(in_a_process(PEAK_PROGRAM, str(vendors), str(rows), str(width))) / 1024.0


@dataclass(frozen=True)
class Command:
    """A command as a user waits for it: wall seconds, and the most memory that it took."""

    seconds: float
    peak_mb: float

    @classmethod
    def run(cls, *arguments: str, folder: Path) -> Command:
        """`karat` with these arguments, in a process of its own."""
        with tempfile.NamedTemporaryFile(prefix="karat-bench-", mode="r") as peak:
            start = time.perf_counter()
            subprocess.run(
                [sys.executable, "-c", COMMAND_PROGRAM, peak.name, *arguments],
                check=True,
                capture_output=True,
                cwd=folder,
            )
            return cls(time.perf_counter() - start, int(peak.read()) / 1024.0)


def _from_files(*, vendors: int, rows: int) -> Command:
    """From the command to the leaderboard, CSV files of 20 columns and an anchor."""
    draw = np.random.default_rng(0)
    with tempfile.TemporaryDirectory(prefix="karat-bench-") as name:
        folder, names = Path(name), [f"v{j}.csv" for j in range(vendors)]
        for j, file in enumerate([*names, "anchor.csv"]):
            cells = draw.normal(0.02 * (j % 5), 1.0, size=(rows, 20))
            header = ",".join(f"x{c}" for c in range(20))
            np.savetxt(folder / file, cells, fmt="%.5f", delimiter=",", header=header, comments="")
        return Command.run("appraise", *names, "--anchor", "anchor.csv", "--no-save", folder=folder)
