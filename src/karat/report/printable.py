"""Strings that a vendor controls, made safe to show: no control characters, no direction tricks, no walls."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Sequence

MOST_CHARACTERS = 60

MOST_MARKS = 2
"""Combining marks in a row that are kept: enough for any script, too few to climb over the lines above."""


def printable(text: str, most: int = MOST_CHARACTERS) -> str:
    """The text on one line, without anything that moves the cursor or turns the reading direction.

    >>> printable("acme" + chr(27) + "[2J corp") == "acme" + chr(0xFFFD) + "[2J corp"
    True
    >>> printable("x" * 100, most=5)
    'xxxx…'
    """
    shown, marks = [], 0
    for character in text[: most + 1]:
        category = unicodedata.category(character)
        marks = marks + 1 if category in ("Mn", "Me") else 0
        if marks <= MOST_MARKS:
            shown.append("\ufffd" if _is_hidden(character, category) else character)
    line = " ".join("".join(shown).split()) or "(no name)"
    return line if len(text) <= most else line[: most - 1].rstrip() + "…"


def distinct(names: Sequence[str], most: int = MOST_CHARACTERS) -> list[str]:
    """Printable names that stay apart: those that would look the same are numbered.

    >>> distinct(["acme", "x" * 9 + "1", "x" * 9 + "2"], most=6)
    ['acme', 'xxxxx… (1)', 'xxxxx… (2)']
    """
    shown = [printable(name, most) for name in names]
    alike, seen = Counter(shown), Counter[str]()
    apart = []
    for name in shown:
        seen[name] += 1
        apart.append(name if alike[name] == 1 else f"{name} ({seen[name]})")
    return apart


def _is_hidden(character: str, category: str) -> bool:
    """Control, format, surrogate, private and unassigned characters, and line or paragraph separators."""
    return category in {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"} and character not in "\t\n\r"
