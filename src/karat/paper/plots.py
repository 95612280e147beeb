"""Which plots belong to which stored result."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from karat.paper import printed_scaling
from karat.paper.entries import Entry
from karat.paper.figures import Series, bar_plot, line_plot, scatter_plot
from karat.paper.printed import VERIFICATION
from karat.paper.reasons import PREFIX
from karat.paper.scaling_tables import ENGINE_NAMES, printed_cell

Result = Mapping[str, Any]


def plots_of(entry: Entry, results: Mapping[str, Result]) -> list[str]:
    """The plots of an entry, as SVG."""
    make = _MAKERS.get(entry.family)
    if entry.id.startswith("table") and entry.id != "table-22" and entry.family in ("incentives", "scaling"):
        return []  # the figures of the same experiments have them
    found: list[str] = []
    for name in entry.experiments:
        if name in results and make is not None and not name.startswith(PREFIX):
            found += make(entry, results[name])
    return [plot for plot in found if plot]


def _verification(entry: Entry, result: Result) -> list[str]:
    if entry.id == "fig-6":
        return [_scatter(result, n) for n in (100, 200, 500, 1000) if str(n) in result["summary"]["table"]]
    table = result["summary"]["table"]
    sizes = [float(n) for n in table]
    ways = ("uniform-0", "robust-0", "uniform-1000", "robust-1000", "uniform-200", "robust-200")
    series = [
        Series(
            way.replace("-0", ", population").replace("-1", ", 1").replace("-2", ", 2"),
            sizes,
            [table[n][way]["mean"] for n in table],
            [table[n][way]["stderr"] for n in table],
        )
        for way in ways
    ]
    printed = Series(
        "the paper, population",
        [float(n) for n in VERIFICATION],
        [mean for mean, _ in VERIFICATION.values()],
        [error for _, error in VERIFICATION.values()],
    )
    title = "correlation with the true values"
    return [line_plot(title, [*series, printed], x_label="vendors", y_label="Pearson", log_x=True)]


def _scatter(result: Result, n: int) -> str:
    fit = result["summary"]["table"][str(n)]["fit"]
    points = result["cells"][f"vendors-{n}-0"]["scatter"]
    return scatter_plot(
        f"{n} vendors: r² = {fit['r2']:.2f}, the paper prints 1",
        Series("", points["error"], points["value"]),
        x_label="error level d(P_i, P*)",
        y_label="value, uniform mixture",
        fit=(fit["slope"], fit["intercept"]),
    )


def _ranking(entry: Entry, result: Result) -> list[str]:
    """The V: values by D_val, by the uniform mixture and by `robust`, against each vendor's level."""
    summary = result["summary"]
    levels = result["cells"]["pools"]["levels"]
    wanted = (("mmd", "validation", "D_val"), ("mmd", "none", "uniform"), ("robust", "none", "robust"))
    series = [
        Series(label, levels, summary["lines"][line][reference]["values"])
        for line, reference, label in wanted
        if "values" in summary["lines"].get(line, {}).get(reference, {})
    ]
    zeta = Series("zeta", levels, summary["zeta"], summary["zeta_error"])
    name = str(result["experiment"])
    return [
        line_plot(f"{name}: mmd", series, x_label="level of the vendor", y_label="value"),
        line_plot(f"{name}: ground truth", [zeta], x_label="level of the vendor", y_label="test performance"),
    ]


def _incentives(entry: Entry, result: Result) -> list[str]:
    summary = result["summary"]
    n = len(summary["correlation"])
    groups = [str(i + 1) for i in range(n)]
    found = []
    for i in (1, 2, 3):
        series = [
            Series(way, range(n), summary["change"][way][i])
            for way in ("test", "uniform", "uniform, squared", "anchor")
        ]
        found.append(bar_plot(f"vendor {i + 1} misreports", groups, series, y_label="change in value"))
    return found


def _efficiency(entry: Entry, result: Result) -> list[str]:
    summary = result["summary"]
    shares = [100.0 * share for share in summary["shares"]]
    found = []
    for criterion in ("l2", "l_inf", "inversions"):
        series = []
        for label, by_size in summary["lines"].items():
            cells = [one.get(criterion) for one in by_size.values()]
            if all(cell is not None and cell["mean"] is not None for cell in cells):
                means = [cell["mean"] for cell in cells]
                series.append(Series(label.split(" (")[0], shares, means, [cell["stderr"] for cell in cells]))
        is_count = criterion == "inversions"
        found.append(
            line_plot(
                criterion, series, x_label="m / m* in %", y_label=criterion, log_x=True, log_y=not is_count
            )
        )
    return found


def _scaling(entry: Entry, result: Result) -> list[str]:
    found = []
    engines = result["summary"]["engines"]
    for what, label in (("seconds", "seconds"), ("peak_mb", "MB")):
        for size, fixed, at in (("m", "n", "at_vendors"), ("n", "m", "at_rows")):
            series = []
            for engine, timings in engines.items():
                cells = [cell for cell in timings["grid"] if cell[fixed] == timings[at]]
                name = f"{ENGINE_NAMES[engine]}, {fixed} = {timings[at]:,}"
                series.append(Series(name, [float(c[size]) for c in cells], [float(c[what]) for c in cells]))
            several = [one for one in series if len(one.x) > 1]
            if several:
                several.append(_printed(str(result["experiment"]), what, size))
                title = f"{str(result['experiment']).removeprefix('scaling-')}: {label} against {size}"
                found.append(line_plot(title, several, x_label=size, y_label=label, log_x=True, log_y=True))
    return found


def _printed(experiment: str, what: str, size: str) -> Series:
    """The paper's numbers: against m at n = 10, against n at m = 10,000."""
    if size == "m":
        known = [(m, printed_cell(experiment, what, 10, m)) for m in printed_scaling.CIFAR_RAM]
        name = "the paper, n = 10"
    else:
        known = [(n, printed_cell(experiment, what, n, 10_000)) for n in printed_scaling.N_VENDORS]
        name = "the paper, m = 10,000"
    shown = [(float(at), value) for at, value in known if value is not None]
    return Series(name, [at for at, _ in shown], [value for _, value in shown])


def _divergences(entry: Entry, result: Result) -> list[str]:
    sizes = [float(m) for m in result["settings"]["sizes"]]
    return [
        line_plot(
            f"relative error, dim = {d}",
            [Series(name, sizes, by[str(d)]["relative"]) for name, by in result["summary"]["errors"].items()],
            x_label="m",
            y_label="mean |error| / truth",
            log_x=True,
            log_y=True,
        )
        for d in result["settings"]["columns"]
    ]


_MAKERS: Mapping[str, Callable[[Entry, Result], list[str]]] = {
    "verification": _verification,
    "ranking": _ranking,
    "incentives": _incentives,
    "efficiency": _efficiency,
    "scaling": _scaling,
    "divergences": _divergences,
}
