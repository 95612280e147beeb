"""`karat valuations`: what can value a vendor, and what it needs."""

from __future__ import annotations

import typer

from karat.cli import options


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command(name="valuations")(valuations)


def valuations(as_json: options.Json = False) -> None:
    """List every valuation: what it needs, what it estimates, what it costs, who proposed it.

    Example: karat valuations
    """
    import json

    from karat.baselines import list_valuations

    facts = list_valuations()
    if as_json:
        typer.echo(json.dumps(facts))
        return
    for one in facts:
        lacks = one["lacks"]
        assert isinstance(lacks, list)
        missing = f"   (not installed: karat[{','.join(map(str, lacks))}])" if lacks else ""
        needs = one["needs"]
        assert isinstance(needs, list)
        typer.echo(f"{one['name']}{missing}")
        typer.echo(f"    needs      {', '.join(map(str, needs)) or 'rows alone'}")
        typer.echo(f"    estimates  {one['converges_to']}")
        typer.echo(f"    costs      {one['cost']}")
        typer.echo(f"    from       {one['citation']}")
        defaults = one["options"]
        assert isinstance(defaults, dict)
        typer.echo(f"    options    {', '.join(f'{name}={default}' for name, default in defaults.items())}")
