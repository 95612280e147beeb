"""What every valuation must satisfy that can run on this machine, each under its own name."""

from __future__ import annotations

import numpy as np
import pytest

from karat.baselines import VALUATIONS, valuation_read, value
from karat.baselines.needs import lacking_extras
from karat.vendors import Market

OTHER_ALGORITHMS = (
    "mmd2:tay=true",
    "lava:form=distance",
    "lava:transport=exact",
    "kl:direction=reference:adaptive=false",
    "classifier-two-sample:model=logistic",
    "volume:robust=false",
    "information-gain:model=gp",
    "banzhaf:model=logistic",
    "mmd-cond:model=mlp-16",
    "mmd-cond:label_kind=numbers",
    "mmd-joint:label_kind=numbers",
    "davinz:label_kind=numbers",
)
"""Options that lead through other code than the defaults."""

DRAWN = (
    "lava:most_rows=20",
    "data-shapley:exact_up_to=0:orders=8",
    "coalition-mmd:exact_up_to=0:orders=8",
    "cs-shapley:others=drawn:orders=8",
    "davinz:model=mlp-16:block_rows=20",
)
"""Options with which rows, orders or blocks are drawn; draws follow the bytes of the rows."""


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


@pytest.fixture(params=[*VALUATIONS, *OTHER_ALGORITHMS, *DRAWN])
def made(request):
    valuation = valuation_read(request.param)
    lacking = lacking_extras(valuation.required)
    if lacking:
        pytest.skip(f"the extra {lacking} is not installed")
    return valuation


def test_there_is_one_finite_value_per_vendor(made):
    values = value(make_market(), made)
    assert values.valuation == made.name
    assert values.names == ("a", "b", "c", "d")
    assert values.scores.shape == (4,)
    assert np.isfinite(values.scores).all()
    assert values.to_dict()["scores"].keys() == set("abcd")


def test_renaming_vendors_renames_values(made):
    first, second = value(make_market("abcd"), made), value(make_market("wxyz"), made)
    assert second.names == ("w", "x", "y", "z")
    assert first.scores.tolist() == second.scores.tolist()


def test_vendors_in_another_order_keep_their_values(made):
    order = (2, 0, 3, 1)
    moved = value(make_market(order=order), made)
    expected = value(make_market(), made).scores[list(order)]
    np.testing.assert_allclose(moved.scores, expected, rtol=1e-5, atol=1e-7)


def test_the_same_seed_gives_the_same_result(made):
    assert (
        value(make_market(), made, seed=5).scores.tolist()
        == value(make_market(), made, seed=5).scores.tolist()
    )


def test_inputs_are_left_untouched(made):
    market = make_market()
    before = [(s.rows.copy(), s.labels.copy()) for s in market.sources]
    value(market, made)
    for source, (rows, labels) in zip(market.sources, before, strict=True):
        np.testing.assert_array_equal(source.rows, rows)
        np.testing.assert_array_equal(source.labels, labels)


def test_without_an_anchor_the_vendors_are_the_reference(made):
    market = make_market()
    alone = Market.from_arrays(
        {s.name: s.rows for s in market.samples}, labels={s.name: s.labels for s in market.samples}
    )
    values = value(alone, made)
    assert np.isfinite(values.scores).all()
    assert values.details.get("reference") in (None, "uniform", "others")


def test_single_precision_rows_give_the_same_values(made):
    if made in map(valuation_read, DRAWN):
        pytest.skip("other bytes, other draws")
    market = make_market(sizes=(36, 36, 36, 36))  # so that nothing is drawn by default
    single = Market.from_arrays(
        {s.name: s.rows.astype(np.float32) for s in market.samples},
        labels={s.name: s.labels for s in market.samples},
        anchor=market.anchor.rows.astype(np.float32),
        anchor_labels=market.anchor.labels,
    )
    np.testing.assert_allclose(value(single, made).scores, value(market, made).scores, rtol=0.02, atol=0.01)
