"""`karat verify`: is this report what it says?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from karat.cli import options
from karat.report.progress import watched


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command(name="verify", no_args_is_help=True)(verify)


def verify(
    report: Annotated[
        Path, typer.Argument(metavar="REPORT", help="A report (.html) or a saved appraisal (.json).")
    ],
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="FILE...",
            help="The files it was made of, the anchor's too; folders will do.",
            show_default=False,
        ),
    ] = None,
    as_json: options.Json = False,
) -> None:
    """Check that a report's numbers follow from its moments and, where files are given, from the data.

    Names the first difference and exits with 1 where there is one.

    Example: karat verify report.html acme.parquet globex.csv initech/ mine.csv
    """
    from karat.report.printable import printable
    from karat.verification import verify as check

    with watched("comparing rows") as told:
        found = check(report, files or [], progress=told)
    if as_json:
        typer.echo(json.dumps(found.to_dict()))
    else:
        for line in found.checked:
            typer.echo(f"holds: {printable(line, 200)}")
        typer.echo("No difference." if found.holds else f"differs: {printable(found.difference or '', 600)}")
    if not found.holds:
        raise typer.Exit(1)
