"""What holds for every test: draws repeat, and a test that needs a browser is skipped where there is none."""

from __future__ import annotations

import shutil

import hypothesis
import pytest

# Seeded like every other draw; no deadline, because the first call of a compiled kernel is slow.
hypothesis.settings.register_profile("karat", derandomize=True, database=None, deadline=None)
hypothesis.settings.load_profile("karat")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip what is marked `browser` on a machine without chromium."""
    if shutil.which("chromium"):
        return
    for item in items:
        if item.get_closest_marker("browser"):
            item.add_marker(pytest.mark.skip(reason="chromium is not installed"))
