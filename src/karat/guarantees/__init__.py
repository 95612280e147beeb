"""How sure: standard errors, intervals, radii and sample sizes, from moments and contrasts."""

from karat.guarantees.asymptotic import Intervals, SquaredDistances, check_confidence, squared_distances
from karat.guarantees.relative import Pairs

__all__ = ["Intervals", "Pairs", "SquaredDistances", "check_confidence", "squared_distances"]
