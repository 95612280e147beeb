"""What reading gives, whichever way: sources in one encoding, from tables held whole or read in parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from karat.schema import Encoder, Finding
from karat.sources import Numbers, SourceFile, Table, open_table
from karat.vendors.arrays import read_only
from karat.vendors.naming import ANCHOR, brought_by
from karat.vendors.sample import Hashes, VendorSample, check_size
from karat.vendors.streamed import Source

ROWS_HASHED = 1 << 15
"""Rows that are hashed at a time."""


@dataclass(frozen=True)
class ReadOptions:
    """What was asked about columns, as tuples."""

    columns: tuple[str, ...] | None
    drop: tuple[str, ...]
    target: str | None
    missing: str
    scaling: str

    @classmethod
    def of(
        cls,
        columns: Sequence[str] | str | None = None,
        drop: Sequence[str] | str | None = None,
        target: str | None = None,
        missing: str = "flag",
        scaling: str = "reference",
    ) -> ReadOptions:
        chosen = (columns,) if isinstance(columns, str) else columns
        dropped = (drop,) if isinstance(drop, str) else drop
        return cls(
            None if chosen is None else tuple(map(str, chosen)),
            tuple(map(str, dropped or ())),
            target,
            missing,
            scaling,
        )


@dataclass(frozen=True)
class ReadSources:
    """The sources in the order given, their encoder, the files they were read from, and what was odd."""

    samples: tuple[Source, ...]
    encoder: Encoder
    files: Mapping[str, tuple[SourceFile, ...]]
    findings: tuple[Finding, ...]


def read_whole(brought: Mapping[str, Any], options: ReadOptions, *, fitted_on: str | None) -> ReadSources:
    """Every table in memory; the encoder is fitted on the source of this name, or on all."""
    tables = {}
    for name, thing in brought.items():
        with brought_by(name):
            tables[name] = open_table(thing)
    for name, table in tables.items():
        check_size(table.rows, vendor=name)
    encoder = Encoder.fit(
        tables,
        anchor=fitted_on,
        columns=options.columns,
        drop=options.drop,
        target=options.target,
        missing=options.missing,
        scaling=options.scaling,
    )
    files = {name: table.files for name, table in tables.items()}
    findings = [*encoder.findings, *_reading_findings(tables, options.target)]
    samples = []
    for name in list(tables):
        table = tables.pop(name)  # it is let go once it is encoded
        encoded = encoder.encode(table, vendor=name)
        hashes = _raw_hashes(table, [field.name for field in encoder.fields], encoded.kept)
        findings += encoded.findings
        labels = None if encoded.labels is None else read_only(encoded.labels)
        samples.append(VendorSample(name, read_only(encoded.rows), labels, raw_hashes=hashes))
    return ReadSources(tuple(samples), encoder, files, tuple(findings))


def _raw_hashes(table: Table, names: Sequence[str], kept: NDArray[np.int64]) -> Hashes:
    """Of rows before they are encoded: cut off at the same deviation, different rows become equal."""
    from karat.vendors.hashes import row_hashes  # numba, which import karat does not pay

    columns = [column.values for column in map(table.by_name.get, names) if isinstance(column, Numbers)]
    parts = []
    for start in range(0, len(kept), ROWS_HASHED):
        chosen = kept[start : start + ROWS_HASHED]
        values = np.column_stack([column[chosen] for column in columns])
        values[np.isnan(values)] = np.nan  # one pattern of bits for all that is missing
        parts.append(row_hashes(values))
    return np.concatenate(parts)


def _reading_findings(tables: Mapping[str, Table], target: str | None) -> list[Finding]:
    found = [
        Finding(note.kind, note.message, name, note.column, note.count)
        for name, table in tables.items()
        for note in table.notes
    ]
    if target is not None and ANCHOR in tables and target not in tables[ANCHOR].by_name:
        found.append(Finding("no-labels", f"the anchor lacks the target {target}.", ANCHOR, target))
    return found
