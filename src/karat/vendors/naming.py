"""Who is who: the vendors' names, from a mapping or from file names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from karat.errors import MarketError, SourceError

ANCHOR = "anchor"
"""The name of the buyer's own rows; no vendor may carry it beside them."""


def name_vendors(given: Any) -> dict[str, Any]:
    """Names and what each vendor brought, in the order given.

    A mapping says the names itself; for a list of paths they are the files' names without suffix.

    >>> list(name_vendors(["previews/acme.csv", "previews/globex.parquet"]))
    ['acme', 'globex']
    """
    if isinstance(given, Mapping):
        pairs = [(_checked_name(name), brought) for name, brought in given.items()]
    elif isinstance(given, (list, tuple)) and all(isinstance(item, (str, Path)) for item in given):
        pairs = [(_checked_name(_stem(path)), path) for path in given]
    else:
        raise MarketError(
            f"vendors were given as {type(given).__name__!r}, without names.",
            hint='Give a mapping, {"acme": rows, "globex": rows}, or a list of paths.',
        )
    if not pairs:
        raise MarketError("no vendor was given.", hint='Give at least one: {"acme": "acme.csv"}.')
    _refuse_duplicates([name for name, _ in pairs])
    return dict(pairs)


def who(name: str) -> str:
    """How a sentence calls a source: the anchor is nobody's preview."""
    return "the anchor" if name == ANCHOR else f"vendor {name!r}"


@contextmanager
def brought_by(vendor: str) -> Iterator[None]:
    """Whatever is wrong with a file is said with the name of the vendor who brought it."""
    try:
        yield
    except SourceError as problem:
        raise problem.of(vendor) from problem


def check_anchor_name(names: Iterable[str]) -> None:
    """The anchor's name is taken once there is an anchor."""
    if ANCHOR in names:
        raise MarketError(
            f"a vendor is called {ANCHOR!r}, which is the name of the buyer's own rows.",
            hint="Give the vendor another name.",
            vendor=ANCHOR,
        )


def _stem(path: str | Path) -> str:
    resolved = Path(path)
    return resolved.stem if resolved.suffix else resolved.name or resolved.resolve().name


def _checked_name(name: Any) -> str:
    text = str(name).strip()
    if text:
        return text
    raise MarketError(f"a vendor has the empty name {name!r}.", hint="Give every vendor a name.")


def _refuse_duplicates(names: list[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise MarketError(
                f"two vendors are called {name!r}.",
                hint='Give each its own name: {"first": "a/data.csv", "second": "b/data.csv"}, '
                "or NAME=FILE on the command line.",
                vendor=name,
            )
        seen.add(name)
