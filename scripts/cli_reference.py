"""Write docs/cli.md from the command line itself; `--check` only says whether it is up to date."""

from __future__ import annotations

import inspect
import sys
from pathlib import Path

import typer

from karat.cli.main import app

PAGE = Path(__file__).parent.parent / "docs" / "cli.md"


def reference() -> str:
    """Every verb with its help, arguments and options, as Markdown."""
    group = typer.main.get_command(app)
    lines = [
        "# Command line",
        "",
        "Made from the code by `scripts/cli_reference.py`.",
        "",
        "Exit codes: 0 done; 1 something is wrong with the input, and the message says what; "
        "2 wrong usage; 3 undecided, where a decision was asked for.",
        "",
        "`karat --install-completion` teaches the shell to complete verbs and options.",
        "",
    ]
    for name in sorted(group.commands):
        lines += _section(f"karat {name}", group.commands[name])
    return "\n".join(lines)


def _section(name: str, command) -> list[str]:
    """A verb, and the verbs below it where it is a group."""
    lines = [f"## {name}", "", *_prose(command.help or ""), ""]
    below = getattr(command, "commands", {})
    rows = [] if below else [_row(parameter) for parameter in command.params]
    if rows:
        lines += ["| option | meaning | default |", "|---|---|---|", *rows, ""]
    for part in sorted(below):
        lines += [line.replace("## ", "### ", 1) for line in _section(f"{name} {part}", below[part])]
    return lines


def _prose(text: str) -> list[str]:
    """The help, with its example as code."""
    lines = []
    for line in inspect.cleandoc(text).splitlines():
        if line.startswith("Example: "):
            lines += ["```", line.removeprefix("Example: "), "```"]
        else:
            lines.append(line)
    return lines


def _row(parameter) -> str:
    names = ", ".join(f"`{option}`" for option in parameter.opts)
    if parameter.param_type_name == "argument":
        names = f"`{parameter.metavar or parameter.name}`"
    default = parameter.default
    is_plain = isinstance(default, (str, float)) or (isinstance(default, int) and default is not False)
    shown = f"`{default}`" if is_plain else ""
    if parameter.required:
        shown = "required"
    return f"| {names} | {getattr(parameter, 'help', '') or ''} | {shown} |"


if __name__ == "__main__":
    page = reference()
    if "--check" in sys.argv:
        is_current = PAGE.read_text(encoding="utf-8") == page
        sys.exit(0 if is_current else "docs/cli.md is old: run scripts/cli_reference.py")
    PAGE.write_text(page, encoding="utf-8")
