"""`karat demo`: the market that ships with karat, appraised."""

from __future__ import annotations

import typer

from karat.cli import options
from karat.report.progress import watched


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command(name="demo")(demo)


def demo(output: options.Output = None, as_json: options.Json = False) -> None:
    """Appraise a small real market of house sales, to see what karat says.

    Example: karat demo -o report.html
    """
    from karat.cli.output import check, show, write
    from karat.road import appraise
    from karat.sources import demo as market

    check(output or (), ())
    with watched("comparing rows") as told:
        appraisal = appraise(market.vendors(), anchor=market.anchor(), progress=told, command="karat demo")
    for path in output or []:
        write(appraisal, path)
    show(appraisal, as_json=as_json)
    if not as_json:
        typer.echo("\nWhat was shown, as we know and the appraisal did not:")
        for name, story in market.STORY.items():
            typer.echo(f"  {name}: {story}")
