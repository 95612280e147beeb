"""karat: which vendor to buy data from, judged by the distribution behind the preview.

>>> import karat, numpy as np
>>> draw = np.random.default_rng(0).normal
>>> appraisal = karat.appraise({"a": draw(size=(50, 2)), "b": draw(1, 1, (50, 2))}, anchor=draw(size=(30, 2)))
>>> [vendor.rank for vendor in appraisal.vendors]
[1, 2]
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from karat.appraisal import Appraisal
    from karat.baselines import value
    from karat.errors import KaratError
    from karat.road import appraise
    from karat.saved import load
    from karat.vendors import Market, VendorSample

__all__ = ["Appraisal", "KaratError", "Market", "VendorSample", "appraise", "load", "value"]

_HOMES = {
    "Appraisal": "karat.appraisal",
    "KaratError": "karat.errors",
    "Market": "karat.vendors",
    "VendorSample": "karat.vendors",
    "appraise": "karat.road",
    "load": "karat.saved",
    "value": "karat.baselines",
}


def __getattr__(name: str) -> object:
    """Public names are imported when first asked for, so that `karat --help` answers at once."""
    if name not in _HOMES:
        raise AttributeError(f"module 'karat' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
