from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from karat.values import reference_named
from karat.values.landscape import landscape
from markets import contaminated


@pytest.fixture(scope="module")
def moments():
    return contaminated(6, rows=100).moments


def planar(moments, points):
    """Moments whose embeddings are these points of the plane."""
    return replace(moments, gram=points @ points.T)


def test_points_of_a_plane_come_back_with_their_distances(moments):
    points = np.random.default_rng(0).normal(size=(7, 2))
    seen = landscape(planar(moments, points), reference_named(moments, "anchor"))
    between = np.linalg.norm(points[:, None] - points[None], axis=2)
    found = np.linalg.norm(seen.positions[:, None] - seen.positions[None], axis=2)
    np.testing.assert_allclose(found, between, atol=1e-12)
    assert seen.shown == pytest.approx(1.0)
    np.testing.assert_allclose(seen.positions[6], 0.0, atol=1e-12)


def test_a_mixture_lies_at_the_mean_of_its_parts(moments):
    points = np.random.default_rng(1).normal(size=(7, 2))
    flat = planar(moments, points)
    weights = {"vendor 0": 0.25, "vendor 3": 0.75}
    seen = landscape(flat, reference_named(flat, weights))
    mixture = 0.25 * points[0] + 0.75 * points[3]
    np.testing.assert_allclose(
        np.linalg.norm(seen.positions, axis=1), np.linalg.norm(points - mixture, axis=1), atol=1e-12
    )


def test_the_farthest_source_lies_on_the_positive_side_whatever_the_order(moments):
    points = np.array([[0.0, 0.0], [-5.0, 0.1], [1.0, -1.0], [0.5, 0.2], [0.0, 0.3], [0.1, 0.1], [0.0, 0.0]])
    seen = landscape(planar(moments, points), reference_named(moments, "anchor"))
    assert seen.positions[1, 0] > 4.9
    assert (seen.positions.max(axis=0) >= -seen.positions.min(axis=0)).all()


def test_where_each_vendor_has_its_own_reference_the_average_is_in_the_middle(moments):
    seen = landscape(moments, reference_named(moments, "leave-one-out"))
    np.testing.assert_allclose(seen.positions[:6].mean(axis=0), 0.0, atol=1e-12)


def test_sources_in_one_point_have_no_spread(moments):
    seen = landscape(planar(moments, np.ones((7, 2))), reference_named(moments, "anchor"))
    np.testing.assert_allclose(seen.positions, 0.0, atol=1e-7)
