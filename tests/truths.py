"""Closed forms that tests compare with: point masses, Gaussians, discrete distributions.

Each is derived by hand in its docstring and computed here without any code of karat.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Ball:
    """The normal distribution with the given mean (d,) and variance * identity."""

    mean: tuple[float, ...]
    variance: float

    def draw(self, rng: np.random.Generator, rows: int) -> Array:
        return rng.normal(self.mean, math.sqrt(self.variance), size=(rows, len(self.mean)))


def gaussian_mean(p: Ball, q: Ball, bandwidth: float) -> float:
    """E k(x, y) for x ~ p, y ~ q independent and k the Gaussian kernel.

    x - y is normal with variance v = v_p + v_q per column, so with s the bandwidth
    E k = (s^2 / (s^2 + v))^(d/2) exp(-|mean gap|^2 / (2 (s^2 + v))).
    """
    wide = bandwidth**2 + p.variance + q.variance
    gap = sum((a - b) ** 2 for a, b in zip(p.mean, q.mean, strict=True))
    return float((bandwidth**2 / wide) ** (len(p.mean) / 2.0) * math.exp(-gap / (2.0 * wide)))


def gaussian_row_mean_product(source: Ball, first: Ball, second: Ball, bandwidth: float) -> float:
    """E over x ~ source of h_first(x) h_second(x), where h_q(x) = E k(x, y) over y ~ q.

    h_q(x) = c_q exp(-|x - q|^2 / (2 t_q)) with t_q = s^2 + v_q and c_q = (s^2 / t_q)^(d/2). A product of two
    such is again one: width T = t_1 t_2 / (t_1 + t_2) around m = (t_2 q_1 + t_1 q_2) / (t_1 + t_2), times
    exp(-|q_1 - q_2|^2 / (2 (t_1 + t_2))); and its mean over x is as in `gaussian_mean`.
    """
    d, s2 = len(source.mean), bandwidth**2
    t1, t2 = s2 + first.variance, s2 + second.variance
    q1, q2 = np.array(first.mean), np.array(second.mean)
    width = t1 * t2 / (t1 + t2)
    middle = (t2 * q1 + t1 * q2) / (t1 + t2)
    constant = (s2 * s2 / (t1 * t2)) ** (d / 2.0) * math.exp(
        -float((q1 - q2) @ (q1 - q2)) / (2.0 * (t1 + t2))
    )
    return constant * gaussian_mean(source, Ball(tuple(middle), 0.0), math.sqrt(width))


def gaussian_row_mean_covariance(source: Ball, first: Ball, second: Ball, bandwidth: float) -> float:
    """Covariance over x ~ source of (h_first(x), h_second(x)): what S_source estimates."""
    means = gaussian_mean(source, first, bandwidth) * gaussian_mean(source, second, bandwidth)
    return gaussian_row_mean_product(source, first, second, bandwidth) - means


def gaussian_interaction(p: Ball, q: Ball, bandwidth: float) -> float:
    """Variance of k(x, y) - h_q(x) - h_p(y) + E k, for x ~ p, y ~ q independent: what eta estimates.

    The three parts are uncorrelated, so it is Var k - Var h_q(x) - Var h_p(y); k^2 is the Gaussian kernel of
    bandwidth s / sqrt 2.
    """
    whole = gaussian_mean(p, q, bandwidth / math.sqrt(2.0)) - gaussian_mean(p, q, bandwidth) ** 2
    return (
        whole
        - gaussian_row_mean_covariance(p, q, q, bandwidth)
        - gaussian_row_mean_covariance(q, p, p, bandwidth)
    )


def point_masses_squared_mmd(distance: float, bandwidth: float) -> float:
    """Two distributions of one point each: k(x,x) + k(y,y) - 2 k(x,y), s the bandwidth of a Gaussian."""
    return -2.0 * math.expm1(-(distance**2) / (2.0 * bandwidth**2))


def energy_distance_of_points(distance: float) -> float:
    """2 E|x - y| - E|x - x'| - E|y - y'| for two point masses; the energy kernel's MMD^2 is half of it."""
    return 2.0 * distance


def rows_of(counts: tuple[int, ...], points: Array) -> Array:
    """Rows whose empirical distribution on `points` (p, d) has exactly these counts."""
    return np.repeat(points, counts, axis=0)


def discrete_squared_mmd(p: Array, q: Array, values: Array) -> float:
    """(p - q)' K (p - q) for two probability vectors on points with kernel matrix K."""
    return float((p - q) @ values @ (p - q))
