"""What the report page says, as plain data: every string printable, every number in its few digits.

Nothing is computed here but places on the page; the template decides nothing but where things stand.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from karat.appraisal import Appraisal
from karat.report.board import Board, axis_of, board, floor_of, level, spoken
from karat.report.figures import Spot, market_map
from karat.report.matrix import Matrix, all_pairs, matrix
from karat.report.method import Source, assumptions, files, method, sources, versions
from karat.report.naming import Naming, listed, own_rows
from karat.report.numbers import count
from karat.report.printable import printable
from karat.report.sentences import caveats, warnings
from karat.report.verdict import answer, scale_note, whose
from karat.report.whatif import WhatIf, what_if
from karat.schema import Finding
from karat.values.landscape import Landscape, landscape

MOST_FINDINGS = 200
"""Findings listed on the page; the embedded appraisal holds all."""

SHOWN_OF_A_KIND = 3
"""Findings of one kind in one source that are shown at once; a wide table may have one for every column."""

MOST_WARNINGS = 6
"""Findings repeated at the top of the page."""

MOST_ON_MAP = 200
"""Dots on the map, nearest first."""

MUCH_NEARER = 0.5
"""A dot at less than this share of its vendor's distance misleads, and the caption says so."""

LEAST_TO_SEE = 0.05
"""Of the axis: vendors nearer than this lie at the reference whatever the map shows."""

MOST_HIDDEN = 6
"""Vendors that the caption names as farther than drawn."""


ONE_DIRECTION = "One direction explains this market: either end of it could be the better one."


@dataclass(frozen=True)
class MapFigure:
    """The map and what its caption says.

    hidden: vendors that are farther from the reference than they are drawn, with their distances.
    """

    svg: Markup
    shown: str
    leading: str
    hidden: str | None
    warning: str | None


@dataclass(frozen=True)
class Told:
    """What was found in one source: a few of each kind, and the others like them, folded away."""

    name: str
    messages: tuple[str, ...]
    folded: tuple[str, ...]


@dataclass(frozen=True)
class Page:
    """Everything on the page, top to bottom."""

    title: str
    subtitle: str
    whose: str
    scale: str
    headline: str
    sentences: tuple[str, ...]
    ask: str | None
    warnings: tuple[str, ...]
    caveats: tuple[str, ...]
    board: Board
    matrix: Matrix | None
    map: MapFigure | None
    what_if: WhatIf | None
    findings: tuple[Told, ...]
    more_findings: int
    method: tuple[tuple[str, str], ...]
    assumptions: tuple[str, ...]
    sources: tuple[Source, ...]
    files: tuple[str, ...]
    command: str | None
    versions: str


def page_of(appraisal: Appraisal) -> Page:
    """The page of an appraisal."""
    names = Naming.of(appraisal.moments.names)
    said, pairs = answer(appraisal, names), all_pairs(appraisal)
    found, more = _findings(appraisal.findings, names)
    command = appraisal.provenance.get("command")
    return Page(
        title=f"Vendors by {appraisal.heading}",
        subtitle=_subtitle(appraisal),
        whose=whose(appraisal),
        scale=scale_note(appraisal, names),
        headline=said.headline,
        sentences=said.sentences,
        ask=said.ask,
        warnings=tuple(warnings(appraisal)[:MOST_WARNINGS]),
        caveats=tuple(caveats(appraisal)),
        board=board(appraisal, names, candidates=said.candidates, pairs=pairs),
        matrix=matrix(appraisal, pairs, names),
        map=_map(appraisal, names, said.candidates),
        what_if=what_if(appraisal, names),
        findings=found,
        more_findings=more,
        method=method(appraisal),
        assumptions=assumptions(appraisal),
        sources=sources(appraisal, names),
        files=files(appraisal),
        command=None if command is None else printable(command, 2000),
        versions=versions(appraisal),
    )


