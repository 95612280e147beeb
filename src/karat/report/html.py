"""A report as one HTML file that works offline, asks nothing of any server, and runs one known script.

The content security policy allows the one style and the one script of the page by their SHA-256 and nothing
else, so a vendor's name that slipped through the escaping still could not run, load or send anything. The
page carries the appraisal it shows; every verb reads it from there.
"""

from __future__ import annotations

import base64
import hashlib
import re
from functools import cache
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from karat.appraisal import Appraisal
from karat.report.page import page_of
from karat.saved import EMBEDDED

SCRIPTS = ("student", "moments", "pairs", "words", "whatif", "grid", "panel", "page")
"""The parts of the page's one script, in order."""


def report(appraisal: Appraisal) -> str:
    """The report page of an appraisal; equal appraisals give equal pages."""
    style, script = asset("templates/style.css"), _script()
    return (
        templates()
        .get_template("report.html")
        .render(
            page=page_of(appraisal),
            policy=policy(style, script),
            style=Markup(style),
            script=Markup(script),
            appraisal=embedded(appraisal),
        )
    )


def policy(style: str, script: str | None = None) -> str:
    """Nothing is allowed but this style and this script, if any; scripts may not write markup."""
    allowed = ["default-src 'none'", f"style-src '{_hash(style)}'"]
    if script is not None:
        allowed.append(f"script-src '{_hash(script)}'")
    allowed += ["base-uri 'none'", "form-action 'none'"]
    return "; ".join([*allowed, "require-trusted-types-for 'script'", "trusted-types 'none'"])


def embedded(appraisal: Appraisal) -> Markup:
    """The appraisal as JSON that ends where its element ends: no name in it can close the element.

    In JSON `<`, `>` and `&` stand inside strings only, where they may be written as escapes.
    """
    text = appraisal.to_json()
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(f"{EMBEDDED}{text}</script>")


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode("ascii")


@cache
def asset(name: str) -> str:
    """A file that lies beside this module."""
    return files("karat.report").joinpath(name).read_text(encoding="utf-8")


@cache
def _script() -> str:
    parts = "\n".join(asset(f"script/{name}.js") for name in SCRIPTS)
    return f'(() => {{\n"use strict";\n{parts}}})();'


NUMBER_AND_SIGN = re.compile(r"(\d) %")


@cache
def templates() -> Environment:
    """The templates; whatever they are given is escaped."""
    return Environment(
        loader=PackageLoader("karat.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        finalize=_unbroken,
    )


def _unbroken(given: object) -> object:
    """A number and its per cent sign stay on one line."""
    return NUMBER_AND_SIGN.sub("\\1\xa0%", given) if type(given) is str else given
