"""A market larger than memory, on sizes that take a second: its figures and its table."""

from __future__ import annotations

import json
import shutil

import pytest

from karat.bench import large
from karat.errors import UsageError


@pytest.fixture
def figures(monkeypatch):
    monkeypatch.setattr(large, "QUICK_ROWS", (40, 80))
    monkeypatch.setattr(large, "VENDORS", 3)
    monkeypatch.setattr(large, "WIDTH", 8)
    monkeypatch.setattr(large, "ANCHOR_ROWS", 30)
    return large.large_figures(quick=True)


def test_time_and_memory_are_those_of_the_command(figures):
    assert json.loads(json.dumps(figures)) == figures
    assert set(figures["rows"]) == {"40", "80"}
    for one in figures["rows"].values():
        assert one["seconds"] > 0.1
        assert 50.0 < one["peak_rss_mb"] < 1000.0
    lines = large.as_lines(figures)
    assert lines[0] == "3 vendors, 8 columns, from files to leaderboard"
    assert len(lines) == 3 + 2 + 2


def test_too_little_room_is_said_before_files_are_written(monkeypatch):
    monkeypatch.setattr(large.shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(10, 10, 0))
    with pytest.raises(UsageError, match=r"GB of room .*TMPDIR"):
        large.large_figures(quick=True)
