"""Where answers are written: never over what was read, and refused before the work, not after it."""

from __future__ import annotations

import json
import sys

import numpy as np
import pytest

from karat.cli.main import main


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Two vendors, one of them a folder, and an anchor, in the current folder."""
    draw = np.random.default_rng(0).normal
    (tmp_path / "initech").mkdir()
    for name, shift in (("acme.csv", 0.0), ("initech/one.csv", 1.0), ("mine.csv", 0.0)):
        rows = "".join(f"{x:.6f},{y:.6f}\n" for x, y in draw(shift, 1.0, (40, 2)))
        (tmp_path / name).write_text("a,b\n" + rows)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def karat(monkeypatch, capsys):
    """Run `karat ...` in this process: (exit code, stdout, stderr)."""

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["karat", *arguments])
        code = 0
        try:
            main()
        except SystemExit as stop:
            code = stop.code or 0
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return run


GIVEN = ("appraise", "acme.csv", "initech", "-a", "mine.csv")


@pytest.mark.parametrize(
    ("output", "said"),
    [
        ("acme.csv", "is a file to read"),
        ("./initech/../mine.csv", "is a file to read"),
        ("link.csv", "is a file to read"),
        ("initech/answer.csv", "in a folder of previews"),
        ("nowhere/answer.html", "in a folder that is not there"),
        ("answer.txt", "suffix that karat cannot write"),
        ("loop.html", "."),
    ],
)
def test_an_answer_is_not_written_over_what_was_read(folder, karat, monkeypatch, output, said):
    (folder / "link.csv").symlink_to(folder / "acme.csv")
    (folder / "folder.html").mkdir()
    before = {path: path.read_bytes() for path in folder.rglob("*.csv")}
    if output != "loop.html":
        monkeypatch.setattr("karat.road.appraise", None)  # it is refused before any work
        code, _, err = karat(*GIVEN, "-o", output)
        assert (code, said in err) == (1, True)
        assert not (folder / "appraisal.json").exists()
    else:
        (folder / output).symlink_to(folder / output)
        assert karat(*GIVEN, "-o", output)[0] in (0, 1)
    assert {path: path.read_bytes() for path in folder.rglob("*.csv")} == before


def test_a_pattern_is_read_and_so_not_written_over(folder, karat):
    code, _, err = karat("appraise", "acme=ac*.csv", "initech", "-a", "mine.csv", "-o", "acme.csv")
    assert (code, "is a file to read" in err) == (1, True)


def test_an_answer_may_stand_beside_the_previews(folder, karat):
    assert karat(*GIVEN, "-o", "answer.csv", "-o", "initech/answer.html")[0] == 0
    assert (folder / "answer.csv").read_text().startswith("name,")


def test_what_is_written_is_what_is_shown(folder, karat):
    code, out, _ = karat(*GIVEN, "--valuation", "mmd,energy", "--json", "-o", "answer.json")
    assert code == 0
    assert json.loads(out) == json.loads((folder / "answer.json").read_text())


@pytest.mark.parametrize("suffix", [".json", ".html", ".md", ".csv", ".parquet"])
def test_a_comparison_is_written_in_every_form(folder, karat, suffix):
    karat(*GIVEN, "-o", "report.html")
    asked = ("compare", "acme", "initech", "--from", "report.html")
    code, out, _ = karat(*asked, "--json", "-o", f"pair{suffix}")
    assert code == 0
    assert (folder / f"pair{suffix}").stat().st_size > 0
    if suffix == ".json":
        assert json.loads((folder / "pair.json").read_text()) == json.loads(out)
    if suffix == ".md":
        assert "acme is better than initech" in (folder / "pair.md").read_text()


def test_a_comparison_is_not_written_over_the_appraisal_it_asks(folder, karat):
    karat(*GIVEN)
    before = (folder / "appraisal.json").read_bytes()
    code, _, err = karat("compare", "acme", "initech", "-o", "appraisal.json")
    assert (code, "is a file to read" in err) == (1, True)
    assert (folder / "appraisal.json").read_bytes() == before


def test_undecided_ends_with_three_whatever_is_shown(folder, karat):
    given = ("appraise", "acme.csv", "again=acme.csv", "-a", "mine.csv", "--require-decided")
    assert karat(*given)[0] == 3
    assert karat(*given, "--valuation", "mmd")[0] == 3


def test_encode_takes_any_name_and_writes_over_nothing(folder, karat):
    code, _, err = karat("encode", "file=acme.csv", "allow_pickle=mine.csv", "-o", "rows.npz")
    assert (code, err) == (0, "")
    with np.load(folder / "rows.npz", allow_pickle=False) as stored:
        assert set(stored.files) == {"file", "allow_pickle", "layout.json"}
        assert stored["file"].shape == (40, 2)
    before = (folder / "rows.npz").read_bytes()
    code, _, err = karat("encode", "rows.npz", "acme.csv", "-o", "rows.npz")
    assert (code, "is a file to read" in err) == (1, True)
    assert (folder / "rows.npz").read_bytes() == before
    assert karat("encode", "acme.csv", "-o", "nowhere/rows.npz")[0] == 1
