from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.stats import spearmanr

from karat.baselines import VALUATIONS
from karat.bench.label_noise import (
    NOISE,
    as_markdown,
    digits,
    gaussian_classes,
    label_noise_study,
    rank_correlation,
    store_label_noise,
    stored_label_noise,
)


@pytest.mark.parametrize("make", [gaussian_classes, digits])
def test_a_seed_is_a_market_with_vendors_named_by_their_noise(make):
    first, second = make(0), make(0)
    assert first.names == ("0%", "10%", "20%", "30%", "40%")
    assert [s.digest for s in first.sources] == [s.digest for s in second.sources]
    assert first.samples[0].digest != make(1).samples[0].digest


def test_rank_correlation_is_that_of_another_library():
    rng = np.random.default_rng(0)
    for _ in range(5):
        x, y = rng.integers(4, size=8).astype(float), rng.normal(size=8)
        assert rank_correlation(x, y) == pytest.approx(spearmanr(x, y).statistic, abs=1e-12)
    assert rank_correlation(np.zeros(3), np.arange(3.0)) == 0.0


def test_a_study_says_how_often_the_order_was_right(tmp_path):
    told = []
    study = label_noise_study(
        seeds=[0, 1],
        markets=["gaussian-classes"],
        references=["anchor"],
        names=["cs-shapley", "volume"],
        progress=lambda *done: told.append(done),
    )
    blind, right = study["lines"]
    assert right["valuation"] == "cs-shapley"
    assert right["reads_labels"]
    assert right["spearman_mean"] > 0.9
    assert not blind["reads_labels"]
    assert blind["ordered_right"] == 0.0
    assert told == [(1, 2), (2, 2)]
    assert store_label_noise(study, tmp_path).read_text().startswith("{")


def test_the_stored_study_covers_every_valuation_and_both_references():
    study = stored_label_noise()
    assert study["noise"] == list(NOISE)
    assert len(study["seeds"]) == 10
    for market in ("gaussian-classes", "digits"):
        for reference in ("anchor", "uniform"):
            chosen = [x for x in study["lines"] if (x["market"], x["reference"]) == (market, reference)]
            assert {x["valuation"] for x in chosen} == set(VALUATIONS)


def test_a_line_of_the_stored_study_is_found_again():
    """The quick ones, so that a change of a valuation does not leave the stored table behind."""
    found = label_noise_study(
        markets=["gaussian-classes"], references=["anchor"], names=["knn-shapley", "cs-shapley", "volume"]
    )
    stored = stored_label_noise()["lines"]
    for line in found["lines"]:
        same = [
            one
            for one in stored
            if all(one[key] == line[key] for key in ("market", "reference", "valuation"))
        ]
        assert line["spearman_mean"] == pytest.approx(same[0]["spearman_mean"], abs=1e-9)


def test_what_reads_no_labels_cannot_see_noise_in_them():
    """Right by chance in 1 of 120 orders: more than 2 in 10 markets would be a mistake in the study."""
    for line in stored_label_noise()["lines"]:
        if not line["reads_labels"]:
            assert line["ordered_right"] <= 0.2


def test_the_page_shows_the_stored_study():
    page = Path(__file__).parents[2] / "docs" / "valuations.md"
    assert as_markdown(stored_label_noise()) in page.read_text(encoding="utf-8")
