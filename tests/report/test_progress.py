from __future__ import annotations

import io
import sys
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

import karat
from karat.report import progress
from karat.report.progress import watched


@pytest.fixture
def cell(monkeypatch):
    """A notebook's kernel, as far as a bar needs one; what the cell shows, in order."""
    shown = []
    handle = SimpleNamespace(update=shown.append)
    shell, display = ModuleType("IPython"), ModuleType("IPython.display")
    shell.get_ipython = lambda: SimpleNamespace(kernel=object())
    display.HTML = str
    display.display = lambda markup, display_id: handle
    monkeypatch.setitem(sys.modules, "IPython", shell)
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    monkeypatch.setattr(progress, "SECONDS_BETWEEN", 0.0)
    return shown


def test_a_notebook_shows_a_bar_that_goes_when_the_work_is_done(cell):
    rng = np.random.default_rng(0)
    with watched("comparing rows") as told:
        karat.appraise({"a": rng.normal(size=(90, 2))}, anchor=rng.normal(size=(50, 2)), progress=told)
    assert cell[0].startswith("<progress value=")
    assert "comparing rows: 100 %" in cell[-2]
    assert cell[-1] == ""


def test_a_bar_goes_when_the_work_fails_too(cell):
    with pytest.raises(ZeroDivisionError), watched("comparing rows") as told:
        told(1, 0 / 0)
    assert cell == [""]


def test_a_terminal_is_told_the_rate_and_a_pipe_nothing(monkeypatch):
    with watched("comparing rows") as told:
        assert told is None

    class Terminal(io.StringIO):
        def isatty(self):
            return True

    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    with watched("comparing rows") as told:
        told(5e8, 1e9)
    assert "comparing rows" in screen.getvalue()


def test_a_shell_of_ipython_is_a_terminal_and_no_notebook(cell, monkeypatch):
    sys.modules["IPython"].get_ipython = lambda: SimpleNamespace()
    with watched("comparing rows") as told:
        assert told is None
