"""Games among the vendors of a market: against pyDVL's stored numbers, and by what must hold."""

from __future__ import annotations

import itertools
import json
import math
from pathlib import Path

import numpy as np
import pytest

from karat.baselines import moments_of, value
from karat.errors import ValuationError
from karat.vendors import Market

STORED = json.loads((Path(__file__).parent / "pydvl_oracle.json").read_text())


@pytest.fixture(scope="module")
def noisy_labels() -> Market:
    """The market in pyDVL's stored numbers: wrong labels 0, 20, .. 80 %."""
    vendors, test = STORED["market"]["vendors"], STORED["market"]["test"]
    return Market.from_arrays(
        {f"v{i}": vendor["rows"] for i, vendor in enumerate(vendors)},
        anchor=test["rows"],
        labels={f"v{i}": vendor["labels"] for i, vendor in enumerate(vendors)},
        anchor_labels=test["labels"],
    )


def _numbers(noise: float = 1.0, vendors: int = 4) -> Market:
    rng = np.random.default_rng(3)
    x = rng.normal(size=(vendors + 1, 40, 3))
    y = x @ [1.0, -2.0, 0.5] + noise * np.arange(vendors + 1)[:, None] * rng.normal(size=(vendors + 1, 40))
    return Market.from_arrays(
        {f"v{i}": x[i] for i in range(vendors)},
        anchor=x[-1],
        labels={f"v{i}": y[i] for i in range(vendors)},
        anchor_labels=x[-1] @ [1.0, -2.0, 0.5],
    )


@pytest.mark.parametrize(
    ("ours", "theirs", "options"),
    [
        ("data-shapley", "shapley", {}),
        ("banzhaf", "banzhaf", {}),
        ("beta-shapley", "beta-16-1", {}),
        ("beta-shapley", "beta-1-16", {"alpha": 1.0, "beta": 16.0}),
        ("leave-one-out", "leave-one-out", {}),
    ],
)
def test_values_of_a_ridge_classifier_are_those_of_pydvl(noisy_labels, ours, theirs, options):
    found = value(noisy_labels, ours, **options)
    np.testing.assert_allclose(found.scores, STORED["ridge"][theirs], rtol=1e-9, atol=1e-12)
    assert found.details["standard_errors"] is None


def test_shapley_values_share_out_the_score_of_all(noisy_labels):
    found = value(noisy_labels, "data-shapley", model="logistic")
    last = value(noisy_labels, "leave-one-out", model="logistic")
    assert found.details["models_trained"] == 31
    assert last.details["models_trained"] == 6
    assert 0.2 < found.scores.sum() < 1.0 - 1.0 / 3.0


def test_numbers_are_scored_by_r_squared():
    found = value(_numbers(noise=0.0), "data-shapley")
    # Every coalition predicts without error up to the ridge, so all are worth the same.
    np.testing.assert_allclose(found.scores, 0.25, atol=2e-3)


def test_noisier_targets_are_worth_less():
    scores = value(_numbers(), "data-shapley").scores
    assert scores.argmax() == 0
    assert scores.argmin() == 3


def test_more_vendors_than_can_be_trained_exactly_get_standard_errors(noisy_labels):
    exact = value(noisy_labels, "data-shapley").scores
    told = []
    drawn = value(
        noisy_labels,
        "data-shapley",
        exact_up_to=4,
        orders=60,
        seed=1,
        progress=lambda *step: told.append(step),
    )
    assert (told[0], told[-1]) == ((1, 30), (30, 30))
    errors = np.array(drawn.details["standard_errors"])
    assert (errors > 0).all()
    assert np.abs((drawn.scores - exact) / errors).max() < 4.0


def test_draws_follow_the_rows_and_not_their_order(noisy_labels):
    backwards = Market.from_arrays(
        {sample.name: sample.rows for sample in reversed(noisy_labels.samples)},
        anchor=noisy_labels.anchor.rows,
        labels={sample.name: sample.labels for sample in noisy_labels.samples},
        anchor_labels=noisy_labels.anchor.labels,
    )
    for name in ("data-shapley", "coalition-mmd"):
        options = {"exact_up_to": 0, "orders": 8, "seed": 2}
        first, second = value(noisy_labels, name, **options), value(backwards, name, **options)
        # Tiles are float32, and the order of vendors decides their order.
        np.testing.assert_allclose(first.scores, second.scores[::-1], rtol=1e-6)
        errors = [np.array(values.details["standard_errors"]) for values in (first, second)]
        np.testing.assert_allclose(errors[0], errors[1][::-1], rtol=1e-6)


def test_without_an_anchor_models_are_scored_on_the_union(noisy_labels):
    found = value(noisy_labels, "leave-one-out", reference="uniform")
    assert found.details["reference"] == "uniform"
    assert found.scores.shape == (5,)


