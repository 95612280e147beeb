"""Progress where somebody watches: a bar in a terminal or a notebook, silence in a pipe."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from html import escape
from time import monotonic
from typing import TYPE_CHECKING, Any

from karat.report.numbers import duration

if TYPE_CHECKING:  # it is imported with the command line, which answers --help without numpy
    from karat.typing import Progress

MANY = 1e6
"""A total above this counts pairs or cells; steps that are fewer have no rate worth showing."""

SECONDS_BETWEEN = 0.2
"""A notebook is written to no more often than this."""


@contextmanager
def watched(what: str, unit: str = "pairs") -> Iterator[Progress | None]:
    """A progress callback that draws a bar named `what`, or None where nobody watches.

    >>> with watched("comparing rows") as told:
    ...     told is None  # these examples run without a terminal
    True
    """
    if _is_notebook():
        yield from _in_notebook(what, unit)
    elif sys.stderr.isatty():
        yield from _in_terminal(what, unit)
    else:
        yield None


def _is_notebook() -> bool:
    """Whether this runs in a kernel that shows what is displayed; nothing is imported to find out."""
    shell = sys.modules.get("IPython")
    running = None if shell is None else shell.get_ipython()
    return running is not None and getattr(running, "kernel", None) is not None


def _in_terminal(what: str, unit: str) -> Iterator[Progress]:
    from rich.console import Console
    from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
    )
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=None, rate="")

        def tell(done: float, total: float) -> None:
            bar.update(task, completed=done, total=total, rate=_rate(bar.tasks[0].speed, total, unit))

        yield tell


def _in_notebook(what: str, unit: str) -> Iterator[Progress]:
    """A bar in the cell's output that is gone when the work is done."""
    from IPython.display import HTML, display  # type: ignore[import-not-found,unused-ignore]

    shown: Any = display(HTML(""), display_id=True)
    start = last = monotonic()

    def tell(done: float, total: float) -> None:
        nonlocal last
        now = monotonic()
        if now - last >= SECONDS_BETWEEN:
            last = now
            shown.update(HTML(_bar(what, done, total, now - start, unit)))

    try:
        yield tell
    finally:
        shown.update(HTML(""))


def _bar(what: str, done: float, total: float, seconds: float, unit: str = "pairs") -> str:
    """The bar as markup without style or script.

    >>> _bar("comparing rows", 25.0, 100.0, 10.0)
    '<progress value="0.250" max="1"></progress> comparing rows: 25 %, 30 s left'
    """
    share = min(max(done / total, 0.0), 1.0) if total > 0.0 else 0.0
    said = [f"{100.0 * share:.0f} %"]
    if rate := _rate(done / seconds if seconds > 0.0 else None, total, unit):
        said.append(rate)
    if share > 0.0:
        said.append(f"{duration(seconds * (1.0 - share) / share)} left")
    return f'<progress value="{share:.3f}" max="1"></progress> {escape(what)}: {", ".join(said)}'


def _rate(speed: float | None, total: float, unit: str) -> str:
    """Millions of units a second; nothing where that is unknown or steps are few."""
    return f"{speed / 1e6:,.0f} M {unit}/s" if speed and total > MANY else ""
