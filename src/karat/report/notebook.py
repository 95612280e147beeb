"""Results in a notebook, and the page of any result.

A notebook's fragment has no script; without its style, which some viewers strip, it is still a plain table.
It takes its colours from the text around it, so it fits light and dark notebooks.
"""

from __future__ import annotations

import os
from collections import Counter
from functools import singledispatch
from pathlib import Path

from markupsafe import Markup

from karat.appraisal import Appraisal, write_whole
from karat.baselines.beside import Beside
from karat.decisions import Comparison
from karat.report.board import board
from karat.report.columns import by_first, correlation, explained, score_columns
from karat.report.html import asset, policy, report, templates
from karat.report.naming import Naming
from karat.report.numbers import count, counted
from karat.report.sentences import compared
from karat.report.text import as_text
from karat.report.verdict import answer, scale_note
from karat.vendors import Market

MOST_LINES = 30
"""Vendors that a notebook shows; `to_html` shows all."""


@singledispatch
def fragment(result: object) -> str:
    """A result for a notebook's cell, one function per type; the terminal's text where there is none."""
    return _rendered("plain.html", text=as_text(result))


@fragment.register
def _(result: Appraisal) -> str:
    """The verdict sentence and the leaderboard."""
    names = Naming.of(result.moments.names)
    found = answer(result, names)
    return _rendered(
        "appraisal.html",
        answer=found,
        board=board(result, names, candidates=found.candidates),
        scale=scale_note(result, names),
        title=result.heading,
        most=MOST_LINES,
    )


@fragment.register
def _(result: Market) -> str:
    """The sources, and how much was noticed."""
    names = Naming.of([source.name for source in result.sources])
    found = Counter(one.vendor for one in result.findings)
    sources = [(names.long[source.name], count(source.size), found[source.name]) for source in result.sources]
    size = [counted(len(sources), "source"), counted(result.layout.width, "column")]
    if result.findings:
        size.append(counted(len(result.findings), "finding"))
    return _rendered("market.html", sources=sources, size=", ".join(size))


@fragment.register
def _(result: Comparison) -> str:
    """The verdict, the gap with its interval, and what would settle it."""
    first, *rest = compared(result)
    return _rendered("comparison.html", verdict=first, rest=rest)


@fragment.register
def _(result: Beside) -> str:
    """A column per valuation, best first by the first one, and their agreement."""
    order = by_first(result)
    names = Naming.of(result.names)
    return _rendered(
        "beside.html",
        titles=result.titles,
        vendors=[
            (names.long[result.names[i]], cells)
            for i, *cells in zip(order, *(cells for _, cells in score_columns(result, order)), strict=True)
        ],
        explained=explained(result),
        agreement=[
            (title, [correlation(r) for r in row])
            for title, row in zip(result.titles, result.agreement, strict=True)
        ],
    )


def page(result: object) -> str:
    """The page of a result: the report of an appraisal, the notebook's fragment of anything else."""
    if isinstance(result, Appraisal):
        return report(result)
    allowed = policy(asset("templates/notebook.css"))
    return templates().get_template("page.html").render(policy=allowed, fragment=Markup(fragment(result)))


def write_page(result: object, path: str | os.PathLike[str]) -> None:
    """The page of a result, written whole or not at all."""
    write_whole(Path(path), page(result))


def _rendered(template: str, **given: object) -> str:
    style = Markup(asset("templates/notebook.css"))
    return templates().get_template(f"notebook/{template}").render(style=style, **given)
