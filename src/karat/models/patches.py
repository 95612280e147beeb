"""Features of image patches from k-means, frozen once fitted, and a linear probe on top (Coates and Ng 2011).

Where a network is too slow: the features are learnt once, without labels, and every vendor trains only a
linear model. An image becomes the mean over its four quadrants of how near each patch is to each
centroid: max(0, mean distance - distance), their "triangle" activation.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from karat.errors import ValuationError
from karat.models.base import Fitted, Model
from karat.models.images import Shape, image_shape
from karat.models.logistic import Logistic
from karat.models.ridge import Ridge
from karat.typing import Matrix, Progress, Rows, Vector

CONTRAST_FLOOR = 10.0 / 255.0**2
"""Added to a patch's variance before it is divided by it, for pixels in [0, 1]; 10 for pixels in [0, 255] as
published."""

WHITENING_FLOOR = 0.1
"""Added to the eigenvalues of the patches' covariance before whitening, as published."""

IMAGES_AT_ONCE = 64
"""Images turned into features in one step: their patches are a few tens of MB."""


@dataclass(frozen=True, eq=False)
class PatchFeatures:
    """Features of images, frozen: rows (m, d) in, (m, 4 * centroids) out.

    shape: of an image; side: of a patch; scale: pixels are divided by it; mean, whitener: of the patches.
    """

    shape: Shape
    side: int
    scale: float
    mean: Vector
    whitener: Matrix
    centroids: Matrix

    @classmethod
    def fit(
        cls,
        rows: Rows,
        *,
        shape: Shape | None = None,
        side: int = 6,
        n_centroids: int = 256,
        n_patches: int = 50_000,
        seed: int = 0,
    ) -> PatchFeatures:
        """Centroids of whitened patches drawn from these images; labels are not used."""
        from sklearn.cluster import MiniBatchKMeans
        from threadpoolctl import threadpool_limits

        shape = image_shape(rows.shape[1], shape, model="patches", least=2 * side)
        scale = float(np.abs(rows).max()) or 1.0
        generator = np.random.default_rng(seed)
        patches = _draw_patches(rows, shape, side, scale, n_patches, generator)
        mean = patches.mean(axis=0)
        values, vectors = np.linalg.eigh(np.cov(patches, rowvar=False))
        whitener = vectors @ np.diag(1.0 / np.sqrt(np.maximum(values, 0.0) + WHITENING_FLOOR)) @ vectors.T
        white = (patches - mean) @ whitener
        if len(np.unique(white @ generator.normal(size=len(mean)))) < n_centroids:
            raise ValuationError(
                f"these images have fewer than {n_centroids} different patches.",
                hint="Ask for fewer centroids: n_centroids=..., or bring more images.",
            )
        start = int(generator.integers(2**31))
        k_means = MiniBatchKMeans(n_centroids, batch_size=4096, max_iter=30, n_init=1, random_state=start)
        with threadpool_limits(limits=1):  # the number of cores changes no feature
            k_means.fit(white)
        return cls(shape, side, scale, mean, whitener, k_means.cluster_centers_.astype(np.float64))

    @property
    def width(self) -> int:
        """How many features an image has."""
        return 4 * len(self.centroids)

    def transform(self, rows: Rows) -> Matrix:
        """The features of images, in float32; positions * centroids * patch size multiply-adds each."""
        found = np.empty((len(rows), self.width))
        whitener, mean = self.whitener.astype(np.float32), self.mean.astype(np.float32)
        centroids = self.centroids.astype(np.float32)
        norms = np.einsum("ij,ij->i", centroids, centroids)
        for start in range(0, len(rows), IMAGES_AT_ONCE):
            images = _images(rows[start : start + IMAGES_AT_ONCE], self.shape, self.scale)
            patches = _windows(images, self.side)
            n, high, wide, d = patches.shape
            white = (_normalised(patches.reshape(-1, d)) - mean) @ whitener
            squares = np.einsum("ij,ij->i", white, white)[:, None] + norms - 2.0 * (white @ centroids.T)
            distances = np.sqrt(np.maximum(squares, 0.0))
            near = np.maximum(distances.mean(axis=1, keepdims=True) - distances, 0.0)
            maps = near.reshape(n, high, wide, len(centroids))
            found[start : start + n] = np.concatenate(list(_quadrant_means(maps)), axis=1)
        return found


