"""Valuations side by side: ranks agree as another library says, and nothing starts that could not end."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest
from scipy.stats import rankdata, spearmanr

from karat.baselines import moments_of, valuation_named, value
from karat.baselines.beside import average_ranks, beside, rank_correlations
from karat.baselines.mmd import Mmd
from karat.errors import MarketError, MissingExtraError, UnknownReferenceError, ValuationError
from karat.kernels import Gaussian
from karat.models.networks import Mlp
from karat.vendors import Market

RNG = np.random.default_rng(0)
ROWS = {name: RNG.normal(shift, 1.0, size=(30, 2)) for name, shift in [("a", 0.0), ("b", 0.5), ("c", 2.0)]}
MARKET = Market.from_arrays(ROWS, anchor=RNG.normal(size=(25, 2)))
LABELLED = Market.from_arrays(
    ROWS,
    anchor=RNG.normal(size=(25, 2)),
    labels={name: rows[:, 0] > 0.5 for name, rows in ROWS.items()},
    anchor_labels=np.arange(25) % 2,
)


def test_ranks_and_correlations_are_those_of_another_library():
    rng = np.random.default_rng(1)
    scores = [rng.integers(4, size=9).astype(float) for _ in range(3)] + [rng.normal(size=9)]
    np.testing.assert_array_equal(average_ranks(scores[0]), rankdata(scores[0]))
    np.testing.assert_allclose(rank_correlations(scores), spearmanr(np.stack(scores, axis=1)).statistic)


def test_scores_that_differ_by_rounding_are_ties():
    ranks = average_ranks(np.array([0.1 + 0.2, 0.3, 0.3 + 1e-6, -5.0]))
    assert ranks.tolist() == [2.5, 2.5, 4.0, 1.0]


def test_one_score_for_all_has_no_order():
    assert np.isnan(rank_correlations([np.zeros(3), np.arange(3.0)])[0, 1])


def test_columns_are_what_each_valuation_says_alone():
    found = beside(MARKET, ["mmd2", "mmd:kernel=gaussian:0.7", Mmd()], seed=3)
    assert found.titles == ("mmd2", "mmd:kernel=gaussian:0.7", "mmd")
    for column, (name, options) in zip(
        found.columns, [("mmd2", {}), ("mmd", {"kernel": "gaussian:0.7"}), ("mmd", {})], strict=True
    ):
        assert column.scores.tolist() == value(MARKET, name, **options).scores.tolist()
    answer = found.to_dict()
    assert [one.get("options") for one in answer["valuations"]] == [None, {"kernel": "gaussian:0.7"}, None]
    assert answer["agreement"]["valuations"] == list(found.titles)


def test_a_column_that_names_a_kernel_has_it_whatever_the_moments_are_of():
    moments = moments_of(MARKET, Gaussian(2.0))
    asked = ["mmd", "mmd:kernel=gaussian:0.7", Mmd(kernel=Gaussian(0.7)), "coalition-mmd:kernel=paper"]
    found = beside(MARKET, [*asked, "mmd2:kernel=paper"], moments=moments)
    expected = [
        value(MARKET, "mmd", kernel="gaussian:2"),
        value(MARKET, "mmd", kernel="gaussian:0.7"),
        value(MARKET, "mmd", kernel="gaussian:0.7"),
        value(MARKET, "coalition-mmd", kernel="paper"),
        value(MARKET, "mmd2", kernel="paper"),
    ]
    assert [one.scores.tolist() for one in found.columns] == [one.scores.tolist() for one in expected]


def test_what_is_asked_twice_is_computed_once():
    assert beside(MARKET, ["mmd", "energy", "mmd", "mmd:kernel=default"]).titles == ("mmd", "energy")


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["mmd", "lavva"], r"no valuation called 'lavva'"),
        (["mmd", "knn-shapley"], r"'knn-shapley' needs labels, and vendor 'a' has none"),
        (["mmd", "sinkhorn:regularisation=0"], r"regularisation=0.0.*positive"),
        (["mmd", "mmd-cond:model=logistic:label_kind=numbers"], r"'logistic' learns classes, and the labels"),
        (["mmd", "davinz:model=ridge"], r"'davinz' needs a network, and 'ridge' is none"),
        (["mmd", "banzhaf:model=rigde"], r"no model called 'rigde'. Did you mean 'ridge'"),
    ],
)
def test_what_is_missing_is_said_before_anything_is_computed(names, said, monkeypatch):
    monkeypatch.setattr(Mmd, "run", lambda *_: pytest.fail("it was started"))
    with pytest.raises(ValuationError, match=said):
        beside(LABELLED if "model" in names[1] else MARKET, names)


@pytest.mark.parametrize("name", ["davinz", "mmd-cond", "banzhaf", "cs-shapley"])
@pytest.mark.parametrize("model", ["cnn-22k", "resnet-18", "patches"])
def test_rows_that_are_no_images_are_refused_before_anything_is_computed(name, model, monkeypatch):
    if model != "patches":
        pytest.importorskip("torch")
    monkeypatch.setattr(Mmd, "run", lambda *_: pytest.fail("it was started"))
    said = r"needs a network" if (name, model) == ("davinz", "patches") else r"needs images.*'mlp-16'"
    with pytest.raises(ValuationError, match=said):
        beside(LABELLED, ["mmd", f"{name}:model={model}"])


@pytest.mark.parametrize(
    ("name", "reference", "said"),
    [
        ("coalition-mmd", "leave-one-out", r"'coalition-mmd' needs one reference for all.*'anchor'"),
        ("mmd2:tay=true", "leave-one-out", r"'mmd2:tay=true' needs one reference for all.*'anchor'"),
        ("energy", "equal-size", r"'mmd' has no reference called 'equal-size'.*leave-one-out.*weights"),
        ("kl", "robust", r"no reference called 'robust'.*for mmd, mmd2, energy and coalition-mmd"),
    ],
)
def test_a_reference_that_cannot_be_had_is_said_before_anything_starts(name, reference, said, monkeypatch):
    monkeypatch.setattr(Mmd, "run", lambda *_: pytest.fail("it was started"))
    with pytest.raises((UnknownReferenceError, ValuationError), match=said):
        beside(MARKET, ["mmd", name], reference=reference)


@pytest.mark.parametrize("name", ["davinz", "mmd-cond", "banzhaf", "cs-shapley"])
@pytest.mark.parametrize("model", ["mlp-16", Mlp()])
def test_a_network_without_torch_is_said_before_anything_is_computed(name, model, monkeypatch):
    found = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda one: None if one == "torch" else found(one))
    monkeypatch.setattr(Mmd, "run", lambda *_: pytest.fail("it was started"))
    with pytest.raises(MissingExtraError, match=rf"{name}.*needs PyTorch.*pip install 'karat\[torch\]'"):
        beside(LABELLED, ["mmd", valuation_named(name, model=model)])


def test_one_vendor_needs_an_anchor():
    with pytest.raises(MarketError, match=r"there is only 'a'"):
        beside(Market.from_arrays({"a": ROWS["a"]}), ["volume", "sinkhorn"])


def test_no_valuation_at_all_is_refused():
    with pytest.raises(ValuationError, match="no valuation was named"):
        beside(MARKET, [])


def test_progress_goes_once_from_nothing_to_all():
    told = []
    beside(MARKET, ["volume", "sliced-wasserstein"], progress=lambda done, total: told.append(done / total))
    assert told == sorted(told)
    assert told[0] == 0.5
    assert told[-1] == 1.0
