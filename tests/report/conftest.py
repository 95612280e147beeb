"""The markets that the report room is tested on, each appraised once."""

from __future__ import annotations

import numpy as np
import pytest

import karat
from markets import contaminated, hostile


@pytest.fixture(scope="session")
def appraisal():
    """Five vendors with more and more contamination, and an anchor."""
    return contaminated(5, rows=60)


@pytest.fixture(scope="session")
def attacked():
    """Vendors and columns with hostile names."""
    return hostile()


@pytest.fixture(scope="session")
def clear():
    """One good vendor and two bad ones, with enough rows to be sure."""
    rng = np.random.default_rng(3)
    market = {"good": rng.normal(0, 1, (500, 2)), "bad": rng.normal(1, 1, (300, 2))}
    market["worse"] = rng.normal(2, 1, (300, 2))
    return karat.appraise(market, anchor=rng.normal(0, 1, (250, 2)))


@pytest.fixture(scope="session")
def scattered():
    """Vendors that differ in many directions, and no anchor."""
    rng = np.random.default_rng(3)
    return karat.appraise({f"v{i}": rng.normal(rng.normal(size=4), 1.0, (80, 4)) for i in range(6)})
