from __future__ import annotations

import numpy as np
import pytest

from karat.vendors import VendorSample
from karat.vendors.oddities import market_findings


def sample(name, rows):
    return VendorSample.of(name, rows)


ROWS = np.random.default_rng(0).normal(size=(12, 2))


def told(samples, anchor=None):
    return [(finding.kind, finding.vendor) for finding in market_findings(samples, anchor)]


def test_an_ordinary_market_has_no_findings():
    assert told([sample("acme", ROWS), sample("globex", ROWS + 1)], sample("anchor", ROWS - 1)) == []


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_same_rows_are_found_in_any_order(dtype):
    shuffled = ROWS.astype(dtype)[np.random.default_rng(1).permutation(12)]
    assert told([sample("acme", ROWS.astype(dtype)), sample("globex", shuffled)]) == [("same-rows", "globex")]


def test_every_vendor_who_shows_the_anchor_s_rows_is_named():
    samples = [sample("acme", ROWS), sample("globex", ROWS + 1), sample("initech", ROWS[::-1])]
    assert told(samples, sample("anchor", ROWS)) == [
        ("same-rows", "initech"),
        ("anchor-rows", "acme"),
        ("anchor-rows", "initech"),
    ]


def test_the_same_outline_is_not_the_same_rows():
    """Minima and maxima agree, rows do not."""
    one, other = ROWS.copy(), ROWS.copy()
    inner = np.argsort(ROWS[:, 0])[5:7]
    other[inner, 0] = ROWS[inner[::-1], 0]
    assert told([sample("acme", one), sample("globex", other)]) == []


def test_zero_is_minus_zero():
    one, other = np.zeros((12, 1)), -np.zeros((12, 1))
    assert told([sample("acme", one), sample("globex", other)]) == [("same-rows", "globex")]


def test_few_rows_are_told_of_vendors_and_anchor():
    assert told([sample("acme", ROWS[:9]), sample("globex", ROWS[:10])], sample("anchor", ROWS[:2] + 1)) == [
        ("few-rows", "acme"),
        ("few-rows", "anchor"),
    ]
