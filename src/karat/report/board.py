"""The leaderboard of a page: one line per vendor, all bars on one axis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from karat.appraisal import Appraisal, VendorValue
from karat.decisions import PairMatrix
from karat.report.axis import Axis
from karat.report.figures import axis_labels, interval_bar
from karat.report.naming import WHOLE, Naming
from karat.report.numbers import count, distance, percent, percent_range, typeset
from karat.report.printable import printable

MOST_IN_MATRIX = 30
"""Vendors of whom all pairs are compared; beyond, a page of cells says less than the leaderboard."""


@dataclass(frozen=True)
class Line:
    """One vendor.

    index: its place in the market, by which the script finds it. ranks: the ranks that the pairs leave open.
    look: whether it may still be the best.
    """

    index: int
    rank: str
    ranks: str
    look: str
    name: str
    short: str
    title: str
    rows: str
    share: str
    note: str
    value: str
    interval: str
    bar: Markup


@dataclass(frozen=True)
class Board:
    """Lines best first, the head of their axis, and what the column of percentages means.

    confidence: of the intervals; None where no line has one.
    """

    lines: tuple[Line, ...]
    labels: Markup
    has_shares: bool
    floor: str | None
    confidence: str | None


def board(
    appraisal: Appraisal, names: Naming, *, candidates: Sequence[str] = (), pairs: PairMatrix | None = None
) -> Board:
    """The leaderboard of an appraisal."""
    axis, floor = axis_of(appraisal), floor_of(appraisal)
    open_ranks = {} if pairs is None else dict(zip(pairs.names, pairs.ranks(), strict=True))
    index = {name: i for i, name in enumerate(appraisal.moments.vendor_names)}
    lines = tuple(
        _line(
            vendor,
            appraisal,
            names,
            index=index[vendor.name],
            ranks=_ranks(open_ranks.get(vendor.name), appraisal),
            look="" if not candidates or vendor.name in candidates else "beaten",
            bar=_bar(vendor, appraisal, names, axis, floor),
        )
        for vendor in appraisal.ranking
    )
    return Board(
        lines=lines,
        labels=axis_labels(axis),
        has_shares=has_shares(appraisal),
        floor=None if floor is None else amount(floor, appraisal),
        confidence=level(appraisal.confidence) if any(map(ends_of, appraisal.vendors)) else None,
    )


def has_shares(appraisal: Appraisal) -> bool:
    """Whether percentages say something: the farthest vendor is a unit for the others only."""
    return appraisal.moments.n_vendors > 1 and appraisal.ruler.percent > 0.0


def axis_of(appraisal: Appraisal) -> Axis:
    """The axis that holds every interval."""
    far = [v.value if v.low is None else v.low for v in appraisal.vendors]
    percent_distance = appraisal.ruler.percent if has_shares(appraisal) else 0.0
    return Axis.reaching([-value for value in far], percent_distance)


def floor_of(appraisal: Appraisal) -> float | None:
    """The noise floor, where the vendors are held against the anchor whose floor it is."""
    return appraisal.ruler.noise_floor if appraisal.reference.name == "anchor" else None


def level(confidence: float) -> str:
    """A confidence as people write it.

    >>> level(0.95), level(0.999)
    ('95 %', '99.9 %')
    """
    return f"{100.0 * confidence:.10g} %"


def amount(size: float, appraisal: Appraisal) -> str:
    """A distance in ruler units, or as it is where there is no ruler."""
    if not has_shares(appraisal):
        return typeset(distance(size))
    return f"{percent(appraisal.ruler.share(size) or 0.0).removesuffix('.0')} %"


def amounts(low: float, high: float, appraisal: Appraisal) -> str:
    """A range of distances in ruler units, or as they are where there is no ruler."""
    if not has_shares(appraisal):
        return f"{typeset(distance(low))} to {typeset(distance(high))}"
    ruler = appraisal.ruler
    return f"{typeset(percent_range(ruler.share(low) or 0.0, ruler.share(high) or 0.0))} %"


def ends_of(vendor: VendorValue) -> tuple[float, float] | None:
    """The interval as distances, nearer end first; None where there is none."""
    return None if vendor.low is None or vendor.high is None else (0.0 - vendor.high, 0.0 - vendor.low)


def spoken(vendor: VendorValue, appraisal: Appraisal) -> str:
    """The distance with its interval, in ruler units, for sentences, tooltips and screen readers."""
    ends = ends_of(vendor)
    if ends is None:
        return f"{amount(0.0 - vendor.value, appraisal)}, no interval"
    return amounts(*ends, appraisal)


def _line(
    vendor: VendorValue,
    appraisal: Appraisal,
    names: Naming,
    *,
    index: int,
    ranks: str,
    look: str,
    bar: Markup,
) -> Line:
    is_scale = has_shares(appraisal) and vendor.name == appraisal.ruler.vendor
    return Line(
        index=index,
        rank="" if vendor.rank is None else str(vendor.rank),
        ranks=ranks,
        look=look,
        name=names.long[vendor.name],
        short=names.short[vendor.name],
        title=printable(vendor.name, WHOLE),
        rows=_rows(vendor, appraisal),
        share=spoken(vendor, appraisal),
        note="sets the scale" if is_scale else "",
        value=typeset(distance(vendor.value)),
        interval=interval(vendor),
        bar=bar,
    )


def _bar(vendor: VendorValue, appraisal: Appraisal, names: Naming, axis: Axis, floor: float | None) -> Markup:
    value = typeset(distance(vendor.value))
    label = f"{names.long[vendor.name]}: {spoken(vendor, appraisal)}; value {value}"
    return interval_bar(axis, 0.0 - vendor.value, ends_of(vendor), floor=floor, label=label)


def interval(vendor: VendorValue) -> str:
    """The interval of the value."""
    if vendor.low is None or vendor.high is None:
        return "no interval"
    return f"{typeset(distance(vendor.low))} to {typeset(distance(vendor.high))}"


def _ranks(open_ranks: tuple[int, int] | None, appraisal: Appraisal) -> str:
    """The ranks that are left open, where the matrix speaks of all vendors."""
    if open_ranks is None or appraisal.moments.n_vendors > MOST_IN_MATRIX:
        return ""
    first, last = open_ranks
    return str(first) if first == last else f"{first}–{last}"


def _rows(vendor: VendorValue, appraisal: Appraisal) -> str:
    shown = [f"{count(vendor.rows)} rows"]
    if vendor.effective_rows < vendor.rows:
        shown.append(f"count as {count(vendor.effective_rows)}")
    read = sum(one["rows"] for one in appraisal.provenance.get("inputs", ()) if one["name"] == vendor.name)
    if read > vendor.rows:
        shown.append(f"{count(read - vendor.rows)} dropped")
    return ", ".join(shown)
