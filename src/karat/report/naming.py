"""How vendors are called on a page: printable, short enough, and never two alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from karat.appraisal import Appraisal
from karat.report.printable import distinct
from karat.vendors.naming import ANCHOR

LONG, SHORT = 60, 22
"""Characters: in lists and in running text, on the map and in narrow columns."""

WHOLE = 300
"""Characters shown where the name stands alone, in a tooltip."""


@dataclass(frozen=True)
class Naming:
    """Names of the sources as they are shown."""

    long: dict[str, str]
    short: dict[str, str]

    @classmethod
    def of(cls, names: Sequence[str]) -> Naming:
        """The shown names of a market.

        >>> Naming.of(["acme", "anchor"]).short["anchor"]
        'your data'
        """
        long = dict(zip(names, distinct(names, LONG), strict=True))
        short = dict(zip(names, distinct(names, SHORT), strict=True))
        if ANCHOR in long:
            long[ANCHOR] = short[ANCHOR] = "your data"
        return cls(long, short)


def own_rows(appraisal: Appraisal) -> int | None:
    """How many rows the buyer brought; None where a union of vendors, or nothing, is in their place."""
    moments = appraisal.moments
    if moments.anchor is None or moments.names[moments.anchor] != ANCHOR:
        return None
    return int(moments.sizes[moments.anchor])


def listed(words: Sequence[str], last: str = "and") -> str:
    """Words as a sentence lists them.

    >>> listed(["a"]), listed(["a", "b"], "or"), listed(["a", "b", "c"])
    ('a', 'a or b', 'a, b and c')
    """
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {last} {words[-1]}"
