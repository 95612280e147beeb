"""What karat set out to reach, experiment by experiment: reached, not reached, or not reachable."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from karat.paper.entries import ENTRIES
from karat.paper.layout import Table, number
from karat.paper.printed import RANKING, VERIFICATION

Row = tuple[str, str, str, str, str]

REACHED, MISSED = "reached", "not reached"


def verdict_table(results: Mapping[str, Mapping[str, Any]]) -> Table:
    """A row per experiment and goal; results by experiment name, in the paper's order."""
    rows: list[Row] = []
    for name, result in results.items():
        if result["family"] in _ROWS:
            rows += _ROWS[str(result["family"])](name, result["summary"])
    head = ("experiment", "must", "ours", "the paper prints", "")
    return Table("Reached or not", head, tuple(rows))


def in_order(found: Mapping[str, Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    """Results in the order of the paper's tables and figures, each once."""
    names = dict.fromkeys(name for entry in ENTRIES for name in entry.experiments)
    return {name: found[name] for name in names if name in found}


def _word(is_reached: bool) -> str:
    return REACHED if is_reached else MISSED


def _ranking(name: str, summary: Mapping[str, Any]) -> list[Row]:
    verdict = summary["verdict"]
    if not verdict:
        return []
    printed = RANKING[name.removesuffix("-code").removesuffix("-wide")]["Ours"][0]
    beside = "-" if printed is None else f"{printed[0]:.3f}"
    ceiling = verdict["ceiling"]
    above = ceiling is not None and printed is not None and printed[0] > ceiling
    rows: list[Row] = [
        (
            name,
            f"mmd with D_val: Pearson at least the ceiling {number(ceiling)} minus 0.02",
            number(verdict["mmd"]),
            beside + (", above the ceiling here" if above else ""),
            _word(verdict["reached"]) + _why(verdict),
        )
    ]
    if "order" in verdict:
        goal = "20-row anchor: Spearman with -epsilon at least 0.95"
        rows.append((name, goal, number(verdict["order"]), "-", _word(verdict["order_reached"])))
    return rows


def _why(verdict: Mapping[str, Any]) -> str:
    if verdict["reached"] or "noise" not in verdict:
        return ""
    return f": noise {verdict['noise']:.3f}, true deviation {verdict['spread']:.3f}"


def _verification(name: str, summary: Mapping[str, Any]) -> list[Row]:
    rows: list[Row] = []
    for n, found in summary["table"].items():
        if int(n) < 100:
            continue
        mean, error = VERIFICATION[int(n)]
        uniform, robust = found["uniform-0"]["mean"], found["robust-0"]["mean"]
        goal = f"n = {n}: uniform within the printed mean plus or minus 3 s.e."
        printed = f"{mean:.3f} ({error:.3f})"
        rows.append((name, goal, number(uniform), printed, _word(abs(uniform - mean) <= 3.0 * error)))
        rows.append((name, f"n = {n}: robust at least 0.97", number(robust), "-", _word(robust >= 0.97)))
    return rows


def _incentives(name: str, summary: Mapping[str, Any]) -> list[Row]:
    least = min(row["anchor"]["mean"] for row in summary["correlation"])
    ways = ("test", "uniform", "anchor")
    falls = all(summary["falls"][way] for way in ways)
    return [
        (
            name,
            "the misreporter's value falls, for every vendor, by test set, uniform and anchor",
            "yes" if falls else "no: " + ", ".join(way for way in ways if not summary["falls"][way]),
            "falls for vendors 2 to 4",
            _word(falls),
        ),
        (name, "100-row anchor: correlation at least 0.99", number(least), "-", _word(least >= 0.99)),
    ]


def _scaling(name: str, summary: Mapping[str, Any]) -> list[Row]:
    engines = summary["engines"]
    rows: list[Row] = []
    for against in ("against_m", "against_n"):
        fit = engines.get("landmarks", {}).get(against)
        if fit is not None:
            r2 = fit["seconds"]["r2"]
            goal = f"landmarks: time linear {against.replace('_', ' ')}, r^2 over 0.99"
            rows.append((name, goal, number(r2, 4), "linear, by eye", _word(r2 > 0.99)))
    race = race_of(engines)
    if race is not None:
        faster, nearer = race
        goal = "n = 10, m = 10,000: landmarks 4 times faster than the authors' algorithm, 1/20 of its error"
        ours = f"{faster:.1f} times, 1/{nearer:.0f}"
        rows.append((name, goal, ours, "-", _word(faster >= 4.0 and nearer >= 20.0)))
    return rows


def race_of(engines: Mapping[str, Any]) -> tuple[float, float] | None:
    """How many times faster landmarks are than the authors' algorithm, and how many times nearer to exact."""
    by_engine = {
        engine: cell
        for engine, timings in engines.items()
        for cell in timings["grid"]
        if (cell["n"], cell["m"]) == (10, 10_000)
    }
    if not {"landmarks", "block", "exact"} <= set(by_engine):
        return None
    ours, theirs = by_engine["landmarks"], by_engine["block"]
    return theirs["seconds"] / ours["seconds"], theirs["error"] / ours["error"]


_ROWS: Mapping[str, Callable[[str, Mapping[str, Any]], list[Row]]] = {
    "ranking": _ranking,
    "verification": _verification,
    "incentives": _incentives,
    "scaling": _scaling,
}
