"""Standard output as it is found: in another encoding than UTF-8, closed, or on a full disk."""

from __future__ import annotations

import codecs
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import TextIO

PLAIN = {
    "●": "o",
    "○": "o",
    "·": ".",
    "─": "-",
    "━": "-",
    "–": "-",
    "—": "-",
    "−": "-",
    "…": "...",
    "≈": "=",
    "▲": "^",
    "▼": "v",
    "’": "'",
    "“": '"',
    "”": '"',
}
"""What stands for a character where the terminal has none."""


def _plain(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeEncodeError)
    wanted = error.object[error.start : error.end]
    return "".join(PLAIN.get(character, "?") for character in wanted), error.end


def prepare() -> None:
    """Let no character stop an answer, and give a closed stdout or stderr somewhere to write to."""
    codecs.register_error("karat.plain", _plain)
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115 (as long as the process)
        elif stream.errors in ("strict", "surrogateescape") and hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="karat.plain")


def give_up(stream: TextIO) -> None:
    """Let what a stream still holds go nowhere, so that closing it at the end fails no second time."""
    with suppress(OSError, ValueError):  # a stream without a file
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
