"""The encoder: from tables to rows of floats, fitted on the reference alone and then frozen.

With an anchor, nothing that a vendor shows can move the encoding of anybody else: centre and scale
come from the anchor. A vendor's missing cells may add a column that says so, which is 0 for all
others and so leaves their distances alone. Without an anchor every vendor has the same weight,
however many rows it shows.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from karat.errors import SchemaError
from karat.schema.cells import (
    clipped_cells,
    dropped_rows,
    filled_cells,
    refuse_cell,
    refuse_gap,
    refuse_too_few,
)
from karat.schema.choose import check_table, choose_columns
from karat.schema.labels import check_target, is_missing, labels_of
from karat.schema.layout import Block, Layout
from karat.schema.ledger import Finding
from karat.schema.scale import centre_and_scale
from karat.sources.table import Numbers, Table
from karat.typing import Matrix, Vector

CLIP = 100.0
"""Reference deviations at which a value is cut off.

Rows meet in float32 tiles, with 7 digits: one cell of 1e9 deviations would leave nothing of its row's
other columns. At 100 a row is as far from the reference as any kernel can tell.
"""

LARGEST = 1e150
"""Beyond it, squares and their sums leave the range of float64; only unscaled columns can reach it."""

MISSING = ("flag", "drop", "error")
SCALINGS = ("reference", "none")

_PARTS = ("centre", "scale", "fill")


@dataclass(frozen=True)
class Field:
    """How one raw column is encoded: (value - centre) / scale; a missing cell counts as `fill`.

    is_constant: the reference has one value there, so the scale is 1.
    is_unknown: the reference has no value there, so only absence can be compared.
    has_flag: there is a column that says where cells were missing.
    """

    name: str
    kind: str
    centre: float
    scale: float
    fill: float
    is_constant: bool = False
    is_unknown: bool = False
    has_flag: bool = False


@dataclass(frozen=True, eq=False)
class Encoded:
    """A table in the encoder's form.

    rows: (m, width); labels: (m,) or None; kept: (m,), where each row stood in the table, from 0.
    """

    rows: Matrix
    labels: NDArray[Any] | None
    kept: NDArray[np.int64]
    findings: tuple[Finding, ...]


@dataclass(frozen=True)
class Encoder:
    """A fitted encoding of named columns. Equal encoders have equal digests.

    reference: the names of the sources it was fitted on: the anchor, or all vendors.
    """

    fields: tuple[Field, ...]
    reference: tuple[str, ...]
    target: str | None = None
    missing: str = "flag"
    scaling: str = "reference"

    @classmethod
    def fit(
        cls,
        tables: Mapping[str, Table],
        *,
        anchor: str | None = None,
        columns: Sequence[str] | None = None,
        drop: Sequence[str] = (),
        target: str | None = None,
        missing: str = "flag",
        scaling: str = "reference",
        gaps: Collection[str] = (),
    ) -> Encoder:
        """The encoder of a market's tables.

        Fitted on the table called `anchor`; without one, on all tables with the same weight each.
        The other tables only decide which columns need a flag for missing cells. Columns in `gaps` need one
        in any case: where tables are samples, the missing cells may be elsewhere.
        """
        reference = tuple(tables) if anchor is None else (anchor,)
        chosen = choose_columns(tables, reference=reference[0], columns=columns, drop=drop, target=target)
        if target is not None:
            check_target(tables, target, anchor=anchor)
        draft = cls.draft(tables, chosen, reference, target=target, missing=missing, scaling=scaling)
        flagged = {
            name
            for who, table in tables.items()
            for name, has_missing in draft._gaps(table, vendor=who).items()
            if has_missing and missing == "flag"
        } | (set(gaps) if missing == "flag" else set())
        kept = {name: draft._kept_rows(tables[name], vendor=name) for name in reference}
        fitted = []
        for field in draft.fields:
            parts = [_values(tables[name], field.name)[kept[name]] for name in reference]
            fitted.append(_fit_field(field, parts, scaling, has_flag=field.name in flagged))
        return replace(draft, fields=tuple(fitted))

    @classmethod
    def draft(
        cls,
        tables: Mapping[str, Table],
        chosen: Sequence[str],
        reference: tuple[str, ...],
        *,
        target: str | None = None,
        missing: str = "flag",
        scaling: str = "reference",
    ) -> Encoder:
        """Columns and rules, with nothing fitted yet: enough to check tables."""
        _check_option("missing", missing, MISSING)
        _check_option("scaling", scaling, SCALINGS)
        fields = tuple(Field(name, _kind(tables, name), 0.0, 1.0, 0.0) for name in chosen)
        return cls(fields, reference, target, missing, scaling)

    @cached_property
    def layout(self) -> Layout:
        """One block per column, then one for each flag."""
        flags = [field for field in self.fields if field.has_flag]
        width = len(self.fields)
        blocks = [Block(field.name, field.kind, i, i + 1) for i, field in enumerate(self.fields)]
        blocks += [
            Block(f"{field.name} (missing)", "missing", width + i, width + i + 1)
            for i, field in enumerate(flags)
        ]
        return Layout(tuple(blocks), width + len(flags))

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What is odd about the reference itself."""
        found = []
        for field in self.fields:
            if field.is_unknown:
                message = f"{field.name} has no values in the reference: only missing or not is compared."
                found.append(Finding("unknown-column", message, column=field.name))
            elif field.is_constant and self.scaling == "reference":
                message = f"{field.name} is constant in the reference ({field.centre:.6g}): not scaled."
                found.append(Finding("constant", message, column=field.name))
            if field.kind == "time":
                message = f"{field.name} holds times: compared as seconds since 1970 (UTC)."
                found.append(Finding("time", message, column=field.name))
        return tuple(found)

    def encode(self, table: Table, *, vendor: str) -> Encoded:
        """The rows of a table, shape (m, width); what was filled, cut off or dropped is in the findings."""
        self.check(table, vendor=vendor)
        kept = self._kept_rows(table, vendor=vendor)
        found = []
        if len(kept) < table.rows:
            refuse_too_few(len(kept), table.rows, vendor)
            found.append(dropped_rows(table.rows - len(kept), table.rows, vendor))
        rows = np.empty((len(kept), self.layout.width))
        flag = len(self.fields)
        for i, field in enumerate(self.fields):
            values = _values(table, field.name)[kept]
            gaps = np.isnan(values)
            rows[:, i], clipped = _encode_column(field, values, gaps, self.scaling)
            found += _column_findings(field, vendor, gaps=int(gaps.sum()), clipped=clipped)
            if field.has_flag:
                rows[:, flag] = gaps
                flag += 1
        labels = self._labels(table, vendor)
        return Encoded(rows, None if labels is None else labels[kept], kept, tuple(found))

    def rows(self, values: Matrix) -> Matrix:
        """Raw values (m, fields) of rows that are kept, encoded: the same numbers as `encode` gives.

        For parts of large tables, which have been looked at before: nothing is checked or found here.
        """
        centre, scale, fill = (np.array([getattr(field, what) for field in self.fields]) for what in _PARTS)
        unknown = np.array([field.is_unknown for field in self.fields])
        gaps = np.isnan(values)
        if gaps.any() or unknown.any():
            values = np.where(gaps | unknown, fill, values)
        with np.errstate(over="ignore"):
            encoded: Matrix = values - centre
            encoded /= scale
        if self.scaling != "none":
            np.clip(encoded, -CLIP, CLIP, out=encoded, where=~unknown)
        flags = [field.has_flag for field in self.fields]
        return np.hstack([encoded, gaps[:, flags]]) if any(flags) else encoded

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, saved: dict[str, Any]) -> Encoder:
        fields = tuple(Field(**field) for field in saved["fields"])
        return cls(fields, tuple(saved["reference"]), saved["target"], saved["missing"], saved["scaling"])

    @cached_property
    def digest(self) -> str:
        """SHA-256 of all that decides an encoding."""
        text = json.dumps(self.to_dict(), sort_keys=True, ensure_ascii=True, allow_nan=False)
        return hashlib.sha256(text.encode()).hexdigest()

    def check(self, table: Table, *, vendor: str) -> dict[str, bool]:
        """Which columns have missing cells, in a table whose columns and cells can be encoded; else raise."""
        check_table(table, [field.name for field in self.fields], vendor=vendor)
        return self._gaps(table, vendor=vendor)

    def _gaps(self, table: Table, *, vendor: str) -> dict[str, bool]:
        """Which columns have missing cells; infinities, and gaps where none may be, are refused."""
        gaps = {}
        for field in self.fields:
            values = _values(table, field.name)
            limit = LARGEST if self.scaling == "none" else np.finfo(np.float64).max
            if bool((np.abs(values) > limit).any()):
                refuse_cell(values, np.abs(values) > limit, field.name, table, vendor)
            gaps[field.name] = bool(np.isnan(values).any())
            if self.missing == "error" and gaps[field.name]:
                refuse_gap(values, field.name, table, vendor)
        return gaps

    def _kept_rows(self, table: Table, *, vendor: str) -> NDArray[np.int64]:
        """Which rows are used: all, or those without a gap."""
        if self.missing != "drop":
            return np.arange(table.rows)
        keep = np.ones(table.rows, dtype=np.bool_)
        for field in self.fields:
            keep &= ~np.isnan(_values(table, field.name))
        if self.target is not None and self.target in table.names:
            keep &= ~is_missing(labels_of(table, self.target, vendor=vendor))
        return np.flatnonzero(keep)

    def _labels(self, table: Table, vendor: str) -> NDArray[Any] | None:
        if self.target is None or self.target not in table.names:
            return None
        labels = labels_of(table, self.target, vendor=vendor)
        if self.missing != "drop" and is_missing(labels).any():
            row = int(np.argmax(is_missing(labels)))
            raise SchemaError(
                f"{vendor!r} has no label in column {self.target!r}, {table.place(row)}.",
                hint="Leave such rows out with missing='drop' (--missing drop).",
                vendor=vendor,
                column=self.target,
                row=row + 1,
            )
        return labels


