"""A saved appraisal that was damaged or edited is refused with a remedy, never with a traceback."""

from __future__ import annotations

import copy
import json

import numpy as np
import pytest

import karat
from karat.errors import AppraisalError
from karat.gram.packing import pack, unpack


@pytest.fixture(scope="module")
def saved():
    draw = np.random.default_rng(0).normal
    market = {"a": draw(0.0, 1.0, (40, 2)), "b": draw(1.0, 1.0, (30, 2))}
    return karat.appraise(market, anchor=draw(0.0, 1.0, (25, 2))).to_dict()


def written(saved, tmp_path):
    path = tmp_path / "edited.json"
    path.write_text(json.dumps(saved))
    return path


def cell(array, at, value):
    changed = unpack(array)
    changed.flat[at] = value
    return pack(changed)


def test_what_was_not_touched_is_read(saved, tmp_path):
    assert karat.load(written(saved, tmp_path)).vendors[0].name == "a"


@pytest.mark.parametrize(
    ("part", "change"),
    [
        ("names", lambda old: [1, 2, 3]),
        ("names", lambda old: ["a", "a", "anchor"]),
        ("names", lambda old: [["a"], "b", "c"]),
        ("anchor", lambda old: 9),
        ("anchor", lambda old: -1),
        ("anchor", lambda old: "last"),
        ("bound", lambda old: "one"),
        ("bound", lambda old: -1.0),
        ("bound", lambda old: float("nan")),
        ("gram", lambda old: old | {"shape": [1, 9]}),
        ("gram", lambda old: cell(old, 1, np.nan)),
        ("gram", lambda old: None),
        ("sizes", lambda old: cell(old, 0, -1.0)),
        ("sizes", lambda old: cell(old, 0, np.inf)),
        ("covariance", lambda old: cell(old, 5, np.nan)),
        ("covariance", lambda old: old | {"shape": [27]}),
        ("interaction", lambda old: cell(old, 2, np.inf)),
    ],
)
def test_moments_that_karat_never_saves_are_refused(saved, tmp_path, part, change):
    saved = copy.deepcopy(saved)
    saved["moments"][part] = change(saved["moments"][part])
    with pytest.raises(AppraisalError) as caught:
        karat.load(written(saved, tmp_path))
    assert "unchanged copy" in caught.value.hint


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("confidence", "high"),
        ("confidence", 1.5),
        ("confidence", None),
        ("kernel", 3),
        ("provenance", "x"),
        ("findings", "x"),
        ("findings", 3),
        ("reference", []),
        ("reference", {"name": "anchor", "weights": [9, 9, 9], "chosen_from_data": False}),
        ("reference", {"name": "anchor", "weights": [1.0], "chosen_from_data": False}),
        ("reference", {"name": "anchor", "weights": ["x", 0, 1], "chosen_from_data": False}),
        ("distances", 3),
    ],
)
def test_other_parts_that_karat_never_saves_are_refused(saved, tmp_path, part, value):
    with pytest.raises(ValueError) as caught:  # a KaratError is one
        karat.load(written(saved | {part: value}, tmp_path))
    assert isinstance(caught.value, karat.KaratError)


def test_json_nested_without_end_is_refused(tmp_path):
    path = tmp_path / "deep.json"
    path.write_text("[" * 100_000)
    with pytest.raises(AppraisalError, match="nested"):
        karat.load(path)
