"""`karat bench`: this machine against its limits."""

from __future__ import annotations

from typing import Annotated

import typer

from karat.cli import options


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command(name="bench")(bench)


def bench(
    quick: Annotated[bool, typer.Option("--quick", help="Fewer sizes, under a minute.")] = False,
    valuations: Annotated[
        bool, typer.Option("--valuations", help="Time every valuation instead, each in a process of its own.")
    ] = False,
    as_json: options.Json = False,
) -> None:
    """Time the engine on this machine: how near to a bare matrix product, and against other libraries.

    Example: karat bench --quick
    """
    import json

    from karat.bench import as_lines, run_bench

    if valuations:
        from karat.bench.valuations import run_valuations_bench

        figures = run_valuations_bench(large=not quick)
    else:
        figures = run_bench(quick=quick)
    typer.echo(json.dumps(figures, indent=2) if as_json else "\n".join(as_lines(figures)))
