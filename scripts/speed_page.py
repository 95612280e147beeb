"""Write docs/speed.md and its picture from stored runs; `--check` only says whether they are up to date."""

from __future__ import annotations

import sys
from pathlib import Path

from karat.bench.page import as_markdown, stored
from karat.bench.roofline import roofline_svg

DOCS = Path(__file__).parent.parent / "docs"


def main() -> int:
    """Write both files, or with --check compare them."""
    files = {
        DOCS / "speed.md": as_markdown(stored("speed"), stored("large")),
        DOCS / "pictures" / "roofline.svg": roofline_svg(stored("speed")),
    }
    if "--check" in sys.argv[1:]:
        return int(any(path.read_text(encoding="utf-8") != text for path, text in files.items()))
    for path, text in files.items():
        path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
