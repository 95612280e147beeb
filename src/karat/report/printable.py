"""Strings that a vendor controls, made safe to show: no control characters, no direction tricks, no walls."""

from __future__ import annotations

import unicodedata

MOST_CHARACTERS = 60


def printable(text: str, most: int = MOST_CHARACTERS) -> str:
    """The text on one line, without anything that moves the cursor or turns the reading direction.

    >>> printable("acme" + chr(27) + "[2J corp") == "acme" + chr(0xFFFD) + "[2J corp"
    True
    >>> printable("x" * 100, most=5)
    'xxxx…'
    """
    shown = "".join("\ufffd" if _is_hidden(c) else c for c in text[: most + 1])
    shown = " ".join(shown.split()) or "(no name)"
    return shown if len(shown) <= most else shown[: most - 1] + "…"


def _is_hidden(character: str) -> bool:
    """Control, format, surrogate, private and unassigned characters, and line or paragraph separators."""
    return unicodedata.category(character) in {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
