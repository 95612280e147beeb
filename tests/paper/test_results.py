"""What is stored follows from today's settings and today's algebra."""

from __future__ import annotations

import json

import pytest

from karat.paper.settings import EXPERIMENTS, experiment_named
from karat.paper.store import SHIPPED, read_result

STORED = [name for name in EXPERIMENTS if (SHIPPED / f"{name}.json").is_file()]


@pytest.fixture(scope="module", params=STORED)
def stored(request):
    result = read_result(request.param, SHIPPED)
    experiment = experiment_named(request.param, result["scale"], trials=result["settings"]["trials"])
    return result, experiment


def test_every_stored_result_is_of_todays_settings(stored):
    result, experiment = stored
    assert result["settings"] == experiment.settings()
    assert result["digest"] == experiment.digest


def test_every_cell_is_stored_and_the_summary_is_what_they_say(stored):
    result, experiment = stored
    assert list(result["cells"]) == list(experiment.cells()) == list(result["seconds"])
    summary = json.loads(json.dumps(experiment.summary(result["cells"])))
    same(summary, result["summary"], "summary")


def test_every_stored_result_says_how_it_was_made(stored):
    result, _ = stored
    assert result["command"].startswith("karat paper run ")
    assert result["versions"]["numpy"]


def same(found, kept, where):
    """Equal but for rounding, all the way down."""
    if isinstance(kept, dict):
        assert set(found) == set(kept), where
        for key in kept:
            same(found[key], kept[key], f"{where}/{key}")
    elif isinstance(kept, list):
        assert len(found) == len(kept), where
        for k, (a, b) in enumerate(zip(found, kept, strict=True)):
            same(a, b, f"{where}/{k}")
    elif isinstance(kept, float):
        assert found == pytest.approx(kept, rel=1e-9, abs=1e-12), where
    else:
        assert found == kept, where