def _check_option(option: str, given: str, allowed: Sequence[str]) -> None:
    if given not in allowed:
        raise SchemaError(f"{option} is {given!r}.", hint=f"It is one of {', '.join(map(repr, allowed))}.")


def _kind(tables: Mapping[str, Table], name: str) -> str:
    """The kind of a column over all sources: truths only if nobody has other numbers there."""
    kinds = {table.by_name[name].kind for table in tables.values()} - {"empty"}
    return kinds.pop() if len(kinds) == 1 else "number"


def _values(table: Table, name: str) -> Vector:
    column = table.by_name[name]
    assert isinstance(column, Numbers)
    return column.values


def _fit_field(field: Field, parts: Sequence[Vector], scaling: str, *, has_flag: bool) -> Field:
    centre, scale, is_constant = centre_and_scale(parts)
    is_unknown = all(bool(np.isnan(part).all()) for part in parts)
    if scaling == "none":
        return replace(field, fill=centre, is_constant=is_constant, is_unknown=is_unknown, has_flag=has_flag)
    return Field(field.name, field.kind, centre, scale, centre, is_constant, is_unknown, has_flag)


def _encode_column(field: Field, values: Vector, gaps: NDArray[np.bool_], scaling: str) -> tuple[Vector, int]:
    """(value - centre) / scale with gaps filled, and how many values were cut off."""
    if field.is_unknown:
        return np.full(len(values), (field.fill - field.centre) / field.scale), 0
    filled = np.where(gaps, field.fill, values)
    with np.errstate(over="ignore"):  # too far is infinite, and cut off below
        encoded = (filled - field.centre) / field.scale
    if scaling == "none":
        return encoded, 0
    clipped = int(np.count_nonzero(np.abs(encoded) > CLIP))
    return np.clip(encoded, -CLIP, CLIP), clipped


def _column_findings(field: Field, vendor: str, *, gaps: int, clipped: int) -> list[Finding]:
    found = []
    if gaps:
        found.append(filled_cells(gaps, field.name, vendor, is_flagged=field.has_flag))
    if clipped:
        found.append(clipped_cells(clipped, field.name, vendor, deviations=CLIP))
    return found
