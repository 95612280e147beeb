"""Progress on stderr: a bar with rate and time left in a terminal, silence in a pipe."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from karat.typing import Progress

MANY = 1e6
"""A total above this counts pairs or cells; steps that are fewer have no rate worth showing."""


@contextmanager
def shown(what: str, unit: str = "pairs") -> Iterator[Progress | None]:
    """A progress callback that draws a bar named `what`, or None where nobody watches."""
    if not sys.stderr.isatty():
        yield None
        return
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
            speed = bar.tasks[0].speed if total > MANY else None
            rate = f"{speed / 1e6:,.0f} M {unit}/s" if speed else ""
            bar.update(task, completed=done, total=total, rate=rate)

        yield tell
