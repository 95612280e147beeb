"""A market of files that do not fit in memory: looked at once, then read in parts by whoever asks.

Encoder and kernel follow from a random sample of the reference's rows (from all of them where they are few);
everything else is read in full. All sources are treated alike, the small ones too, so that copies of rows are
found between them.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import Any

from karat.schema import Encoder, Finding
from karat.schema.cells import clipped_somewhere, dropped_rows, filled_cells, refuse_too_few
from karat.schema.choose import choose_columns
from karat.schema.encode import CLIP
from karat.schema.labels import check_target
from karat.sources import LargeTable, cells_in, open_large
from karat.typing import Progress
from karat.vendors.look import Look, look_at
from karat.vendors.naming import brought_by
from karat.vendors.reading import ReadOptions, ReadSources
from karat.vendors.sample import check_size
from karat.vendors.sketch import Room, Sketch
from karat.vendors.streamed import StreamedSample

SAMPLED_CELLS = 1 << 23
"""Cells of the rows that are kept of all sources together, 64 MB, and once more of the anchor."""

FEWEST_SAMPLED, MOST_SAMPLED = 10, 20_000
MOST_FITTED = 100_000
"""Rows of the anchor that scales follow from: their errors are below a per cent of a deviation."""

MOST_HASHES = 1 << 23
"""Hashes of rows that are kept of all sources together: 64 MB, and some times that while compared."""


def read_large(
    brought: Mapping[str, Any],
    options: ReadOptions,
    *,
    fitted_on: str | None,
    progress: Progress | None = None,
) -> ReadSources:
    """Open and look at every source; the encoder is fitted on the source of this name, or on all."""
    tables, heads = {}, {}
    for name, thing in brought.items():
        with brought_by(name):
            tables[name] = open_large(thing)
    for name, table in tables.items():
        with brought_by(name):
            heads[name] = table.head()
    reference = tuple(tables) if fitted_on is None else (fitted_on,)
    target = options.target
    chosen = choose_columns(
        heads, reference=reference[0], columns=options.columns, drop=options.drop, target=target
    )
    if target is not None:
        check_target(heads, target, anchor=fitted_on)
    draft = Encoder.draft(heads, chosen, reference, missing=options.missing, scaling=options.scaling)
    shares = (len(chosen) / len(table.names) for table in tables.values())
    cells = sum(share * cells_in(thing) for share, thing in zip(shares, brought.values(), strict=True))
    looks, sketches = _look_at_all(tables, draft, fitted_on, _Told(progress, cells))
    for name, look in looks.items():
        if look.dropped:
            refuse_too_few(look.rows, look.rows + look.dropped, vendor=name)
        check_size(look.rows, vendor=name)
    encoder = Encoder.fit(
        {name: look.sample for name, look in looks.items()},
        anchor=fitted_on,
        columns=chosen,
        missing=options.missing,
        scaling=options.scaling,
        gaps={name for look in looks.values() for name in look.gaps},
    )
    findings = [*encoder.findings]
    for name, look in looks.items():
        findings += _findings(name, tables[name], look, encoder, is_fitted=name in reference)
    if target is not None:
        message = f"the target {target} is not kept of sources that are read in parts: no valuation sees it."
        findings.append(Finding("no-labels", message, column=target))
    return ReadSources(
        tuple(
            StreamedSample.of(name, tables[name], encoder, look, sketches[name])
            for name, look in looks.items()
        ),
        encoder,
        {name: look.files for name, look in looks.items()},
        tuple(findings),
    )


def _look_at_all(
    tables: Mapping[str, LargeTable], draft: Encoder, fitted_on: str | None, told: _Told
) -> tuple[dict[str, Look], dict[str, Sketch]]:
    """The looks of all sources, and sketches of one level; one thread per core."""
    sampled = _sampled(tables, len(draft.fields), fitted_on)
    room = Room(MOST_HASHES)
    sketchings = {name: room.sketching() for name in tables}

    def look(name: str) -> Look:
        with brought_by(name):
            return look_at(
                tables[name],
                draft,
                vendor=name,
                sampled=sampled[name],
                sketching=sketchings[name],
                told=told.cells,
            )

    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        looks = dict(zip(tables, pool.map(look, tables), strict=True))
    return looks, {name: sketching.result() for name, sketching in sketchings.items()}


def _sampled(names: Collection[str], width: int, fitted_on: str | None) -> dict[str, int]:
    """How many rows are kept of each source: more of the one that scales follow from."""
    share = min(max(SAMPLED_CELLS // (len(names) * width), FEWEST_SAMPLED), MOST_SAMPLED)
    own = min(max(SAMPLED_CELLS // width, FEWEST_SAMPLED), MOST_FITTED)
    return {name: own if name == fitted_on else share for name in names}


def _findings(
    name: str, table: LargeTable, look: Look, encoder: Encoder, *, is_fitted: bool
) -> list[Finding]:
    found = [Finding(note.kind, note.message, name, note.column, note.count) for note in table.notes]
    if look.dropped:
        found.append(dropped_rows(look.dropped, look.rows + look.dropped, name))
    for field, low, high in zip(encoder.fields, look.low, look.high, strict=True):
        gaps = look.gaps.get(field.name, 0)
        if gaps:
            found.append(filled_cells(gaps, field.name, name, is_flagged=field.has_flag))
        ends = ((edge - field.centre) / field.scale for edge in (low, high))
        if encoder.scaling != "none" and look.rows > gaps and any(abs(end) > CLIP for end in ends):
            found.append(clipped_somewhere(field.name, name, deviations=CLIP))
    if is_fitted and look.sample.rows < look.rows:
        message = f"scales and kernel follow from {look.sample.rows:,} of the {look.rows:,} rows of {name}."
        found.append(Finding("sampled", message, vendor=name, count=look.sample.rows))
    return found


class _Told:
    """Cells that all threads have read together, of about so many."""

    def __init__(self, progress: Progress | None, total: float) -> None:
        self.progress, self.done, self.total, self.lock = progress, 0, total, Lock()

    def cells(self, count: int) -> None:
        with self.lock:
            self.done += count
            if self.progress is not None:
                self.progress(self.done, max(self.done, self.total))
