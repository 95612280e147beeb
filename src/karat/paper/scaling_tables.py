"""Tables 16 to 22: time and memory here beside the printed, how they grow, and how the machine was."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from karat.paper import printed_scaling
from karat.paper.entries import Entry
from karat.paper.layout import ABSENT, Result, Table, number

ENGINE_NAMES: Mapping[str, str] = {
    "landmarks": "landmarks, a fixed number",
    "adaptive": "landmarks, karat's own number",
    "exact": "exact, every pair",
    "block": "the authors' algorithm",
    "davinz": "DAVINZ",
}
"""What is timed, in words."""

_WANTED = {"table-17": "peak_mb", "table-20": "peak_mb", "table-18": "seconds", "table-21": "seconds"}
"""What a table of the paper has; tables not named have both."""

_GRIDS = {
    ("scaling-cifar10", "peak_mb"): printed_scaling.CIFAR_RAM,
    ("scaling-cifar10", "seconds"): printed_scaling.CIFAR_TIME,
    ("scaling-mnist", "peak_mb"): printed_scaling.MNIST_RAM,
    ("scaling-mnist", "seconds"): printed_scaling.MNIST_TIME,
}


_CUDA = {"table-16": printed_scaling.CIFAR_CUDA, "table-19": printed_scaling.MNIST_CUDA}


def cuda_table(entry: Entry) -> Table:
    """What the paper prints of memory that was not measured here."""
    rows = tuple((f"{m:,}", *(number(one, 1) for one in row)) for m, row in _CUDA[entry.id].items())
    head = ("m", *(f"n = {n}" for n in printed_scaling.N_VENDORS))
    return Table(f"{entry.what} in MB, as the paper prints it", head, rows)


def scaling_tables(entry: Entry, result: Result) -> list[Table]:
    """Every timing, with the straight lines through them."""
    name, engines = str(result["experiment"]), result["summary"]["engines"]
    wanted = [_WANTED[entry.id]] if entry.id in _WANTED else ["seconds", "peak_mb"]
    found = []
    for what in wanted:
        rows = [
            (
                ENGINE_NAMES[engine],
                ABSENT if cell["landmarks"] is None else f"{cell['landmarks']:,}",
                str(cell["n"]),
                f"{cell['m']:,}",
                number(printed_cell(name, what, cell["n"], cell["m"]), 1),
                number(cell[what], 2),
                number(cell["error"], 4),
            )
            for engine, timings in engines.items()
            for cell in timings["grid"]
        ]
        unit = "seconds" if what == "seconds" else "MB, peak of the whole process"
        head = ("engine", "landmarks", "n", "m", "paper", "here", "largest error of a value")
        notes = (*_growth(engines, what), *_machine(engines))
        found.append(Table(f"{name}: {unit}", head, tuple(rows), notes))
    return found


def _growth(engines: Mapping[str, Any], what: str) -> list[str]:
    said = []
    for engine, timings in engines.items():
        for size, fixed, at in (("m", "n", "at_vendors"), ("n", "m", "at_rows")):
            fit = timings[f"against_{size}"]
            if fit is not None:
                said.append(
                    f"{ENGINE_NAMES[engine]}, against {size} at {fixed} = {timings[at]:,}: grows as "
                    f"{size}^{fit[what]['power']:.2f}; a straight line has r^2 {fit[what]['r2']:.4f}."
                )
    return said


def _machine(engines: Mapping[str, Any]) -> list[str]:
    cells = [cell for timings in engines.values() for cell in timings["grid"]]
    threads = {kind: count for cell in cells for kind, count in cell["threads"].items()}
    return [
        "Time is the least of up to three repeats. Before the timings the load was "
        f"{load_range(engines)}; threads: {', '.join(f'{kind} {n}' for kind, n in sorted(threads.items()))}.",
        "The paper's numbers are of its machine, with four GPUs; its algorithm is also run here.",
    ]


def load_range(engines: Mapping[str, Any]) -> str:
    """Least and largest load before a timing; on a quiet machine about 1, the run itself."""
    loads = [
        cell["load"] for timings in engines.values() for cell in timings["grid"] if cell["load"] is not None
    ]
    return f"{min(loads):.1f} to {max(loads):.1f}" if loads else "not to be had"


def printed_cell(name: str, what: str, n: int, m: int) -> float | None:
    """The paper's number at this size, if it prints one; DAVINZ's are all at n = 10."""
    if name == "scaling-davinz":
        row = printed_scaling.DAVINZ.get(m)
        return row[1 if what == "peak_mb" else 2] if row is not None and n == 10 else None
    grid = _GRIDS[(name, what)]
    if m not in grid or n not in printed_scaling.N_VENDORS:
        return None
    return grid[m][printed_scaling.N_VENDORS.index(n)]
