"""What the figures were taken on."""

from __future__ import annotations

import os
import platform
from importlib.metadata import version
from pathlib import Path

from karat.gram.choose import machine_bytes


def machine() -> dict[str, str | float]:
    """Processor, cores, memory, and the versions that matter for speed."""
    return {
        "processor": _processor(),
        "cores": float(os.cpu_count() or 1),
        "memory_gb": round(machine_bytes() / 1e9, 1),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "numpy": version("numpy"),
        "numba": version("numba"),
        "karat": version("karat"),
    }


def _processor() -> str:
    """The model as the system names it."""
    listing = Path("/proc/cpuinfo")
    if listing.exists():
        for line in listing.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or "unknown"
