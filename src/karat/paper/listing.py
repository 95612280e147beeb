"""Entries as people meet them: what there is, what is stored, and each laid out as text."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from karat.errors import UsageError
from karat.paper.entries import ENTRIES, Entry, entry_named
from karat.paper.layout import Table
from karat.paper.runner import Tell, run_experiment
from karat.paper.scaling_tables import cuda_table
from karat.paper.settings import experiment_named
from karat.paper.settings_table import settings_table
from karat.paper.store import read_result, result_path, write_result
from karat.paper.tables import tables_of
from karat.typing import Progress


def listing() -> list[dict[str, Any]]:
    """Every entry: id, what, minutes and hours it takes, what is stored, the command to run it."""
    return [
        {
            "id": entry.id,
            "what": entry.what,
            "minutes": entry.minutes,
            "hours_full": entry.hours,
            "stored": stored(entry),
            "experiments": list(entry.experiments),
            "command": f"karat paper run {entry.id}" if entry.is_measured else None,
        }
        for entry in ENTRIES
    ]


def stored(entry: Entry, found: Collection[str] | None = None) -> str:
    """Whether an entry's results are at hand, in words; found: those that are, where that is known."""
    if entry.family == "settings":
        return "yes, settings"
    if not entry.is_measured:
        return entry.note
    own = [name for name in entry.experiments if (result_path(name) if found is None else name in found)]
    if len(own) == len(entry.experiments):
        return "yes"
    return "not run here" if not own else f"{len(own)} of {len(entry.experiments)}"


def as_lines(entries: list[dict[str, Any]]) -> list[str]:
    """The list as text."""
    lines = [f"{'id':9} {'quick':>7} {'full':>7}  {'stored':22} what"]
    for entry in entries:
        quick = f"{entry['minutes']:g} min" if entry["command"] else ""
        full = f"{entry['hours_full']:g} h" if entry["command"] else ""
        lines.append(f"{entry['id']:9} {quick:>7} {full:>7}  {entry['stored']:22} {entry['what']}")
    lines.append(
        "Run one with `karat paper run ID`; those not run here say so, and with that command they are."
    )
    return lines


def run_entry(
    wanted: str,
    *,
    scale: str,
    trials: int | None = None,
    resume: bool = True,
    only: str | None = None,
    into: Path | None = None,
    command: str | None = None,
    progress: Progress | None = None,
    tell: Tell | None = None,
) -> None:
    """Run the experiments behind an entry and store each as soon as it is done."""
    entry = entry_named(wanted)
    if not entry.is_measured:
        raise UsageError(
            f"{wanted} has nothing to run: {entry.note or 'it is the table of settings'}.",
            hint=f"`karat paper show {wanted}` says what is known.",
        )
    if only is not None and only not in entry.experiments:
        raise UsageError(
            f"{wanted} has no experiment {only!r}.", hint=f"It has {', '.join(entry.experiments)}."
        )
    for name in entry.experiments:
        if only in (None, name):
            experiment = experiment_named(name, scale, trials=trials)
            result = run_experiment(experiment, resume=resume, command=command, progress=progress, tell=tell)
            write_result(name, result, into)


def stored_results(wanted: str, folder: Path | None = None) -> dict[str, dict[str, Any]]:
    """The stored results of an entry, by experiment."""
    found: dict[str, dict[str, Any]] = {}
    for name in entry_named(wanted).experiments:
        result = read_result(name, folder)
        if result is not None:
            found[name] = result
    return found


def laid_out(entry: Entry, results: Mapping[str, Mapping[str, Any]]) -> tuple[list[Table], list[str]]:
    """An entry's tables, and what else is to be said of it."""
    if entry.family == "settings":
        return [settings_table()], []
    said = [entry.note] if entry.note else []
    if not entry.is_measured:
        return [cuda_table(entry)], said
    lacking = [name for name in entry.experiments if name not in results]
    said += [f"{name}: not run here; `karat paper run {entry.id} --only {name}` runs it." for name in lacking]
    return tables_of(entry, results), said


def shown(wanted: str, folder: Path | None = None) -> str:
    """An entry as text."""
    entry = entry_named(wanted)
    tables, said = laid_out(entry, stored_results(wanted, folder))
    parts = [f"{entry.id}: {entry.what}", *said, *(as_text(table) for table in tables)]
    return "\n\n".join(parts)


def as_text(table: Table) -> str:
    """A table in columns of fixed width."""
    rows = [table.head, *table.rows]
    widths = [
        max(len(row[c]) for row in rows if not row[c].startswith("not run")) for c in range(len(table.head))
    ]
    lines = ["  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip() for row in rows]
    rule = "-" * min(len(lines[0]), 110)
    return "\n".join([table.title, rule, lines[0], rule, *lines[1:], *(f"  {note}" for note in table.notes)])
