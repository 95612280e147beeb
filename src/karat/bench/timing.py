"""Times that can be compared: taken in turns, the least of several repeats.

Another process on the machine only ever adds to a time, so the least is the nearest to the truth, and a ratio
of two times is fair only if both were taken under the same weather.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence


def least_seconds(calls: Mapping[str, Callable[[], object]], *, repeats: int) -> dict[str, float]:
    """Wall seconds of every call, in turns, after one call each that does not count."""
    for call in calls.values():
        call()
    least = dict.fromkeys(calls, float("inf"))
    for _ in range(repeats):
        for name, call in calls.items():
            start = time.perf_counter()
            call()
            least[name] = min(least[name], time.perf_counter() - start)
    return least


def cpu_seconds(arguments: Sequence[str], *, repeats: int) -> float:
    """User and system seconds of a process of its own, from its start to its end; the least of several."""
    return min(_cpu_seconds(arguments) for _ in range(repeats))


def _cpu_seconds(arguments: Sequence[str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(arguments, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def in_a_process(program: str, *arguments: str) -> str:
    """What a Python program of a few lines prints, run by this interpreter."""
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments], check=True, capture_output=True, text=True
    )
    return done.stdout.strip()
