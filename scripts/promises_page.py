"""Write docs/theory/promises.md from the stored full run; `--check` only says whether it is up to date."""

from __future__ import annotations

import sys
from pathlib import Path

from karat.promises.page import as_markdown
from karat.promises.run import stored_results

PAGE = Path(__file__).parent.parent / "docs" / "theory" / "promises.md"


def main() -> int:
    """Write the page, or with --check compare it."""
    page = as_markdown(stored_results())
    if "--check" in sys.argv[1:]:
        return 0 if PAGE.read_text(encoding="utf-8") == page else 1
    PAGE.write_text(page, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
