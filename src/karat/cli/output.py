"""Where an answer goes: the terminal, a pipe as JSON, or a file whose suffix says how."""

from __future__ import annotations

import fnmatch
import os
import sys
from collections.abc import Callable, Collection, Iterable, Mapping
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

    _check_suffix(path, WRITERS)
    write_whole(path, WRITERS[path.suffix.lower()](result))


def check(paths: Iterable[Path], read: Iterable[str | None], *, suffixes: Collection[str] = ()) -> None:
    """Raise, before any work is done, where an answer could not be written or would replace a preview.

    read: the files, folders and patterns that are read. suffixes: those that the answer may have.
    """
    sources = [os.path.realpath(one) for one in read if one is not None]
    for path in paths:
        _check_suffix(path, suffixes or WRITERS)
        place = Path(os.path.realpath(path))
        if str(place) in sources or any(fnmatch.fnmatchcase(str(place), one) for one in sources):
            raise UsageError(
                f"{str(path)!r} is a file to read: the answer would be written over it.",
                hint="Give the answer another name.",
            )
        if str(place.parent) in sources and place.suffix.lower() in READ_TOO:
            raise UsageError(
                f"{str(path)!r} is in a folder of previews: the answer would be read as one of them.",
                hint="Give the answer another folder.",
            )
        if place.is_dir() or not place.parent.is_dir():
            raise UsageError(
                f"{str(path)!r} is {'a folder' if place.is_dir() else 'in a folder that is not there'}.",
                hint="Name a file in a folder that exists.",
            )


def _check_suffix(path: Path, suffixes: Collection[str]) -> None:
    if path.suffix.lower() not in suffixes:
        raise UsageError(
            f"{str(path)!r} has a suffix that karat cannot write.", hint=f"Use one of {', '.join(suffixes)}."
        )


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

READ_TOO = (".csv", ".parquet", ".npz")
"""Suffixes of answers that are suffixes of previews as well."""
