"""Rows that are flattened images: their height, width and channels."""

from __future__ import annotations

import math

from karat.errors import ValuationError

Shape = tuple[int, int, int]
"""Height, width, channels; a row holds an image line by line, the channels of a pixel side by side."""


def image_shape(width: int, shape: Shape | None, *, model: str, least: int) -> Shape:
    """The shape of images that fill rows of so many columns: as given, or square with 1 or 3 channels.

    >>> image_shape(3072, None, model="cnn", least=16)
    (32, 32, 3)
    """
    if shape is None:
        for channels in (1, 3):
            side = math.isqrt(width // channels)
            if side * side * channels == width:
                shape = (side, side, channels)
                break
        else:
            raise ValuationError(
                f"the model {model!r} needs images, and {width} columns are no square image "
                "of 1 or 3 channels.",
                hint="Give the shape: shape=(height, width, channels), or choose 'mlp-16' or 'ridge'.",
            )
    if math.prod(shape) != width:
        raise ValuationError(
            f"images of shape {shape} have {math.prod(shape)} columns, the rows have {width}.",
            hint="Give the shape of one image as height, width, channels.",
        )
    if min(shape[:2]) < least:
        raise ValuationError(
            f"the model {model!r} needs images of at least {least} x {least} pixels, "
            f"not {shape[0]} x {shape[1]}.",
            hint="Choose 'mlp-16', 'logistic' or 'ridge', or pad the images.",
        )
    return shape