@pytest.mark.parametrize("squared", [False, True])
def test_coalitions_of_the_market_are_worth_what_their_pooled_rows_are(noisy_labels, squared):
    """Vendors show equally many rows, so a mixture in equal shares is the pooled rows."""
    vendors = noisy_labels.samples[:3]
    market = Market.from_arrays({v.name: v.rows for v in vendors}, anchor=noisy_labels.anchor.rows)
    moments = moments_of(market)
    to_anchor = np.hstack([np.eye(3), -np.ones((3, 1))])
    inner = to_anchor @ moments.gram @ to_anchor.T
    nobody = moments.gram[3, 3]

    def worth(members: list[int]) -> float:
        squares = inner[np.ix_(members, members)].mean() if members else nobody
        return -squares if squared else -np.sqrt(max(squares, 0.0))

    expected = []
    for i in range(3):
        j, k = (l for l in range(3) if l != i)
        alone = worth([i]) - worth([])
        second = (worth([i, j]) - worth([j]) + worth([i, k]) - worth([k])) / 2
        expected.append((alone + second + worth([0, 1, 2]) - worth([j, k])) / 3)
    found = value(market, "coalition-mmd", squared=squared)
    np.testing.assert_allclose(found.scores, expected, rtol=1e-9)


@pytest.mark.parametrize("squared", [False, True])
@pytest.mark.parametrize("name", ["beta-shapley", "banzhaf", "leave-one-out"])
def test_every_semivalue_can_be_played_on_the_distance_of_coalitions(noisy_labels, name, squared):
    """From the definition: a weighed mean of what a vendor adds to every coalition of the others."""
    market = Market.from_arrays(
        {v.name: v.rows for v in noisy_labels.samples}, anchor=noisy_labels.anchor.rows
    )
    gram, n = moments_of(market).gram, len(market.samples)

    def worth(members: tuple[int, ...]) -> float:
        contrast = np.zeros(n + 1)
        contrast[-1] = -1.0
        contrast[list(members)] = 1.0 / max(len(members), 1)
        square = contrast @ gram @ contrast
        return -square if squared else -np.sqrt(max(square, 0.0))

    weights = {  # of one coalition of s others; beta(16, 1) by its integral
        "beta-shapley": [_beta(s + 1, n - 1 - s + 16) / _beta(1, 16) for s in range(n)],
        "banzhaf": [2.0 ** (1 - n)] * n,
        "leave-one-out": [0.0] * (n - 1) + [1.0],
    }[name]
    expected = np.zeros(n)
    for i in range(n):
        others = [j for j in range(n) if j != i]
        for s in range(n):
            for coalition in itertools.combinations(others, s):
                expected[i] += weights[s] * (worth((*coalition, i)) - worth(coalition))
    found = value(market, "coalition-mmd", semivalue=name, squared=squared)
    np.testing.assert_allclose(found.scores, expected, rtol=1e-9, atol=1e-15)


def _beta(a: int, b: int) -> float:
    return math.factorial(a - 1) * math.factorial(b - 1) / math.factorial(a + b - 1)


def test_a_reference_of_each_vendors_own_makes_no_game(noisy_labels):
    with pytest.raises(ValuationError, match=r"needs one reference for all, not 'leave-one-out'.*'anchor'"):
        value(noisy_labels, "coalition-mmd", reference="leave-one-out")


def test_a_model_that_does_not_learn_numbers_is_refused():
    with pytest.raises(
        ValuationError, match=r"'logistic' learns classes, and the labels are numbers.*'ridge'"
    ):
        value(_numbers(), "data-shapley", model="logistic")


def test_columns_too_many_for_sums_change_nothing_but_the_time(noisy_labels, monkeypatch):
    expected = value(noisy_labels, "banzhaf").scores
    monkeypatch.setattr("karat.baselines.task.SUMS_BYTES", 0)
    np.testing.assert_allclose(value(noisy_labels, "banzhaf").scores, expected, rtol=1e-12)


@pytest.mark.parametrize("name", ["mmd-cond", "mmd-joint", "lava", "davinz", "knn-shapley", "cs-shapley"])
def test_an_anchor_of_one_class_tells_nothing(noisy_labels, name):
    one = Market.from_arrays(
        {v.name: v.rows for v in noisy_labels.samples},
        anchor=noisy_labels.anchor.rows,
        labels={v.name: v.labels for v in noisy_labels.samples},
        anchor_labels=np.full(40, 2.0),
    )
    with pytest.raises(ValuationError, match=rf"{name}.*all 40 labels of the anchor are 2.0.*more rows"):
        value(one, name)


def test_an_anchor_with_one_target_cannot_score():
    market = _numbers()
    flat = Market.from_arrays(
        {v.name: v.rows for v in market.samples},
        anchor=market.anchor.rows,
        labels={v.name: v.labels for v in market.samples},
        anchor_labels=np.full(40, 7.5),
    )
    with pytest.raises(ValuationError, match=r"all 40 labels of the anchor are 7.5"):
        value(flat, "banzhaf")


@pytest.mark.parametrize("name", ["coalition-mmd", "banzhaf", "cs-shapley"])
def test_games_too_large_to_hold_are_refused(noisy_labels, name):
    with pytest.raises(ValuationError, match=r"up to 25 vendors.*up to 24; beyond, random orders"):
        value(noisy_labels, name, exact_up_to=25)
