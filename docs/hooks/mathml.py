"""Formulas become MathML when the documentation is built: no script, no font, no request when it is read."""

from __future__ import annotations

import html
import re

from latex2mathml.converter import convert

INLINE = re.compile(r'<span class="arithmatex">\\\((.*?)\\\)</span>', re.DOTALL)
BLOCK = re.compile(r'<div class="arithmatex">\s*\\\[(.*?)\\\]\s*</div>', re.DOTALL)


def on_page_content(content: str, **_: object) -> str:
    """Replace what the Markdown extension marked as a formula."""
    content = BLOCK.sub(lambda found: convert(html.unescape(found[1]), display="block"), content)
    return INLINE.sub(lambda found: convert(html.unescape(found[1])), content)
