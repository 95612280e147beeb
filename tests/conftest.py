"""What holds for every test: draws repeat, and a test that needs a browser is skipped where there is none.

With KARAT_BROWSER=required nothing is skipped: without chromium the run stops, and a run in which no browser
test passed has failed, whatever the others did.
"""

from __future__ import annotations

import os
import shutil

import hypothesis
import pytest

# Seeded like every other draw; no deadline, because the first call of a compiled kernel is slow.
hypothesis.settings.register_profile("karat", derandomize=True, database=None, deadline=None)
hypothesis.settings.load_profile("karat")

BROWSER_REQUIRED = os.environ.get("KARAT_BROWSER") == "required"

passed_in_browser: set[str] = set()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip what is marked `browser` on a machine without chromium."""
    if shutil.which("chromium"):
        return
    if BROWSER_REQUIRED:
        raise pytest.UsageError("KARAT_BROWSER=required, and there is no chromium on the path")
    for item in items:
        if item.get_closest_marker("browser"):
            item.add_marker(pytest.mark.skip(reason="chromium is not installed"))


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Count the browser tests that ran."""
    if report.when == "call" and report.passed and "browser" in report.keywords:
        passed_in_browser.add(report.nodeid)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """A run that needs browser tests and has none is a failed run."""
    if BROWSER_REQUIRED and not passed_in_browser:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say why such a run failed."""
    if BROWSER_REQUIRED and not passed_in_browser:
        terminalreporter.write_line("FAILED: KARAT_BROWSER=required, and no browser test passed", red=True)
