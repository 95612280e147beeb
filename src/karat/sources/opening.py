"""One door for whatever a vendor brings: a table, a data frame, a file, a folder, a pattern."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np

from karat.errors import SourceError
from karat.sources.budget import allowed_cells
from karat.sources.large import LargeTable
from karat.sources.table import Table

SOURCES_AT_ONCE = 4
"""Sources of the largest size that are held in memory together."""


def is_tabular(thing: Any) -> bool:
    """Whether this has named columns; bare arrays and nested lists have none.

    >>> is_tabular("acme.csv"), is_tabular([[1.0, 2.0]])
    (True, False)
    """
    if isinstance(thing, (Table, str, Path)):
        return True
    if isinstance(thing, (list, tuple)):
        return bool(thing) and all(isinstance(item, (str, Path)) for item in thing)
    if isinstance(thing, (np.ndarray, np.generic, int, float)) or thing is None:
        return False
    from karat.sources.frames import is_frame

    return is_frame(thing)


def open_table(thing: Any) -> Table:
    """The table of anything with named columns."""
    if isinstance(thing, Table):
        return thing
    if _is_files(thing):
        from karat.sources.files import read_path

        return read_path(thing)
    if is_tabular(thing):
        from karat.sources.frames import read_frame

        return read_frame(thing)
    raise SourceError(
        f"a {type(thing).__name__!r} has no named columns.",
        hint="Give a path, a list of paths or a data frame.",
    )


def is_large(things: Collection[Any]) -> bool:
    """Whether sources hold more cells than are read into memory, one of them or all together."""
    most = allowed_cells()
    cells = [cells_in(thing) for thing in things]
    return max(cells, default=0.0) > most or sum(cells) > SOURCES_AT_ONCE * most


def open_large(thing: Any) -> LargeTable:
    """Anything with named columns, in parts; what is in memory already is one part."""
    if _is_files(thing):
        from karat.sources.files import open_large

        return open_large(thing)
    return LargeTable.of(open_table(thing))


def cells_in(thing: Any) -> float:
    """About how many cells files hold; 0 for what is in memory already, and fits there."""
    if not _is_files(thing):
        return 0.0
    from karat.sources.files import cells_of

    return cells_of(thing)


def _is_files(thing: Any) -> bool:
    return isinstance(thing, (str, Path, list, tuple))
