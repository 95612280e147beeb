"""The page of speed says what is stored, and nothing else."""

from __future__ import annotations

from pathlib import Path

from karat.bench.page import as_markdown, stored
from karat.bench.roofline import roofline_svg

DOCS = Path(__file__).parents[2] / "docs"


def test_the_page_and_its_picture_are_made_from_the_stored_runs():
    speed, large = stored("speed"), stored("large")
    assert (DOCS / "speed.md").read_text(encoding="utf-8") == as_markdown(speed, large)
    assert (DOCS / "pictures" / "roofline.svg").read_text(encoding="utf-8") == roofline_svg(speed)


def test_the_stored_runs_are_whole_ones():
    speed, large = stored("speed"), stored("large")
    assert not speed["quick"]
    assert not large["quick"]
    assert {"1024", "784", "64", "16"} == set(speed["exact"]) == set(speed["choices"])
    assert all(row["torch_over_exact"] for row in speed["exact"].values())
    assert list(large["rows"])[-1] == "50000"


def test_what_was_not_measured_is_a_dash():
    speed = stored("speed")
    speed["exact"]["16"]["torch_over_exact"] = None
    speed["thousand_vendors_seconds"] = None
    page = as_markdown(speed, stored("large"))
    assert page.count("| - |") == 1
    assert "| - s |" in page
