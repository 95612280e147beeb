"""One door for whatever a vendor brings: a table, a data frame, a file, a folder, a pattern."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from karat.errors import SourceError
from karat.sources.table import Table


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
    if isinstance(thing, (str, Path)):
        from karat.sources.files import read_path

        return read_path(thing)
    if isinstance(thing, (list, tuple)):
        from karat.sources.files import read_paths

        return read_paths(thing)
    if is_tabular(thing):
        from karat.sources.frames import read_frame

        return read_frame(thing)
    raise SourceError(
        f"a {type(thing).__name__!r} has no named columns.",
        hint="Give a path, a list of paths or a data frame.",
    )
