"""What the documentation says is true: its examples run, its pages name everything that is public."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import karat

ROOT = Path(__file__).parent.parent
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
PAGES = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "docs").rglob("*.md"))
SOURCE = "\n".join(path.read_text(encoding="utf-8") for path in EXAMPLES)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_every_example_runs_and_prints(example, tmp_path):
    done = subprocess.run(
        [sys.executable, "-W", "error", str(example)], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()
    assert list(tmp_path.iterdir()) == []


def test_every_example_stands_in_the_documentation():
    for example in EXAMPLES:
        assert f"examples/{example.name}" in PAGES, example.name


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
