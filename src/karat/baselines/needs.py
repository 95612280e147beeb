"""What a valuation needs, checked at the door: the need, the lack, and the command that mends it."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from karat.baselines.labels import ROWS_PER_CLASS, LabelKind, kind_of
from karat.baselines.reference import ReferenceRows
from karat.errors import MarketError, MissingExtraError, ValuationError
from karat.vendors import Market, Source

EXTRAS: Mapping[str, tuple[str, str]] = {
    "torch": ("torch", "PyTorch"),
    "ot": ("ot", "POT (optimal transport)"),
}
"""extra -> (the module it brings, what people call it)."""


def check_needs(
    name: str,
    needs: Sequence[str],
    market: Market,
    reference: ReferenceRows,
    label_kind: LabelKind | None = None,
) -> None:
    """Raise unless the market and this machine have what the valuation called `name` needs.

    label_kind: how labels are to be read; None guesses from what they are.
    """
    for need in needs:
        if need in EXTRAS:
            check_extra(name, need)
    if "moments" not in needs:
        for source in market.sources:
            _ = source.rows  # one that is read in parts says so here, before anything is computed
    for need in needs:
        if need not in EXTRAS:
            _CHECKS[need](name, market, reference, label_kind)


def lacking_extras(needs: Sequence[str]) -> tuple[str, ...]:
    """The extras among the needs that are not installed; nothing is imported."""
    return tuple(n for n in needs if n in EXTRAS and importlib.util.find_spec(EXTRAS[n][0]) is None)


def check_extra(name: str, extra: str) -> None:
    """Raise unless the module that an extra brings can be imported."""
    if lacking_extras([extra]):
        raise MissingExtraError(
            f"the valuation {name!r} needs {EXTRAS[extra][1]}, which is not installed.",
            hint=f"Install it with: pip install 'karat[{extra}]'",
        )


def _check_anchor(name: str, market: Market, _: ReferenceRows, __: LabelKind | None) -> None:
    if market.anchor is None:
        raise ValuationError(
            f"the valuation {name!r} needs an anchor, and this market has none.",
            hint="Pass rows of your own: anchor=..., or --anchor FILE (20 rows are a start).",
        )


def _check_reference(name: str, market: Market, reference: ReferenceRows, _: LabelKind | None) -> None:
    if reference.name == "uniform" and len(market.samples) < 2:
        only = market.names[0]
        raise MarketError(
            f"the valuation {name!r} compares vendors with a reference, and there is only {only!r}.",
            hint="Pass rows of your own: anchor=..., or --anchor FILE (20 rows are a start).",
            vendor=only,
        )


def _check_labels(name: str, market: Market, reference: ReferenceRows, kind: LabelKind | None) -> None:
    kinds: dict[bool, str] = {}
    for source in _labelled(market, reference):
        labels = source.labels
        if labels is None:
            raise ValuationError(
                f"the valuation {name!r} needs labels, and {_who(source, market)} has none.",
                hint=_where_labels_come_from(market, is_anchor=source is market.anchor),
                vendor=source.name,
            )
        kinds.setdefault(labels.dtype.kind == "U", source.name)
    if len(kinds) == 2:
        raise ValuationError(
            f"the valuation {name!r} compares labels, which are text at {kinds[True]!r} and numbers "
            f"at {kinds[False]!r}.",
            hint="Give all sources labels of one kind: labels.astype(str).",
            vendor=kinds[True],
        )
    for source in _labelled(market, reference):
        _check_constant(name, source, market, reference, kind)
    if kind is None and True in kinds:
        _check_repeats(name, [labels_of(source) for source in _labelled(market, reference)])


def _check_repeats(name: str, found: Sequence[NDArray[Any]]) -> None:
    """Text that hardly ever repeats is a name or a number of the row, and no class."""
    pooled = np.concatenate(found)
    distinct = len(np.unique(pooled))
    if distinct * ROWS_PER_CLASS > len(pooled):
        raise ValuationError(
            f"the valuation {name!r} needs labels that repeat, and {len(pooled)} rows have {distinct} "
            f"different ones, such as {pooled[0]!s}.",
            hint="Check which column target (--target) names; if each is a class, pass label_kind='classes'.",
        )


def _where_labels_come_from(market: Market, *, is_anchor: bool) -> str:
    if is_anchor and all(sample.labels is not None for sample in market.samples):
        return (
            "Add the label column to your own rows (with arrays, anchor_labels=...), or hold the vendors "
            "against each other: reference='uniform', --reference uniform."
        )
    return (
        "Name the label column: target='price', or --target COLUMN; with arrays, "
        "Market.from_arrays(..., labels={name: ...}, anchor_labels=...)."
    )


def _check_constant(
    name: str, source: Source, market: Market, reference: ReferenceRows, kind: LabelKind | None
) -> None:
    """A vendor may have a single class, if another source has it too; else it looks like a wrong column."""
    own = np.unique(labels_of(source))
    if len(own) > 1:
        return
    others = [labels_of(other) for other in _labelled(market, reference) if other is not source]
    is_class = (kind or kind_of([own, *others])) == "classes"
    is_anchor = source is market.anchor
    is_shared = any(own[0] in labels for labels in others) and any(
        (labels != own[0]).any() for labels in others
    )
    if is_anchor or not (is_class and is_shared):
        rest = "bring an anchor with more rows" if is_anchor else "leave this vendor out"
        raise ValuationError(
            f"the valuation {name!r} needs labels that differ, and all {source.size} labels of "
            f"{_who(source, market)} are {own[0]!s}.",
            hint=f"Check which column target (--target) names, or {rest}.",
            vendor=source.name,
        )


def _check_classes(name: str, market: Market, reference: ReferenceRows, kind: LabelKind | None) -> None:
    _check_labels(name, market, reference, kind)
    found = [labels_of(source) for source in _labelled(market, reference)]
    if (kind or kind_of(found)) == "numbers":
        distinct = len(np.unique(np.concatenate(found)))
        raise ValuationError(
            f"the valuation {name!r} needs classes, and the labels are a regression target: numbers with "
            f"{distinct} distinct values.",
            hint="Name a column of classes with target (--target), cut the numbers into classes, or pass "
            "label_kind='classes' if each number is a class.",
        )


def _check_targets(name: str, market: Market, reference: ReferenceRows, kind: LabelKind | None) -> None:
    _check_labels(name, market, reference, kind)
    if market.labels_kind == "text":
        raise ValuationError(
            f"the valuation {name!r} needs a regression target, and the labels are text.",
            hint="Name a column of numbers with target (--target), or choose a valuation for classes.",
        )


def _check_every_class(name: str, market: Market, reference: ReferenceRows, kind: LabelKind | None) -> None:
    _check_classes(name, market, reference, kind)
    sources = _labelled(market, reference)
    classes = np.unique(np.concatenate([labels_of(source) for source in sources]))
    for source in market.samples:
        absent = np.setdiff1d(classes, labels_of(source))
        if len(absent):
            raise ValuationError(
                f"the valuation {name!r} needs every class at every vendor, and {_who(source, market)} "
                f"has no row of class {absent[0]!s}.",
                hint="Ask this vendor for rows of that class, leave the class or the vendor out, or choose a "
                "valuation without this need (karat valuations lists them).",
                vendor=source.name,
            )


def _no_check(_: str, __: Market, ___: ReferenceRows, ____: LabelKind | None) -> None:
    return


_CHECKS: Mapping[str, Callable[[str, Market, ReferenceRows, LabelKind | None], None]] = {
    "anchor": _check_anchor,
    "reference": _check_reference,
    "moments": _no_check,
    "labels": _check_labels,
    "classes": _check_classes,
    "targets": _check_targets,
    "every-class": _check_every_class,
}

NEEDS: Mapping[str, str] = {
    "anchor": "rows of the buyer's own",
    "reference": "something to compare with: an anchor, or at least two vendors",
    "moments": "kernel moments; computed with the default kernel where none are given",
    "labels": "a label for every row: numbers that differ, or classes that repeat",
    "classes": "labels that are classes",
    "targets": "labels that are numbers to regress on",
    "every-class": "every class at every vendor",
    "torch": "the extra [torch]",
    "ot": "the extra [ot]",
}
"""Every word that `needs` may hold, in one line for people."""


def labels_of(source: Source) -> NDArray[Any]:
    """The labels of a source that was checked to have them."""
    assert source.labels is not None
    return source.labels


def _labelled(market: Market, reference: ReferenceRows) -> tuple[Source, ...]:
    """The sources whose labels are read: the vendors, and the anchor where it is the reference."""
    return market.sources if reference.name == "anchor" else market.samples


def _who(source: Source, market: Market) -> str:
    return "the anchor" if source is market.anchor else f"vendor {source.name!r}"
