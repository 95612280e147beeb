from __future__ import annotations

import math

import numpy as np
import pytest

from karat.baselines import value
from karat.baselines.lava import LabelledRows, calibrated_gradients, class_distances
from karat.baselines.transport import Ground, exact_transport
from karat.errors import ValuationError
from karat.vendors import Market

ot = pytest.importorskip("ot")

CENTRES = np.array([[0.0, 0.0], [4.0, 0.0], [0.0, 4.0]])


def draw(rng, rows, noise=0.0):
    """Rows of three well separated classes, a share of whose labels is drawn anew."""
    classes = rng.integers(3, size=rows)
    labels = np.where(rng.random(rows) < noise, rng.integers(3, size=rows), classes)
    return CENTRES[classes] + rng.normal(size=(rows, 2)), labels.astype(float)


@pytest.fixture(scope="module")
def noisy_market():
    rng = np.random.default_rng(0)
    vendors = {
        name: draw(rng, 150, noise) for name, noise in [("a", 0.0), ("b", 0.2), ("c", 0.4), ("d", 0.6)]
    }
    own = draw(rng, 100)
    return Market.from_arrays(
        {name: rows for name, (rows, _) in vendors.items()},
        labels={name: labels for name, (_, labels) in vendors.items()},
        anchor=own[0],
        anchor_labels=own[1],
    )


def same_as_anchor(rows, labels):
    other = np.random.default_rng(9).normal(size=rows.shape), labels
    return Market.from_arrays(
        {"same": rows[::-1], "other": other[0]},
        labels={"same": labels[::-1], "other": other[1]},
        anchor=rows,
        anchor_labels=labels,
    )


@pytest.mark.parametrize("form", ["pooled", "distance"])
@pytest.mark.parametrize("transport", ["entropic", "exact"])
def test_label_noise_lowers_the_value(noisy_market, form, transport):
    values = value(noisy_market, "lava", form=form, transport=transport)
    assert (np.diff(values.scores) < 0.0).all()
    assert values.details["is_converged"]


def test_a_calibrated_gradient_is_the_slope_of_the_cost_as_one_row_gains_weight():
    """Against central differences of the optimal cost itself, in units of one row's weight."""
    rng = np.random.default_rng(1)
    n, step = 12, 1e-6
    ground = Ground.between(rng.normal(size=(n, 2)), rng.normal(size=(9, 2)))
    a, b = rng.dirichlet(np.full(n, 50.0)), rng.dirichlet(np.full(9, 50.0))
    gradients = calibrated_gradients(exact_transport(ground, a, b).source)
    for k in range(n):
        towards = np.full(n, -1.0 / (n - 1))
        towards[k] = 1.0
        costs = [exact_transport(ground, a + sign * step * towards, b).cost for sign in (1.0, -1.0)]
        assert (costs[0] - costs[1]) / (2.0 * step) == pytest.approx(gradients[k], abs=1e-6)


def by_another_library(market, epsilon_share):
    """Pooled values with every matrix of costs written out; class distances and potentials are POT's."""
    rows = [np.concatenate([s.rows for s in market.samples]), market.anchor.rows]
    labels = [np.concatenate([s.labels for s in market.samples]), market.anchor.labels]

    def costs(a, b):
        between = {
            (s, t): ot.emd2([], [], ot.dist(rows[a][labels[a] == s], rows[b][labels[b] == t]) / 2.0)
            for s in range(3)
            for t in range(3)
        }
        return ot.dist(rows[a], rows[b]) / 2.0 + [[between[s, t] for t in labels[b]] for s in labels[a]]

    epsilon = epsilon_share * costs(1, 1).mean()
    weights = [np.full(len(one), 1.0 / len(one)) for one in rows]
    _, log = ot.sinkhorn(
        *weights, costs(0, 1), epsilon, method="sinkhorn_log", stopThr=1e-9, numItermax=50_000, log=True
    )
    potential = epsilon * log["log_u"]
    n = len(potential)
    gradients = [f - (potential.sum() - f) / (n - 1) for f in potential]
    return -np.mean(np.split(np.array(gradients), len(market.samples)), axis=1)


def test_pooled_values_are_those_of_another_library(noisy_market):
    few = Market.from_arrays(
        {s.name: s.rows[:50] for s in noisy_market.samples},
        labels={s.name: s.labels[:50] for s in noisy_market.samples},
        anchor=noisy_market.anchor.rows,
        anchor_labels=noisy_market.anchor.labels,
    )
    values = value(few, "lava", regularisation=0.2)
    np.testing.assert_allclose(values.scores, by_another_library(few, 0.2), rtol=0.01)


def test_pooled_values_are_relative_to_the_union(noisy_market):
    assert value(noisy_market, "lava").scores.sum() == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("transport", ["entropic", "exact"])
@pytest.mark.parametrize("kind", ["classes", "numbers"])
def test_the_distance_of_a_set_to_itself_is_zero(transport, kind):
    rows, labels = draw(np.random.default_rng(2), 80)
    values = value(
        same_as_anchor(rows, labels), "lava", form="distance", transport=transport, label_kind=kind
    )
    assert values.scores[0] == pytest.approx(0.0, abs=1e-4)
    assert values.scores[1] < -0.5


