from __future__ import annotations

import numpy as np

from karat.baselines.reference import drawn_rows, reference_rows
from karat.vendors import Market


def make_market():
    rng = np.random.default_rng(0)
    rows = {"few": rng.normal(size=(10, 2)), "many": rng.normal(size=(90, 2))}
    labels = {name: np.arange(len(x)) for name, x in rows.items()}
    return Market.from_arrays(rows, labels=labels)


def test_the_union_gives_every_vendor_the_same_weight():
    reference = reference_rows(make_market())
    assert reference.name == "uniform"
    assert reference.size == 100
    np.testing.assert_allclose([reference.weights[:10].sum(), reference.weights[10:].sum()], [0.5, 0.5])


def test_a_draw_takes_as_many_rows_from_every_vendor_and_their_labels():
    reference = reference_rows(make_market())
    drawn = reference.drawn(16, seed=0)
    assert (drawn.index < 10).sum() == (drawn.index >= 10).sum() == 8
    np.testing.assert_array_equal(drawn.rows, reference.rows[drawn.index])
    np.testing.assert_array_equal(drawn.labels, reference.labels[drawn.index])
    assert len(reference.drawn(1000, seed=0).rows) == 20  # the paper's D_U: as many as the smallest has


def test_a_draw_follows_the_content_and_not_the_place():
    market = make_market()
    turned = Market(market.samples[::-1], None, market.layout)
    first, second = (reference_rows(m).drawn(16, seed=3) for m in (market, turned))
    np.testing.assert_array_equal(first.rows[:8], second.rows[8:])
    assert (
        drawn_rows(market.samples[1], 5, seed=0).tolist() != drawn_rows(market.samples[1], 5, seed=1).tolist()
    )


def test_a_vendor_is_left_out_of_the_union_and_not_of_the_anchor():
    market = make_market()
    others = reference_rows(market).without(market.samples[0])
    assert (others.name, others.size) == ("others", 90)
    with_anchor = Market.from_arrays({"a": [[0.0], [1.0]]}, anchor=[[0.0], [2.0]])
    anchored = reference_rows(with_anchor)
    assert anchored.without(with_anchor.samples[0]) is anchored
