"""The few marks that plots are made of."""

from __future__ import annotations

import html


def element(name: str, content: str | None = None, /, **attributes: object) -> str:
    """One element; underscores in attribute names stand for hyphens, numbers get one digit.

    >>> element("circle", cx=1.25, fill_opacity=0.5)
    '<circle cx="1.2" fill-opacity="0.5"/>'
    """
    shown = "".join(f' {key.replace("_", "-")}="{_attribute(value)}"' for key, value in attributes.items())
    return f"<{name}{shown}/>" if content is None else f"<{name}{shown}>{content}</{name}>"


def text(content: str, x: float, y: float, /, **attributes: object) -> str:
    """Words at a place."""
    return element("text", html.escape(content), x=x, y=y, **attributes)


def line(x1: float, y1: float, x2: float, y2: float, /, *, stroke: str, **attributes: object) -> str:
    """A straight line."""
    return element("line", x1=x1, y1=y1, x2=x2, y2=y2, stroke=stroke, **attributes)


def _attribute(value: object) -> str:
    return f"{value:.1f}" if isinstance(value, float) else html.escape(str(value), quote=True)
