"""What karat set out to reach, experiment by experiment: reached or not, and why not."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from karat.paper.entries import ENTRIES
from karat.paper.explained import hidden_zeta, why_below_ceiling, why_out_of_order
from karat.paper.layout import ABSENT, Result, Table, number, with_error
from karat.paper.printed import RANKING, VERIFICATION
from karat.paper.reasons import PREFIX
from karat.paper.scaling_tables import ENGINE_NAMES, load_range
from karat.paper.settings import market_of

REACHED, MISSED = "reached", "not reached"

CEILING = "test set held, Huber: Pearson of mmd with zeta within 0.02 of the ceiling"
ORDER = "20-row anchor, epsilon up to (n-1)/n: Spearman of mmd with -epsilon at least 0.95"
UNIFORM = "verification, n from 100: uniform within 3 s.e. of the printed mean"
ROBUST = "verification, n from 100: robust at least 0.97"
FALLS = "misreporting: the own value falls for every vendor, by test set, uniform and anchor"
AGREES = "misreporting: values by 100 rows and by the test set correlate at 0.99 or more"
LINEAR = "landmarks, a fixed number: time a straight line in n and m, r^2 over 0.99"
RACED = (
    "landmarks, n = 10, m = 10,000: 4 times faster than the authors' algorithm, 1/20 of its error (squared)"
)


@dataclass(frozen=True)
class Verdict:
    """One thing that must be reached; reason: why it is not, or what else to know."""

    must: str
    experiment: str
    ours: str
    printed: str
    is_reached: bool
    reason: str = ""

    @property
    def word(self) -> str:
        return (REACHED if self.is_reached else MISSED) + (f": {self.reason}" if self.reason else "")


def verdicts_of(results: Mapping[str, Result]) -> list[Verdict]:
    """All verdicts, in the order of the results."""
    found: list[Verdict] = []
    for name, result in results.items():
        judge = _JUDGES.get(str(result["family"]))
        if judge is not None:
            found += judge(name, result, results)
    return found


def count_table(verdicts: list[Verdict]) -> Table:
    """How often each must is reached."""
    rows: list[tuple[str, ...]] = []
    for must in dict.fromkeys(one.must for one in verdicts):
        same = [one for one in verdicts if one.must == must]
        missed = [one.experiment for one in same if not one.is_reached]
        vague = [one.experiment for one in same if one.is_reached and one.reason]
        names = ["; ".join(each) or ABSENT for each in (missed, vague)]
        rows.append((must, f"{len(same) - len(missed)} of {len(same)}", *names))
    head = ("must", "reached", "not reached", "reached, but zeta says little")
    return Table("What must be reached", head, tuple(rows))


def missed_table(verdicts: list[Verdict]) -> Table:
    """Every miss, with its reason."""
    rows = tuple(
        (one.experiment, one.must, one.ours, one.printed, one.reason or "not known")
        for one in verdicts
        if not one.is_reached
    )
    return Table("Not reached, and why", ("experiment", "must", "ours", "the paper prints", "why"), rows)


def verdict_table(verdicts: list[Verdict]) -> Table:
    """A row per experiment and must."""
    rows = tuple((one.experiment, one.must, one.ours, one.printed, one.word) for one in verdicts)
    return Table("Every verdict", ("experiment", "must", "ours", "the paper prints", ""), rows)


def in_order(found: Mapping[str, Result]) -> dict[str, Result]:
    """Results in the order of the paper's tables and figures, each once."""
    names = dict.fromkeys(name for entry in ENTRIES for name in entry.experiments)
    return {name: found[name] for name in names if name in found}


def _ranking(name: str, result: Result, results: Mapping[str, Result]) -> list[Verdict]:
    verdict = result["summary"]["verdict"]
    if not verdict:
        return []
    reasons = results.get(PREFIX + name)
    line = result["summary"]["lines"]["mmd"]["validation"]
    ceiling = verdict["ceiling"]
    found = [
        Verdict(
            CEILING,
            name,
            f"{with_error(line['pearson'])}, ceiling {number(ceiling)}, "
            f"Spearman {with_error(line['spearman'])}",
            _printed(name, ceiling),
            verdict["reached"],
            hidden_zeta(result) if verdict["reached"] else why_below_ceiling(result, reasons),
        )
    ]
    if "order" in verdict:
        why = "" if verdict["order_reached"] else why_out_of_order(result, reasons)
        found.append(Verdict(ORDER, name, number(verdict["order"]), ABSENT, verdict["order_reached"], why))
    return found


