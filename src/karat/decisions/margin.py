"""Margins: by how much a vendor has to be better, in MMD or in per cent of the ruler."""

from __future__ import annotations

import math
from dataclasses import dataclass

from karat.errors import DecisionError


@dataclass(frozen=True)
class Margin:
    """A margin in MMD, with the words it was asked for in.

    Positive: "better by more than". Zero: "better". Negative: "not worse by more than".
    """

    mmd: float
    asked: str

    @classmethod
    def parse(cls, margin: str | float | None, *, percent: float | None = None) -> Margin:
        """A number is in MMD; "5%" is five times what 1 % of contamination by the farthest vendor makes.

        percent: the MMD of that 1 % (`Ruler.percent`).

        >>> Margin.parse("-5%", percent=0.004)
        Margin(mmd=-0.02, asked='-5%')
        """
        if margin is None:
            return cls(0.0, "0")
        asked = str(margin).strip()
        in_percent = asked.endswith("%")
        try:
            number = float(asked.removesuffix("%"))
        except ValueError:
            number = math.nan
        if not math.isfinite(number):
            raise DecisionError(
                f"the margin {asked!r} is not a number.",
                hint='Pass an MMD such as 0.02, or per cent of the ruler such as "5%".',
            )
        if not in_percent:
            return cls(number, asked)
        if percent is None or not percent > 0.0:
            raise DecisionError(
                f"the margin {asked!r} is in per cent of the ruler, which this market does not have: all "
                "vendors are equally near.",
                hint="Give the margin in MMD, as a plain number.",
            )
        return cls(number * percent, asked)
