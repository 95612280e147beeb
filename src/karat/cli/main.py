"""`karat`: the verbs, and the one place where an error becomes a message and an exit code.

Exit codes: 0 done; 1 something is wrong with the input, and the message says what; 2 wrong usage;
3 undecided, where a decision was asked for.
"""

from __future__ import annotations

import json
import sys
from typing import Annotated

import typer

from karat.cli import appraise, bench, compare, demo, encode, guarantees, paper, streams, valuations, verify
from karat.errors import KaratError, UsageError

app = typer.Typer(
    name="karat",
    no_args_is_help=True,
    add_completion=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Which vendor to buy data from, judged by the distribution behind the preview.",
)
for verb in (appraise, compare, demo, encode, valuations, verify, guarantees, bench, paper):
    verb.register(app)


@app.callback(invoke_without_command=True)
def _version(
    version: Annotated[bool, typer.Option("--version", help="Print the version and stop.")] = False,
) -> None:
    if version:
        from importlib.metadata import version as installed

        typer.echo(f"karat {installed('karat')}")
        raise typer.Exit


def main() -> None:
    """Run the command line; the entry point of the `karat` script."""
    streams.prepare()
    try:
        try:
            app()
        finally:
            sys.stdout.flush()  # a full disk is met here, not after the last line
    except KaratError as error:
        tell(error)
        sys.exit(1)
    except BrokenPipeError:
        streams.give_up(sys.stdout)
        sys.exit(1)
    except (OSError, MemoryError) as error:
        streams.give_up(sys.stdout)
        tell(_machine(error))
        sys.exit(1)
    except KeyboardInterrupt:
        typer.echo("stopped", err=True)
        sys.exit(130)


def _machine(error: OSError | MemoryError) -> UsageError:
    """What the machine refuses: a disk that is full, a file that is closed, memory that is not there."""
    if isinstance(error, MemoryError):
        return UsageError("there is not enough memory.", hint="Give fewer rows, or --method landmarks.")
    where = f"{error.filename}: " if error.filename else ""
    return UsageError(
        f"a file cannot be read or written: {where}{error.strerror or error}.",
        hint="Check the path, the permissions and the room on the disk.",
    )


def tell(error: KaratError) -> None:
    """What is wrong and what to do, on stderr; with --json also as data on stdout."""
    from karat.report.printable import printable

    typer.echo(f"karat: {printable(error.problem, 600)}", err=True)
    typer.echo(f"       {printable(error.hint, 600)}", err=True)
    if "--json" in sys.argv:
        typer.echo(json.dumps({"ok": False} | error.to_dict()))