def _printed(name: str, ceiling: float | None) -> str:
    paper = RANKING[market_of(name)]["Ours"][0]
    if paper is None:
        return ABSENT
    beyond = ceiling is not None and paper[0] > ceiling
    return f"{paper[0]:.3f}" + (", not reachable on this zeta: above the ceiling" if beyond else "")


def _verification(name: str, result: Result, _: Mapping[str, Result]) -> list[Verdict]:
    found = []
    for n, row in result["summary"]["table"].items():
        if int(n) < 100:
            continue
        mean, error = VERIFICATION[int(n)]
        uniform, robust = row["uniform-0"]["mean"], row["robust-0"]["mean"]
        printed = f"{mean:.3f} ({error:.3f})"
        is_near = abs(uniform - mean) <= 3.0 * error
        found.append(Verdict(UNIFORM, f"{name}, n = {n}", number(uniform), printed, is_near))
        found.append(Verdict(ROBUST, f"{name}, n = {n}", number(robust), ABSENT, robust >= 0.97))
    return found


def _incentives(name: str, result: Result, _: Mapping[str, Result]) -> list[Verdict]:
    summary = result["summary"]
    least = min(row["anchor"]["mean"] for row in summary["correlation"])
    rises = [way for way in ("test", "uniform", "anchor") if not summary["falls"][way]]
    ours = "yes" if not rises else "no: " + ", ".join(rises)
    return [
        Verdict(FALLS, name, ours, "falls for vendors 2 to 4", not rises),
        Verdict(AGREES, name, f"{number(least)} at least", ABSENT, least >= 0.99),
    ]


def _scaling(name: str, result: Result, _: Mapping[str, Result]) -> list[Verdict]:
    engines = result["summary"]["engines"]
    found = []
    for size, fixed, at in (("m", "n", "at_vendors"), ("n", "m", "at_rows")):
        fit = engines.get("landmarks", {}).get(f"against_{size}")
        if fit is not None:
            r2 = fit["seconds"]["r2"]
            place = f"{name}, in {size} at {fixed} = {engines['landmarks'][at]:,}"
            why = "" if r2 > 0.99 else f"before the timings the load was {load_range(engines)}"
            found.append(Verdict(LINEAR, place, number(r2, 4), "linear, by eye", r2 > 0.99, why))
    for engine, race in races(result["summary"]).items():
        faster, nearer = race.faster, race.nearer
        ours = (
            f"{race.landmarks} landmarks: {faster:.1f} times faster; largest error of a squared distance "
            f"1/{nearer:.1f} ({race.spread}), of a value 1/{race.by_value:.1f}; means of {race.draws} draws"
        )
        short = [
            f"{shown} falls short of {goal}"
            for shown, goal, is_short in (
                (f"{faster:.1f} times", "4", faster < 4.0),
                (f"1/{nearer:.1f}", "1/20", nearer < 20.0),
            )
            if is_short
        ]
        place = f"{name}, {ENGINE_NAMES[engine]}"
        found.append(Verdict(RACED, place, ours, ABSENT, not short, "; ".join(short)))
    return found


@dataclass(frozen=True)
class Race:
    """One way to take landmarks against the authors' algorithm, on the same draws.

    faster, nearer, by_value: ratios of mean seconds, and of mean largest errors of squared distances (what is
    estimated, and what ranks) and of values; spread: the least and largest ratio of the former in one draw.
    """

    landmarks: str
    faster: float
    nearer: float
    by_value: float
    spread: str
    draws: int


def races(summary: Mapping[str, Any]) -> dict[str, Race]:
    """Both ways to take landmarks; nothing where no race was run."""
    raced = summary.get("race", {})
    found = {}
    for engine in ("landmarks", "adaptive") if raced else ():
        own, theirs = raced[engine], raced["block"]
        each = [a / b for a, b in zip(theirs["squared"], own["squared"], strict=True)]
        found[engine] = Race(
            landmarks=" or ".join(f"{count:,.0f}" for count in sorted(set(own["landmarks"]))),
            faster=sum(theirs["seconds"]) / sum(own["seconds"]),
            nearer=sum(theirs["squared"]) / sum(own["squared"]),
            by_value=sum(theirs["value"]) / sum(own["value"]),
            spread=f"1/{min(each):.1f} to 1/{max(each):.1f}",
            draws=len(each),
        )
    return found


_JUDGES: Mapping[str, Callable[[str, Result, Mapping[str, Result]], list[Verdict]]] = {
    "ranking": _ranking,
    "verification": _verification,
    "incentives": _incentives,
    "scaling": _scaling,
}
