"""Arguments and options that several verbs share, said once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from karat.errors import UsageError, WeightsError

Previews = Annotated[
    list[str],
    typer.Argument(
        metavar="PREVIEW...",
        help="Files or folders, one per vendor: CSV, Parquet or npz. NAME=FILE names the vendor.",
        show_default=False,
    ),
]
Anchor = Annotated[
    str | None,
    typer.Option(
        "--anchor", "-a", metavar="FILE", help="Your own rows, like those you need. 20 are a start."
    ),
]
FitOn = Annotated[
    str | None,
    typer.Option(
        "--fit-on",
        metavar="FILE",
        help="More rows of yours, to set scales and kernel from and nothing else; makes guarantees exact.",
    ),
]
Trust = Annotated[
    str | None, typer.Option("--trust", metavar="VENDOR", help="Take this vendor's rows as the anchor.")
]
ReferenceName = Annotated[
    str | None,
    typer.Option(
        "--reference",
        "-r",
        help="anchor, uniform, leave-one-out, robust, equal-size. Default: anchor, or uniform without one.",
        show_default=False,
    ),
]
Weights = Annotated[
    str | None,
    typer.Option(
        "--weights",
        metavar="NAME=SHARE,...",
        help="The reference is this mixture of vendors; shares sum to 1.",
    ),
]
KernelName = Annotated[
    str,
    typer.Option(
        "--kernel",
        "-k",
        help="default, paper, gaussian[:BANDWIDTH], laplace, rational-quadratic, energy, linear, polynomial.",
    ),
]
Columns = Annotated[
    str | None, typer.Option("--columns", "-c", metavar="A,B,...", help="Use these columns only.")
]
Drop = Annotated[str | None, typer.Option("--drop", metavar="A,B,...", help="Leave these columns out.")]
Target = Annotated[
    str | None, typer.Option("--target", metavar="COLUMN", help="The label column; not used as a feature.")
]
Missing = Annotated[
    str, typer.Option("--missing", help="Empty cells: flag (fill and mark), drop (the row), error.")
]
Scaling = Annotated[
    str, typer.Option("--scaling", help="reference (centre and scale by the reference) or none.")
]
Confidence = Annotated[float, typer.Option("--confidence", help="Of intervals and decisions.")]
Seed = Annotated[int, typer.Option("--seed", help="The same seed gives the same numbers.")]
Precision = Annotated[str, typer.Option("--precision", help="Of the tiles: float32 or float64.")]
Workers = Annotated[
    int | None, typer.Option("--workers", help="Threads; default one per core.", show_default=False)
]
Margin = Annotated[
    str | None,
    typer.Option(
        "--margin",
        metavar="M",
        help="By more than this: an MMD (0.02) or per cent of the ruler (5%); below 0: not worse by more.",
    ),
]
Policy = Annotated[str, typer.Option("--policy", help="asymptotic, guaranteed, or paper (as printed).")]
Saved = Annotated[Path, typer.Option("--from", metavar="FILE", help="A saved appraisal: .json, or a report.")]
Output = Annotated[
    list[Path] | None,
    typer.Option(
        "--output", "-o", metavar="FILE", help="Also write the answer: .html .json .md .csv .parquet"
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print the whole answer as JSON on stdout.")]


def named_previews(previews: list[str]) -> dict[str, str]:
    """Names to paths: `NAME=FILE` names a vendor, otherwise the file's stem does."""
    named: dict[str, str] = {}
    for preview in previews:
        name, path = _split(preview)
        if name in named:
            raise UsageError(
                f"two previews are called {name!r}: {named[name]!r} and {path!r}.",
                hint="Name one of them: NAME=FILE.",
            )
        named[name] = path
    return named


def _split(preview: str) -> tuple[str, str]:
    name, equals, path = preview.partition("=")
    if equals and name and path and not Path(preview).exists() and "/" not in name:
        return name, path
    return Path(preview).name.split(".")[0] or preview, preview


def comma_list(text: str | None) -> list[str] | None:
    """`a,b` as a list; None stays None."""
    return None if text is None else [part.strip() for part in text.split(",") if part.strip()]


def shares(text: str) -> dict[str, float]:
    """`a=0.5,b=0.5` as a mapping."""
    found: dict[str, float] = {}
    for part in comma_list(text) or [text]:
        name, equals, number = part.rpartition("=")
        try:
            share = float(number)
        except ValueError:
            equals = ""
        if not equals or not name:
            raise WeightsError(
                f"the weight {part!r} is not NAME=SHARE.", hint="Write --weights acme=0.5,globex=0.5."
            )
        if name in found:
            raise WeightsError(
                f"--weights names {name!r} twice.", hint="Give every vendor one share.", vendor=name
            )
        found[name] = share
    return found


def trusted(previews: dict[str, str], anchor: str | None, trust: str | None) -> str | None:
    """The anchor's file, when a vendor is trusted in its place; the vendor leaves the previews."""
    if trust is None:
        return anchor
    if anchor is not None:
        raise UsageError("both --anchor and --trust are given.", hint="Leave one of them out.")
    if trust not in previews:
        raise UsageError(
            f"--trust names {trust!r}, who is not among the previews.",
            hint=f"The vendors are {', '.join(previews)}.",
        )
    return previews.pop(trust)
