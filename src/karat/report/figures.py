"""Inline SVG of a report: interval bars on one axis, and the map of the market.

Coordinates are percentages and text keeps its size in pixels, so a figure fits a phone without tiny letters.
Colours come from classes of the page's style sheet; no figure carries a style of its own.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from karat.report.axis import Axis

LEAST_BAR = 0.6
"""Percent of the axis: an interval narrower than this is drawn this wide, so that it can be seen."""


NEAR_THE_END = 92.0
"""Percent of the axis from which a number stands to the left of its tick, to stay on the page."""


def interval_bar(
    axis: Axis, distance: float, ends: tuple[float, float] | None, *, floor: float | None, label: str
) -> Markup:
    """One vendor's distance and interval on the shared axis, with the noise floor behind."""
    parts = [_grid(axis)]
    if floor is not None:
        parts.append(
            Markup('<rect class="floor" x="0" y="0" width="{}%" height="100%"/>').format(axis.place(floor))
        )
    if ends is not None:
        left, right = axis.place(ends[0]), axis.place(ends[1])
        width = max(round(right - left, 3), LEAST_BAR)
        parts.append(
            Markup('<rect class="interval" x="{}%" y="50%" width="{}%" height="8" rx="4"/>').format(
                left, width
            )
        )
    parts.append(Markup('<circle class="dot" cx="{}%" cy="50%" r="5"/>').format(axis.place(distance)))
    return Markup('<svg class="bar" role="img" aria-label="{}"><title>{}</title>{}</svg>').format(
        label, label, Markup("").join(parts)
    )


def axis_labels(axis: Axis) -> Markup:
    """The numbers of the shared axis, as the head of the column of bars."""
    labels = Markup("").join(
        Markup('<text x="{}%" y="14" text-anchor="{}">{}</text>').format(
            axis.place(at * axis.unit), _anchor(axis.place(at * axis.unit)), text
        )
        for at, text in axis.ticks
    )
    return Markup('<svg class="axis" aria-hidden="true" height="20">{}</svg>').format(labels)


def _anchor(place: float) -> str:
    """Where a number stands at its tick: not beyond the ends of the axis."""
    return "start" if place == 0.0 else "end" if place > NEAR_THE_END else "middle"


def _grid(axis: Axis) -> Markup:
    return Markup("").join(
        Markup('<line class="grid" x1="{0}%" x2="{0}%" y1="0" y2="100%"/>').format(axis.place(at * axis.unit))
        for at, _ in axis.ticks
    )


Place = tuple[float, float]
Box = tuple[float, float, float, float]
"""Left, top, right, bottom."""


@dataclass(frozen=True)
class Spot:
    """One source on the map: its name, what a tooltip says, the look of its dot."""

    name: str
    title: str
    look: str


ASPECT = 1.75
"""Width over height of the map."""

WIDE, NARROW = 840.0, 350.0
"""Widths in pixels for which labels are placed: a desk and a phone."""

LETTER = 7.8
LINE = 15.0
"""A letter's width and a line's height in pixels, a little generous."""

RING_LETTER = 6.6
RING_LINE = 11.0
RING_OFFSET = (4.0, -5.0)
"""The same of the smaller texts at the rings, and where they stand from the crossing."""

MARGIN = 0.09
"""Of the map's height, left free around the outermost point."""


def market_map(
    positions: Sequence[Place], spots: Sequence[Spot], *, rings: Axis, floor: float | None, label: str
) -> Markup:
    """The sources around the reference, which lies at the origin; rings mark distances from it.

    positions: in distance, one per spot. Points keep their proportions: one scale for both axes.
    """
    view = _View.of(positions)
    marks = [(at * rings.unit, text) for at, text in rings.ticks if at > 0.0]
    parts = [_ring(view, radius, text) for radius, text in marks]
    if floor is not None:
        parts.insert(
            0, Markup('<circle class="floor" cx="{}%" cy="{}%" r="{}%"/>').format(*view.circle(floor))
        )
    parts.append(_leading_direction(view))
    places = [view.place(x, y) for x, y in positions]
    wide, narrow = (
        _labels(spots, places, width, _ring_boxes(view, marks, width)) for width in (WIDE, NARROW)
    )
    parts += [_spot(spots[i], places[i]) for i in reversed(range(len(spots)))]
    for i, spot in enumerate(spots):
        for labels, size in ((wide, "wide"), (narrow, "narrow")):
            if i in labels:
                parts.append(_label(spot, places[i], labels[i], size))
    return Markup('<svg class="map" role="img" aria-label="{}">{}</svg>').format(
        label, Markup("").join(parts)
    )


