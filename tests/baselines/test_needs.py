from __future__ import annotations

import importlib.util

import numpy as np
import pytest

from karat.baselines import list_valuations, value
from karat.baselines.needs import check_needs
from karat.baselines.reference import reference_rows
from karat.errors import MarketError, MissingExtraError, ValuationError
from karat.sources.budget import SETTING
from karat.vendors import Market

ROWS = {"acme": np.arange(6.0)[:, None], "globex": np.arange(6.0)[:, None] + 1.0}
CLASSES = {"acme": [0, 0, 1, 1, 0, 1], "globex": [1, 0, 1, 1, 0, 1]}


def market_of(labels=None, *, anchor_labels=None, anchor=True):
    own = np.arange(4.0)[:, None] if anchor else None
    return Market.from_arrays(ROWS, labels=labels, anchor=own, anchor_labels=anchor_labels)


def check(market, *needs, kind=None):
    check_needs("lava", needs, market, reference_rows(market), kind)


def test_what_is_there_passes():
    market = market_of(CLASSES, anchor_labels=[0, 1, 1, 0])
    check(market, "anchor", "reference", "moments", "labels", "classes", "targets", "every-class")


def test_labels_that_are_missing_name_the_vendor_and_the_option():
    with pytest.raises(ValuationError, match=r"'lava' needs labels, and vendor 'globex' has none.*--target"):
        check(market_of({"acme": CLASSES["acme"]}), "labels")


def test_an_anchor_without_labels_is_named_when_it_is_the_reference():
    market = market_of(CLASSES)
    with pytest.raises(ValuationError, match=r"and the anchor has none.*anchor_labels.*--reference uniform"):
        check(market, "labels")
    with pytest.raises(ValuationError, match=r"vendor 'acme' has none.*--target COLUMN"):
        check(market_of(), "labels")
    check_needs("lava", ["labels"], market, reference_rows(market, "uniform"))


def test_constant_labels_name_the_vendor_and_the_label():
    market = market_of(CLASSES | {"globex": [3] * 6}, anchor_labels=[0, 1, 1, 0])
    with pytest.raises(ValuationError, match=r"all 6 labels of vendor 'globex' are 3\.0.*--target"):
        check(market, "labels")


def test_a_vendor_with_one_class_passes_if_others_have_that_class_too():
    check(market_of(CLASSES | {"globex": [1] * 6}, anchor_labels=[0, 1, 1, 0]), "labels", "classes")
    prices = market_of({"acme": [0.5, 1.5, 2.5, 3.5, 4.5, 5.5], "globex": [1.5] * 6}, anchor_labels=[0.5] * 4)
    with pytest.raises(ValuationError, match=r"all 6 labels of vendor 'globex' are 1\.5"):
        check(prices, "labels")


@pytest.mark.parametrize("name", ["cs-shapley", "davinz", "mmd-cond", "mmd-joint"])
def test_valuations_put_a_vendor_with_one_class_below_one_with_all(name):
    rng = np.random.default_rng(0)
    codes = np.repeat([0, 1], 30)
    centres = np.array([[-2.0, 0.0], [2.0, 0.0]])
    rows = {who: centres[codes] + rng.normal(size=(60, 2)) for who in ("acme", "anchor")}
    alone = centres[np.zeros(60, dtype=int)] + rng.normal(size=(60, 2))
    market = Market.from_arrays(
        {"acme": rows["acme"], "globex": alone},
        labels={"acme": codes, "globex": np.zeros(60, dtype=int)},
        anchor=rows["anchor"],
        anchor_labels=codes,
    )
    whole, single = value(market, name, seed=0).scores
    assert whole > single


def test_one_class_at_all_vendors_tells_nothing():
    alike = market_of({"acme": [1] * 6, "globex": [1] * 6}, anchor=False)
    with pytest.raises(ValuationError, match=r"all 6 labels of vendor 'acme' are 1\.0"):
        check(alike, "labels")