@dataclass(frozen=True, kw_only=True)
class PatchProbe(Model):
    """A linear model on frozen patch features.

    features: fitted on images that no vendor can move (the anchor's, or a public set); None fits them on the
    training rows themselves, for every fit anew. probe: "ridge" or "logistic".
    """

    name: ClassVar[str] = "patches"
    meaning: ClassVar[str] = "a linear model on k-means features of image patches"

    features: PatchFeatures | None = None
    probe: str = "ridge"
    shape: Shape | None = None
    side: int = 6
    n_centroids: int = 256
    n_patches: int = 50_000

    def __post_init__(self) -> None:
        if self.probe not in ("ridge", "logistic"):
            raise ValuationError(
                f"there is no probe called {self.probe!r}.", hint="Choose 'ridge' or 'logistic'."
            )

    def check_columns(self, columns: int) -> None:
        sees = self.features or self
        image_shape(columns, sees.shape, model=self.name, least=2 * sees.side)

    def _fit(
        self,
        rows: Rows,
        labels: NDArray[Any],
        *,
        n_classes: int | None,
        seed: int,
        progress: Progress | None,
    ) -> Fitted:
        features = self.features or PatchFeatures.fit(
            rows,
            shape=self.shape,
            side=self.side,
            n_centroids=self.n_centroids,
            n_patches=self.n_patches,
            seed=seed,
        )
        probe: Model = Ridge() if self.probe == "ridge" else Logistic()
        inner = probe.fit(features.transform(rows), labels, n_classes=n_classes, seed=seed)
        return Fitted(lambda rows: inner.outputs(features.transform(rows)), n_classes, inner.details)


def _images(rows: Rows, shape: Shape, scale: float) -> NDArray[np.float32]:
    images: NDArray[np.float32] = (rows / scale).astype(np.float32).reshape(-1, *shape)
    return images


def _windows(images: NDArray[np.float32], side: int) -> NDArray[np.float32]:
    """All patches, (m, positions down, positions across, side * side * channels)."""
    views = np.lib.stride_tricks.sliding_window_view(images, (side, side), axis=(1, 2))
    return np.ascontiguousarray(views).reshape(*views.shape[:3], -1)


def _normalised(patches: NDArray[np.float32]) -> NDArray[np.float32]:
    """Every patch with its mean taken out and divided by its standard deviation, with a floor."""
    centred = patches - patches.mean(axis=1, keepdims=True)
    scaled: NDArray[np.float32] = centred / np.sqrt(
        centred.var(axis=1, keepdims=True) + np.float32(CONTRAST_FLOOR)
    )
    return scaled


def _draw_patches(
    rows: Rows, shape: Shape, side: int, scale: float, n_patches: int, generator: np.random.Generator
) -> Matrix:
    """Normalised patches from random places of random images."""
    image = generator.integers(len(rows), size=n_patches)
    down = generator.integers(shape[0] - side + 1, size=n_patches)
    across = generator.integers(shape[1] - side + 1, size=n_patches)
    step = np.arange(side)
    images = np.asarray(rows).reshape(-1, *shape)
    drawn = images[
        image[:, None, None], (down[:, None] + step)[:, :, None], (across[:, None] + step)[:, None, :]
    ]
    # As `_windows` has them: channels first within a patch.
    flat = (drawn / scale).astype(np.float32).transpose(0, 3, 1, 2).reshape(n_patches, -1)
    return _normalised(flat).astype(np.float64)


def _quadrant_means(maps: NDArray[np.float32]) -> Iterator[NDArray[np.float32]]:
    high, wide = maps.shape[1] // 2, maps.shape[2] // 2
    for down in (slice(None, high), slice(high, None)):
        for across in (slice(None, wide), slice(wide, None)):
            yield maps[:, down, across].mean(axis=(1, 2))
