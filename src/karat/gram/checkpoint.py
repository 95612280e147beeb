"""Partial results on disk, so that a long computation that was killed goes on where it stopped.

A checkpoint belongs to one computation: its key is a hash of all that the result depends on, and a file with
another key is not touched but refused. It is written beside its place and moved there whole.
"""

from __future__ import annotations

import hashlib
import os
import time
import zipfile
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from karat.errors import AppraisalError

SECONDS_BETWEEN = 20.0
"""Time between two savings, at least; and twenty times as long as one takes."""

NO_CHECKPOINT = (ValueError, TypeError, AttributeError, EOFError, zipfile.BadZipFile, zlib.error)
"""What NumPy raises on a damaged file, or on one of another kind."""


def fingerprint(*parts: object) -> str:
    """A hash of numbers, text and arrays, in this order."""
    digest = hashlib.sha256()
    for part in parts:
        if isinstance(part, np.ndarray):
            digest.update(f"{part.dtype.str}{part.shape}".encode())
            digest.update(np.ascontiguousarray(part).view(np.uint8).data)
        else:
            digest.update(repr(part).encode())
    return digest.hexdigest()


def checked_place(path: str | os.PathLike[str] | None) -> Path | None:
    """Where partial results go, refused at once where no file can stand."""
    if path is None:
        return None
    place = Path(path)
    if place.is_dir() or not place.parent.is_dir():
        wrong = "is a folder" if place.is_dir() else "is in a folder that is not there"
        raise AppraisalError(
            f"the checkpoint {str(path)!r} {wrong}.", hint="Name a file in a folder that there is."
        )
    return place


class Checkpoint:
    """A file for one computation's partial results; without a path, nothing is kept."""

    def __init__(self, path: Path | None, key: str) -> None:
        self.path, self.key = path, key
        self._next = time.monotonic() + SECONDS_BETWEEN

    def load(self) -> dict[str, NDArray[Any]] | None:
        """What was saved, or None where there is nothing yet."""
        if self.path is None or not self.path.exists():
            return None
        try:
            with self.path.open("rb") as file, np.load(file, allow_pickle=False) as saved:
                arrays = {name: saved[name] for name in saved.files}
        except (OSError, *NO_CHECKPOINT) as problem:
            said = problem.strerror if isinstance(problem, OSError) else None
            raise AppraisalError(
                f"the checkpoint {str(self.path)!r} cannot be read: {said or 'damaged, or no checkpoint'}.",
                hint="Name another file; or remove this one, if it holds nothing else, to begin anew.",
            ) from problem
        if str(arrays.pop("key", "")) != self.key:
            raise AppraisalError(
                f"the checkpoint {self.path.name!r} is of other rows, another kernel or another seed.",
                hint="Name another file, or remove this one.",
            )
        return arrays

    def save_now_and_then(self, state: Callable[[], Mapping[str, NDArray[Any]]]) -> None:
        """Save what `state` gives, if the last time is long enough ago."""
        if self.path is None or time.monotonic() < self._next:
            return
        start = time.monotonic()
        self.save(state())
        now = time.monotonic()
        self._next = now + max(SECONDS_BETWEEN, 20.0 * (now - start))

    def save(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Replace what is there by this, all or nothing."""
        assert self.path is not None
        part = self.path.with_name(f".{self.path.name}.{os.getpid()}.part")
        try:
            with part.open("wb") as file:
                np.savez(file, key=np.array(self.key), **dict[str, Any](state))
                file.flush()
                os.fsync(file.fileno())
            part.replace(self.path)
        except OSError as problem:
            raise AppraisalError(
                f"the checkpoint {str(self.path)!r} cannot be written: {problem.strerror or problem}.",
                hint="Name a file where there is room and permission; what was saved before is still there.",
            ) from problem
        finally:
            part.unlink(missing_ok=True)

    def remove(self) -> None:
        """Forget what was saved: the computation is complete."""
        if self.path is not None:
            self.path.unlink(missing_ok=True)
