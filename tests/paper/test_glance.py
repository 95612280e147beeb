from __future__ import annotations

import numpy as np
import pytest

from karat.paper.glance import glance_tables
from karat.paper.lines import AS_PRINTED
from karat.paper.statistics import pearson


def line(*trials):
    """A line's correlations over trials."""
    known = [one for one in trials if one is not None]
    found = {"mean": float(np.mean(known)) if known else None, "stderr": 0.0, "trials": list(trials)}
    return {"pearson": found, "spearman": found, "order": found}


def market(levels, zeta, *, kind="huber", ceiling=0.9, order=(1.0, 1.0, 1.0)):
    """A stored result of a market."""
    held = {"validation": line(0.85), "anchor-100": line(1.0), "anchor-20": line(*order), "none": line(0.1)}
    return {
        "family": "ranking",
        "settings": {"kind": kind},
        "cells": {"pools": {"levels": levels}},
        "summary": {
            "ceiling": ceiling,
            "zeta": zeta,
            "zeta_error": [0.001] * len(zeta),
            "lines": {"mmd": held, AS_PRINTED: {"validation": line(0.8)}},
        },
    }


def table(results, title):
    (found,) = [one for one in glance_tables(results) if title in one.title]
    return {row[0]: row for row in found.rows}


ZETA = [0.9, 0.8, 0.75, 0.5, 0.1]
LEVELS = [0.0, 0.2, 0.4, 0.6, 0.8]


def test_the_v_is_what_the_uniform_mixture_gives_with_endless_previews():
    row = table({"mnist-emnist": market(LEVELS, ZETA)}, "uniform mixture")["mnist-emnist"]
    middle = np.array([-0.4, -0.2, 0.0, -0.2, -0.4])
    assert row[1] == "0.984"
    assert row[5] == f"{pearson(middle, ZETA):.3f}"


@pytest.mark.parametrize(
    ("name", "ceiling", "word"),
    [
        ("ton-ugr16", 0.9, "reached"),  # prints 0.584
        ("mnist-emnist", 0.9, "not reachable"),  # prints 0.950
        ("mnist-emnist", 0.96, "not reached"),
    ],
)
def test_a_printed_number_above_the_ceiling_is_not_reachable(name, ceiling, word):
    assert table({name: market(LEVELS, ZETA, ceiling=ceiling)}, "test set")[name][-1] == word


def test_a_ground_truth_that_tells_nothing_is_named_beside_the_verdict():
    flat = market(LEVELS, [0.9, 0.9, 0.901, 0.9, 0.899])
    flat["summary"]["zeta_error"] = [0.01] * 5
    assert table({"ton-ugr16": flat}, "test set")["ton-ugr16"][-1] == "reached; zeta says little"


def test_trials_without_an_order_are_counted_and_closer_vendors_stand_below():
    near = market([0.0, 0.05, 0.1, 0.15, 0.2], ZETA, order=(1.0, None, 0.5))
    rows = table({"ton-ugr16": near, "ton-ugr16-wide": market(LEVELS, ZETA)}, "buyer's own")
    assert list(rows) == ["ton-ugr16-wide", "ton-ugr16"]
    assert rows["ton-ugr16"][1:3] == ("0.20", "0.750 (1 of 3: no order)")


def test_markets_without_a_true_order_of_epsilon_are_left_out():
    tied = market([0.0, 0.8, 1.0, 1.0, 1.0], ZETA)
    other = market([1.0, 2.0, 3.0, 4.0, 5.0], ZETA, kind="classes")
    found = glance_tables({"ton-ugr16-code": tied, "classes-mnist": other})
    assert not [one for one in found if "buyer's own" in one.title]


def test_places_are_told_at_a_tenth_of_the_large_size():
    def at(early, late):
        each = [{name: {"mean": one} for name in ("l2", "l_inf", "inversions")} for one in (early, late)]
        return {"200": each[0], "1000": each[1]}

    lines = {"a": at(3.0, 0.0), "b": at(1.0, 2.0), "c": at(1.0, 3.0), "d": {"200": {"not_run": "x"}}}
    result = {"family": "efficiency", "summary": {"shares": [0.1, 0.5], "lines": lines}}
    rows = table({"efficiency-x": result}, "Sample efficiency")
    assert {name: row[1] for name, row in rows.items()} == {"a": "3, 3, 3", "b": "1, 1, 1", "c": "1, 1, 1"}
