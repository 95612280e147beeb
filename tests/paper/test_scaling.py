from __future__ import annotations

import numpy as np
import pytest

from karat.errors import ValuationError
from karat.paper.entries import entry_named
from karat.paper.pools import Part
from karat.paper.scaling import Scaling, measured
from karat.paper.settings import FULL, experiment_named
from karat.paper.tables import tables_of
from karat.paper.timing import block, exact
from karat.paper.verdicts import verdict_table


def made_up(experiment):
    """Timings that are linear for landmarks and block, quadratic for the exact engine."""
    cells = {}
    for cell in experiment.cells():
        engine, n, m = cell.split("-")
        rows = (int(n) + 1.0) * int(m)
        seconds = 1e-9 * rows**2 if engine == "exact" else (1e-5 if engine == "landmarks" else 1e-4) * rows
        error = {"exact": 0.0, "landmarks": 0.001, "block": 0.05}[engine]
        cells[cell] = {"seconds": seconds, "peak_mb": 100.0 + rows / 1e3, "scores": [-0.1 - error, -0.2]}
    return cells


def test_linear_time_is_seen_as_linear_and_the_race_is_judged():
    experiment = experiment_named("scaling-mnist")
    summary = experiment.summary(made_up(experiment))
    assert summary["engines"]["landmarks"]["against_m"]["seconds"]["r2"] == pytest.approx(1.0, abs=1e-9)
    assert summary["engines"]["exact"]["against_m"]["seconds"]["r2"] < 0.97
    result = {"experiment": "scaling-mnist", "summary": summary}
    (table,) = tables_of(entry_named("table-21"), {"scaling-mnist": result})
    rows = verdict_table({"scaling-mnist": {"family": "scaling", "summary": summary}}).rows
    assert rows[-1][2:] == ("10.0 times, 1/50", "-", "reached")
    assert ("block", "10", "10,000", "24.3", "11.00", "0.0500") in table.rows


def test_the_full_scale_is_a_whole_grid_without_what_takes_the_exact_engine_minutes():
    cells = experiment_named("scaling-cifar10", FULL).cells()
    assert "landmarks-50-50000" in cells
    assert not [cell for cell in cells if cell.startswith("exact-50")]


def test_the_authors_algorithm_and_the_exact_engine_estimate_one_quantity():
    rng = np.random.default_rng(0)
    parts = [Part(rng.normal(shift, 1.0, (900, 2)), np.zeros(900)) for shift in (0.0, 2.0, 0.0)]
    ours, theirs = exact(parts[:2], parts[2]), block(parts[:2], parts[2])
    assert abs(ours[1] - theirs[1]) < 0.02
    assert np.argmin(ours) == np.argmin(theirs) == 1


def test_a_timing_that_fails_says_what_its_process_said():
    with pytest.raises(ValuationError, match="'warp' failed: KeyError: 'nothing'"):
        measured({"engine": "warp", "data": "nothing", "n": 2, "m": 10, "seed": 0})


def test_davinz_is_timed_alone():
    experiment = Scaling(name="x", scale="quick", trials=1, data="davinz", vendors=(10,), rows=(5, 6))
    assert experiment.cells() == ("davinz-10-5", "davinz-10-6")
