"""`karat bench`: this machine against its limits."""

from __future__ import annotations

from typing import Annotated

import typer

from karat.cli import options
from karat.report.progress import watched


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command(name="bench")(bench)


def bench(
    quick: Annotated[bool, typer.Option("--quick", help="Fewer sizes, under a minute.")] = False,
    valuations: Annotated[
        bool, typer.Option("--valuations", help="Time every valuation instead, each in a process of its own.")
    ] = False,
    label_noise: Annotated[
        bool,
        typer.Option("--label-noise", help="Measure instead which valuations see wrong labels: ten minutes."),
    ] = False,
    large: Annotated[
        bool,
        typer.Option(
            "--large", help="Time instead ten gigabytes of files, from the command to the leaderboard."
        ),
    ] = False,
    as_json: options.Json = False,
) -> None:
    """Time the engine on this machine: how near to a bare matrix product, and against other libraries.

    Example: karat bench --quick
    """
    import json

    from karat.bench import as_lines, run_bench
    from karat.bench import label_noise as noise
    from karat.bench import large as files
    from karat.bench import valuations as timed
    from karat.errors import UsageError

    if valuations + label_noise + large > 1:
        raise UsageError(
            "--valuations, --label-noise and --large are runs of their own.", hint="Give one of them."
        )
    if valuations:
        with watched("timing valuations") as told:
            figures = timed.run_valuations_bench(large=not quick, progress=told)
        lines = timed.as_lines(figures)
    elif label_noise:
        with watched("valuing noisy labels") as told:
            figures = noise.label_noise_study(seeds=range(2 if quick else 10), progress=told)
        lines = [noise.as_markdown(figures)]
    elif large:
        figures = files.large_figures(quick=quick, told=lambda line: typer.echo(line, err=True))
        lines = files.as_lines(figures)
    else:
        figures = run_bench(quick=quick)
        lines = as_lines(figures)
    typer.echo(json.dumps(figures, indent=2) if as_json else "\n".join(lines))
