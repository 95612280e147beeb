"""The market that ships with karat: real house sales, and four ways to show them.

A buyer has 300 sales of King County (Seattle) and looks for more. SOURCE.md beside the files says
how they were made; `STORY` is what an appraisal should find out.
"""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).parent.parent / "data" / "demo"

STORY = {
    "acme": "honest: 1,500 other sales of King County",
    "globex": "honest: 800 other sales of King County",
    "umbrella": "honest: 400 other sales of King County",
    "initech": "mixed: 30 % of its 1,000 rows are homes around Los Angeles",
    "hooli": "noisy: 1,000 sales of King County, with noise on every column",
    "vandelay": "replayed: 120 of the buyer's own rows, and 240 sales shown twice",
}


def vendors() -> dict[str, Path]:
    """Each vendor's preview."""
    return {name: FOLDER / f"{name}.parquet" for name in STORY}


def anchor() -> Path:
    """The buyer's own rows."""
    return FOLDER / "anchor.parquet"
