"""Every way to value a vendor behind one interface: ours, the paper's comparisons, practitioners' tools."""

from karat.baselines.base import (
    VALUATIONS,
    Case,
    Valuation,
    list_valuations,
    moments_of,
    valuation_class,
    valuation_named,
    valuation_read,
    value,
)

__all__ = [
    "VALUATIONS",
    "Case",
    "Valuation",
    "list_valuations",
    "moments_of",
    "valuation_class",
    "valuation_named",
    "valuation_read",
    "value",
]
