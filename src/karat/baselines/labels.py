"""Labels as the valuations read them: classes with codes that all sources share, or numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from karat.typing import Vector

LabelKind = Literal["classes", "numbers"]

MOST_CLASSES = 100
"""Whole numbers with more distinct values than this are read as a target to regress on, not as classes."""

ROWS_PER_CLASS = 2
"""And so are whole numbers that hardly ever repeat."""


@dataclass(frozen=True)
class Labels:
    """The labels of several sources under one reading.

    kind: "classes" or "numbers"; classes: what occurs anywhere, sorted (empty for numbers).
    codes: per source (m,), the index of each label in `classes`; numbers: per source (m,), float64.
    One of the two is empty.
    """

    kind: LabelKind
    classes: tuple[str, ...] | tuple[float, ...]
    codes: tuple[NDArray[np.intp], ...] = ()
    numbers: tuple[Vector, ...] = ()

    @property
    def arrays(self) -> tuple[NDArray[Any], ...]:
        """Per source its codes, or its numbers."""
        return self.codes or self.numbers

    @property
    def n_classes(self) -> int:
        return len(self.classes)

    def absent(self, source: int) -> list[object]:
        """The classes that a source has no row of, by its place; none for numbers."""
        return [c for i, c in enumerate(self.classes) if not (self.codes[source] == i).any()]


def kind_of(labels: Sequence[NDArray[Any]]) -> LabelKind:
    """Text is classes; so are whole numbers with few distinct values that repeat.

    >>> kind_of([np.array([0.0, 1.0, 1.0, 0.0])]), kind_of([np.array([0.5, 1.0, 2.0])])
    ('classes', 'numbers')
    """
    pooled = np.concatenate(labels)
    if pooled.dtype.kind == "U":
        return "classes"
    if not np.array_equal(pooled, np.round(pooled)):
        return "numbers"
    most = min(MOST_CLASSES, len(pooled) // ROWS_PER_CLASS)
    return "classes" if len(np.unique(pooled)) <= most else "numbers"


def read_labels(labels: Sequence[NDArray[Any]], kind: LabelKind | None = None) -> Labels:
    """The labels of all sources in one reading; `kind` overrides the guess of `kind_of`.

    >>> read_labels([np.array(["cat", "dog"]), np.array(["dog", "eel"])]).codes[1]
    array([1, 2])
    """
    if (kind or kind_of(labels)) == "numbers":
        return Labels("numbers", (), numbers=tuple(np.asarray(one, dtype=np.float64) for one in labels))
    classes, codes = np.unique(np.concatenate(labels), return_inverse=True)
    cuts = np.cumsum([len(one) for one in labels])[:-1]
    return Labels("classes", tuple(classes.tolist()), codes=tuple(np.split(codes, cuts)))
