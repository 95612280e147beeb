"""What is odd about a market as a whole: few rows, or the same rows under two names."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from karat.schema import Finding
from karat.typing import Rows
from karat.vendors.streamed import Source, StreamedSample

FEW_ROWS = 10
"""Below it no interval is given (ux.md): the spread itself cannot be told."""


def market_findings(samples: Sequence[Source], anchor: Source | None) -> tuple[Finding, ...]:
    """Findings that need to see more than one cell; O(rows) and a sort among look-alikes."""
    sources = [*samples] if anchor is None else [*samples, anchor]
    return (*_few_rows(sources), *_same_rows(samples, anchor))


def _few_rows(sources: Sequence[Source]) -> list[Finding]:
    return [
        Finding(
            "few-rows",
            f"{source.name} shows {source.size} rows; with fewer than {FEW_ROWS} no interval can be given.",
            vendor=source.name,
            count=source.size,
        )
        for source in sources
        if source.size < FEW_ROWS
    ]


def _same_rows(samples: Sequence[Source], anchor: Source | None) -> list[Finding]:
    """Sources that hold the same rows, in whatever order."""
    sources = [*samples] if anchor is None else [*samples, anchor]
    alike: dict[object, list[Source]] = defaultdict(list)
    for source in sources:
        alike[_outline(source)].append(source)
    found = []
    for group in alike.values():
        contents = [_content(source) for source in group] if len(group) > 1 else []
        for j, source in enumerate(group[: len(contents)]):
            twins = [group[i] for i in range(j) if np.array_equal(contents[i], contents[j])]
            if source is anchor:  # the last of its group
                found += [_shows_anchor(twin) for twin in twins]
            elif twins:
                found.append(_shows_rows_of(twins[0], source))
    return found


def _shows_anchor(vendor: Source) -> Finding:
    message = f"{vendor.name} shows exactly the anchor's rows: its value says nothing about new rows."
    return Finding("anchor-rows", message, vendor.name, count=vendor.size)


def _shows_rows_of(first: Source, second: Source) -> Finding:
    message = f"{second.name} shows exactly the rows of {first.name}."
    return Finding("same-rows", message, second.name, count=second.size)


def _outline(source: Source) -> object:
    """Equal for equal sets of rows, nearly always different otherwise: one cheap pass."""
    if isinstance(source, StreamedSample):
        return source.size, source.sketch.total
    rows = source.rows
    # Adding 0.0 turns -0.0 into 0.0, whose bytes differ.
    low, high = (edge.astype(np.float64) + 0.0 for edge in (rows.min(axis=0), rows.max(axis=0)))
    return rows.shape, low.tobytes(), high.tobytes()


def _content(source: Source) -> Rows | int:
    """Equal for equal sets of rows, and only for these; of rows in files, but for a chance of 2^-64."""
    if isinstance(source, StreamedSample):
        return source.sketch.total
    rows: Rows = source.rows[np.lexsort(source.rows.T[::-1])]
    return rows
