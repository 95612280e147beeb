"""How sure: standard errors, intervals, radii and sample sizes, from moments and contrasts."""

from karat.guarantees.asymptotic import Intervals, SquaredDistances, check_confidence, squared_distances
from karat.guarantees.finite import FiniteDistances, check_bounded, finite_distances
from karat.guarantees.relative import Pairs
from karat.guarantees.sample_size import (
    Growth,
    asymptotic_growth,
    growth_below,
    guaranteed_growth,
    rows_before_data,
    rows_before_data_asymptotic,
)

__all__ = [
    "FiniteDistances",
    "Growth",
    "Intervals",
    "Pairs",
    "SquaredDistances",
    "asymptotic_growth",
    "check_bounded",
    "check_confidence",
    "finite_distances",
    "growth_below",
    "guaranteed_growth",
    "rows_before_data",
    "rows_before_data_asymptotic",
    "squared_distances",
]
