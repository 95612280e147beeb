"""Images as rows: digits and clothes, each image the mean brightness of its 4 x 4 blocks."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from karat.promises.populations import Pools
from karat.sources import catalog
from karat.typing import Matrix

POOL = 800
"""Images of each set that the pools hold; P* and Q are the uniform distributions on them."""


@lru_cache(maxsize=1)
def image_features() -> Pools | None:
    """P: handwritten digits, Q: clothes, as 49 block means; None where the data are absent."""
    if not (catalog.is_here("mnist") and catalog.is_here("fashion_mnist")):
        return None
    with np.load(catalog.locate("mnist"), allow_pickle=False) as digits:
        clean = blocks(digits["x_test"][:POOL])
    with np.load(catalog.locate("fashion_mnist"), allow_pickle=False) as clothes:
        other = blocks(clothes["x"][:POOL])
    return Pools("image features", clean, other)


def blocks(images: NDArray[np.uint8]) -> Matrix:
    """(m, 49): the mean of every 4 x 4 block of 28 x 28 images, in 0..1."""
    parts = images.reshape(len(images), 7, 4, 7, 4).astype(np.float64) / 255.0
    means: Matrix = parts.mean(axis=(2, 4)).reshape(len(images), -1)
    return means
