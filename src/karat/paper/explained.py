"""Misses in words and numbers: what the ground truth can tell, and which source of noise costs what."""

from __future__ import annotations

import numpy as np

from karat.paper.layout import Result, Table, number, with_error
from karat.paper.ranking import SLACK
from karat.paper.statistics import mean_and_error, pearson

CLEAR = 0.5
"""Share of zeta's variance between vendors that is no noise, under which zeta does not tell vendors apart."""


def clear_share(result: Result) -> float | None:
    """Of the variance of zeta between vendors, the share that is not the noise of its own mean."""
    errors = result["summary"]["zeta_error"]
    if errors is None:
        return None
    total = float(np.var(result["summary"]["zeta"], ddof=1))
    return max(0.0, 1.0 - float(np.mean(np.square(errors))) / total) if total > 0.0 else 0.0


def hidden_zeta(result: Result) -> str:
    """What to say where the ground truth does not tell the vendors apart."""
    share = clear_share(result)
    if share is None or share >= CLEAR:
        return ""
    summary = result["summary"]
    return (
        f"zeta hardly tells these vendors apart (deviation {np.std(summary['zeta'], ddof=1):.3f} between "
        f"them, standard error {np.sqrt(np.mean(np.square(summary['zeta_error']))):.3f}), so no correlation "
        "with it says much"
    )


def why_below_ceiling(result: Result, reasons: Result | None) -> str:
    """Which rows are too few: the buyer's, or the previews'."""
    if reasons is None:
        return ""
    ceiling, m = result["summary"]["verdict"]["ceiling"], result["settings"]["rows"]
    whole, larger = _correlations(result, reasons)
    q = reasons["summary"]["whole"]["rows"]
    farthest = max(result["cells"]["pools"]["truth"])
    previews = ", ".join(f"of {int(rows):,} rows {with_error(found)}" for rows, found in larger.items())
    is_near = whole is not None and whole >= ceiling - SLACK
    short = f"a preview's {m:,} rows are too few" if is_near else f"D_val's {q:,} rows are too few"
    return (
        f"{short} for vendors this close, the farthest at {farthest:.3f}. Against the same {q:,} rows of "
        f"D_val P_i itself reaches {number(whole)}; previews {previews}"
    )


def why_out_of_order(result: Result, reasons: Result | None) -> str:
    """How many rows of an anchor order the vendors' whole distributions."""
    trials = result["summary"]["lines"]["mmd"]["anchor-20"]["order"]["trials"]
    said = []
    if trials.count(None):
        said.append(f"in {trials.count(None)} of {len(trials)} trials every value is 0, which is no order")
    if reasons is not None:
        order = reasons["summary"]["whole"]["order"]
        shown = ", ".join(f"{int(size):,} rows {number(found['mean'], 2)}" for size, found in order.items())
        said.append(
            "20 rows cannot order even P_i itself here (mean Spearman of "
            f"{reasons['settings']['picks']} anchors: {shown})"
        )
    return "; ".join(said)


def reasons_table(result: Result, reasons: Result) -> Table:
    """One source of noise at a time."""
    name, m = str(result["experiment"]), result["settings"]["rows"]
    whole, larger = _correlations(result, reasons)
    found = reasons["summary"]["whole"]
    q = f"{found['rows']:,} rows, D_val"
    own = result["summary"]["lines"]["mmd"]["validation"]["pearson"]
    rows = [
        ("P_i itself", "P* itself: the ceiling", number(result["summary"]["ceiling"])),
        ("P_i itself", q, number(whole)),
        (f"{m:,} rows", q, with_error(own)),
        *((f"{int(size):,} rows", q, with_error(one)) for size, one in larger.items()),
    ]
    order = ", ".join(
        f"{int(size):,} rows {number(one['mean'], 2)}"
        + (f" ({one['no_order']} all 0)" if one["no_order"] else "")
        for size, one in found["order"].items()
    )
    notes = (
        "Run after the miss, to explain it; it changes no verdict. Same vendors, same zeta, one source of "
        "noise at a time.",
        f"P_i itself against anchors drawn from D_val, mean Spearman with -epsilon of "
        f"{reasons['settings']['picks']}: {order}.",
    )
    head = ("vendors show", "buyer has", "Pearson of mmd with zeta")
    return Table(f"{name}: where the correlation is lost", head, tuple(rows), notes)


def _correlations(result: Result, reasons: Result) -> tuple[float | None, dict[str, dict[str, object]]]:
    """Pearson with the market's zeta: of the whole distributions, and of larger previews."""
    zeta, found = result["summary"]["zeta"], reasons["summary"]
    larger = {
        rows: mean_and_error([pearson(one, zeta) for one in trials])
        for rows, trials in found["scores"].items()
    }
    return pearson(found["whole"]["scores"], zeta), larger
