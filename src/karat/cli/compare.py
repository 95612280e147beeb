"""`karat compare`: is one vendor better than another?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from karat.cli import options

UNDECIDED = 3
"""The exit code of an answer that is "undecided"."""


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command(name="compare", no_args_is_help=True)(compare)


def compare(
    first: Annotated[str, typer.Argument(metavar="VENDOR", help="Is this vendor better ...")],
    second: Annotated[str, typer.Argument(metavar="OTHER", help="... than this one?")],
    margin: options.Margin = None,
    confidence: Annotated[
        float | None,
        typer.Option("--confidence", help="Default: the appraisal's own.", show_default=False),
    ] = None,
    policy: options.Policy = "asymptotic",
    look: Annotated[
        int | None,
        typer.Option(
            "--look",
            metavar="K",
            help="You ask for the K-th time, with more rows each time: each time at a level of its own.",
        ),
    ] = None,
    planned: Annotated[
        float | None,
        typer.Option(
            "--planned",
            metavar="SHARE",
            help="This share of the rows that you planned for is there (0.4): ask as often as you like to 1.",
        ),
    ] = None,
    reference: Annotated[
        str | None,
        typer.Option("--reference", "-r", help="Another reference than the saved one.", show_default=False),
    ] = None,
    saved: options.Saved = Path("appraisal.json"),
    output: options.Output = None,
    as_json: options.Json = False,
) -> None:
    """Say whether one vendor is better than another: better, worse, or undecided and what would settle it.

    Exit code 0 when decided, 3 when undecided.

    Example: karat compare acme globex --margin 5% --confidence 0.95
    """
    from karat.cli.output import check, show, write
    from karat.decisions.looks import look_again
    from karat.saved import load

    check(output or (), (str(saved),))
    appraisal = load(saved)
    if reference is not None:
        appraisal = appraisal.against(reference)
    level = appraisal.confidence if confidence is None else confidence
    comparison = appraisal.compare(
        first,
        second,
        margin=margin,
        confidence=confidence,
        policy=policy,
        look=look_again(look, planned=planned, confidence=level),
    )
    for path in output or []:
        write(comparison, path)
    show(comparison, as_json=as_json)
    if not comparison.is_decided:
        raise typer.Exit(UNDECIDED)
