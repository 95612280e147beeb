"""What a result can do to be seen: a notebook's table, a page, a data frame.

Results know nothing of how they look; these methods ask the report room when they are called, and not before.
It is the one exception to the rule that a room imports from earlier rooms only.
"""

from __future__ import annotations

import os
from typing import Any, overload


class Shown:
    """A result that notebooks show, and that can be had as a page or a data frame."""

    def _repr_html_(self) -> str:
        from karat.report.notebook import fragment

        return fragment(self)

    @overload
    def to_html(self) -> str: ...

    @overload
    def to_html(self, path: str | os.PathLike[str]) -> None: ...

    def to_html(self, path: str | os.PathLike[str] | None = None) -> str | None:
        """The page of this result: its text, or written to a file. It needs no server and no network."""
        from karat.report.notebook import page, write_page

        if path is None:
            return page(self)
        write_page(self, path)
        return None

    def to_frame(self) -> Any:
        """A data frame, one row per vendor: of pandas, else of polars, else a pyarrow table."""
        from karat.report.tables import frame

        return frame(self)
