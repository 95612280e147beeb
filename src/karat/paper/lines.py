"""The lines of the ranking tables: which valuation, with which options, against which reference.

A line of the table has two cells: "reference", where the buyer has rows of P*, and "none", where the union of
the vendors takes their place. They were written down before any ground truth was looked at.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

REFERENCES = ("validation", "anchor-100", "anchor-20", "none")
"""What the buyer has: the whole anchor pool, 100 or 20 rows of it, nothing."""


@dataclass(frozen=True)
class Line:
    """One number per vendor.

    label: in the table; printed: the paper's row that it stands beside, or None; whose: "paper" (as printed),
    "code" (the authors') or "karat" (ours).
    valuation: a registered name, or "paper-mmd" and "block" of `karat.paper.bench`; references: of
    REFERENCES; mixture: the reference of vendors where the buyer has nothing; tasks: where it is run.
    """

    label: str
    valuation: str
    whose: str
    printed: str | None = None
    references: tuple[str, ...] = ("validation", "none")
    mixture: str = "uniform"
    options: dict[str, Any] = field(default_factory=dict)
    tasks: tuple[str, ...] = ("classes", "numbers")


CLASSES, NUMBERS = ("classes",), ("numbers",)

AS_PRINTED = "Ours, as printed (eq. 5, paper's kernel)"
IN_CODE = "Ours, the authors' code (blocks, over the block size)"

LINES = (
    Line("LAVA", "lava", "paper", "LAVA", options={"most_rows": 500}, tasks=CLASSES),
    Line("DAVINZ", "davinz", "paper", "DAVINZ"),
    Line("CS", "cs-shapley", "paper", "CS", options={"exact_up_to": 8, "orders": 20}, tasks=CLASSES),
    Line("IG", "information-gain", "paper", "IG", references=("none",), tasks=NUMBERS),
    Line("VV", "volume", "paper", "VV", references=("none",), tasks=NUMBERS),
    Line("MMD², paper's kernel", "mmd2", "paper", "MMD²", options={"kernel": "paper"}),
    Line(AS_PRINTED, "paper-mmd", "paper", "Ours"),
    Line(IN_CODE, "block", "code", "Ours"),
    Line("Ours cond., paper's kernel", "mmd-cond", "paper", "Ours cond.", options={"kernel": "paper"}),
    Line("mmd", "mmd", "karat", "Ours", references=REFERENCES),
    Line("mmd2", "mmd2", "karat", "MMD²"),
    Line("mmd-cond", "mmd-cond", "karat", "Ours cond."),
    Line("mmd-joint", "mmd-joint", "karat"),
    Line("robust", "mmd", "karat", references=("none",), mixture="robust"),
)
"""Every line that is run; none is dropped, and none is chosen after the fact."""
