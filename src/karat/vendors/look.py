"""One pass over a large table, before its rows can be encoded: what encoder and copies need to know."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from karat.schema import Encoder
from karat.schema.choose import check_table
from karat.schema.encode import LARGEST
from karat.sources import LargeTable, Numbers, SourceFile, Table
from karat.sources.draws import Kept
from karat.typing import Matrix, Vector
from karat.vendors.sketch import Sketching


@dataclass(frozen=True, eq=False)
class Look:
    """What a source shows, in bounded memory.

    rows: those that are used; dropped: those with a missing cell, where such rows are left out.
    gaps: missing cells of every column, where there are any; low, high: (k,), its ends.
    sample: rows drawn at random, in their order, as a table; places: (q,), where they stand.
    """

    rows: int
    dropped: int
    files: tuple[SourceFile, ...]
    gaps: Mapping[str, int]
    low: Vector
    high: Vector
    sample: Table
    places: NDArray[np.int64]


def look_at(
    table: LargeTable,
    draft: Encoder,
    *,
    vendor: str,
    sampled: int,
    sketching: Sketching,
    told: Callable[[int], None] | None = None,
) -> Look:
    """Read all rows once, in the columns of the encoder to be.

    draft: knows columns and rules, nothing fitted yet; sampled: rows to keep, at most;
    sketching: takes the rows' hashes; told: of the cells that were read.
    """
    names = [field.name for field in draft.fields]
    kept = Kept(sampled, seed=0)
    files: list[SourceFile] = []
    kinds: dict[str, str] = {}
    gaps = np.zeros(len(names), dtype=np.int64)
    low, high = np.full(len(names), np.inf), np.full(len(names), -np.inf)
    rows = dropped = 0
    for part in table.chunks(names):
        check_table(part, names, vendor=vendor)
        files = _counted(files, part)
        for column in part.columns:
            if column.kind != "empty" and kinds.setdefault(column.name, column.kind) != column.kind:
                kinds[column.name] = "number"  # truths in one file, numbers in another
        values, left_out = raw_values(part, names, draft)
        is_gap = np.isnan(values)
        has_gaps = bool(is_gap.any())
        low = np.fmin(low, np.fmin.reduce(values, axis=0, initial=np.inf))
        high = np.fmax(high, np.fmax.reduce(values, axis=0, initial=-np.inf))
        if max(-low.min(), high.max()) > LARGEST or has_gaps or left_out:
            draft.check(part, vendor=vendor)  # cell by cell, where something may be wrong
        if has_gaps:
            gaps += is_gap.sum(axis=0)
            values[is_gap] = np.nan  # one pattern of bits for all that is missing
        kept.offer(values, rows)
        sketching.add(values)
        rows, dropped = rows + len(values), dropped + left_out
        if told is not None:
            told(values.size)
    order = np.argsort(kept.places)
    sample = Table(
        tuple(
            Numbers(name, np.ascontiguousarray(cells), kinds.get(name, "empty"))
            for name, cells in zip(names, kept.rows[order].reshape(-1, len(names)).T, strict=True)
        ),
        len(order),
    )
    found = {name: int(count) for name, count in zip(names, gaps, strict=True) if count}
    return Look(rows, dropped, tuple(files), found, low, high, sample, kept.places[order])


def raw_values(part: Table, names: Sequence[str], encoder: Encoder) -> tuple[Matrix, int]:
    """The rows that are used, (m, k) before encoding, and how many were left out for a missing cell."""
    values = part.matrix
    if values is None:
        by_name = part.by_name
        values = np.empty((part.rows, len(names)))
        for i, name in enumerate(names):
            column = by_name[name]
            assert isinstance(column, Numbers)
            values[:, i] = column.values
    if encoder.missing != "drop":
        return values, 0
    keep = ~np.asarray(np.isnan(values).any(axis=1))
    return values[keep], len(keep) - int(keep.sum())


def _counted(files: list[SourceFile], part: Table) -> list[SourceFile]:
    """The files so far; a part that begins a file adds it, others add rows to the last one."""
    if part.before == 0:
        return [*files, *part.files]
    return [*files[:-1], replace(files[-1], rows=files[-1].rows + part.rows)]
