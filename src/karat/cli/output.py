"""Where an answer goes: the terminal, a pipe as JSON, or a file whose suffix says how."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from karat.errors import UsageError


def show(result: Any, *, as_json: bool) -> None:
    """Print a result on stdout: JSON, or text as wide as the terminal."""
    if as_json:
        sys.stdout.write(_json(result) + "\n")
        return
    from rich.console import Console

    from karat.report.text import renderable

    if sys.stdout.isatty():
        Console().print(renderable(result))
    else:
        from karat.report.text import as_text

        sys.stdout.write(as_text(result) + "\n")


def write(result: Any, path: Path) -> None:
    """Write a result to a file, in the form that its suffix names."""
    from karat.appraisal import write_whole

    suffix = path.suffix.lower()
    if suffix not in WRITERS:
        raise UsageError(
            f"{str(path)!r} has a suffix that karat cannot write.", hint=f"Use one of {', '.join(WRITERS)}."
        )
    write_whole(path, WRITERS[suffix](result))


def _json(result: Any) -> str:
    import json

    return json.dumps(result.to_dict(), allow_nan=False)


def _html(result: Any) -> str:
    from karat.report.notebook import page

    return page(result)


def _markdown(result: Any) -> str:
    from karat.report.tables import to_markdown

    return to_markdown(result)


def _csv(result: Any) -> str:
    from karat.report.tables import to_csv

    return to_csv(result)


def _parquet(result: Any) -> bytes:
    from karat.report.tables import to_parquet

    return to_parquet(result)


WRITERS: Mapping[str, Callable[[Any], str | bytes]] = {
    ".json": _json,
    ".html": _html,
    ".md": _markdown,
    ".csv": _csv,
    ".parquet": _parquet,
}
"""suffix -> what is written."""
