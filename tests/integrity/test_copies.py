"""Copies are found where they can be seen, left out once, and never suspected in honest data."""

from __future__ import annotations

import numpy as np
import pytest

from karat.integrity import without_copies
from karat.vendors import Market
from karat.vendors.hashes import row_hashes


def kinds(market):
    return {(finding.kind, finding.vendor, finding.count) for finding in market.findings}


def honest(rng, rows=300):
    return rng.normal(size=(rows, 3))


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def test_equal_rows_have_equal_hashes_and_others_do_not(rng):
    rows = honest(rng)
    again = np.concatenate([rows, rows[::-1]])
    assert (row_hashes(again)[:300] == row_hashes(again)[300:][::-1]).all()
    assert len(np.unique(row_hashes(rows))) == 300
    assert row_hashes(np.array([[0.0, 1.0]])) == row_hashes(np.array([[-0.0, 1.0]], dtype=np.float32))
    assert row_hashes(np.array([[0.0, 1.0]])) != row_hashes(np.array([[1.0, 0.0]]))


def test_rows_of_the_buyer_are_left_out_of_a_vendor(rng):
    anchor, own = honest(rng, 100), honest(rng)
    market = Market.from_arrays(
        {"a": honest(rng), "replay": np.concatenate([anchor[:40], own])}, anchor=anchor
    )
    clean = without_copies(market)
    np.testing.assert_array_equal(clean.samples[1].rows, own)
    assert ("replayed", "replay", 40) in kinds(clean)
    assert clean.samples[0] is market.samples[0]


def test_rows_shown_twice_count_once(rng):
    own = honest(rng, 200)
    market = Market.from_arrays({"a": honest(rng), "twice": np.concatenate([own, own[50:]])})
    clean = without_copies(market)
    assert clean.samples[1].size == 200
    assert ("repeated", "twice", 150) in kinds(clean)


def test_labels_stay_with_their_rows(rng):
    own = honest(rng, 50)
    labels = np.arange(60.0)
    market = Market.from_arrays(
        {"a": honest(rng), "twice": np.concatenate([own, own[:10]])}, labels={"twice": labels}
    )
    assert without_copies(market).samples[1].labels.tolist() == list(range(50))


@pytest.mark.parametrize("draw", ["discrete", "one-hot", "rounded", "with replacement"])
def test_honest_data_keep_every_row(rng, draw):
    pool = honest(rng, 400)

    def sample(rows):
        if draw == "discrete":
            return rng.integers(0, 5, (rows, 2)).astype(float)
        if draw == "one-hot":
            return np.eye(4)[rng.integers(0, 4, rows)]
        if draw == "rounded":
            return np.round(rng.normal(size=(rows, 2)), 1)
        return pool[rng.integers(0, 400, rows)]

    market = Market.from_arrays({"a": sample(300), "b": sample(200), "c": sample(250)}, anchor=sample(100))
    clean = without_copies(market)
    assert [s.size for s in clean.samples] == [300, 200, 250]
    assert not {"replayed", "repeated", "shared"} & {finding.kind for finding in clean.findings}


def coarse(rng, rows, columns=6):
    """No column is nearly unique, whole rows are."""
    return rng.integers(0, 8, (rows, columns)).astype(float)


def test_rows_of_the_buyer_are_found_where_only_whole_rows_are_nearly_unique(rng):
    anchor, own = coarse(rng, 200), coarse(rng, 200)
    replay = np.concatenate([own, anchor[:80], anchor[:40]])
    market = Market.from_arrays({"a": coarse(rng, 300), "replay": replay}, anchor=anchor)
    clean = without_copies(market)
    np.testing.assert_array_equal(clean.samples[1].rows, own)
    assert ("replayed", "replay", 120) in kinds(clean)


def test_repetitions_that_no_column_tells_from_coincidences_are_reported_and_stay(rng):
    own = coarse(rng, 200)
    market = Market.from_arrays(
        {"a": coarse(rng, 300), "twice": np.concatenate([own, own[:90]])}, anchor=coarse(rng, 100)
    )
    clean = without_copies(market)
    assert clean.samples[1].size == 290
    (finding,) = [f for f in clean.findings if f.kind == "repetitions"]
    assert finding.count == 90
    assert "no column tells whether they are copies, so they stay" in finding.message


def test_events_that_an_honest_vendor_and_the_buyer_both_see_often_are_no_replay(rng):
    """A quarter of the buyer's rows, and of the vendor who sees the same, are one of twelve events."""
    events = coarse(rng, 12) + 100.0

    def seen(rows):
        found = coarse(rng, rows)
        often = rng.random(rows) < 0.25
        found[often] = events[rng.integers(0, 12, int(often.sum()))]
        return found

    vendors = {"same": seen(400), "b": coarse(rng, 400), "c": coarse(rng, 400), "d": coarse(rng, 400)}
    clean = without_copies(Market.from_arrays(vendors, anchor=seen(200)))
    assert clean.samples[0].size == 400
    assert not any(kind == "replayed" for kind, *_ in kinds(clean))


def test_one_coincidence_is_no_copy(rng):
    own = honest(rng)
    market = Market.from_arrays({"a": honest(rng), "b": np.concatenate([own, own[:1]])})
    assert without_copies(market).samples[1].size == 301


def test_vendors_that_show_each_others_rows_are_reported_and_keep_them(rng):
    first = honest(rng)
    market = Market.from_arrays(
        {"a": first, "b": np.concatenate([first[:90], honest(rng)]), "c": honest(rng)}, anchor=honest(rng, 50)
    )
    clean = without_copies(market)
    assert ("shared", "b", 90) in kinds(clean)
    assert [s.size for s in clean.samples] == [300, 390, 300]


def test_a_vendor_that_shows_nothing_but_the_buyers_rows_is_reported_and_stays(rng):
    anchor = honest(rng, 60)
    market = Market.from_arrays({"a": honest(rng), "thief": anchor[:50]}, anchor=anchor)
    clean = without_copies(market)
    assert clean.samples[1].size == 50
    assert any(kind == "replayed-kept" for kind, *_ in kinds(clean))


def test_what_is_left_after_both_kinds_of_copies_decides_whether_any_are_left_out(rng):
    anchor, own = honest(rng, 60), honest(rng, 1)
    rows = np.concatenate([anchor[:50], *[own] * 12])
    clean = without_copies(Market.from_arrays({"a": honest(rng), "thief": rows}, anchor=anchor))
    assert clean.samples[1].size == 62
    said = [f.message for f in clean.findings if f.vendor == "thief"]
    assert len(said) == 2
    assert all("too few others, so they stay" in message for message in said)


def test_replaying_the_buyers_rows_gains_nothing(rng):
    """A bad vendor that adds all of the buyer's rows is valued as the bad vendor it is."""
    import karat

    anchor, bad = honest(rng, 150), honest(rng) + 1.0
    vendors = {"good": honest(rng), "bad": bad}
    plain = karat.appraise(vendors, anchor=anchor).squared[1]
    cheat = karat.appraise(vendors | {"bad": np.concatenate([bad, anchor])}, anchor=anchor)
    assert cheat.squared[1] == pytest.approx(plain, rel=1e-5)
    kept = karat.appraise(vendors | {"bad": np.concatenate([bad, anchor])}, anchor=anchor, keep_copies=True)
    assert kept.squared[1] < 0.6 * plain
