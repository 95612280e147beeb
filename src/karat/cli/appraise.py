"""`karat appraise`: previews in, leaderboard and saved appraisal out."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from karat.cli import options
from karat.report.progress import watched

if TYPE_CHECKING:
    from karat.baselines import Valuation

METHODS = ("auto", "exact", "landmarks", "block")


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command(name="appraise", no_args_is_help=True)(appraise)


def appraise(
    previews: options.Previews,
    anchor: options.Anchor = None,
    fit_on: options.FitOn = None,
    trust: options.Trust = None,
    reference: options.ReferenceName = None,
    weights: options.Weights = None,
    kernel: options.KernelName = "default",
    columns: options.Columns = None,
    drop: options.Drop = None,
    target: options.Target = None,
    missing: options.Missing = "flag",
    scaling: options.Scaling = "reference",
    confidence: options.Confidence = 0.95,
    seed: options.Seed = 0,
    precision: options.Precision = "float32",
    workers: options.Workers = None,
    output: options.Output = None,
    no_save: Annotated[bool, typer.Option("--no-save", help="Do not write ./appraisal.json.")] = False,
    method: Annotated[
        str,
        typer.Option(
            "--method",
            help="auto; exact; landmarks: linear in the rows; block: the estimator of the paper's authors "
            "(their kernel: --kernel paper).",
        ),
    ] = "auto",
    compat: Annotated[
        str | None,
        typer.Option("--compat", help="xu2024: the block estimator with the authors' scaling."),
    ] = None,
    valuation: Annotated[
        str | None,
        typer.Option(
            "--valuation",
            metavar="NAME,...",
            help="Show these valuations side by side instead, with options like lava:form=distance; "
            "`karat valuations` lists them.",
        ),
    ] = None,
    keep_copies: Annotated[
        bool,
        typer.Option("--keep-copies", help="Count rows shown twice, and rows of your own, like any others."),
    ] = False,
    checkpoint: Annotated[
        Path | None,
        typer.Option(
            "--checkpoint",
            metavar="FILE",
            help="Keep partial sums here: the same command goes on where it was stopped.",
        ),
    ] = None,
    require_decided: Annotated[
        bool, typer.Option("--require-decided", help="Exit with 3 unless one vendor is declared best.")
    ] = False,
    as_json: options.Json = False,
) -> None:
    """Value every vendor from its preview, best first.

    Example: karat appraise acme.parquet globex.csv initech/ --anchor mine.csv --drop id,date
    """
    from karat.cli.output import check, show, write
    from karat.errors import UsageError
    from karat.road import appraise as run
    from karat.vendors import Market

    named = options.named_previews(previews)
    check(output or (), (*named.values(), anchor, fit_on))
    own_rows = options.trusted(named, anchor, trust)
    if method not in METHODS:
        raise UsageError(f"the method {method!r} is unknown.", hint=f"Choose from {', '.join(METHODS)}.")
    if compat is not None and method != "block":
        raise UsageError("--compat is of the block estimator.", hint="Add --method block.")
    if method == "block" and valuation is not None:
        raise UsageError(
            "both --method block and --valuation are given.",
            hint="Leave the method out, and name mmd-block among the valuations.",
        )
    if reference is not None and weights is not None:
        raise UsageError(
            "both --reference and --weights are given.", hint="Weights are a reference: leave one out."
        )
    with watched("reading files", "cells") as told:
        market = Market.read(
            named,
            anchor=own_rows,
            fit_on=fit_on,
            columns=options.comma_list(columns),
            drop=options.comma_list(drop),
            target=target,
            missing=missing,
            scaling=scaling,
            progress=told,
        )
    held_against = reference if weights is None else options.shares(weights)
    asked: Sequence[Valuation] = ()
    if valuation is not None or method == "block":
        from karat.baselines import valuation_named
        from karat.baselines.beside import beside, checked
        from karat.integrity import without_copies

        names_or_made: list[str | Valuation] = [*(options.comma_list(valuation) or [])]
        if method == "block":
            names_or_made = [valuation_named("mmd-block", kernel=kernel, compat=compat)]
        judged = market if keep_copies else without_copies(market)  # the very rows that are appraised
        asked = checked(judged, names_or_made, held_against)
    with watched("comparing rows") as told:
        appraisal = run(
            market,
            reference=held_against,
            kernel=kernel,
            confidence=confidence,
            method="auto" if method == "block" else method,  # type: ignore[arg-type]
            keep_copies=keep_copies,
            precision=precision,  # type: ignore[arg-type]
            seed=seed,
            workers=workers,
            progress=told,
            checkpoint=checkpoint,
            command=shlex.join(["karat", *sys.argv[1:]]),
        )
    if not no_save:
        appraisal.save("appraisal.json")
    answer: Any = appraisal
    if asked:
        with watched("valuing") as told:
            answer = beside(
                judged,
                asked,
                moments=appraisal.moments,
                reference=held_against,
                seed=seed,
                progress=told,
            )
    for path in output or []:
        write(answer, path)
    show(answer, as_json=as_json)
    if require_decided and (not appraisal.is_ranked or appraisal.best().best is None):
        raise typer.Exit(3)
