"""Whether vendors lie on a line: the one case in which no reference without an anchor can rank them."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from karat.decisions.identify import Identifiability, identifiability
from slow_moments import gaussian, slow_moments


def of_points(points: np.ndarray, noise: np.ndarray | float = 0.0) -> Identifiability:
    """What is found where the vendors' embeddings are these points, the gram matrix noisy by so much."""
    n = len(points)
    rng = np.random.default_rng(0)
    moments = slow_moments([rng.normal(size=(2, 1)) for _ in range(n)], gaussian(1.0), anchor=False)
    return identifiability(replace(moments, gram=points @ points.T + noise))


SHARES = np.array([0.0, 0.1, 0.3, 0.6])


def test_one_contamination_at_every_vendor_is_one_direction_and_positions_are_distances_along_it() -> None:
    """P_i = P + e_i (Q - P): positions are e_i |Q - P| up to sign and origin."""
    clean, other = np.array([1.0, 0.2, 0.0]), np.array([0.1, 0.4, 0.8])
    found = of_points(clean + SHARES[:, None] * (other - clean))
    assert found.is_one_direction
    assert found.share == pytest.approx(1.0)
    along = found.positions * np.sign(found.positions[3] - found.positions[0])
    np.testing.assert_allclose(along - along[0], SHARES * np.linalg.norm(other - clean), atol=1e-7)
    assert json.loads(json.dumps(found.to_dict()))["positions"].keys() == {f"source {i}" for i in range(4)}


@pytest.mark.parametrize(("second", "expected"), [(0.45, True), (0.55, False)])
def test_one_direction_has_to_explain_four_fifths_of_the_spread(second: float, expected: bool) -> None:
    """Spread 1 along the first axis and second^2 along the other: a share of 1 / (1 + second^2)."""
    points = np.array([[1.0, second], [-1.0, second], [1.0, -second], [-1.0, -second]])
    found = of_points(points)
    assert found.share == pytest.approx(1.0 / (1.0 + second**2))
    assert found.is_one_direction is expected


@pytest.mark.parametrize(("negative", "expected"), [(0.45, True), (0.55, False)])
def test_a_direction_that_noise_could_have_made_is_none(negative: float, expected: bool) -> None:
    """The most negative eigenvalue is noise alone, and the first has to be twice its size."""
    line, noise = np.array([1.0, -1.0, 1.0, -1.0]) / 2.0, np.array([1.0, 1.0, -1.0, -1.0]) / 2.0
    found = of_points(line[:, None], -negative * np.outer(noise, noise))
    assert found.share == pytest.approx(1.0)
    assert found.is_one_direction is expected


def test_equal_vendors_lie_in_no_direction() -> None:
    found = of_points(np.zeros((3, 2)))
    assert found.share == 0.0
    assert not found.is_one_direction
