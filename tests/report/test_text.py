from __future__ import annotations

import unicodedata
from dataclasses import replace

from rich.cells import cell_len

from karat.report.sentences import noticed
from karat.report.text import as_text
from karat.schema import Finding
from markets import contaminated


def test_terminal_output_has_no_control_characters(attacked):
    names = attacked.moments.vendor_names
    for result in (attacked, attacked.compare(names[0], names[1]), attacked.matrix()):
        text = as_text(result)
        assert not any(
            unicodedata.category(character) in ("Cc", "Cf", "Cs") for character in text.replace("\n", "")
        )
        assert max(map(cell_len, text.splitlines())) <= 100


def test_the_terminal_says_what_the_page_says(clear):
    text = as_text(clear)
    assert "Buy good." in text
    assert "(the farthest) are ruled out." in text


def test_a_matrix_is_told_in_signs(clear):
    lines = as_text(clear.matrix()).splitlines()
    assert lines[1].split() == ["1", "good", "+", "+"]
    assert lines[2].split() == ["2", "bad", "-", "+"]
    assert "at most 5 %" in " ".join(lines)


def test_copies_are_told_before_files_and_columns():
    """Only two of a kind are shown, and a reader stops early: what says most of a vendor comes first."""
    found = [
        Finding("no-checksums", "no checksums", "acme"),
        Finding("clipped", "clipped", "acme"),
        Finding("replayed", "replayed", "acme"),
    ]
    appraisal = replace(contaminated(2, rows=20), findings=tuple(found))
    assert noticed(appraisal) == ["replayed", "clipped", "no checksums"]
