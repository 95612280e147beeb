"""`karat verify-guarantees`: what karat promises, simulated on this machine."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from karat.cli import options

if TYPE_CHECKING:
    from karat.promises.promise import Result


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command(name="verify-guarantees")(verify_guarantees)


def verify_guarantees(
    quick: Annotated[
        bool, typer.Option("--quick", help="Fewer runs, within a minute; musts are widened by chance.")
    ] = False,
    seed: options.Seed = 20240,
    as_json: options.Json = False,
) -> None:
    """Simulate every promise here and now, and say which holds. Exit code 1 if one does not.

    Example: karat verify-guarantees --quick
    """
    import json

    from karat.promises.run import as_lines
    from karat.promises.run import verify_guarantees as simulate

    report = simulate(quick=quick, seed=seed, progress=_tell if sys.stderr.isatty() else None)
    typer.echo(json.dumps(report.to_dict()) if as_json else "\n".join(as_lines(report)))
    if not report.holds:
        raise typer.Exit(1)


def _tell(result: Result) -> None:
    """One line on stderr for each promise as it is done."""
    state = {True: "holds", False: "MISSED", None: "reported"}[result.holds]
    typer.echo(f"{result.seconds:6.1f} s  {state:8}  {result.promise}", err=True)
