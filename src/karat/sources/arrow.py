"""Arrow columns become ours, chunk by chunk.

One converter for CSV, Parquet and data frames: whatever they hold passes through here, so a date
or a missing cell means the same wherever it came from.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from karat.sources.budget import Budget
from karat.sources.table import Column, Numbers, Text, Unreadable
from karat.typing import Vector

SECONDS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}


class ColumnReader:
    """Collects the chunks of one column; floats and codes are kept, Arrow's memory is let go."""

    def __init__(self, name: str, arrow_type: Any, budget: Budget | None = None) -> None:
        self.name, self.arrow_type, self.budget = name, arrow_type, budget
        self.kind = kind_of(arrow_type)
        self.numbers: list[Vector] = []
        self.codes: list[Any] = []
        self.words: dict[str, int] = {}
        self._dictionary: Any = None
        self._lookup = np.array([-1], dtype=np.int32)

    def add(self, chunk: Any) -> None:
        """Take the next chunk (an Arrow array of the column's type)."""
        if self.kind == "other":
            return
        if self.kind == "text":
            self._add_text(chunk)
            return
        if self.budget is not None:
            self.budget.take_cells(len(chunk))
        self.numbers.append(floats(chunk))

    def finish(self) -> Column:
        """The column as read."""
        if self.kind == "other":
            return Unreadable(self.name, f"cells of type {self.arrow_type}")
        if self.kind == "text":
            codes = np.concatenate(self.codes) if self.codes else np.empty(0, np.int32)
            return Text(self.name, codes, tuple(self.words))
        values = np.concatenate(self.numbers) if self.numbers else np.empty(0)
        self.numbers = []
        return Numbers(self.name, values, "empty" if np.isnan(values).all() else self.kind)

    def _add_text(self, chunk: Any) -> None:
        import pyarrow as pa

        coded = chunk if pa.types.is_dictionary(chunk.type) else chunk.dictionary_encode()
        if self.budget is not None:
            self.budget.take_cells(len(coded))
        if self._dictionary is None or not self._dictionary.equals(coded.dictionary):
            self._learn(coded.dictionary)
        missing = len(coded.dictionary)
        indices = coded.indices.cast(pa.int64()).fill_null(missing).to_numpy(zero_copy_only=False)
        self.codes.append(self._lookup[indices])

    def _learn(self, dictionary: Any) -> None:
        """Give the new words of a chunk's dictionary their codes; chunks often share one."""
        if self.budget is not None:
            self.budget.check_text(dictionary.nbytes)
        known, words = len(self.words), dictionary.to_pylist()
        codes = [-1 if word is None else self.words.setdefault(word, len(self.words)) for word in words]
        if self.budget is not None and len(self.words) > known:
            self.budget.take_text(dictionary.nbytes)
        self._dictionary = dictionary
        self._lookup = np.array([*codes, -1], dtype=np.int32)  # the last one stands for missing


def kind_of(arrow_type: Any) -> str:
    """What a column of this Arrow type is to us: number, bool, time, text or other."""
    import pyarrow.types as types

    if types.is_dictionary(arrow_type):
        arrow_type = arrow_type.value_type
        return "text" if _is_text(arrow_type) else kind_of(arrow_type)
    if types.is_boolean(arrow_type):
        return "bool"
    if types.is_temporal(arrow_type) and not types.is_interval(arrow_type):
        return "time"
    if types.is_integer(arrow_type) or types.is_floating(arrow_type) or types.is_decimal(arrow_type):
        return "number"
    if types.is_null(arrow_type):
        return "number"
    return "text" if _is_text(arrow_type) else "other"


def floats(chunk: Any) -> Vector:
    """An Arrow array of numbers, truths or times as float64, NaN where missing."""
    import pyarrow as pa

    if pa.types.is_dictionary(chunk.type):
        chunk = chunk.dictionary_decode()
    factor = 1.0
    if pa.types.is_temporal(chunk.type):
        chunk, factor = _ticks(chunk)
    values = chunk.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
    return np.array(values * factor if factor != 1.0 else values, dtype=np.float64)


def _ticks(chunk: Any) -> tuple[Any, float]:
    """A temporal array as whole ticks, and the seconds in a tick."""
    import pyarrow as pa

    if pa.types.is_date32(chunk.type):
        return chunk.cast(pa.int32()), 86_400.0
    if pa.types.is_date64(chunk.type):
        return chunk.cast(pa.int64()), SECONDS["ms"]
    whole = pa.int32() if pa.types.is_time32(chunk.type) else pa.int64()
    return chunk.cast(whole), SECONDS[chunk.type.unit]


def _is_text(arrow_type: Any) -> bool:
    import pyarrow.types as types

    views = getattr(types, "is_string_view", None)
    return bool(
        types.is_string(arrow_type)
        or types.is_large_string(arrow_type)
        or (views is not None and views(arrow_type))
    )
