"""Plots as inline SVG: curves with error bars, points, bars; axes in the colour of the text."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from karat.paper.svg import element, line, text

WIDTH, HEIGHT = 420, 280
LEFT, RIGHT, TOP, BOTTOM = 58, 12, 28, 42

COLOURS = ("#1b6ca8", "#c4512d", "#3a8f4d", "#8a5aa8", "#b08a1e", "#5f6b75", "#c2408a", "#2aa5a0", "#7a4b2b")
"""Of the series in turn; those beyond begin again, dashed."""

SHORT_NAME = 30
"""Characters of a name that has room for another beside it in the legend."""

MOST_POINTS = 400
"""Of a larger scatter, as many points at even steps are drawn."""


@dataclass(frozen=True)
class Series:
    """A named curve; errors are half-widths, None where there are none."""

    name: str
    x: Sequence[float]
    y: Sequence[float]
    errors: Sequence[float | None] | None = None


@dataclass(frozen=True)
class Axis:
    """Where numbers stand: from low to high, on a logarithmic scale or not."""

    label: str
    low: float
    high: float
    is_log: bool

    @classmethod
    def over(cls, label: str, values: Sequence[float], *, log: bool = False) -> Axis:
        """An axis that shows all values, with a little room."""
        low, high = min(values), max(values)
        if log:
            return cls(label, low / 1.15, high * 1.15, True)
        room = 0.05 * (high - low) or 0.05 * abs(high) or 1.0
        return cls(label, low - room, high + room, False)

    def at(self, value: float) -> float:
        """The place of a value, from 0 to 1."""
        if self.is_log:
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)

    def ticks(self) -> list[float]:
        """Four to seven round numbers."""
        if self.is_log:
            return self._log_ticks()
        step = 10.0 ** math.floor(math.log10((self.high - self.low) / 4.0))
        while (self.high - self.low) / step > 7.0:
            step *= 2.0 if round(step / 10.0 ** math.floor(math.log10(step))) in (1, 5) else 2.5
        first = math.ceil(self.low / step)
        return [k * step for k in range(first, math.floor(self.high / step) + 1)]

    def _log_ticks(self) -> list[float]:
        powers = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
        for digits in ((1,), (1, 3), (1, 2, 5)):
            found = [d * 10.0**p for p in powers for d in digits if self.low <= d * 10.0**p <= self.high]
            if len(found) >= 3:
                return found
        return found


def line_plot(
    title: str,
    series: Sequence[Series],
    *,
    x_label: str,
    y_label: str,
    log_x: bool = False,
    log_y: bool = False,
) -> str:
    """Curves with markers and error bars."""
    shown = [_positive(one) if log_y else one for one in series]
    shown = [one for one in shown if len(one.x)]
    if not shown:
        return ""
    x = Axis.over(x_label, [v for one in shown for v in one.x], log=log_x)
    y = Axis.over(y_label, [v for one in shown for v in one.y], log=log_y)
    parts = []
    for k, one in enumerate(shown):
        colour = COLOURS[k % len(COLOURS)]
        points = [(_across(x, a), _down(y, b)) for a, b in zip(one.x, one.y, strict=True)]
        path = " ".join(f"{a:.1f},{b:.1f}" for a, b in points)
        dashes = {"stroke_dasharray": "4 3"} if k >= len(COLOURS) else {}
        parts.append(element("polyline", points=path, fill="none", stroke=colour, stroke_width=1.6, **dashes))
        parts += [element("circle", cx=a, cy=b, r=2.4, fill=colour) for a, b in points]
        parts += _error_bars(one, x, y, colour)
    return _framed(title, x, y, parts, [one.name for one in shown])


def scatter_plot(
    title: str, points: Series, *, x_label: str, y_label: str, fit: tuple[float, float] | None
) -> str:
    """Points, and a straight line given as slope and intercept."""
    step = max(1, len(points.x) // MOST_POINTS)
    xs, ys = list(points.x)[::step], list(points.y)[::step]
    x, y = Axis.over(x_label, xs), Axis.over(y_label, ys)
    parts = [
        element("circle", cx=_across(x, a), cy=_down(y, b), r=2, fill=COLOURS[0], fill_opacity=0.6)
        for a, b in zip(xs, ys, strict=True)
    ]
    if fit is not None:
        slope, intercept = fit
        (a, b), (c, d) = ((_across(x, v), _down(y, intercept + slope * v)) for v in (min(xs), max(xs)))
        parts.append(line(a, b, c, d, stroke=COLOURS[1], stroke_width=1.8))
    return _framed(title, x, y, parts, [])


def bar_plot(title: str, groups: Sequence[str], series: Sequence[Series], *, y_label: str) -> str:
    """Bars in groups, from zero; one series per colour, `y` in the order of the groups."""
    y = Axis.over(y_label, [v for one in series for v in one.y] + [0.0])
    x = Axis("", 0.0, float(len(groups)), False)
    wide = (WIDTH - LEFT - RIGHT) / max(1, len(groups)) * 0.8 / max(1, len(series))
    zero = _down(y, 0.0)
    parts = [line(LEFT, zero, WIDTH - RIGHT, zero, stroke="currentColor", stroke_width=0.6)]
    for k, one in enumerate(series):
        for g, value in enumerate(one.y):
            left, end = _across(x, g + 0.1) + k * wide, _down(y, value)
            colour = COLOURS[k % len(COLOURS)]
            box = {"x": left, "y": min(zero, end), "width": wide, "height": abs(zero - end)}
            parts.append(element("rect", fill=colour, **box))
    parts += [_below(name, _across(x, g + 0.5)) for g, name in enumerate(groups)]
    return _framed(title, None, y, parts, [one.name for one in series])


def _positive(one: Series) -> Series:
    """A curve without the points that have no logarithm."""
    kept = [k for k, v in enumerate(one.y) if v > 0.0]
    errors = None if one.errors is None else [one.errors[k] for k in kept]
    return Series(one.name, [one.x[k] for k in kept], [one.y[k] for k in kept], errors)


def _across(axis: Axis, value: float) -> float:
    return LEFT + axis.at(value) * (WIDTH - LEFT - RIGHT)


def _down(axis: Axis, value: float) -> float:
    return HEIGHT - BOTTOM - axis.at(value) * (HEIGHT - TOP - BOTTOM)


def _below(label: str, x: float) -> str:
    return text(label, x, HEIGHT - BOTTOM + 14, text_anchor="middle")


def _error_bars(one: Series, x: Axis, y: Axis, colour: str) -> list[str]:
    found = []
    for a, b, error in zip(one.x, one.y, one.errors or [None] * len(one.y), strict=True):
        if error:
            low, high = _down(y, max(b - error, y.low)), _down(y, min(b + error, y.high))
            found.append(line(_across(x, a), low, _across(x, a), high, stroke=colour, stroke_width=1))
    return found


def _framed(title: str, x: Axis | None, y: Axis, parts: list[str], names: list[str]) -> str:
    """The drawing with axes, ticks, title and legend; the legend stands below."""
    columns = 2 if all(len(name) <= SHORT_NAME for name in names) else 1
    height = HEIGHT + 15 * -(-len(names) // columns)
    corner = f"M{LEFT},{TOP} V{HEIGHT - BOTTOM} H{WIDTH - RIGHT}"
    frame = [
        text(title, LEFT, 16, font_size=12, font_weight="bold"),
        element("path", d=corner, fill="none", stroke="currentColor", stroke_width=0.8),
        text(y.label, -(TOP + HEIGHT - BOTTOM) / 2, 12, transform="rotate(-90)", text_anchor="middle"),
    ]
    for tick in y.ticks():
        at = _down(y, tick)
        frame.append(text(_short(tick), LEFT - 6, at + 3, text_anchor="end"))
        frame.append(line(LEFT, at, WIDTH - RIGHT, at, stroke="currentColor", stroke_opacity=0.2))
    if x is not None:
        frame += [_below(_short(tick), _across(x, tick)) for tick in x.ticks()]
        frame.append(text(x.label, (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 10, text_anchor="middle"))
    for k, name in enumerate(names):
        at_x, at_y = LEFT + (k % columns) * 180, HEIGHT + 4 + 15 * (k // columns)
        colour = COLOURS[k % len(COLOURS)]
        hollow = {"fill": "none", "stroke": colour, "stroke_dasharray": "2 1.5"}
        look = hollow if k >= len(COLOURS) else {"fill": colour}
        frame.append(element("rect", x=at_x, y=at_y - 7, width=9, height=9, **look))
        frame.append(text(name, at_x + 13, at_y + 1))
    return element(
        "svg",
        "".join([*frame, *parts]),
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {WIDTH} {height}",
        style=f"width:100%;max-width:{WIDTH}px",
        role="img",
        aria_label=title,
        font_size=10,
        font_family="sans-serif",
        fill="currentColor",
    )


def _short(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
