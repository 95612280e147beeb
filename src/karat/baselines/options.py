"""Options of a valuation: read from text, and checked before anything is computed.

A valuation is a dataclass, so what an option may be is written once, in its type: a choice of words, a whole
number, a number, true or false.
"""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Mapping
from typing import Any, Literal, get_args, get_origin, get_type_hints

import numpy as np

from karat.errors import ValuationError
from karat.kernels import Kernel, kernel_named

SEPARATOR = re.compile(r":(?=\w+=)")
"""Between a valuation and its options in a text; a kernel's own colon is followed by no word and =."""

ANY_ROWS = (np.array([[0.0], [1.0]]),)
"""Rows to read a kernel's name with, before there are others."""

SWITCH = {"true": True, "false": False}


@dataclasses.dataclass(frozen=True)
class Allowed:
    """What one option may be: some words, types, or nothing at all (None)."""

    words: tuple[str, ...]
    types: tuple[type, ...]
    may_be_none: bool

    @classmethod
    def by(cls, hint: Any) -> Allowed:
        """From the annotation of a field, a union or one of its members."""
        members = (hint,) if get_origin(hint) is Literal else get_args(hint) or (hint,)
        words = tuple(word for member in members for word in get_args(member))
        types = tuple(member for member in members if isinstance(member, type))
        return cls(words, types, type(None) in types)

    def say(self, least: float | None) -> str:
        """In words, for an error."""
        said = [repr(word) for word in self.words]
        if bool in self.types:
            said.append("true or false")
        elif int in self.types:
            said.append(f"a whole number from {1 if least is None else least:g} up")
        elif float in self.types:
            said.append("a positive number" if least is None else f"a number from {least:g} up")
        if self.may_be_none:
            said.append("None")
        return " or ".join(said)


def allowed(kind: Any) -> Mapping[str, Allowed]:
    """What every option of a class of valuations may be."""
    hints = get_type_hints(kind)
    return {field.name: Allowed.by(hints[field.name]) for field in dataclasses.fields(kind)}


def check_options(valuation: Any, least: Mapping[str, float]) -> None:
    """Raise if an option is none of its words, a number out of range, or no kernel where one is asked for.

    least: where it is not 1 for whole numbers and more than 0 for others.
    """
    for name, may_be in allowed(type(valuation)).items():
        given = getattr(valuation, name)
        if not _fits(given, may_be, least.get(name)):
            raise ValuationError(
                f"the valuation {valuation.name!r} was given {name}={given!r}.",
                hint=f"Pass {may_be.say(least.get(name))}.",
            )
        if Kernel in may_be.types and not isinstance(given, Kernel):
            kernel_named(given, ANY_ROWS)


def read_options(kind: type, texts: list[str]) -> dict[str, Any]:
    """The options in texts like "form=distance", in the types that the class of valuations has.

    An unknown name is passed on, for whoever makes the valuation to refuse.
    """
    found: dict[str, Any] = {}
    for text in texts:
        name, _, written = text.partition("=")
        found[name] = _read(written, allowed(kind)[name]) if name in allowed(kind) else written
    return found


def _read(text: str, may_be: Allowed) -> Any:
    if text.lower() == "none" and may_be.may_be_none:
        return None
    if bool in may_be.types:
        return SWITCH.get(text.lower(), text)
    for number in (int, float):
        if number in may_be.types:
            try:
                return number(text)
            except ValueError:
                return text
    return text


def _fits(given: Any, may_be: Allowed, least: float | None) -> bool:
    if given is None:
        return may_be.may_be_none
    if bool in may_be.types:
        return isinstance(given, bool)
    if int in may_be.types:
        return isinstance(given, int | np.integer) and bool(given >= (1 if least is None else least))
    if float in may_be.types:
        is_number = isinstance(given, int | float | np.number) and math.isfinite(given)
        return is_number and bool(given > 0.0 if least is None else given >= least)
    return not may_be.words or given in may_be.words
