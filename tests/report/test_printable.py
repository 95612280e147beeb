from __future__ import annotations

import unicodedata

import pytest

from karat.report.printable import MOST_CHARACTERS, distinct, printable
from markets import HOSTILE


@pytest.mark.parametrize("name", HOSTILE, ids=range(len(HOSTILE)))
def test_no_name_moves_the_cursor_turns_the_text_or_fills_the_page(name):
    shown = printable(name)
    assert 0 < len(shown) <= MOST_CHARACTERS
    assert not {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"} & {unicodedata.category(c) for c in shown}


@pytest.mark.parametrize(
    "name", ["acme", "Müller & Söhne", "数据公司", "a" * MOST_CHARACTERS, "it's 5 % <off>"]
)
def test_ordinary_names_stay_as_they_are(name):
    assert printable(name) == name


def test_a_tower_of_accents_becomes_two():
    assert printable("e" + "\u0301" * 50 + "x") == "e\u0301\u0301x"


def test_names_that_look_alike_are_numbered():
    assert distinct(["a\u202e", "b", "a\u202d"]) == ["a\ufffd (1)", "b", "a\ufffd (2)"]
