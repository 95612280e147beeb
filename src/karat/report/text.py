"""Results as text for a terminal, a log or a pipe: the same numbers, no colour needed to read them."""

from __future__ import annotations

import io
from functools import singledispatch

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from karat.appraisal import Appraisal, VendorValue
from karat.baselines.beside import Beside
from karat.decisions import Comparison, PairMatrix
from karat.report.columns import Bands, agreement_bands, explained, score, score_bands
from karat.report.naming import Naming
from karat.report.numbers import count, distance
from karat.report.printable import printable
from karat.report.sentences import caveats, chance, compared, mixed_in, noticed, unit
from karat.report.verdict import answer
from karat.values import Values

BAR = 24
"""Characters of the interval bar."""


@singledispatch
def renderable(result: object) -> RenderableType:
    """A result as something that a rich console prints; one function per type."""
    raise TypeError(f"karat has no text form for {type(result).__name__}")


def as_text(result: object, *, width: int = 100) -> str:
    """A result as plain text of at most this width."""
    buffer = io.StringIO()
    console = Console(file=buffer, width=width, color_system=None, force_terminal=False, legacy_windows=False)
    console.print(renderable(result))
    return "\n".join(line.rstrip() for line in buffer.getvalue().splitlines())


@renderable.register
def _(appraisal: Appraisal) -> RenderableType:
    """The leaderboard, what its numbers mean, and what was noticed on the way."""
    said: list[RenderableType] = [
        Text(f"Vendors by {appraisal.heading}", style="bold"),
        _leaderboard(appraisal),
    ]
    found = answer(appraisal, Naming.of(appraisal.moments.names))
    said.append(Text(found.headline, style="bold"))
    said.append(Padding(Text(" ".join(filter(None, (*found.sentences, found.ask)))), (0, 0, 1, 0)))
    said += [Text(f"- {line}") for line in (*caveats(appraisal), chance(appraisal)) if line]
    said += [Text(f"! {line}", style="yellow") for line in noticed(appraisal)]
    return Group(*said)


@renderable.register
def _(comparison: Comparison) -> RenderableType:
    """The verdict first, then why and what next."""
    first, *rest = compared(comparison)
    return Group(Text(first, style="bold"), *(Text(line) for line in rest))


@renderable.register
def _(result: Beside) -> RenderableType:
    """A column per valuation, best first by the first one, and their agreement."""
    said: list[RenderableType] = [
        Text("Larger is better in every column", style="bold"),
        Padding(score_bands(result), (1, 0)),
        *(Text(line) for line in explained(result)),
    ]
    if len(result.columns) > 1:
        said += [
            Padding(Text("Rank agreement (Spearman)", style="bold"), (1, 0, 0, 0)),
            Padding(agreement_bands(result), (1, 0, 0, 0)),
        ]
    return Group(*said)


@renderable.register
def _(result: Values) -> RenderableType:
    """A vendor a line, best first."""
    order = sorted(range(len(result.names)), key=lambda i: -result.scores[i])
    names = tuple(printable(result.names[i], 32) for i in order)
    return Bands("vendor", names, ((result.valuation, [score(result.scores[i]) for i in order]),))


@renderable.register
def _(result: PairMatrix) -> RenderableType:
    """Who is nearer than whom: + the row's vendor, - the column's, ? undecided."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("", justify="right")
    table.add_column("vendor", overflow="ellipsis", no_wrap=True)
    size = len(result.names)
    for j in range(size):
        table.add_column(str(j + 1), justify="center")
    for i, name in enumerate(result.names):
        signs = ["" if i == j else SIGNS[result.verdict(name, result.names[j])] for j in range(size)]
        table.add_row(str(i + 1), Text(printable(name, 32)), *signs)
    legend = (
        f"+ the row's vendor is nearer, - farther, ? undecided; any of it wrong: at most "
        f"{100 * (1 - result.confidence):.3g} % ({result.policy}, {result.multiplicity})"
    )
    return Group(table, Text(legend, style="dim"))


SIGNS = {"better": "+", "worse": "-", "undecided": "?"}


def _leaderboard(appraisal: Appraisal) -> RenderableType:
    ranked = appraisal.ranking
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("", justify="right")
    table.add_column("vendor", overflow="ellipsis", no_wrap=True)
    table.add_column("rows", justify="right")
    table.add_column("value", justify="right")
    percentage = f"{100 * appraisal.confidence:g} %"
    table.add_column(f"{percentage} interval", justify="right")
    widest = max((-(v.low if v.low is not None else v.value) for v in ranked), default=0.0) or 1.0
    table.add_column(f"far{' ' * (BAR - 7)}near", no_wrap=True)
    table.add_column("mixed in", justify="right")
    for vendor in ranked:
        table.add_row(
            "" if vendor.rank is None else str(vendor.rank),
            Text(printable(vendor.name, 32)),
            count(vendor.rows),
            distance(vendor.value),
            _interval(vendor),
            _bar(vendor, widest),
            mixed_in(vendor, appraisal) or "",
        )
    legend = Text(f"mixed in: {unit(appraisal)}", style="dim")
    return Padding(Group(table, legend), (1, 0))


def _interval(vendor: VendorValue) -> str:
    if vendor.low is None or vendor.high is None:
        return "none"
    return f"{distance(vendor.low)} .. {distance(vendor.high)}"


def _bar(vendor: VendorValue, widest: float) -> str:
    """The interval on an axis that all vendors share: far on the left, the reference itself on the right."""

    def place(value: float) -> int:
        return round((BAR - 1) * (1.0 + max(value, -widest) / widest))

    cells = ["·"] * BAR
    if vendor.low is not None and vendor.high is not None:
        for at in range(place(vendor.low), place(vendor.high) + 1):
            cells[at] = "─"
    cells[place(vendor.value)] = "●"
    return "".join(cells)
