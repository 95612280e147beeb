"""`karat encode`: what the kernel will see, as a file."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from karat.cli import options
from karat.errors import MarketError

LAYOUT = "layout.json"
"""What the layout is called among the arrays."""


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command(name="encode", no_args_is_help=True)(encode)


def encode(
    previews: options.Previews,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE.npz", help="Where to write.")],
    anchor: options.Anchor = None,
    columns: options.Columns = None,
    drop: options.Drop = None,
    target: options.Target = None,
    missing: options.Missing = "flag",
    scaling: options.Scaling = "reference",
) -> None:
    """Write the encoded rows of every vendor to one npz file, an array each, with the layout as JSON.

    Example: karat encode acme.csv globex.csv --anchor mine.csv -o encoded.npz
    """
    import numpy as np

    from karat.appraisal import write_whole
    from karat.cli.output import check
    from karat.report.printable import printable
    from karat.vendors import Market

    named = options.named_previews(previews)
    check([output], (*named.values(), anchor), suffixes=[".npz"])
    market = Market.read(
        named,
        anchor=anchor,
        columns=options.comma_list(columns),
        drop=options.comma_list(drop),
        target=target,
        missing=missing,
        scaling=scaling,
    )
    layout = [
        {"name": b.name, "kind": b.kind, "start": b.start, "stop": b.stop, "weight": b.weight}
        for b in market.layout.blocks
    ]
    arrays = {source.name: source.rows for source in market.sources}
    if LAYOUT in arrays:
        raise MarketError(
            f"a vendor is called {LAYOUT!r}, which is the layout's place in the file.",
            hint="Give the vendor another name: NAME=FILE.",
            vendor=LAYOUT,
        )
    write_whole(output, _npz(arrays | {LAYOUT: np.array(json.dumps(layout))}))
    for source in market.sources:
        typer.echo(f"{printable(source.name)}: {source.size} rows x {source.width} columns")
    for finding in market.findings:
        typer.echo(f"! {printable(finding.message, 300)}")


def _npz(arrays: Mapping[str, Any]) -> bytes:
    """The arrays as an npz file, whatever their names: `numpy.savez` keeps `file` for itself."""
    import numpy as np

    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, np.asanyarray(array), allow_pickle=False)
    return packed.getvalue()
