"""The roofline of `karat bench`: multiply-adds per second against columns, with the roofs of the machine.

A pair of rows takes one multiply-add per column, so columns are the arithmetic intensity. Two roofs: the most
that was measured here, and, for whoever writes each inner product to memory, the slope through the narrowest
bare product.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

WIDTH, HEIGHT = 640.0, 400.0
LEFT, RIGHT, TOP, BOTTOM = 70.0, 150.0, 30.0, 50.0

CROWDED = 40.0
"""Labels nearer than this stand on either side of their places."""

STYLE = """
  text { font: 13px system-ui, sans-serif; fill: #333 } .small { font-size: 11px }
  .axis { stroke: #888 } .grid { stroke: #e4e4e4 } .roof { color: #888; stroke-dasharray: 6 4 }
  .engine { color: #0b6e4f } .product { color: #b35c00 } .sklearn { color: #4b5d9a }
  circle { fill: currentColor } polyline { fill: none; stroke: currentColor; stroke-width: 2 }
  @media (prefers-color-scheme: dark) { text { fill: #ddd } .grid { stroke: #444 } }
"""


@dataclass(frozen=True)
class Series:
    """One line of the picture: a style, a name, and billions of multiply-adds per second by columns."""

    style: str
    name: str
    rates: Mapping[float, float]


def series_of(figures: Mapping[str, Any]) -> list[Series]:
    """The engine, the bare product and scikit-learn."""
    rows = {float(width): row for width, row in figures["exact"].items()}
    ours = {w: w / row["ns_per_pair"] for w, row in rows.items()}
    bare = {w: w / row["product_ns_per_pair"] for w, row in rows.items()}
    theirs = {
        w: w / (row["sklearn_over_exact"] * row["ns_per_pair_paper"])
        for w, row in rows.items()
        if row.get("sklearn_over_exact")
    }
    return [
        Series("engine", "karat, everything", ours),
        Series("product", "bare product", bare),
        Series("sklearn", "scikit-learn", theirs),
    ]


def roofline_svg(figures: Mapping[str, Any]) -> str:
    """The picture, as text."""
    lines = [series for series in series_of(figures) if series.rates]
    columns = sorted(lines[0].rates)
    rates = [rate for series in lines for rate in series.rates.values()]
    x = _scale(columns[0] / 1.5, columns[-1] * 1.5, LEFT, WIDTH - RIGHT)
    y = _scale(min(rates) / 1.5, max(rates) * 1.8, HEIGHT - BOTTOM, TOP)
    parts = _axes(x, y, columns, min(rates), max(rates))
    parts += _roofs(x, y, columns, lines[1].rates, max(rates))
    for series in lines:
        parts += _drawn(x, y, series)
    title = "Multiply-adds per second, by columns"
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH:g} {HEIGHT:g}" role="img">'
    return "\n".join([head, f"<title>{title}</title>", f"<style>{STYLE}</style>", *parts, "</svg>", ""])


class _scale:  # noqa: N801  (reads as a function)
    """Logarithmic: a number's place between two ends."""

    def __init__(self, low: float, high: float, start: float, stop: float) -> None:
        self.low, self.ratio, self.start, self.stop = low, math.log(high / low), start, stop

    def __call__(self, value: float) -> float:
        share = math.log(value / self.low) / self.ratio
        return round(self.start + share * (self.stop - self.start), 1)


def _axes(x: _scale, y: _scale, columns: Sequence[float], low: float, high: float) -> list[str]:
    floor, right = HEIGHT - BOTTOM, WIDTH - RIGHT
    parts = [f'<line class="axis" x1="{LEFT:g}" y1="{floor:g}" x2="{right:g}" y2="{floor:g}"/>']
    for column in columns:
        crowded = [other - column for other in columns if 0.0 < abs(x(other) - x(column)) < CROWDED]
        anchor = "middle" if not crowded else "end" if crowded[0] > 0.0 else "start"
        parts.append(f'<text x="{x(column)}" y="{floor + 18:g}" text-anchor="{anchor}">{column:g}</text>')
    middle = (LEFT + right) / 2.0
    parts.append(f'<text x="{middle:g}" y="{HEIGHT - 10:g}" text-anchor="middle">columns</text>')
    for power in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1):
        for step in (1, 2, 5):
            rate = step * 10.0**power
            if low / 1.5 <= rate <= high * 1.8:
                at = y(rate)
                parts.append(f'<line class="grid" x1="{LEFT:g}" x2="{right:g}" y1="{at}" y2="{at}"/>')
                parts.append(f'<text x="{LEFT - 8:g}" y="{at + 4}" text-anchor="end">{rate:g}</text>')
    parts.append(f'<text x="{LEFT - 60:g}" y="{TOP - 12:g}">billions of multiply-adds per second</text>')
    return parts


def _roofs(
    x: _scale, y: _scale, columns: Sequence[float], bare: Mapping[float, float], peak: float
) -> list[str]:
    """The flat roof of arithmetic, and the slope of writing one number per pair."""
    per_column = bare[columns[0]] / columns[0]
    knee = min(max(peak / per_column, columns[0]), columns[-1])
    points = [(columns[0], per_column * columns[0]), (knee, peak), (columns[-1], peak)]
    path = " ".join(f"{x(column)},{y(rate)}" for column, rate in points)
    return [f'<polyline class="roof" points="{path}"/>']


def _drawn(x: _scale, y: _scale, series: Series) -> list[str]:
    places = [(x(column), y(rate)) for column, rate in sorted(series.rates.items())]
    path = " ".join(f"{a},{b}" for a, b in places)
    dots = [f'<circle class="{series.style}" cx="{a}" cy="{b}" r="4"/>' for a, b in places]
    a, b = places[-1]
    below = 14.0 if series.style == "product" else -4.0
    label = f'<text class="small" x="{a + 10}" y="{b + below}">{series.name}</text>'
    return [f'<polyline class="{series.style}" points="{path}"/>', *dots, label]
