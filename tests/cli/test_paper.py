from __future__ import annotations

import json
import sys

import pytest

from karat.cli.main import main


@pytest.fixture
def karat(monkeypatch, capsys, tmp_path):
    """Run `karat paper ...` in this process, with a work folder of its own: (exit code, stdout, stderr)."""
    monkeypatch.setenv("KARAT_PAPER", str(tmp_path / "work"))

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["karat", "paper", *arguments])
        try:
            main()
            code = 0
        except SystemExit as stop:
            code = stop.code or 0
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return run


def test_the_list_names_33_entries_with_their_command(karat):
    code, out, _ = karat("list", "--json")
    found = json.loads(out)
    assert code == 0
    assert len(found) == 33
    assert {"id", "what", "minutes", "stored", "command"} <= set(found[0])
    code, out, _ = karat("list")
    assert "table-22" in out
    assert "not measured, no GPU" in out


def test_an_entry_is_run_stored_and_shown_beside_the_printed(karat, monkeypatch, tmp_path):
    from karat.paper import settings
    from karat.paper.verification import Verification

    def small(name, scale):
        return Verification(name=name, scale=scale, trials=2, sizes=(5, 10), rows=(0, 200, 1000))

    monkeypatch.setitem(settings._MAKERS, "verification", small)
    code, out, err = karat("run", "table-5", "--into", str(tmp_path / "results"))
    assert code == 0
    assert "0.757 (0.133)" in out
    assert "verification vendors-5-0" in err
    code, again, _ = karat("show", "table-5", "--from", str(tmp_path / "results"))
    assert again == out
    code, out, _ = karat("show", "table-5", "--from", str(tmp_path / "results"), "--json")
    assert json.loads(out)["verification"]["command"].startswith("karat paper run table-5")
    code, out, _ = karat("report", "--from", str(tmp_path / "results"), "--out", str(tmp_path / "page.md"))
    assert "0.757 (0.133)" in (tmp_path / "page.md").read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("show", "table-99"), "no 'table-99'"),
        (("run", "table-16"), "nothing to run: not measured, no GPU"),
        (("run", "table-5", "--scale", "tiny"), "no scale 'tiny'"),
        (("run", "table-5", "--only", "x"), "no experiment 'x'"),
    ],
)
def test_what_cannot_be_run_is_said_without_a_traceback(karat, arguments, message):
    code, _, err = karat(*arguments)
    assert code == 1
    assert message in err
    assert "Traceback" not in err
