"""What every valuation must satisfy that can run on this machine, each under its own name."""

from __future__ import annotations

import numpy as np
import pytest

from karat.baselines import VALUATIONS, list_valuations, value
from karat.vendors import Market

LACKING = {one["name"]: one["lacks"] for one in list_valuations()}


def draw(rng, rows, noise):
    """Three classes of rows; a share of the labels is drawn anew and the rows move a little with it."""
    classes = rng.integers(3, size=rows)
    classes[:6] = [0, 1, 2, 0, 1, 2]
    labels = np.where(rng.random(rows) < noise, rng.integers(3, size=rows), classes)
    labels[:6] = classes[:6]
    return np.eye(3)[classes][:, :2] * 3.0 + rng.normal(noise, 1.0, size=(rows, 2)), labels.astype(float)


def make_market(names="abcd", order=(0, 1, 2, 3), sizes=(30, 34, 38, 42)):
    """The same four vendors, under other names or in another order."""
    rng = np.random.default_rng(0)
    drawn = [draw(rng, sizes[i], 0.25 * i) for i in range(4)]
    own = draw(rng, 24, 0.0)
    return Market.from_arrays(
        {names[i]: drawn[i][0] for i in order},
        labels={names[i]: drawn[i][1] for i in order},
        anchor=own[0],
        anchor_labels=own[1],
    )


@pytest.fixture(params=list(VALUATIONS))
def name(request):
    if LACKING[request.param]:
        pytest.skip(f"the extra {LACKING[request.param]} is not installed")
    return request.param


def test_there_is_one_finite_value_per_vendor(name):
    values = value(make_market(), name)
    assert values.valuation == name
    assert values.names == ("a", "b", "c", "d")
    assert values.scores.shape == (4,)
    assert np.isfinite(values.scores).all()
    assert values.to_dict()["scores"].keys() == set("abcd")


def test_renaming_vendors_renames_values(name):
    first, second = value(make_market("abcd"), name), value(make_market("wxyz"), name)
    assert second.names == ("w", "x", "y", "z")
    assert first.scores.tolist() == second.scores.tolist()


def test_vendors_in_another_order_keep_their_values(name):
    order = (2, 0, 3, 1)
    moved = value(make_market(order=order), name)
    expected = value(make_market(), name).scores[list(order)]
    np.testing.assert_allclose(moved.scores, expected, rtol=1e-5, atol=1e-7)


def test_the_same_seed_gives_the_same_result(name):
    assert (
        value(make_market(), name, seed=5).scores.tolist()
        == value(make_market(), name, seed=5).scores.tolist()
    )


def test_inputs_are_left_untouched(name):
    market = make_market()
    before = [(s.rows.copy(), s.labels.copy()) for s in market.sources]
    value(market, name)
    for source, (rows, labels) in zip(market.sources, before, strict=True):
        np.testing.assert_array_equal(source.rows, rows)
        np.testing.assert_array_equal(source.labels, labels)


def test_without_an_anchor_the_vendors_are_the_reference(name):
    market = make_market()
    alone = Market.from_arrays(
        {s.name: s.rows for s in market.samples}, labels={s.name: s.labels for s in market.samples}
    )
    values = value(alone, name)
    assert np.isfinite(values.scores).all()
    assert values.details.get("reference") in (None, "uniform", "others")


def test_single_precision_rows_give_the_same_values(name):
    market = make_market(sizes=(36, 36, 36, 36))  # so that nothing is drawn: draws follow the bytes
    single = Market.from_arrays(
        {s.name: s.rows.astype(np.float32) for s in market.samples},
        labels={s.name: s.labels for s in market.samples},
        anchor=market.anchor.rows.astype(np.float32),
        anchor_labels=market.anchor.labels,
    )
    np.testing.assert_allclose(value(single, name).scores, value(market, name).scores, rtol=0.02, atol=0.01)
