from __future__ import annotations

import numpy as np
import pytest

from karat.gram import kernel_sums, moments_from_sums
from karat.kernels import Gaussian
from karat.paper.entries import entry_named
from karat.paper.explained import clear_share, hidden_zeta, why_below_ceiling, why_out_of_order
from karat.paper.reasons import Reasons, against, row_means
from karat.paper.runner import run_experiment
from karat.paper.settings import RANKINGS, REASONS, experiment_named
from karat.paper.tables import tables_of
from paper_sets import put_in_place, tiny_ranking


@pytest.fixture(scope="module")
def explained(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        put_in_place(patch)
        folder, ranking = tmp_path_factory.mktemp("cells"), tiny_ranking()
        reasons = Reasons(
            name="reasons-calih-kingh",
            scale="quick",
            trials=2,
            ranking=ranking,
            rows=(400,),
            anchors=(20, 100, 10_000),
            picks=10,
        )
        return run_experiment(ranking, folder=folder), run_experiment(reasons, folder=folder)


def test_a_mixture_of_pools_against_an_anchor_is_what_all_pairs_of_rows_say():
    rng = np.random.default_rng(0)
    clean, foreign, anchor = (
        rng.normal(size=(7, 2)),
        rng.normal(2.0, 1.0, size=(7, 2)),
        rng.normal(size=(5, 2)),
    )
    kernel, weights = Gaussian(1.0), np.array([[1.0, 0.0], [0.25, 0.75]])
    means = np.column_stack([row_means(anchor, pool, kernel) for pool in (clean, foreign)])
    gram = np.array([[kernel.block(a, b).mean() for b in (clean, foreign)] for a in (clean, foreign)])
    found = against(anchor, means, gram, weights, kernel)
    off = kernel.block(anchor, anchor)[~np.eye(5, dtype=bool)].mean()
    for score, (w, v) in zip(found, weights, strict=True):
        every = [(x, w / 7) for x in clean] + [(x, v / 7) for x in foreign]
        own = sum(a * b * kernel.block(x[None], y[None])[0, 0] for x, a in every for y, b in every)
        across = sum(a * kernel.block(x[None], anchor).mean() for x, a in every)
        assert score == pytest.approx(-np.sqrt(max(own - 2.0 * across + off, 0.0)), abs=1e-12)


def test_against_the_whole_pool_it_is_the_unbiased_distance_of_the_moments():
    rng = np.random.default_rng(1)
    rows, anchor, kernel = rng.normal(1.0, 1.0, size=(30, 2)), rng.normal(size=(20, 2)), Gaussian(1.0)
    sums = kernel_sums([rows, anchor], kernel)
    moments = moments_from_sums(sums, names=["0", "1"], kernel=kernel, anchor=1)
    square = moments.gram_biased[0, 0] - 2.0 * moments.gram[0, 1] + moments.gram[1, 1]
    means = row_means(anchor, rows, kernel)[:, None]
    found = against(anchor, means, moments.gram_biased[:1, :1], np.ones((1, 1)), kernel)
    assert found[0] == pytest.approx(-np.sqrt(square), abs=1e-6)


def test_larger_anchors_order_better_and_larger_than_the_pool_are_left_out(explained):
    order = explained[1]["summary"]["whole"]["order"]
    assert set(order) == {"20", "100"}
    assert order["100"]["mean"] >= order["20"]["mean"] - 1e-12
    assert order["100"]["mean"] > 0.95


def test_a_miss_names_its_reason_and_the_table_keeps_one_source_of_noise_at_a_time(explained):
    ranking, reasons = explained
    assert "P_i itself reaches" in why_below_ceiling(ranking, reasons)
    assert "previews of 400 rows" in why_below_ceiling(ranking, reasons)
    assert "20 rows cannot order even P_i itself" in why_out_of_order(ranking, reasons)
    assert why_below_ceiling(ranking, None) == ""
    results = {"calih-kingh": ranking, "reasons-calih-kingh": reasons}
    titles = [table.title for table in tables_of(entry_named("table-3"), results)]
    assert titles == [
        "calih-kingh",
        "calih-kingh: where the correlation is lost",
        "calih-kingh, every trial",
    ]


def test_a_ground_truth_of_noise_says_so():
    loud = {"summary": {"zeta": [0.90, 0.91, 0.92], "zeta_error": [0.02, 0.02, 0.02]}}
    clear = {"summary": {"zeta": [0.1, 0.5, 0.9], "zeta_error": [0.02, 0.02, 0.02]}}
    assert clear_share(loud) == 0.0
    assert clear_share(clear) == pytest.approx(1.0 - 0.02**2 / 0.16)
    assert "hardly tells" in hidden_zeta(loud)
    assert hidden_zeta(clear) == ""
    assert clear_share({"summary": {"zeta": [0.1, 0.5], "zeta_error": None}}) is None


def test_markets_are_explained_at_the_papers_rows():
    for name in REASONS:
        experiment = experiment_named(f"reasons-{name}")
        assert isinstance(experiment, Reasons)
        assert RANKINGS[name].rows in experiment.rows
        assert experiment.ranking == experiment_named(name)
