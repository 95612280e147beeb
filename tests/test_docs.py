"""What the documentation says is true: its examples run, its pages name everything that is public."""

from __future__ import annotations

import os
import re
import runpy
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import karat
from karat.cli.main import main
from karat.values import reference

ROOT = Path(__file__).parent.parent
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
PAGES = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "docs").rglob("*.md"))
SOURCE = "\n".join(path.read_text(encoding="utf-8") for path in EXAMPLES)


NUMBER = re.compile(r"(?<![\w.])-?\d[\d,]*(?:\.\d+)?")
"""A number in a text, with or without separators."""


def assert_same_up_to_rounding(printed, expected):
    """The same words; numbers may differ in their last digit, as they do from machine to machine."""
    assert NUMBER.sub("#", printed).split() == NUMBER.sub("#", expected).split()
    numbers = [list(map(number, NUMBER.findall(text))) for text in (printed, expected)]
    np.testing.assert_allclose(*numbers, rtol=0.02, atol=0.0021)


def number(found):
    return float(found.replace(",", ""))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_every_example_prints_what_the_documentation_shows(example, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(reference, "REFERENCES", dict(reference.REFERENCES))  # one example adds its own
    runpy.run_path(str(example), run_name="__main__")
    shown = (example.parent / "output" / f"{example.stem}.txt").read_text(encoding="utf-8")
    assert_same_up_to_rounding(capsys.readouterr().out, shown)
    assert list(tmp_path.iterdir()) == []


def test_every_example_and_its_output_stand_in_the_documentation():
    for example in EXAMPLES:
        assert f'"examples/{example.name}"' in PAGES, example.name
        assert f'"examples/output/{example.stem}.txt"' in PAGES, example.name
    kept = {path.stem for path in (ROOT / "examples" / "output").iterdir()}
    assert kept == {example.stem for example in EXAMPLES}


CONSOLE = re.compile(r"^```console\n\$ (karat .*)\n((?:.*\n)*?)```", re.MULTILINE)
"""A command in a page, and what it prints; nothing where the page shows that in another way."""


def test_the_tutorials_commands_print_what_it_shows(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    told = CONSOLE.findall((ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8"))
    assert len(told) >= 5
    for command, shown in told:
        monkeypatch.setattr(sys, "argv", shlex.split(command))
        code = 0
        try:
            main()
        except SystemExit as stop:
            code = stop.code or 0
        assert code in (0, 3), command
        printed = capsys.readouterr().out
        if shown:
            assert_same_up_to_rounding(printed, shown)


LINK = re.compile(r"\]\(([\w./-]+\.md)(?:#([\w-]+))?\)")


def test_links_between_pages_and_to_their_parts_lead_somewhere():
    """mkdocs checks pages; that a heading is still called what a link calls it, it only tells."""
    for page in (ROOT / "docs").rglob("*.md"):
        for target, part in LINK.findall(page.read_text(encoding="utf-8")):
            linked = page.parent / target
            assert linked.is_file(), f"{page.name}: {target}"
            if part:
                headings = re.findall(r"^#+ (.*)$", linked.read_text(encoding="utf-8"), re.MULTILINE)
                slugs = {re.sub(r"[^\w]+", "-", heading.lower()).strip("-") for heading in headings}
                assert part in slugs, f"{page.name}: {target}#{part}"


def test_the_command_line_reference_is_up_to_date():
    script = ROOT / "scripts" / "cli_reference.py"
    done = subprocess.run(
        [sys.executable, str(script), "--check"],
        capture_output=True,
        text=True,
        env=os.environ | {"COLUMNS": "100"},
    )
    assert done.returncode == 0, done.stderr


def test_public_names_are_sorted_exist_and_are_documented():
    assert karat.__all__ == sorted(karat.__all__)
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for name in karat.__all__:
        assert getattr(karat, name) is not None
        assert name in PAGES + SOURCE + readme, name


def test_an_unknown_public_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="nothing_like_this"):
        karat.nothing_like_this  # noqa: B018 - the access is the test


def test_every_decision_and_theory_page_is_in_the_navigation():
    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    for folder in ("decisions", "theory"):
        for page in (ROOT / "docs" / folder).glob("*.md"):
            assert f"{folder}/{page.name}" in navigation, page.name
