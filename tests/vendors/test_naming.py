from __future__ import annotations

from pathlib import Path

import pytest

from karat.errors import MarketError
from karat.vendors.naming import check_anchor_name, name_vendors


def test_a_mapping_names_its_vendors_in_order():
    assert name_vendors({"globex": 1, " acme ": 2, 7: 3}) == {"globex": 1, "acme": 2, "7": 3}


def test_paths_are_named_by_their_stems():
    assert list(name_vendors(["a/acme.csv", Path("globex.v2.parquet"), "initech/"])) == [
        "acme",
        "globex.v2",
        "initech",
    ]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "no vendor was given"),
        ([], "no vendor was given"),
        ({"": 1}, "empty name"),
        ({"a": 1, "a ": 2}, "two vendors are called 'a'"),
        (["x/data.csv", "y/data.parquet"], "two vendors are called 'data'.*NAME=FILE"),
        ([[1.0], [2.0]], "'list', without names"),
        ("acme.csv", "'str', without names"),
        (None, "'NoneType', without names"),
    ],
)
def test_vendors_who_cannot_be_told_apart_are_refused(given, said):
    with pytest.raises(MarketError, match=said):
        name_vendors(given)


def test_no_vendor_is_called_like_the_anchor():
    check_anchor_name(["acme"])
    with pytest.raises(MarketError, match="called 'anchor'"):
        check_anchor_name(["acme", "anchor"])
