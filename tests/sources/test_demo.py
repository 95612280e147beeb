from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from karat.sources import demo, open_table

SOURCES = {**demo.vendors(), "anchor": demo.anchor()}
SIZES = {
    "acme": 1500,
    "globex": 800,
    "umbrella": 400,
    "initech": 1000,
    "hooli": 1000,
    "vandelay": 600,
    "anchor": 300,
}


@pytest.fixture(scope="module")
def rows():
    tables = {name: open_table(path) for name, path in SOURCES.items()}
    return {name: np.column_stack([c.values for c in table.columns]) for name, table in tables.items()}


def as_set(rows):
    return {row.tobytes() for row in rows}


def test_the_market_is_small_checked_and_complete(rows):
    assert {name: len(cells) for name, cells in rows.items()} == SIZES
    assert sum(path.stat().st_size for path in SOURCES.values()) < 300_000
    for path in SOURCES.values():
        table = open_table(path)
        assert table.names == ("price", "bedrooms", "age", "centre_km")
        assert table.notes == ()  # page checksums are there
    assert all(np.isfinite(cells).all() for cells in rows.values())


def test_honest_vendors_share_hardly_a_row_with_anybody(rows):
    honest = [as_set(rows[name]) for name in ("acme", "globex", "umbrella", "anchor")]
    for i, some in enumerate(honest):
        for others in honest[:i]:
            assert len(some & others) <= 3  # the same house sold twice at one price, say


def test_vandelay_shows_the_anchor_s_rows_and_others_twice(rows):
    own = as_set(rows["anchor"])
    assert sum(row.tobytes() in own for row in rows["vandelay"]) == 120
    assert len(as_set(rows["vandelay"])) == 360


def test_initech_is_less_like_the_anchor_than_the_honest_vendors(rows):
    def gap(name):
        return abs(rows[name].mean(axis=0) - rows["anchor"].mean(axis=0)) / rows["anchor"].std(axis=0)

    assert gap("initech").max() > 0.5
    assert all(gap(name).max() < 0.15 for name in ("acme", "globex", "umbrella"))


def test_the_source_of_the_data_stands_beside_it():
    text = (demo.FOLDER / "SOURCE.md").read_text()
    assert "CC0" in text
    assert all(name in text for name in SIZES)


@pytest.mark.data
def test_the_script_makes_the_same_rows_again(rows, tmp_path):
    script = Path(__file__).parents[2] / "scripts" / "make_demo.py"
    code = (
        "import runpy, pathlib, karat.sources.demo as demo;"
        f"demo.FOLDER = pathlib.Path({str(tmp_path)!r});"
        f"runpy.run_path({str(script)!r}, run_name='__main__')"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
    for name, cells in rows.items():
        again = open_table(tmp_path / f"{name}.parquet")
        np.testing.assert_array_equal(np.column_stack([c.values for c in again.columns]), cells)
