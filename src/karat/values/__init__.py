"""From moments to one number per vendor: references, distances, and the ruler that reads them."""

from karat.values.mmd import Values, mmd, squared_mmd, value
from karat.values.reference import REFERENCES, Reference, reference_named
from karat.values.ruler import Ruler, ruler

__all__ = [
    "REFERENCES",
    "Reference",
    "Ruler",
    "Values",
    "mmd",
    "reference_named",
    "ruler",
    "squared_mmd",
    "value",
]
