"""The sentences say what the numbers say: each case of an answer, once."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import karat
from karat.report.naming import Naming
from karat.report.verdict import answer, whose
from karat.sources import demo
from markets import contaminated


def said(appraisal):
    return answer(appraisal, Naming.of(appraisal.moments.names))


def test_one_vendor_left_is_to_be_bought(clear):
    found = said(clear)
    assert found.headline == "Buy good."
    assert found.sentences[0].startswith(
        "At 95 % confidence no other vendor is nearer to your data; it is like your data with "
    )
    assert found.sentences[1].endswith("and worse (the farthest) are ruled out.")
    assert found.ask is None
    assert found.candidates == ("good",)


def test_candidates_that_cannot_be_told_apart_are_all_named(appraisal):
    found = said(appraisal)
    names = found.candidates
    assert found.headline == f"Buy {', '.join(names[:-1])} or {names[-1]}."
    assert set(names) == set(appraisal.best().names)
    assert f"{names[0]} and {names[1]}" in found.ask


def test_without_anchor_two_vendors_cannot_be_ordered():
    found = said(contaminated(2, anchor=None))
    assert found.headline.endswith("neither can be called better.")
    assert "--anchor" in found.ask


def test_a_market_on_a_line_names_both_its_ends():
    found = said(contaminated(5, rows=200, anchor=None))
    assert found.headline == "These previews cannot tell which end of the market is the better one."
    assert "vendor 0" in found.sentences[0]
    assert "vendor 4" in found.sentences[0]
    assert found.candidates == ()


def test_nobody_is_to_be_bought_for_being_average(scattered):
    found = said(scattered)
    assert "Buy" not in found.headline
    assert "the average vendor" in found.headline


def test_a_chosen_mixture_is_called_so(clear):
    found = said(clear.what_if({"good": 0.5, "worse": 0.5}))
    assert "the mixture you chose" in found.headline + found.sentences[0]


def test_identical_previews_cannot_be_told_apart():
    rows = np.random.default_rng(0).normal(size=(40, 2))
    found = said(karat.appraise({"a": rows, "b": rows.copy()}, anchor=rows.copy(), keep_copies=True))
    assert found.headline == "These previews cannot tell the two vendors apart."


def test_too_few_rows_are_said_first():
    found = said(contaminated(3, rows=5, anchor=6))
    assert found.headline.endswith("too few rows to be sure.")


@pytest.mark.parametrize(("shift", "verb"), [(0.0, "cannot be told from"), (3.0, "differs from")])
def test_a_single_vendor_is_held_against_the_noise_of_the_anchor(shift, verb):
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(400, 2)) + shift
    found = said(karat.appraise({"acme": rows}, anchor=rng.normal(size=(40, 2))))
    assert found.headline == f"acme {verb} your data."


def test_biased_values_promise_nothing(scattered):
    rng = np.random.default_rng(3)
    market = {f"v{i}": rng.normal(rng.normal(size=4), 1.0, (80, 4)) for i in range(6)}
    found = said(karat.appraise(market, reference="equal-size"))
    assert "nothing follows about how sure they are" in found.sentences[0]


def test_many_candidates_are_counted():
    crowd = contaminated(33, rows=12, anchor=20)
    found = said(crowd)
    left = len(crowd.best().names)
    assert found.headline.startswith(f"{left} of 33 vendors may be the best; ")


def test_that_no_vendor_is_near_is_said():
    rng = np.random.default_rng(4)
    far = {name: rng.normal(2.0, 1.0, (200, 2)) for name in ("one", "two", "three")}
    own = rng.normal(0.0, 1.0, (200, 2))
    assert said(karat.appraise(far, anchor=own)).sentences[-1] == (
        "All vendors differ from your data by more than chance explains."
    )
    near = said(karat.appraise(far | {"near": rng.normal(0.0, 1.0, (200, 2))}, anchor=own))
    assert not any("by more than chance" in sentence for sentence in near.sentences)


def test_a_reference_of_ones_own_is_called_by_its_name(scattered):
    named = replace(scattered, reference=replace(scattered.reference, name="heap"))
    assert whose(named) == "the reference heap"


def test_nobody_is_asked_for_hundreds_of_times_the_rows_that_they_have():
    """To see a small gap between two honest vendors takes more rows of the buyer's own than there are."""
    appraisal = karat.appraise(demo.vendors(), anchor=demo.anchor())
    first, second = appraisal.ranking[:2]
    needed = appraisal.compare(first.name, second.name).rows_needed
    assert needed.anchor_rows > 50 * 300
    assert said(appraisal).ask.endswith("no reasonable number of rows would: choose by price.")
