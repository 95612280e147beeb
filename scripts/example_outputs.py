"""Run every example and keep what it prints in examples/output/, where the documentation shows it.

    .venv/bin/python scripts/example_outputs.py [NAME ...]

Without names all are run. The tests compare what is kept with what is printed, up to rounding.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

EXAMPLES = Path(__file__).parent.parent / "examples"


def main() -> None:
    """Run and write."""
    names = sys.argv[1:] or sorted(path.stem for path in EXAMPLES.glob("*.py"))
    (EXAMPLES / "output").mkdir(exist_ok=True)
    for name in names:
        command = [sys.executable, "-W", "error", str(EXAMPLES / f"{name}.py")]
        printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        (EXAMPLES / "output" / f"{name}.txt").write_text(printed, encoding="utf-8")
        sys.stdout.write(f"{name}: {len(printed.splitlines())} lines\n")


if __name__ == "__main__":
    main()
