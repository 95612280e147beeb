"""How much a source may unfold to.

A file of one megabyte can hold a table of a hundred gigabytes. What counts is what comes out, so
rows x columns and bytes of text are counted while reading, and reading stops at the budget.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

from karat.errors import SourceError

CELLS = 50_000_000
"""Cells that one source may hold: 400 MB as float64."""

BYTES_PER_CELL = 8
"""What a cell is worth in bytes of text: a budget of cells is also one of bytes."""

SETTING = "KARAT_MAX_CELLS"


def allowed_cells() -> int:
    """The budget: the setting where there is one, else the default."""
    given = os.environ.get(SETTING, "").strip()
    if not given:
        return CELLS
    if not given.isdecimal() or int(given) == 0:
        raise SourceError(
            f"the setting {SETTING} is {given!r}.",
            hint=f"Give a whole number of cells (rows times columns), such as {CELLS}.",
        )
    return int(given)


@dataclass
class Budget:
    """What one file may still take; counts down while it is read."""

    path: str
    cells: int
    text_bytes: int

    @classmethod
    def of(cls, path: str) -> Budget:
        cells = allowed_cells()
        return cls(path, cells, BYTES_PER_CELL * cells)

    def take_cells(self, cells: int) -> None:
        """Count numbers about to be held; refuse those beyond the budget."""
        self.cells -= cells
        if self.cells < 0:
            self._refuse(f"more than {allowed_cells():,} cells (rows times columns)")

    def take_text(self, text_bytes: int) -> None:
        """Count bytes of text about to be held; refuse those beyond the budget."""
        self.check_text(text_bytes)
        self.text_bytes -= text_bytes

    def check_text(self, text_bytes: int) -> None:
        """Refuse text that would not fit, without counting it."""
        if text_bytes > self.text_bytes:
            self._refuse(f"more than {BYTES_PER_CELL * allowed_cells():,} bytes of text")

    def _refuse(self, what: str) -> None:
        raise SourceError(
            f"{self.path} unfolds to {what}.",
            hint=f"Take a random sample of its rows, or raise the setting {SETTING} if this is expected.",
        )
