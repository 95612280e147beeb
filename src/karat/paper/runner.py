"""Runs an experiment cell by cell; what was run already is not run again."""

from __future__ import annotations

import platform
import time
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_limits

from karat.paper.base import Experiment
from karat.paper.store import CellStore, code_digest
from karat.typing import Progress

LIBRARIES = ("karat", "numpy", "scipy", "scikit-learn", "numba", "torch", "POT")

Tell = Callable[[str], None]


def run_experiment(
    experiment: Experiment,
    *,
    folder: Path | None = None,
    resume: bool = True,
    command: str | None = None,
    progress: Progress | None = None,
    tell: Tell | None = None,
) -> dict[str, Any]:
    """All cells of an experiment and their summary, as one record that can be stored.

    Numbers follow from settings and code alone: libraries that add up in another order on more cores get one.

    Args:
        experiment: what to run.
        folder: where cells are kept; default the user's cache.
        resume: use the cells that a run of the same settings and code has left; otherwise begin anew.
        command: what was typed, kept in the record.
        progress: told (done, total) cells.
        tell: told a line per cell.
    """
    store = CellStore(f"{experiment.name}-{experiment.scale}", experiment.digest, folder)
    if not resume:
        store.clear()
    names = experiment.cells()
    records: dict[str, dict[str, Any]] = {}
    left = sum(store.get(name) is not None for name in names)
    if left and tell is not None:
        tell(f"{experiment.name}: {left} of {len(names)} cells were run before, and are kept")
    for done, name in enumerate(names):
        record = store.get(name)
        if record is None:
            started = time.perf_counter()
            with threadpool_limits(limits=1):  # or the last digits, and draws by content, follow the cores
                found = experiment.run(name)
            record = {"seconds": round(time.perf_counter() - started, 3), "found": found}
            store.put(name, record)
            if tell is not None:
                tell(f"{experiment.name} {name}: {record['seconds']:.1f} s")
        records[name] = record
        if progress is not None:
            progress(done + 1, len(names))
    cells = {name: record["found"] for name, record in records.items()}
    return {
        "experiment": experiment.name,
        "family": experiment.family,
        "scale": experiment.scale,
        "settings": experiment.settings(),
        "digest": experiment.digest,
        "command": command,
        "versions": versions(),
        "code": code_digest(),
        "machine": machine(),
        "seconds": {name: record["seconds"] for name, record in records.items()},
        "summary": experiment.summary(cells),
        "cells": cells,
    }


def versions() -> dict[str, str | None]:
    """The libraries that numbers depend on; None where one is not installed."""
    found: dict[str, str | None] = {"python": platform.python_version()}
    for name in LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = None
    return found


def machine() -> dict[str, Any]:
    """What timings depend on, without the machine's name."""
    import os

    return {"system": platform.system(), "processor": platform.machine(), "cores": os.cpu_count()}
