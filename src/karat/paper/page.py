"""The page of the documentation: every table and figure of the paper beside ours, from stored results."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from karat.paper.entries import ENTRIES, Entry
from karat.paper.layout import Table
from karat.paper.listing import laid_out, stored_results
from karat.paper.plots import plots_of
from karat.paper.verdicts import in_order, verdict_table

HEAD = """# The paper, reproduced side by side

<!-- Written by `karat paper report` from stored results. Do not edit. -->

Every table and figure of "Data Distribution Valuation" (Xu et al. 2024), and what karat finds in its
place. Each section names the command that made it. Settings were fixed before any ground truth was looked
at, but for those named under "set late"; every trial is shown, and no line is a "best of". A miss is
printed with its reason.

## How to read it

- **Pools.** Each set is split once by the hash of its rows: test 20 % (ground truth only), anchor pool 20
  % (validation rows, anchors, scalings), vendor pool 60 %. P\\* and Q *are* the uniform distributions on
  their vendor pools, and vendors draw from them with replacement, so what is true of a vendor is known
  exactly.
- **zeta**, the ground truth, is the mean test performance over several draws, with a fresh model for
  every vendor of every draw.
- **Ceiling.** Pearson's correlation of zeta with the exact -d(P_i, P\\*) of the pools. Under the Huber
  model that distance is linear in epsilon, and zeta is not: so no exact MMD can exceed the ceiling on this
  zeta, whatever is printed for another. Biased estimates and squares bend the line, and may.
- **Lines.** Those with the paper's names follow the paper as printed; "the authors' code" follows their
  code, which differs (blocks of 1,024 rows, a sum divided by the block size, a floor); `mmd` and the
  other lines in small letters are karat's defaults.
- **The buyer has** the whole anchor pool (D_val, the paper's test set as reference), 100 or 20 rows of
  it, or nothing: then the vendors in equal shares take its place.
- **Scale.** "quick" means 1,000 rows per preview, 3 trials, a CNN of 22,000 parameters, and CIFAR through
  frozen patch features; `--scale full` takes the paper's m and trials and many hours.
- **Costly valuations** are cut down at quick scale: LAVA, CS and mmd-cond get 500 validation rows, and 50
  principal components where there are more than 100 columns; LAVA moves at most 500 rows of each side;
  CS trains ridge regressions, in 20 random orders beyond 8 vendors, mmd-cond linear models, and DAVINZ a
  linear model in closed form.
- **What was set late.** For running time, and after trial runs at small sizes that had printed a ground
  truth: the cuts above, three draws of zeta where images are involved, and CIFAR's model (ridge in place of
  logistic regression). Timings were taken on a machine that others used, too.
- **CUDA** columns: not measured, no GPU.

## What the paper's definitions cannot give

Where all vendors share one Q, as in tables 2, 3 and 6 to 8, P_i - P_U = (e_i - mean e) (Q - P\\*) for the
uniform mixture P_U of the vendors. So d(P_i, P_U) = |e_i - mean e| d(P\\*, Q): a V. The vendor in the
middle looks best, the best vendor ties with the worst, and the correlation with -e_i is 0 for evenly
spaced e_i, whatever the data. The paper prints up to 0.98 in these columns. The plots below show the V.
Twenty rows of the buyer's own repair it.
"""


def page(folder: Path | None = None) -> str:
    """The whole page as Markdown with inline SVG."""
    found: dict[str, Mapping[str, Any]] = {}
    for entry in ENTRIES:
        found |= stored_results(entry.id, folder)
    verdicts = ["## Reached or not", as_markdown(verdict_table(in_order(found)))] if found else []
    return "\n\n".join([HEAD.rstrip(), *verdicts, *(section(entry, folder) for entry in ENTRIES)]) + "\n"


def section(entry: Entry, folder: Path | None = None) -> str:
    """One table or figure."""
    results = stored_results(entry.id, folder)
    tables, said = laid_out(entry, results)
    parts = [f"## {entry.id}: {entry.what}", *said]
    commands = sorted({str(result["command"]) for result in results.values() if result.get("command")})
    if commands:
        parts.append("Made by " + ", ".join(f"`{command}`" for command in commands) + ".")
    plots = plots_of(entry, results)
    is_figure = entry.id.startswith("fig")
    if is_figure and plots:
        parts.append(_side_by_side(plots))
    shown = [table for table in tables if not is_figure or entry.family == "efficiency"]
    if entry.id in ("fig-7", "fig-8", "fig-9", "fig-10"):
        shown = tables[1:]
    parts += [_folded(table) if "every trial" in table.title else as_markdown(table) for table in shown]
    if not is_figure and plots:
        parts.append(_side_by_side(plots))
    return "\n\n".join(parts)


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
        "<tr>" + "".join(f"<td>{_html(cell)}</td>" for cell in row) + "</tr>"
        for row in (table.head, *table.rows)
    )
    return f"<details><summary>{_html(table.title)}</summary><table>{rows}</table></details>"


def _side_by_side(plots: list[str]) -> str:
    return '<div class="karat-plots">' + "".join(plots) + "</div>"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("*", "\\*") or " "


def _html(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
