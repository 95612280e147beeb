"""Patch features against slow loops over positions, and frozen in earnest."""

from __future__ import annotations

import numpy as np
import pytest

from karat.errors import ValuationError
from karat.models import model_named
from karat.models.patches import CONTRAST_FLOOR, PatchFeatures, _draw_patches, _normalised, _windows
from karat.models.patches import _images as _images_of


def _images(rows: int = 12, seed: int = 0, channels: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).uniform(0, 255, size=(rows, 12 * 12 * channels))


@pytest.mark.parametrize("channels", [1, 3])
def test_features_are_those_of_a_loop_over_positions(channels):
    images = _images(channels=channels)
    features = PatchFeatures.fit(images, side=5, n_centroids=6, n_patches=500)
    expected = []
    for row in images[:3]:
        image = row.reshape(12, 12, channels) / features.scale
        near = np.zeros((8, 8, 6))
        for i in range(8):
            for j in range(8):
                # Channel by channel, as the features order a patch.
                patch = image[i : i + 5, j : j + 5].transpose(2, 0, 1).ravel()
                patch = (patch - patch.mean()) / np.sqrt(patch.var() + CONTRAST_FLOOR)
                white = (patch - features.mean) @ features.whitener
                distances = np.sqrt(((white - features.centroids) ** 2).sum(axis=1))
                near[i, j] = np.maximum(0.0, distances.mean() - distances)
        quadrants = [near[:4, :4], near[:4, 4:], near[4:, :4], near[4:, 4:]]
        expected.append(np.concatenate([q.mean(axis=(0, 1)) for q in quadrants]))
    np.testing.assert_allclose(features.transform(images[:3]), expected, rtol=1e-3, atol=1e-4)


def test_patches_to_learn_from_are_ordered_as_those_to_describe():
    rows = _images(4, channels=3)
    drawn = _draw_patches(rows, (12, 12, 3), 5, 255.0, 30, np.random.default_rng(0))
    windows = _windows(_images_of(rows, (12, 12, 3), 255.0), 5).reshape(-1, 75)
    distances = np.abs(drawn[:, None, :] - _normalised(windows)[None]).max(axis=2)
    assert distances.min(axis=1).max() < 1e-4


def test_whitened_patches_have_nearly_unit_variance():
    """With eigenvalues v of the patches' covariance, whitening leaves v / (v + floor)."""
    features = PatchFeatures.fit(_images(60), side=4, n_centroids=4, n_patches=20_000)
    values = np.linalg.eigvalsh(features.whitener)
    assert values.max() <= 1.0 / np.sqrt(0.1) + 1e-9
    # One direction, the mean of a patch, was taken out: its eigenvalue is zero before whitening.
    assert values.max() == pytest.approx(1.0 / np.sqrt(0.1), rel=1e-3)


def test_frozen_features_are_used_as_they_are():
    frozen = PatchFeatures.fit(_images(20, seed=9), n_centroids=8, n_patches=500, side=5)
    x, codes = _images(20), np.arange(20) % 2
    probe = model_named("patches", features=frozen).fit(x, codes, n_classes=2)
    by_hand = model_named("ridge").fit(frozen.transform(x), codes, n_classes=2)
    np.testing.assert_array_equal(probe.outputs(x), by_hand.outputs(frozen.transform(x)))
    assert frozen.width == 32


def test_images_without_variety_are_refused():
    with pytest.raises(ValuationError, match=r"fewer than 8 different patches.*n_centroids"):
        PatchFeatures.fit(np.ones((5, 144)), side=5, n_centroids=8)


def test_rows_of_another_size_than_the_frozen_features_are_refused():
    frozen = PatchFeatures.fit(_images(20), n_centroids=8, n_patches=500, side=5)
    model = model_named("patches", features=frozen)
    model.check_columns(144)
    with pytest.raises(ValuationError, match=r"shape \(12, 12, 1\) have 144 columns, the rows have 256"):
        model.check_columns(256)


def test_an_unknown_probe_is_refused():
    with pytest.raises(ValuationError, match=r"no probe called 'svm'.*'ridge'"):
        model_named("patches", probe="svm")