def test_classes_are_as_far_apart_as_their_rows():
    """Three copies of one cloud: the distance of two classes is half the squared shift between them."""
    cloud = np.random.default_rng(3).normal(size=(20, 2))
    rows = np.concatenate([cloud + centre for centre in CENTRES])
    labelled = LabelledRows(rows, np.repeat([0, 1, 2], 20))
    expected = [[0.5 * ((s - t) ** 2).sum() for t in CENTRES] for s in CENTRES]
    np.testing.assert_allclose(class_distances(labelled, labelled), expected, atol=1e-9)
    copy = LabelledRows(labelled.rows[::-1], labelled.codes[::-1])
    np.testing.assert_allclose(class_distances(labelled, copy), expected, atol=1e-9)


def test_a_swapped_label_costs_the_distance_of_the_classes():
    """Two points so far apart that no row moves between them: the cost is the label term, by hand.

    The vendor calls one of the two rows at 0 "one", so its class "one" is {0, 10, 10}: moving that onto the
    anchor's "zero" = {0} costs 50 * 2/3, onto "one" = {10} it costs 50 * 1/3. Its "zero" = {0} costs nothing.
    """
    market = Market.from_arrays(
        {"wrong": [[0.0], [10.0], [10.0], [0.0]], "right": [[0.0], [10.0], [10.0], [0.0]]},
        labels={"wrong": ["one", "one", "one", "zero"], "right": ["zero", "one", "one", "zero"]},
        anchor=[[0.0], [10.0]],
        anchor_labels=["zero", "one"],
    )
    values = value(market, "lava", form="distance", transport="exact")
    assert values.scores[1] == pytest.approx(0.0, abs=1e-12)
    costs = [50.0 * 2 / 3, 50.0 / 3, 50.0 / 3, 0.0]
    assert values.scores[0] == pytest.approx(-np.mean(costs), rel=1e-9)


def test_a_shifted_target_costs_in_units_of_the_features():
    """Rows far apart, so each keeps its partner: v = -lambda shift^2 / 2, lambda = var(x) / var(target)."""
    rows = np.array([[0.0], [100.0], [200.0], [300.0]])
    target = np.array([0.5, 1.5, 2.25, 3.0])
    market = Market.from_arrays(
        {"shifted": rows, "honest": rows},
        labels={"shifted": target + 0.1, "honest": target},
        anchor=rows,
        anchor_labels=target,
    )
    rate = rows.var() / target.var()
    values = value(market, "lava", form="distance", transport="exact", label_kind="numbers")
    assert values.scores[0] == pytest.approx(-0.5 * rate * 0.01, rel=1e-9)
    assert values.scores[1] == pytest.approx(0.0, abs=1e-9)


def test_a_vendor_may_lack_a_class():
    rng = np.random.default_rng(4)
    rows, labels = draw(rng, 90)
    own = draw(rng, 60)
    few = labels < 2
    market = Market.from_arrays(
        {"all": rows, "two": rows[few]},
        labels={"all": labels, "two": labels[few]},
        anchor=own[0],
        anchor_labels=own[1],
    )
    for form in ("pooled", "distance"):
        scores = value(market, "lava", form=form).scores
        assert scores[0] > scores[1]


@pytest.mark.parametrize("form", ["pooled", "distance"])
@pytest.mark.parametrize("transport", ["entropic", "exact"])
def test_a_reference_of_equal_rows_is_no_trouble(form, transport):
    """By hand: the classes of `b` are at half of 1^2 and 3^2 from the reference's, and so are its rows.

    With entropy eps two far points stay where they are for eps log 2, half of which is taken off.
    """
    market = Market.from_arrays(
        {"a": [[0.0], [0.0]], "b": [[1.0], [3.0]]},
        labels={"a": ["x", "y"], "b": ["x", "y"]},
        anchor=[[0.0], [0.0]],
        anchor_labels=["x", "y"],
    )
    scores = value(market, "lava", form=form, transport=transport).scores
    if form == "distance":
        own = 0.05 * math.log(2.0) / 2.0 if transport == "entropic" else 0.0
        np.testing.assert_allclose(scores, [0.0, own - (0.5 + 0.5 + 4.5 + 4.5) / 2.0], atol=1e-9)
    assert scores[0] > scores[1]


def test_against_the_union_those_in_the_middle_look_best(noisy_market):
    """As for the MMD: vendors that share one fault lie on a line, and the union is its middle."""
    values = value(noisy_market, "lava", form="distance", reference="uniform")
    assert values.details["reference"] == "uniform"
    assert values.scores[[1, 2]].min() > values.scores[[0, 3]].max()


def test_labels_that_are_missing_are_asked_for():
    market = Market.from_arrays({"a": [[0.0], [1.0]], "b": [[1.0], [2.0]]}, anchor=[[0.0], [1.0]])
    with pytest.raises(ValuationError, match=r"'lava' needs labels, and vendor 'a' has none.*--target"):
        value(market, "lava")
