"""Column names, checked at the door: each one once, none empty."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from karat.errors import SourceError

UNNAMED = "unnamed_"
"""What a column without a name is called, with its place from 1; often a saved row index."""

LONGEST_NAME = 1000
"""Characters; a longer name is a sign of a damaged header."""


def checked_names(given: Sequence[object], *, place: str) -> tuple[str, ...]:
    """The names as text; a column without one is named by its place.

    >>> checked_names(["price", ""], place="a.csv")
    ('price', 'unnamed_2')
    """
    names = [str(name).strip() for name in given]
    names = [name or f"{UNNAMED}{i}" for i, name in enumerate(names, start=1)]
    if not names:
        raise SourceError(f"{place} has no columns.", hint="Give a table with at least one column.")
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        shown = ", ".join(repr(name[:60]) for name in twice[:5])
        raise SourceError(
            f"{place} has more than one column called {shown}.",
            hint="Give every column its own name.",
            column=twice[0][:LONGEST_NAME],
        )
    long = next((name for name in names if len(name) > LONGEST_NAME), None)
    if long is not None:
        raise SourceError(
            f"{place} has a column name of {len(long):,} characters, {long[:40]!r}...",
            hint="Check that the first line holds the names and that its quotes are closed.",
        )
    return tuple(names)
