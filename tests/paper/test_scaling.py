from __future__ import annotations

import re

import numpy as np
import pytest

from karat.errors import ValuationError
from karat.paper.entries import entry_named
from karat.paper.plots import plots_of
from karat.paper.pools import Part
from karat.paper.scaling import Scaling, Sizes, measured
from karat.paper.scaling_tables import printed_cell
from karat.paper.settings import FULL, experiment_named
from karat.paper.tables import tables_of
from karat.paper.timing import adaptive, block, exact, landmarks
from karat.paper.verdicts import verdicts_of


def made_up(experiment):
    """Timings that are linear for landmarks and block, quadratic for the exact engine."""
    cells = {}
    for cell in experiment.cells():
        engine, n, m, *_ = cell.split("-")
        rows = (int(n) + 1.0) * int(m)
        seconds = 1e-9 * rows**2 if engine == "exact" else 1e-4 * rows
        seconds /= {"landmarks": 10.0, "adaptive": 2.0}.get(engine, 1.0)
        error = {"exact": 0.0, "landmarks": 0.001, "adaptive": 0.0005, "block": 0.05}[engine]
        cells[cell] = {
            "seconds": seconds,
            "repeats": [seconds],
            "peak_mb": 100.0 + rows / 1e3,
            "scores": [-0.1 - error, -0.2],
            "landmarks": {"landmarks": 512, "adaptive": 2048}.get(engine),
            "load": 1.0,
            "threads": {"blas": 2},
        }
    return cells


def test_linear_time_is_seen_as_linear_and_quadratic_time_as_quadratic():
    experiment = experiment_named("scaling-mnist")
    engines = experiment.summary(made_up(experiment))["engines"]
    for against in ("against_m", "against_n"):
        assert engines["landmarks"][against]["seconds"]["r2"] == pytest.approx(1.0, abs=1e-9)
    assert engines["landmarks"]["against_m"]["seconds"]["power"] == pytest.approx(1.0)
    assert engines["exact"]["against_m"]["seconds"]["power"] == pytest.approx(2.0)
    assert engines["exact"]["against_m"]["seconds"]["r2"] < 0.97
    assert engines["adaptive"]["against_m"] is None


def test_both_ways_to_take_landmarks_are_raced_and_neither_is_chosen():
    experiment = experiment_named("scaling-mnist")
    summary = experiment.summary(made_up(experiment))
    result = {"experiment": "scaling-mnist", "summary": summary}
    (table,) = tables_of(entry_named("table-21"), {"scaling-mnist": result})
    found = verdicts_of({"scaling-mnist": {"family": "scaling", "summary": summary}})
    assert [one.is_reached for one in found] == [True, True, True, False]
    assert found[2].ours.startswith("512 landmarks: 10.0 times faster; ")
    assert "squared distance 1/62.2 (1/62.2 to 1/62.2), of a value 1/50.0; means of 5 draws" in found[2].ours
    assert found[3].ours.startswith("2,048 landmarks: 2.0 times faster; ")
    assert found[3].word == "not reached: 2.0 times falls short of 4"
    assert ("the authors' algorithm", "-", "10", "10,000", "24.3", "11.00", "0.0500") in table.rows
    assert any("load was 1.0 to 1.0; threads: blas 2" in note for note in table.notes)


def test_a_race_is_decided_by_all_of_its_draws_and_their_spread_is_shown():
    experiment = experiment_named("scaling-mnist")
    cells = made_up(experiment)
    assert sum(cell.startswith("block-10-10000") for cell in cells) == 5
    lucky = cells["landmarks-10-10000-2"]
    lucky["scores"] = [-0.1 - 1e-5, -0.2]
    race = experiment.summary(cells)["race"]["landmarks"]
    assert race["value"] == pytest.approx([0.001, 0.001, 1e-5, 0.001, 0.001])
    summary = experiment.summary(cells)
    found = verdicts_of({"scaling-mnist": {"family": "scaling", "summary": summary}})
    assert "of a value 1/62.3; means of 5 draws" in found[2].ours
    assert re.search(r"\(1/62\.2 to 1/6\d{3}\.\d\)", found[2].ours)


def test_the_papers_numbers_are_drawn_beside_ours():
    experiment = experiment_named("scaling-mnist")
    result = {"experiment": "scaling-mnist", "summary": experiment.summary(made_up(experiment))}
    drawn = plots_of(entry_named("fig-11"), {"scaling-mnist": result})
    assert len(drawn) == 4
    assert all("the paper, " in plot and "mnist: " in plot for plot in drawn)
    assert printed_cell("scaling-mnist", "seconds", 50, 10_000) == 35.11
    assert printed_cell("scaling-davinz", "peak_mb", 10, 3000) == 5201.132
    assert printed_cell("scaling-davinz", "peak_mb", 20, 3000) is None


def test_landmarks_are_timed_at_the_papers_sizes():
    cells = experiment_named("scaling-mnist").cells()
    assert {f"landmarks-10-{m}" for m in (3000, 5000, 10_000, 20_000, 50_000)} <= set(cells)
    assert {f"landmarks-{n}-10000" for n in (10, 20, 30, 40, 50)} <= set(cells)
    assert len(set(cells)) == len(cells)


def test_the_full_scale_is_a_whole_grid_without_what_takes_the_exact_engine_minutes():
    cells = experiment_named("scaling-cifar10", FULL).cells()
    assert "landmarks-50-50000" in cells
    assert not [cell for cell in cells if cell.startswith("exact-50")]


def test_the_authors_algorithm_and_the_exact_engine_estimate_one_quantity():
    rng = np.random.default_rng(0)
    parts = [Part(rng.normal(shift, 1.0, (900, 2)), np.zeros(900)) for shift in (0.0, 2.0, 0.0)]
    (ours, _), (theirs, _) = exact(parts[:2], parts[2]), block(parts[:2], parts[2])
    assert abs(ours[1] - theirs[1]) < 0.02
    assert np.argmin(ours) == np.argmin(theirs) == 1


def test_the_number_of_landmarks_is_told_where_karat_chooses_it():
    rng = np.random.default_rng(0)
    parts = [Part(rng.normal(shift, 1.0, (300, 2)), np.zeros(300)) for shift in (0.0, 2.0, 0.0)]
    assert landmarks(parts[:2], parts[2], 100)[1] == 100
    assert adaptive(parts[:2], parts[2])[1] >= 64


def test_a_timing_that_fails_says_what_its_process_said():
    with pytest.raises(ValuationError, match="'warp' failed: KeyError: 'nothing'"):
        measured({"engine": "warp", "data": "nothing", "n": 2, "m": 10, "seed": 0})


def test_davinz_is_timed_alone():
    sizes = {"davinz": Sizes((5, 6))}
    experiment = Scaling(name="x", scale="quick", trials=1, data="davinz", engines=sizes)
    assert experiment.cells() == ("davinz-10-5", "davinz-10-6")
