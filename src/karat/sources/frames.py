"""Data frames handed in: pandas, polars, pyarrow and whatever else narwhals knows."""

from __future__ import annotations

from typing import Any

from karat.errors import SourceError
from karat.sources.arrow import ColumnReader
from karat.sources.names import checked_names
from karat.sources.table import Column, Table, Unreadable


def is_frame(thing: Any) -> bool:
    """Whether this is a data frame (or a column of one)."""
    import narwhals.stable.v2 as nw

    return bool(nw.dependencies.is_into_dataframe(thing) or nw.dependencies.is_into_series(thing)) or (
        nw.dependencies.is_polars_lazyframe(thing)
    )


def read_frame(frame: Any) -> Table:
    """The table of a data frame; its row index is not a column. The frame is left as it is."""
    import narwhals.stable.v2 as nw

    if nw.dependencies.is_polars_lazyframe(frame):
        raise SourceError("a lazy frame was given.", hint="Collect it first: frame.collect().")
    if nw.dependencies.is_into_series(frame):
        series = nw.from_native(frame, series_only=True)
        pairs = [(series.name or "x0", series)]
    else:
        pairs = _columns(frame)
    names = checked_names([name for name, _ in pairs], place="a data frame")
    rows = len(pairs[0][1])
    columns = tuple(_column(name, series) for name, (_, series) in zip(names, pairs, strict=True))
    return Table(columns, rows)


def _columns(frame: Any) -> list[tuple[Any, Any]]:
    import narwhals.stable.v2 as nw

    names = getattr(frame, "column_names", None) or list(frame.columns)
    checked_names(list(names), place="a data frame")
    try:
        wrapped = nw.from_native(frame, eager_only=True)
    except (nw.exceptions.NarwhalsError, TypeError, ValueError) as problem:
        raise SourceError(
            f"a data frame cannot be read: {str(problem)[:200]}.",
            hint="Give a pandas, polars or pyarrow table with named columns.",
        ) from problem
    return [(series.name, series) for series in wrapped.iter_columns()]


def _column(name: str, series: Any) -> Column:
    import pyarrow as pa

    try:
        cells = series.to_arrow()
    except (pa.ArrowException, TypeError, ValueError, OverflowError, NotImplementedError):
        return Unreadable(name, f"mixed cells ({series.dtype})")
    chunks = cells.chunks if isinstance(cells, pa.ChunkedArray) else [cells]
    reader = ColumnReader(name, cells.type)
    for chunk in chunks:
        reader.add(chunk)
    return reader.finish()
