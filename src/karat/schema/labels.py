"""The target column, taken out of the features: one label per row, numbers or text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from karat.errors import SchemaError
from karat.sources.table import Column, Numbers, Table, Text

LONGEST_LABEL = 200
"""Characters; longer text is no label, and an array of it would be as wide as the longest."""


def labels_of(table: Table, target: str, *, vendor: str) -> NDArray[Any]:
    """The labels (m,): float64 with NaN where missing, or text with "" where missing."""
    column = table.by_name[target]
    if isinstance(column, Numbers):
        if np.isinf(column.values).any():
            row = int(np.argmax(np.isinf(column.values)))
            raise SchemaError(
                f"{vendor!r} has an infinite label in column {target!r}, {table.place(row)}.",
                hint="Replace it, or leave the row out.",
                vendor=vendor,
                column=target,
                row=row + 1,
            )
        return column.values
    if isinstance(column, Text):
        longest = max(map(len, column.words), default=0)
        if longest > LONGEST_LABEL:
            raise SchemaError(
                f"{vendor!r} has a label of {longest:,} characters in column {target!r}.",
                hint=f"Labels have at most {LONGEST_LABEL} characters; choose another target.",
                vendor=vendor,
                column=target,
            )
        return np.array([*column.words, ""], dtype=np.str_)[column.codes]
    raise SchemaError(
        f"the target {target!r} of {vendor!r} holds neither numbers nor text ({column.reason}).",
        hint="Choose another target, or none.",
        vendor=vendor,
        column=target,
    )


def is_missing(labels: NDArray[Any]) -> NDArray[np.bool_]:
    """Which rows have no label."""
    missing = labels == "" if labels.dtype.kind == "U" else np.isnan(labels)
    return np.asarray(missing, dtype=np.bool_)


def check_target(tables: Mapping[str, Table], target: str, *, anchor: str | None) -> None:
    """Every vendor has the target, in one kind; the anchor may lack it."""
    kinds: dict[bool, str] = {}
    for name, table in tables.items():
        column = table.by_name.get(target)
        if column is None:
            if name == anchor:
                continue
            raise SchemaError(
                f"{name!r} lacks the target column {target!r}.",
                hint="Choose a target that every vendor has, or none.",
                vendor=name,
                column=target,
            )
        if column.kind != "empty":
            kinds.setdefault(_is_text(column), name)
    if len(kinds) > 1:
        raise SchemaError(
            f"the target {target!r} is text in {kinds[True]!r} and numbers in {kinds[False]!r}.",
            hint="Write it in one way in all sources.",
            vendor=kinds[True],
            column=target,
        )


def _is_text(column: Column) -> bool:
    return isinstance(column, Text)
