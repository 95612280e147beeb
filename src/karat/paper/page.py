"""The page of the documentation: every table and figure of the paper beside ours, from stored results."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from karat.paper.differences import differences_table
from karat.paper.entries import ENTRIES, NO_GPU, Entry
from karat.paper.glance import glance_tables
from karat.paper.layout import ABSENT, Table
from karat.paper.listing import laid_out, stored, stored_results
from karat.paper.plots import plots_of
from karat.paper.reasons import PREFIX
from karat.paper.tables import tables_of
from karat.paper.verdicts import (
    Verdict,
    count_table,
    in_order,
    missed_table,
    verdict_table,
    verdicts_of,
)

HEAD = """# The paper, reproduced side by side

<!-- Written by `karat paper report` from stored results. Do not edit. -->

<style>.md-typeset table:not([class]) :is(td, th) { min-width: 0; padding: 0.35em 0.7em; }</style>

Every table and figure of "Data Distribution Valuation" (Xu et al. 2024), and what karat finds in its place.
Settings came first and the ground truth after, but for what is named under "set late"; all trials are shown,
and no line is a "best of".

## In a minute
"""

CANNOT = """### What the paper's own definitions cannot give

- **An order from the uniform mixture.** Where all vendors share one Q, as in tables 2, 3 and 6 to 8,
  P_i - P_U = (e_i - mean e) (Q - P\\*) for the uniform mixture P_U of the vendors. So d(P_i, P_U) =
  |e_i - mean e| d(P\\*, Q): a V. The vendor in the middle looks best, the best one ties with the worst, and
  the correlation with -e_i is 0 for evenly spaced e_i, whatever the data and the kernel. The paper prints up
  to 0.98 there; the column "the V" above has what the definition gives with endless previews, and the plots
  below show it. Twenty rows of the buyer's own repair it, where P\\* and Q are not too close.
- **Pearson's correlation of 1 with zeta.** Under the Huber model d(P_i, P\\*) is linear in epsilon, and
  test performance is not. Exact distances order the vendors without a mistake, and still no MMD, of whatever
  kernel, exceeds the ceiling: Pearson's correlation measures the curvature of the learning curve, too.