def test_a_class_that_a_vendor_lacks_is_named():
    market = market_of(CLASSES | {"globex": [0, 1, 0, 1, 2, 2]}, anchor_labels=[0, 1, 1, 0])
    check(market, "classes")
    with pytest.raises(
        ValuationError, match=r"every class at every vendor, and vendor 'acme' has no row of class 2"
    ):
        check(market, "every-class")


def test_a_regression_target_where_classes_are_needed_says_so():
    targets = {name: rows[:, 0] + 0.5 for name, rows in ROWS.items()}
    market = market_of(targets, anchor_labels=np.arange(4.0) + 0.25)
    with pytest.raises(
        ValuationError, match=r"needs classes, and the labels are a regression target.*11 distinct"
    ):
        check(market, "classes")
    check(market, "classes", kind="classes")
    check(market, "targets")


def test_text_where_numbers_are_needed_says_so():
    words = {name: np.where(np.array(codes) > 0, "yes", "no") for name, codes in CLASSES.items()}
    market = market_of(words, anchor_labels=["yes", "no", "no", "yes"])
    check(market, "classes")
    with pytest.raises(ValuationError, match="needs a regression target, and the labels are text"):
        check(market, "targets")


def test_text_and_numbers_do_not_mix():
    market = market_of(CLASSES | {"globex": ["a", "b"] * 3}, anchor_labels=[0, 1, 1, 0])
    with pytest.raises(ValuationError, match="text at 'globex' and numbers at 'acme'"):
        check(market, "labels")


def test_names_of_rows_are_no_classes():
    names = {who: [f"{who}-{i}" for i in range(6)] for who in ROWS}
    market = market_of(names, anchor_labels=["w", "x", "y", "z"])
    with pytest.raises(ValuationError, match=r"16 rows have 16 different ones, such as acme-0.*--target"):
        check(market, "labels")
    check(market, "labels", kind="classes")
    halves = {who: ["red", "green", "blue"] * 2 for who in ROWS}
    check(market_of(halves, anchor_labels=["red", "green", "cyan", "pink"]), "labels", "classes")


def test_rows_that_do_not_fit_in_memory_are_missed_before_anything_is_computed(tmp_path, monkeypatch):
    files = {}
    for name, shift in [("acme", 0), ("globex", 1), ("mine", 0)]:
        files[name] = tmp_path / f"{name}.csv"
        files[name].write_text("a,b\n" + "".join(f"{i + shift},{i % 7}\n" for i in range(60)))
    monkeypatch.setenv(SETTING, "20")
    market = Market.read({"acme": files["acme"], "globex": files["globex"]}, anchor=files["mine"])
    check(market, "reference", "moments")
    with pytest.raises(MarketError, match=rf"'acme' is too large to be held in memory.*{SETTING}"):
        check(market, "reference")


def test_one_vendor_without_an_anchor_has_nothing_to_be_compared_with():
    market = Market.from_arrays({"acme": ROWS["acme"]})
    with pytest.raises(MarketError, match=r"there is only 'acme'.*--anchor"):
        check(market, "reference")
    with pytest.raises(ValuationError, match=r"needs an anchor, and this market has none.*--anchor"):
        check(market, "anchor")


@pytest.mark.parametrize(("extra", "module", "word"), [("torch", "torch", "PyTorch"), ("ot", "ot", "POT")])
def test_an_extra_that_is_not_installed_is_named_with_the_command(monkeypatch, extra, module, word):
    found = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == module else found(name))
    with pytest.raises(MissingExtraError, match=rf"needs {word}.*pip install 'karat\[{extra}\]'"):
        check(market_of(), extra)


def test_without_pot_its_valuations_say_so_and_the_others_work(monkeypatch):
    found = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "ot" else found(name))
    market = market_of(CLASSES, anchor_labels=[0, 1, 1, 0])
    for name in ("lava", "wasserstein"):
        with pytest.raises(MissingExtraError, match=r"karat\[ot\]"):
            value(market, name)
    assert len(value(market, "sinkhorn").scores) == 2
    assert {one["name"] for one in list_valuations() if "ot" in one["lacks"]} >= {"lava", "wasserstein"}
