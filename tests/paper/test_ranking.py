from __future__ import annotations

import numpy as np
import pytest

from karat.paper.bench import market_of
from karat.paper.efficiency import Efficiency, criteria
from karat.paper.entries import entry_named
from karat.paper.lines import LINES
from karat.paper.ranking import correlations, is_reached
from karat.paper.ranking_tables import v_correlation
from karat.paper.runner import run_experiment
from karat.paper.statistics import mean_and_error, pearson
from karat.paper.tables import tables_of
from paper_sets import put_in_place, tiny_ranking


@pytest.fixture(scope="module")
def ranked(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        put_in_place(patch)
        return run_experiment(tiny_ranking(), folder=tmp_path_factory.mktemp("cells"))


def test_every_line_of_the_task_is_run_and_every_trial_is_kept(ranked):
    expected = {line.label for line in LINES if "numbers" in line.tasks}
    assert set(ranked["summary"]["lines"]) == expected
    for line in ranked["summary"]["lines"].values():
        for found in line.values():
            assert "not_run" in found or len(found["pearson"]["trials"]) == 2


def test_the_ground_truth_is_run_after_the_values(ranked):
    names = list(ranked["cells"])
    assert max(names.index(f"values-{t}") for t in range(2)) < min(names.index(f"zeta-{r}") for r in range(2))


def test_the_ceiling_is_the_correlation_of_minus_epsilon(ranked):
    zeta = ranked["summary"]["zeta"]
    assert ranked["summary"]["ceiling"] == pytest.approx(pearson(-np.arange(5) / 5.0, zeta), abs=1e-6)


def test_with_a_test_set_vendors_are_ordered_and_with_their_own_mixture_they_are_a_v(ranked):
    mmd = ranked["summary"]["lines"]["mmd"]
    assert mmd["validation"]["order"]["mean"] > 0.95
    values = mmd["none"]["values"]
    assert int(np.argmax(values)) == 2
    assert abs(mmd["none"]["order"]["mean"]) < 0.5


def test_the_same_settings_give_the_same_numbers(ranked, tmp_path, monkeypatch):
    put_in_place(monkeypatch)
    again = run_experiment(tiny_ranking(trials=1, draws=1), folder=tmp_path / "again")
    for cell in ("values-0", "zeta-0", "pools"):
        assert again["cells"][cell] == ranked["cells"][cell]


def test_ours_stands_beside_the_printed(ranked):
    tables = tables_of(entry_named("table-3"), {"calih-kingh": ranked})
    rows = {row[0]: dict(zip(tables[0].head, row, strict=False)) for row in tables[0].rows}
    assert rows["mmd"]["paper, D_val"] == "0.896 (0.02)"
    assert rows["mmd"]["paper, nothing"] == "0.767 (0.04)"
    assert rows["mmd"]["D_val"].startswith(f"{ranked['summary']['verdict']['mmd']:.3f} (")
    assert rows["Ours cond., paper's kernel"]["paper, nothing"] == "N.A."
    assert rows["IG"]["D_val"] == "-"
    assert rows["mmd, 20 rows of D_val"]["paper, D_val"] == "-"
    assert rows["endless rows: the ceiling, the V"]["nothing"] == f"{v_correlation(ranked):.3f}"
    assert any("must: mmd with D_val" in note for note in tables[0].notes)


def test_a_trial_without_an_order_is_no_trial_that_reached_it():
    every, some = mean_and_error([1.0, 0.96]), mean_and_error([1.0, None, 1.0])
    assert is_reached(every, 0.95)
    assert not is_reached(some, 0.95)
    assert not is_reached(mean_and_error([None]), 0.95)


def test_a_line_that_cannot_be_run_says_why():
    assert correlations([{"not_run": "no torch"}], [1.0], [0.0]) == {"not_run": "no torch"}
    assert criteria([({"not_run": "no torch"}, {"scores": [1.0]})]) == {"not_run": "no torch"}


def test_previews_of_the_full_size_have_no_error_against_themselves():
    found = criteria([({"scores": [1.0, 2.0, 4.0]}, {"scores": [1.0, 2.0, 4.0]})])
    assert found["l2"]["mean"] == found["l_inf"]["mean"] == found["inversions"]["mean"] == 0.0


def test_values_of_small_previews_come_nearer_as_rows_are_added(monkeypatch):
    put_in_place(monkeypatch)
    settings = {"pair": "calih-kingh", "schedule": "(i-1)/n", "n_vendors": 5, "validation_rows": 60}
    experiment = Efficiency(
        name="efficiency-x", scale="quick", trials=2, large=400, sizes=(20, 200), **settings
    )
    summary = experiment.summary({cell: experiment.run(cell) for cell in experiment.cells()})
    mmd = summary["lines"]["mmd"]
    assert mmd["200"]["l2"]["mean"] < mmd["20"]["l2"]["mean"]


def test_a_market_keeps_its_labels():
    from karat.paper.pools import Part

    part = Part(np.arange(6.0).reshape(3, 2), np.array([0, 1, 1]))
    market = market_of([part, part], part)
    assert market.names == ("vendor1", "vendor2")
    assert market.samples[1].labels.tolist() == [0.0, 1.0, 1.0]
