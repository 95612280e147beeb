from __future__ import annotations

import numpy as np
import pytest

from karat.errors import MarketError
from karat.vendors import contaminated_draw, contamination_schedule, huber_market
from karat.vendors.huber import contaminated_probabilities, discrete_gram, mixture_of

CLEAN, FOREIGN = np.zeros((50, 1)), np.ones((20, 1))


def market(**options):
    settings = {"contamination": contamination_schedule(4), "rows": 4000, "anchor_rows": 100, "seed": 0}
    return huber_market(CLEAN, FOREIGN, **(settings | options))


def test_shares_of_foreign_rows_are_those_asked_for():
    shares = [sample.rows.mean() for sample in market().samples]
    np.testing.assert_allclose(shares, [0.0, 0.25, 0.5, 0.75], atol=4 * 0.5 / np.sqrt(4000))
    assert shares[0] == 0.0
    assert not market().anchor.rows.any()


def test_the_number_of_foreign_rows_is_binomial_not_fixed():
    counts = [
        contaminated_draw(5, 5, contamination=0.3, rows=50, seed=seed).is_foreign.sum() for seed in range(400)
    ]
    assert np.mean(counts) == pytest.approx(15, abs=4 * np.sqrt(10.5 / 400))
    assert np.var(counts) == pytest.approx(10.5, rel=0.3)


def test_rows_are_drawn_with_replacement_from_the_whole_pool():
    draw = contaminated_draw(10, 3, contamination=0.5, rows=2000, seed=1)
    assert set(draw.picked[~draw.is_foreign]) == set(range(10))
    assert set(draw.picked[draw.is_foreign]) == set(range(3))


def test_labels_follow_their_rows():
    draw = contaminated_draw(10, 10, contamination=0.5, rows=100, seed=1)
    rows = draw.choose(np.arange(10.0)[:, np.newaxis], 100 + np.arange(10.0)[:, np.newaxis])
    labels = draw.choose(np.arange(10), 100 + np.arange(10))
    np.testing.assert_array_equal(rows[:, 0], labels)


def test_the_same_seed_gives_the_same_market_and_more_vendors_leave_the_first_ones():
    few, same, many = market(), market(), market(contamination=[*contamination_schedule(4), 0.1, 0.2])
    for i in range(4):
        assert few.samples[i].digest == same.samples[i].digest == many.samples[i].digest
    assert few.anchor.digest == many.anchor.digest


def test_every_vendor_may_have_its_own_pool_and_size():
    made = huber_market(
        CLEAN, [FOREIGN, 5 * FOREIGN], contamination=[1.0, 1.0], rows=[10, 20], anchor_rows=None, seed=0
    )
    assert [(s.name, s.size, s.rows.max()) for s in made.samples] == [
        ("vendor1", 10, 1.0),
        ("vendor2", 20, 5.0),
    ]
    assert made.anchor is None


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"contamination": [1.2, 0.0]}, "1.2 is no share"),
        ({"contamination": [float("nan")]}, "nan is no share"),
        ({"rows": [10]}, "4 contaminations, 4 foreign pools and 1 sizes"),
    ],
)
def test_settings_that_make_no_market_are_refused(options, said):
    with pytest.raises(MarketError, match=said):
        market(**options)


def test_an_empty_pool_is_refused():
    with pytest.raises(MarketError, match="foreign pool is empty"):
        contaminated_draw(5, 0, contamination=0.0, rows=3, seed=0)


def test_a_mixture_of_contaminated_vendors_is_contaminated_as_the_formula_says():
    """Closure of the Huber model, on distributions over 6 points: sum_i w_i P_i = (1 - e_w) P* + e_w Q_w."""
    rng = np.random.default_rng(0)
    clean, foreign = rng.dirichlet(np.ones(6)), rng.dirichlet(np.ones(6), size=4)
    weights, share = rng.dirichlet(np.ones(4)), contamination_schedule(4)
    mixture = mixture_of(weights, share)
    vendors = contaminated_probabilities(clean, foreign, share)
    mixed = (1 - mixture.contamination) * clean + mixture.contamination * mixture.shares @ foreign
    np.testing.assert_allclose(weights @ vendors, mixed, atol=1e-15)
    assert mixture.shares.sum() == pytest.approx(1.0)
    assert mixture_of(weights, np.zeros(4)).shares.tolist() == [0.0] * 4


def test_distance_to_the_clean_distribution_is_linear_in_the_contamination():
    """MMD(P_i, P*) = e_i MMD(P*, Q) exactly, from population moments."""
    rng = np.random.default_rng(1)
    points = rng.normal(size=(6, 2))
    kernel = np.exp(-np.square(points[:, np.newaxis] - points).sum(axis=2))
    clean, foreign, share = rng.dirichlet(np.ones(6)), rng.dirichlet(np.ones(6)), contamination_schedule(5)
    vendors = contaminated_probabilities(clean, np.tile(foreign, (5, 1)), share)
    gram = discrete_gram(np.vstack([vendors, clean, foreign]), kernel)

    def distance(i, j):
        return np.sqrt(max(gram[i, i] + gram[j, j] - 2 * gram[i, j], 0.0))

    np.testing.assert_allclose(
        [distance(i, 5) for i in range(5)], share * distance(6, 5), rtol=1e-6, atol=1e-8
    )
