"""`karat paper`: the paper's tables and figures, run, stored, and laid beside the printed numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from karat.cli import options
from karat.report.progress import watched

Id = Annotated[str, typer.Argument(metavar="ID", help="table-1 to table-22, fig-1 to fig-11.")]
From = Annotated[
    Path | None,
    typer.Option("--from", metavar="FOLDER", help="Read results here.", show_default=False),
]

verbs = typer.Typer(no_args_is_help=True, help="The paper's tables and figures beside ours.")


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.add_typer(verbs, name="paper")


@verbs.command(name="list")
def list_entries(as_json: options.Json = False) -> None:
    """Every table and figure, what it shows, how long it takes, and whether a result is stored.

    Example: karat paper list
    """
    import json

    from karat.paper.listing import as_lines, listing

    found = listing()
    typer.echo(json.dumps(found, indent=2) if as_json else "\n".join(as_lines(found)))


@verbs.command()
def run(
    wanted: Id,
    trials: Annotated[int | None, typer.Option(help="Repetitions.", show_default=False)] = None,
    scale: Annotated[str, typer.Option(help="quick, or full: the paper's rows and trials.")] = "quick",
    resume: Annotated[
        bool, typer.Option("--resume/--anew", help="Keep what a stopped run has finished, or begin anew.")
    ] = True,
    only: Annotated[
        str | None, typer.Option(metavar="NAME", help="One experiment of the entry.", show_default=False)
    ] = None,
    into: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Store results here.", show_default=False)
    ] = None,
    as_json: options.Json = False,
) -> None:
    """Run what a table or figure needs, store the results and show them.

    A run that was stopped goes on where it was. Data are looked for in the folder that KARAT_DATA names.

    Example: karat paper run table-5
    """
    import sys

    from karat.paper.listing import run_entry

    command = f"karat paper run {wanted} --scale {scale}" + ("" if trials is None else f" --trials {trials}")
    command += "" if only is None else f" --only {only}"

    def tell(line: str) -> None:
        if not sys.stderr.isatty():
            typer.echo(line, err=True)

    with watched(wanted) as told:
        run_entry(
            wanted,
            scale=scale,
            trials=trials,
            resume=resume,
            only=only,
            into=into,
            command=command,
            progress=told,
            tell=tell,
        )
    show(wanted, source=into, as_json=as_json)


@verbs.command()
def show(wanted: Id, source: From = None, as_json: options.Json = False) -> None:
    """Ours beside the printed, from stored results.

    Example: karat paper show table-5
    """
    import json

    from karat.paper.listing import shown, stored_results

    if as_json:
        typer.echo(json.dumps(stored_results(wanted, source), allow_nan=False))
        return
    typer.echo(shown(wanted, source))


@verbs.command()
def report(
    source: From = None,
    out: Annotated[Path, typer.Option("--out", "-o", help="The page to write.")] = Path("docs/paper.md"),
) -> None:
    """Write the page that lays every table and figure beside ours, with plots, from stored results.

    Example: karat paper report --out paper.md
    """
    from karat.appraisal import write_whole
    from karat.paper.page import page

    write_whole(out, page(source))
    typer.echo(f"wrote {out}")
