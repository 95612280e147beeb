"""Where runs live: cells of a run that is under way, and results that are done, each a JSON file.

Cells lie in the user's cache (or the folder that KARAT_PAPER names). Results that ship with karat lie in the
package; a result of the user's own is shown in their place.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from karat.appraisal import write_whole
from karat.errors import AppraisalError

FOLDER_SETTING = "KARAT_PAPER"

SHIPPED = Path(__file__).parent / "results"
"""Results that come with karat."""

SCHEMA = "karat/paper/1"

ROOMS = ("baselines", "gram", "kernels", "models", "paper", "sources", "values", "vendors")
"""Where the code is that numbers depend on."""


def work_folder() -> Path:
    """Where cells and the user's own results are kept."""
    given = os.environ.get(FOLDER_SETTING, "").strip()
    if given:
        return Path(given).expanduser()
    caches = os.environ.get("XDG_CACHE_HOME", "").strip()
    return (Path(caches) if caches else Path.home() / ".cache") / "karat" / "paper"


@cache
def code_digest() -> str:
    """The beginning of a SHA-256 of the code that numbers depend on."""
    found = hashlib.sha256()
    for room in ROOMS:
        for path in sorted((Path(__file__).parents[1] / room).rglob("*.py")):
            found.update(path.read_bytes())
    return found.hexdigest()[:16]


class CellStore:
    """The cells of one run, one file each; a file is there whole or not at all.

    digest: of the settings; code: of the code. A cell of other settings or other code is no cell of this run,
    or a result would say that it is of today's code and hold yesterday's numbers.
    """

    def __init__(self, run: str, digest: str, folder: Path | None = None, *, code: str | None = None) -> None:
        self.folder = (folder or work_folder()) / "cells" / run
        self.mark = {"digest": digest, "code": code_digest() if code is None else code}

    def clear(self) -> None:
        """Forget what was run."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def get(self, cell: str) -> dict[str, Any] | None:
        """A cell's record, if it was run with these very settings by this very code."""
        try:
            saved = json.loads((self.folder / f"{cell}.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        if not isinstance(saved, dict) or any(saved.get(key) != mark for key, mark in self.mark.items()):
            return None
        return saved

    def put(self, cell: str, record: Mapping[str, Any]) -> None:
        """Keep a cell's record."""
        self.folder.mkdir(parents=True, exist_ok=True)
        text = json.dumps({**self.mark, **record}, allow_nan=False)
        write_whole(self.folder / f"{cell}.json", text)


def result_path(experiment: str, folder: Path | None = None) -> Path | None:
    """The stored result of an experiment: in the folder given, or the user's own, or the shipped one."""
    places = [folder] if folder is not None else [work_folder() / "results", SHIPPED]
    for place in places:
        if (path := place / f"{experiment}.json").is_file():
            return path
    return None


def read_result(experiment: str, folder: Path | None = None) -> dict[str, Any] | None:
    """The stored result of an experiment, or None where there is none."""
    path = result_path(experiment, folder)
    if path is None:
        return None
    try:
        saved = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as problem:
        raise AppraisalError(
            f"the stored result {str(path)!r} cannot be read.",
            hint="Remove it and run the experiment again.",
        ) from problem
    if not isinstance(saved, dict) or saved.get("schema") != SCHEMA:
        raise AppraisalError(
            f"{str(path)!r} is no result of the paper's experiments (schema {SCHEMA!r}).",
            hint="Remove it and run the experiment again.",
        )
    return saved


def write_result(experiment: str, result: Mapping[str, Any], folder: Path | None = None) -> Path:
    """Store a result, whole or not at all."""
    place = folder or work_folder() / "results"
    place.mkdir(parents=True, exist_ok=True)
    path = place / f"{experiment}.json"
    write_whole(path, json.dumps({"schema": SCHEMA, **result}, allow_nan=False) + "\n")
    return path
