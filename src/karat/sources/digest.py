"""Which file it was: the SHA-256 of its bytes."""

from __future__ import annotations

import hashlib
from pathlib import Path


def sha256_of(path: Path) -> str:
    """In pieces, so that the size of the file is no matter."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
