"""From an estimate, P and V2 to a variance and an interval that stays honest near distance zero.

Derivation and the simulations behind each choice: docs/theory/intervals.md.
"""

from __future__ import annotations

import math

import numpy as np

from karat.typing import Vector

NORMAL_UP_TO = (math.sqrt(2.0) + math.sqrt(6.0)) / 2.0
"""Where (z^2 - 1) / sqrt(2) overtakes z."""


def variance_of(plug_in: Vector, second_order: Vector) -> Vector:
    """max(P - V2, V2): P - V2 is unbiased, V2 is a floor that the truth V1 + V2 never goes below."""
    clipped = np.maximum(second_order, 0.0)
    variance: Vector = np.maximum(plug_in - clipped, clipped)
    return variance


def steepness(squared: Vector, biased: Vector, plug_in: Vector, second_order: Vector) -> Vector:
    """tau^2, so that the first-order variance of theta is tau^2 theta: the slope of V1 along the witness.

    V1 / theta with V1 = P - 2 V2 estimates it where theta is clear of its own noise, sqrt(V2). At theta = 0
    the ratio says nothing, and tau^2 / 4 is some eigenvalue of the noise H, of which two sums are known,
    tr H = c'Vc - c'Gc and tr H^2 = V2 / 2: the geometric mean of the average eigenvalue tr H^2 / tr H and of
    the bound sqrt(tr H^2) is taken. The two are averaged with theta against twice the noise,

        tau^2 = (V1 + 2 sqrt(V2) tau_0^2) / (theta + 2 sqrt(V2)),
        tau_0^2 = 4 (tr H^2)^(3/4) / (tr H)^(1/2),

    and tau^2 is at most 4 tr H.
    """
    v2, total = np.maximum(second_order, 0.0), np.maximum(biased - squared, 0.0)
    prior = 4.0 * np.divide((v2 / 2.0) ** 0.75, np.sqrt(total), out=np.zeros_like(v2), where=total > 0.0)
    weight = 2.0 * np.sqrt(v2)
    top = np.maximum(plug_in - 2.0 * v2, 0.0) + weight * prior
    bottom = np.maximum(squared, 0.0) + weight
    slope: Vector = np.divide(top, bottom, out=4.0 * total, where=top < 4.0 * total * bottom)
    return np.where(np.isnan(top), np.nan, slope)


def quantile_below(
    squared: Vector, biased: Vector, plug_in: Vector, second_order: Vector, *, edge: Vector
) -> Vector:
    """How surely theta < edge: the largest z whose score interval ends below the edge; -inf where none does.

    Solved from the equation that defines the ends, with D = edge - estimate > 0:

        D^2 = z^2 tau^2 (edge + max(-estimate, 0)) + q^2 V2,    q = max(z, (z^2 - 1) / sqrt(2)).
    """
    v2 = np.maximum(second_order, 0.0)
    spread = steepness(squared, biased, plug_in, second_order) * (edge + np.maximum(-squared, 0.0))
    room = np.maximum(edge - squared, 0.0) ** 2
    with np.errstate(divide="ignore", invalid="ignore"):
        normal = np.sqrt(room / (spread + v2))
        gap = spread - v2
        square = 2.0 * (room - v2 / 2.0) / (gap + np.sqrt(gap**2 + 2.0 * v2 * (room - v2 / 2.0)))
        z = np.where(normal > NORMAL_UP_TO, np.sqrt(square), normal)
    certain: Vector = np.where(room > 0.0, np.where(spread + v2 > 0.0, z, np.inf), -np.inf)
    return np.where(np.isnan(spread), np.nan, certain)


def score_interval(
    squared: Vector, biased: Vector, plug_in: Vector, second_order: Vector, *, quantile: Vector
) -> tuple[Vector, Vector]:
    """All theta >= 0 with (estimate - theta)^2 <= z^2 tau^2 theta + q^2 V2, as (lower, upper).

    The variance at theta is tau^2 theta + V2 with tau^2 as in `steepness`: it moves with theta, which is why
    estimate +- z s.e. covers too rarely. Where theta is a weighted chi-square its upper quantile is at most
    (z^2 - 1) / sqrt(2) standard deviations, so q = max(z, (z^2 - 1) / sqrt(2)).
    """
    z = quantile
    q = np.maximum(z, (z**2 - 1.0) / math.sqrt(2.0))
    v2 = np.maximum(second_order, 0.0)
    tau2 = steepness(squared, biased, plug_in, second_order)
    middle = squared + z**2 * tau2 / 2.0
    half = np.sqrt(z**2 * tau2 * np.maximum(squared, 0.0) + z**4 * tau2**2 / 4.0 + q**2 * v2)
    return np.maximum(middle - half, 0.0), np.maximum(middle + half, 0.0)
