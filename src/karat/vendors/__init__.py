"""Vendors and their rows: what is judged, and against whom."""

from karat.vendors.huber import contaminated_draw, contamination_schedule, huber_market
from karat.vendors.market import InputFile, Market
from karat.vendors.sample import VendorSample
from karat.vendors.streamed import Source, StreamedSample

__all__ = [
    "InputFile",
    "Market",
    "Source",
    "StreamedSample",
    "VendorSample",
    "contaminated_draw",
    "contamination_schedule",
    "huber_market",
]