def _subtitle(appraisal: Appraisal) -> str:
    moments = appraisal.moments
    said = ["1 vendor" if moments.n_vendors == 1 else f"{count(moments.n_vendors)} vendors"]
    said.append(f"{count(moments.sizes[list(moments.vendors)].sum())} rows shown")
    if (own := own_rows(appraisal)) is not None:
        said.append(f"{count(own)} rows of your own")
    return " · ".join([*said, f"{level(appraisal.confidence)} confidence"])


def _map(appraisal: Appraisal, names: Naming, candidates: Sequence[str]) -> MapFigure | None:
    if appraisal.moments.n_sources < 3:
        return None
    seen = landscape(appraisal.moments, appraisal.reference)
    moments, ranking = appraisal.moments, appraisal.ranking[:MOST_ON_MAP]
    index = {name: i for i, name in enumerate(moments.names)}
    spots = [Spot(whose(appraisal), "the reference", "reference")]
    drawn = {vendor.name: _place(seen, index[vendor.name]) for vendor in ranking}
    places = [(0.0, 0.0), *drawn.values()]
    for vendor in ranking:
        may_win = not candidates or vendor.name in candidates
        title = f"{names.long[vendor.name]}: {spoken(vendor, appraisal)}"
        spots.append(Spot(names.short[vendor.name], title, "vendor" if may_win else "vendor beaten"))
    if moments.anchor is not None and own_rows(appraisal) and appraisal.reference.name != "anchor":
        spots.append(Spot("your data", "your data", "anchor"))
        places.append(_place(seen, moments.anchor))
    shape = appraisal.identifiability
    warns = moments.anchor is None and shape is not None and shape.is_one_direction
    return MapFigure(
        market_map(
            places,
            spots,
            rings=axis_of(appraisal),
            floor=floor_of(appraisal),
            label=f"Map of {len(ranking)} vendors around {whose(appraisal)}",
        ),
        shown=f"{100.0 * seen.shown:.0f} %",
        leading=f"{100.0 * float(seen.shares[0]):.0f} %",
        hidden=_farther_than_drawn(appraisal, names, drawn),
        warning=ONE_DIRECTION if warns else None,
    )


def _farther_than_drawn(
    appraisal: Appraisal, names: Naming, drawn: Mapping[str, tuple[float, float]]
) -> str | None:
    """The vendors that two dimensions put much nearer to the reference than they are."""
    visible = max(floor_of(appraisal) or 0.0, LEAST_TO_SEE * axis_of(appraisal).end)
    hidden = [
        f"{names.long[vendor.name]} ({spoken(vendor, appraisal)})"
        for vendor in appraisal.ranking
        if vendor.name in drawn
        and -vendor.value > visible
        and math.hypot(*drawn[vendor.name]) < MUCH_NEARER * -vendor.value
    ]
    if len(hidden) > MOST_HIDDEN:
        hidden = [*hidden[:MOST_HIDDEN], f"{len(hidden) - MOST_HIDDEN} more"]
    return listed(hidden) if hidden else None


def _place(seen: Landscape, source: int) -> tuple[float, float]:
    return float(seen.positions[source, 0]), float(seen.positions[source, 1])


def _findings(findings: Sequence[Finding], names: Naming) -> tuple[tuple[Told, ...], int]:
    grouped: dict[str, dict[str, list[str]]] = {}
    for finding in findings[:MOST_FINDINGS]:
        who = (
            "The market"
            if finding.vendor is None
            else names.long.get(finding.vendor, printable(finding.vendor))
        )
        kinds = grouped.setdefault(who, {})
        kinds.setdefault(finding.kind, []).append(printable(finding.message, 300))
    told = tuple(
        Told(
            name,
            tuple(message for messages in kinds.values() for message in messages[:SHOWN_OF_A_KIND]),
            tuple(message for messages in kinds.values() for message in messages[SHOWN_OF_A_KIND:]),
        )
        for name, kinds in grouped.items()
    )
    return told, max(len(findings) - MOST_FINDINGS, 0)