@dataclass(frozen=True)
class _View:
    """From distances to percentages of the figure."""

    left: float
    top: float
    height: float

    @classmethod
    def of(cls, positions: Sequence[Place]) -> _View:
        xs, ys = zip((0.0, 0.0), *positions, strict=True)
        height = max(max(ys) - min(ys), (max(xs) - min(xs)) / ASPECT) / (1.0 - 2.0 * MARGIN) or 1.0
        return cls(
            (max(xs) + min(xs)) / 2.0 - height * ASPECT / 2.0,
            (max(ys) + min(ys)) / 2.0 + height / 2.0,
            height,
        )

    def place(self, x: float, y: float) -> Place:
        return (
            round(100.0 * (x - self.left) / (self.height * ASPECT), 3),
            round(100.0 * (self.top - y) / self.height, 3),
        )

    def circle(self, radius: float) -> tuple[float, float, float]:
        """Centre and radius; a percentage of a radius is of the root mean square of width and height."""
        x, y = self.place(0.0, 0.0)
        return x, y, round(100.0 * radius / (self.height * math.sqrt((ASPECT**2 + 1.0) / 2.0)), 3)


def _ring(view: _View, radius: float, text: str) -> Markup:
    """A ring, with its distance where it crosses the leading direction and there is room for the text."""
    ring = Markup('<circle class="ring" cx="{}%" cy="{}%" r="{}%"/>').format(*view.circle(radius))
    fits = [_ring_box(view, radius, text, width)[2] <= width for width in (WIDE, NARROW)]
    if not fits[0]:
        return ring
    x, y = view.place(radius, 0.0)
    look = "ring-text" if fits[1] else "ring-text wide"
    return ring + Markup('<text class="{}" x="{}%" y="{}%" dx="{}" dy="{}">{}</text>').format(
        look, x, y, *RING_OFFSET, text
    )


def _ring_box(view: _View, radius: float, text: str, width: float) -> Box:
    """Where the text of a ring stands at this width, in pixels."""
    x, y = view.place(radius, 0.0)
    left, bottom = x * width / 100.0 + RING_OFFSET[0], y * width / ASPECT / 100.0 + RING_OFFSET[1]
    return left, bottom - RING_LINE, left + len(text) * RING_LETTER, bottom


def _ring_boxes(view: _View, marks: Sequence[tuple[float, str]], width: float) -> list[Box]:
    """The texts of the rings that are shown at this width."""
    boxes = [_ring_box(view, radius, text, width) for radius, text in marks]
    return [box for box in boxes if box[2] <= width]


def _leading_direction(view: _View) -> Markup:
    _, y = view.place(0.0, 0.0)
    return Markup('<line class="leading" x1="0" x2="100%" y1="{0}%" y2="{0}%"/>').format(y)


def _spot(spot: Spot, place: Place) -> Markup:
    x, y = place
    if spot.look == "reference":
        mark = Markup(
            '<svg x="{}%" y="{}%" overflow="visible"><path class="reference" d="M0-9 9 0 0 9-9 0Z"/>'
        )
        return mark.format(x, y) + Markup("<title>{}</title></svg>").format(spot.title)
    return Markup('<circle class="spot {}" cx="{}%" cy="{}%" r="6"><title>{}</title></circle>').format(
        spot.look, x, y, spot.title
    )


def _label(spot: Spot, place: Place, offset: tuple[float, float, str], size: str) -> Markup:
    dx, dy, anchor = offset
    return Markup('<text class="name {}" x="{}%" y="{}%" dx="{}" dy="{}" text-anchor="{}">{}</text>').format(
        size, *place, dx, dy, anchor, spot.name
    )


OFFSETS = (
    (12.0, 4.0, "start"),
    (-12.0, 4.0, "end"),
    (0.0, -12.0, "middle"),
    (0.0, 21.0, "middle"),
    (10.0, -8.0, "start"),
    (10.0, 17.0, "start"),
    (-10.0, -8.0, "end"),
    (-10.0, 17.0, "end"),
)
"""Where a label may stand beside its dot, best first."""


def _labels(
    spots: Sequence[Spot], places: Sequence[Place], width: float, texts: Sequence[Box] = ()
) -> dict[int, tuple[float, float, str]]:
    """The labels that fit at this width and touch no dot, no text and not each other.

    Earlier spots choose first.
    """
    points = [(x * width / 100.0, y * width / ASPECT / 100.0) for x, y in places]
    taken: list[Box] = [*texts, *((x - 8.0, y - 8.0, x + 8.0, y + 8.0) for x, y in points)]
    found: dict[int, tuple[float, float, str]] = {}
    for i, spot in enumerate(spots):
        for offset in OFFSETS:
            box = _box(points[i], offset, len(spot.name) * LETTER)
            inside = box[0] >= 0.0 and box[2] <= width and box[1] >= 0.0 and box[3] <= width / ASPECT
            if inside and not any(_touch(box, other) for other in taken):
                taken.append(box)
                found[i] = offset
                break
    return found


def _box(point: Place, offset: tuple[float, float, str], length: float) -> Box:
    dx, dy, anchor = offset
    left = point[0] + dx - {"start": 0.0, "middle": length / 2.0, "end": length}[anchor]
    bottom = point[1] + dy + 3.0
    return left, bottom - LINE, left + length, bottom


def _touch(a: Box, b: Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]
