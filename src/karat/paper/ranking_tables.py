"""Tables 2, 3 and 6 to 11: every line beside the printed, the ceiling, the ground truth, and every trial."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from karat.paper import printed
from karat.paper.explained import hidden_zeta, reasons_table, why_below_ceiling, why_out_of_order
from karat.paper.layout import ABSENT, Result, Table, as_printed, number, with_error
from karat.paper.lines import LINES, Line
from karat.paper.settings import market_of
from karat.paper.statistics import pearson, v_shape


def ranking_tables(result: Result, reasons: Result | None) -> list[Table]:
    """The lines beside the printed, why a miss, then every trial."""
    summary, settings = result["summary"], result["settings"]
    name = str(result["experiment"])
    paper = printed.RANKING[market_of(name)]
    lines = summary["lines"]
    rows = [
        (
            line.label.split(" (")[0],
            *(cell for held in ("validation", "none") for cell in _cells(paper, line, lines, held)),
        )
        for line in LINES
        if line.label in lines
    ]
    rows += [
        (f"mmd, {HELD[held]} of D_val", ABSENT, *_correlated(lines["mmd"][held]), ABSENT, ABSENT, ABSENT)
        for held in ("anchor-100", "anchor-20")
    ]
    ends = [number(one) for one in (summary["ceiling"], v_correlation(result))]
    rows.append(("endless rows: the ceiling, the V", ABSENT, ends[0], ABSENT, ABSENT, ends[1], ABSENT))
    facts = result["cells"]["pools"]
    notes = [
        "Pearson's correlation with zeta, as the paper prints it and as found here, then Spearman's. Where "
        "the buyer has nothing, the vendors' uniform mixture takes the place of D_val, or the core of "
        "`robust`. As printed: equation 5, the paper's kernel. The authors' code: blocks, over their size.",
        f"n = {settings['n_vendors']}, m = {settings['rows']:,}, {facts['schedule']}; "
        f"{settings['trials']} trials; zeta: {settings['model']}, mean of {settings['draws']} draws.",
        "zeta: " + ", ".join(_zeta(summary)),
        *_failed_draws(result),
        "pools (test, anchor, vendor): "
        + "; ".join(
            f"{each} {s['test']:,}, {s['anchor']:,}, {s['vendor']:,}" for each, s in facts["sizes"].items()
        ),
        *facts["stands_in"],
        *_verdicts(result, reasons),
    ]
    head = ("valuation", "paper, D_val", "D_val", "Spearman", "paper, nothing", "nothing", "Spearman")
    why = [] if reasons is None else [reasons_table(result, reasons)]
    return [Table(name, head, tuple(rows), tuple(notes)), *why, _every_trial(name, summary)]


HELD = {
    "validation": "D_val, all",
    "anchor-100": "100 rows",
    "anchor-20": "20 rows",
    "none": "nothing",
}
"""What the buyer holds, in words."""


def _zeta(summary: Mapping[str, Any]) -> list[str]:
    """The ground truth of every vendor, with the standard error of its mean over draws."""
    errors = summary["zeta_error"] or [None] * len(summary["zeta"])
    return [
        with_error({"mean": zeta, "stderr": error})
        for zeta, error in zip(summary["zeta"], errors, strict=True)
    ]


def _failed_draws(result: Result) -> list[str]:
    """Vendors whose ground truth hangs on a single draw, whose model failed on the test pool."""
    draws = [cell["performance"] for name, cell in result["cells"].items() if name.startswith("zeta-")]
    said = []
    for i, found in enumerate(zip(*draws, strict=True), start=1):
        ranked = sorted(found)
        middle, worst = ranked[len(ranked) // 2], ranked[0]
        if len(ranked) > 2 and worst < middle - FAILED < ranked[1]:
            said.append(
                f"zeta of vendor {i} hangs on one draw of {len(found)}: its model scores {worst:.3f}, the "
                f"median {middle:.3f}. It is kept: an expectation has no outliers."
            )
    return said


FAILED = 0.25
"""A draw this far below the median of its vendor is named."""


def _cells(
    paper: Mapping[str, printed.Pair], line: Line, lines: Mapping[str, Any], held: str
) -> tuple[str, str, str]:
    """The printed number, ours and its Spearman, with D_val or without."""
    beside = paper.get(line.printed or "")
    shown = ABSENT if beside is None else as_printed(beside[1 if held == "none" else 0])
    found = lines[line.label].get(held)
    return (shown, ABSENT, ABSENT) if found is None else (shown, *_correlated(found))


def _correlated(found: Mapping[str, Any]) -> tuple[str, str]:
    if "not_run" in found:
        return (f"not run: {found['not_run']}", ABSENT)
    return (with_error(found["pearson"]), with_error(found["spearman"]))


def v_correlation(result: Result) -> float | None:
    """What the uniform mixture gives with endless previews, where all vendors share one Q."""
    if result["settings"]["kind"] != "huber":
        return None
    return pearson(v_shape(result["cells"]["pools"]["levels"]), result["summary"]["zeta"])


def _verdicts(result: Result, reasons: Result | None) -> list[str]:
    verdict = result["summary"]["verdict"]
    hidden = hidden_zeta(result)
    said = [hidden[0].upper() + hidden[1:] + "."] if hidden else []
    if not verdict:
        return said
    ceiling, is_reached = verdict["ceiling"], verdict["reached"]
    why = "" if is_reached else why_below_ceiling(result, reasons)
    said.append(
        "must: mmd with D_val at least the ceiling minus 0.02: "
        f"{number(verdict['mmd'])} beside {number(ceiling)}: {_word(is_reached, why)}."
    )
    if ceiling is not None and ceiling < 0.98:
        said.append(
            f"Beyond {number(ceiling)} is not reachable by any exact MMD here: under the Huber model it is "
            "linear in epsilon, and zeta is not."
        )
    if "order" in verdict:
        is_ordered = verdict["order_reached"]
        why = "" if is_ordered else why_out_of_order(result, reasons)
        said.append(
            "must: 20-row anchor, Spearman with -epsilon at least 0.95: "
            f"{number(verdict['order'])}: {_word(is_ordered, why)}."
        )
    return said


def _word(is_reached: bool, why: str) -> str:
    return "reached" if is_reached else "not reached" + (f"; {why}" if why else "")


def _every_trial(name: str, summary: Mapping[str, Any]) -> Table:
    rows = [
        (
            label,
            HELD[held],
            ", ".join(number(one) for one in found["pearson"]["trials"]),
            with_error(found["order"]),
        )
        for label, line in summary["lines"].items()
        for held, found in line.items()
        if "not_run" not in found
    ]
    head = ("valuation", "buyer has", "Pearson with zeta", "Spearman with the true order")
    return Table(f"{name}, every trial", head, tuple(rows))
