"""The ledger: everything that was parsed, filled in, clipped, dropped or looked odd.

Nothing is changed in silence. Each change is one Finding, counted, with its vendor and column.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Finding:
    """One thing that a buyer should know about the data, though it did not stop the work.

    kind: a stable word to filter by, such as "missing", "clipped", "constant", "same-rows".
    message: a sentence for people; it stands alone.
    count: how many cells or rows it concerns; 0 where counting says nothing.
    """

    kind: str
    message: str
    vendor: str | None = None
    column: str | None = None
    count: int = 0

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, saved: dict[str, Any]) -> Finding:
        return cls(**saved)