- **r² = 1 in all four plots of figure 6.** r² is the square of a correlation whose ten values table 5 sums
  up: by its own means and standard errors their squares average 0.65 to 0.79. See [fig-6](#fig-6).
- **A cross for the Wasserstein distance under the Huber model** (table 1): the first has the identity, as
  every integral probability metric has; the second has not.
"""

READING = """## How to read it

- **Pools.** Each set is split once by the hash of its rows: test 20 % (ground truth only), anchor pool 20
  % (validation rows, anchors, scalings), vendor pool 60 %. P\\* and Q *are* the uniform distributions on
  their vendor pools, and vendors draw from them with replacement, so what is true of a vendor is known
  exactly.
- **zeta**, the ground truth, is the mean test performance over several draws, with a fresh model for
  every vendor of every draw.
- **Ceiling.** Pearson's correlation of zeta with the exact -d(P_i, P\\*) of the pools. Biased estimates
  and squares bend the line, and may exceed it.
- **Lines.** Those with the paper's names follow the paper as printed; "the authors' code" follows their
  code; `mmd` and the other lines in small letters are karat's defaults: unbiased, and under the mean of
  three Gaussians at a half, one and two times the median distance of the reference's rows, so k(x, x) = 1.
- **The buyer has** the whole anchor pool (D_val, the paper's test set as reference), 100 or 20 rows of
  it, or nothing: then the vendors in equal shares take its place.
- **Scale.** "quick" means 1,000 rows per preview, 3 trials, a CNN of 22,000 parameters, and CIFAR through
  frozen patch features; `--scale full` takes the paper's m and trials and many hours.
- **Errors** in brackets are standard errors over trials, as the paper prints them; "none" counts trials in
  which all values tie, so that there is no order.
- **Costly valuations** are cut down at quick scale: LAVA, CS and mmd-cond get 500 validation rows, and 50
  principal components where there are more than 100 columns; LAVA moves at most 500 rows of each side;
  CS trains ridge regressions, in 20 random orders beyond 8 vendors, mmd-cond linear models, and DAVINZ a
  linear model in closed form.
- **What was set late.** For running time, and after trial runs at small sizes that had printed a ground
  truth: the cuts above, three draws of zeta where images are involved, and CIFAR's model (ridge in place of
  logistic regression). After a first timing in which the machine was busy: the sizes of figure 11, three
  repeats, and karat's own number of landmarks beside the fixed one. After the misses: what explains them,
  and five draws of the race between landmarks and the authors' algorithm in place of one.
  After the tables of misreporting were seen: their column of vendor 1's preview. After table 1's times: the
  larger sizes of MMD's.
- **The same numbers again.** Seeds, settings and code decide every number but times: libraries run on one
  thread, and a stored result names the code that it is of.
- **CUDA** columns: not measured, no GPU.
"""


def page(folder: Path | None = None) -> str:
    """The whole page as Markdown with inline SVG."""
    found: dict[str, Mapping[str, Any]] = {}
    for entry in ENTRIES:
        found |= stored_results(entry.id, folder)
    results = in_order(found)
    verdicts = verdicts_of(results)
    parts = [
        HEAD.rstrip(),
        _stored(found),
        *(as_markdown(make(verdicts)) for make in (count_table, missed_table) if verdicts),
        "### At a glance",
        *(as_markdown(table) for table in glance_tables(results)),
        CANNOT.rstrip(),
        "## Contents",
        as_markdown(_contents(found, verdicts)),
        READING.rstrip(),
        as_markdown(differences_table()),
        *([_folded(verdict_table(verdicts))] if verdicts else []),
        *(section(entry, folder) for entry in ENTRIES),
    ]
    return "\n\n".join(parts) + "\n"


def _stored(found: Mapping[str, Mapping[str, Any]]) -> str:
    """Which entries are whole, and what the others lack."""
    lacking = {
        entry.id: [name for name in entry.experiments if name not in found]
        for entry in ENTRIES
        if entry.is_measured
    }
    whole = [name for name, names in lacking.items() if not names]
    without = [entry.id for entry in ENTRIES if entry.note == NO_GPU]
    said = f"Of {len(lacking)} tables and figures that can be measured here, {len(whole)} are stored whole."
    partly = [f"{name} ({', '.join(names)})" for name, names in lacking.items() if names]
    if partly:
        said += f" Not run: {'; '.join(partly)}."
    return f"{said} Not measured, no GPU: {', '.join(without)}."


def _contents(found: Mapping[str, Mapping[str, Any]], verdicts: list[Verdict]) -> Table:
    """Every table and figure, where it stands, and what came of it."""
    rows = []
    for entry in ENTRIES:
        own = [one for one in verdicts if one.experiment.split(",")[0] in entry.experiments]
        missed = [one for one in own if not one.is_reached]
        said = f"{len(own) - len(missed)} of {len(own)} reached" if own else ABSENT
        rows.append((f"[{entry.id}](#{entry.id})", entry.what, stored(entry, found), said))
    return Table("In the paper's order", ("", "what", "stored", "what must be reached"), tuple(rows))


def section(entry: Entry, folder: Path | None = None) -> str:
    """One table or figure."""
    results = stored_results(entry.id, folder)
    tables, said = laid_out(entry, results)
    parts = [f"## {entry.id}: {entry.what} {{ #{entry.id} }}", *said, *_twins(entry)]
    commands = sorted({str(result["command"]) for result in results.values() if result.get("command")})
    if commands:
        parts.append("Made by " + ", ".join(f"`{command}`" for command in commands) + ".")
    if entry.family == "ranking":
        return "\n\n".join([*parts, *(part for name in results for part in _market(entry, name, results))])
    plots = plots_of(entry, results)
    is_figure = entry.id.startswith("fig")
    if is_figure and plots:
        parts.append(_side_by_side(plots))
    shown = tables
    if is_figure and entry.family in ("incentives", "scaling"):
        shown = tables[1:] if entry.family == "incentives" else []  # their tables have the rest
    parts += [_folded(one) if entry.family == "efficiency" else as_markdown(one) for one in shown]
    if not is_figure and plots:
        parts.append(_side_by_side(plots))
    return "\n\n".join(parts)


def _market(entry: Entry, name: str, results: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """A market's tables and its plots, one below the other; nothing for what explains another market."""
    if name.startswith(PREFIX):
        return []
    own = {each: results[each] for each in (name, PREFIX + name) if each in results}
    drawn = _side_by_side(plots_of(entry, own))
    main, *others = tables_of(entry, own)
    rest = [_folded(one) if "every trial" in one.title else as_markdown(one) for one in others]
    return [as_markdown(main), drawn, *rest]


def _twins(entry: Entry) -> list[str]:
    """Where else the same runs are shown."""
    twins = [
        f"[{other.id}](#{other.id})"
        for other in ENTRIES
        if other is not entry and set(other.experiments) & set(entry.experiments)
    ]
    return [f"The same runs: {', '.join(twins)}."] if twins else []


def as_markdown(table: Table) -> str:
    """A table and its notes."""
    lines = [
        f"**{table.title}**",
        "",
        "| " + " | ".join(map(_cell, table.head)) + " |",
        "|" + " --- |" * len(table.head),
        *("| " + " | ".join(map(_cell, row)) + " |" for row in table.rows),
    ]
    if table.notes:
        lines += ["", *(f"- {_cell(note)}" for note in table.notes)]
    return "\n".join(lines)


def _folded(table: Table) -> str:
    rows = "".join(
        "<tr>" + "".join(f"<{kind}>{_html(cell)}</{kind}>" for cell in row) + "</tr>"
        for kind, row in (("th", table.head), *(("td", row) for row in table.rows))
    )
    notes = "".join(f"<p>{_html(note)}</p>" for note in table.notes)
    return f"<details><summary>{_html(table.title)}</summary><table>{rows}</table></details>{notes}"


def _side_by_side(plots: list[str]) -> str:
    grid = "display:grid;grid-template-columns:repeat(auto-fit,minmax(19em,1fr));gap:1em"
    return f'<div style="{grid}">' + "".join(plots) + "</div>"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("*", "\\*") or " "


def _html(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
