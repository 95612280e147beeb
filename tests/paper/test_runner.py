from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import pytest
from threadpoolctl import threadpool_info

from karat.errors import AppraisalError
from karat.paper import store
from karat.paper.base import Experiment
from karat.paper.runner import run_experiment
from karat.paper.store import CellStore, read_result, result_path, write_result


@dataclass(frozen=True, kw_only=True)
class Dice(Experiment):
    """Throws that are counted; one may fail."""

    family: ClassVar[str] = "dice"
    thrown: ClassVar[list[str]] = []

    sides: int = 6
    fails_at: ClassVar[str | None] = None

    def cells(self) -> tuple[str, ...]:
        return tuple(f"throw-{t}" for t in range(self.trials))

    def run(self, cell: str) -> dict[str, Any]:
        if cell == type(self).fails_at:
            raise KeyboardInterrupt
        self.thrown.append(cell)
        return {"shows": int(self.generator(int(cell.split("-")[1])).integers(1, self.sides + 1))}

    def summary(self, cells: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
        return {"total": sum(cell["shows"] for cell in cells.values())}


@pytest.fixture
def dice(monkeypatch):
    monkeypatch.setattr(Dice, "thrown", [])
    monkeypatch.setattr(Dice, "fails_at", None)
    return Dice(name="dice", scale="quick", trials=5)


def test_a_killed_run_goes_on_where_it_stopped_and_ends_with_the_same_numbers(dice, tmp_path, monkeypatch):
    whole = run_experiment(dice, folder=tmp_path / "a")
    monkeypatch.setattr(Dice, "thrown", [])
    monkeypatch.setattr(Dice, "fails_at", "throw-3")
    with pytest.raises(KeyboardInterrupt):
        run_experiment(dice, folder=tmp_path / "b")
    monkeypatch.setattr(Dice, "fails_at", None)
    told = []
    again = run_experiment(dice, folder=tmp_path / "b", tell=told.append)
    assert Dice.thrown == ["throw-0", "throw-1", "throw-2", "throw-3", "throw-4"]
    assert [line.split(":")[0] for line in told] == ["dice", "dice throw-3", "dice throw-4"]
    assert again["cells"] == whole["cells"]
    assert again["summary"] == whole["summary"]


def test_beginning_anew_runs_everything_again(dice, tmp_path):
    run_experiment(dice, folder=tmp_path)
    run_experiment(dice, folder=tmp_path, resume=False)
    assert len(Dice.thrown) == 10


def test_cells_of_other_settings_are_not_used_but_more_trials_keep_the_first(dice, tmp_path):
    first = run_experiment(dice, folder=tmp_path)
    more = run_experiment(replace(dice, trials=7), folder=tmp_path)
    assert len(Dice.thrown) == 7
    assert [more["cells"][name] for name in first["cells"]] == list(first["cells"].values())
    run_experiment(replace(dice, sides=20), folder=tmp_path)
    assert len(Dice.thrown) == 12


def test_cells_of_other_code_are_not_used(dice, tmp_path, monkeypatch):
    run_experiment(dice, folder=tmp_path)
    monkeypatch.setattr(store, "code_digest", lambda: "yesterday's")
    run_experiment(dice, folder=tmp_path)
    assert len(Dice.thrown) == 10


def test_cells_that_are_kept_are_told(dice, tmp_path):
    run_experiment(dice, folder=tmp_path)
    told = []
    run_experiment(replace(dice, trials=7), folder=tmp_path, tell=told.append)
    assert told[0] == "dice: 5 of 7 cells were run before, and are kept"


def test_the_number_of_cores_changes_no_number(dice, tmp_path, monkeypatch):
    seen = []
    monkeypatch.setattr(Dice, "run", lambda self, cell: seen.extend(threadpool_info()) or {"shows": 1})
    run_experiment(dice, folder=tmp_path)
    assert {one["num_threads"] for one in seen} == {1}


def test_half_a_cell_is_no_cell(dice, tmp_path):
    cells = CellStore("dice-quick", dice.digest, tmp_path)
    cells.put("throw-0", {"found": {"shows": 1}})
    path = cells.folder / "throw-0.json"
    path.write_text(path.read_text()[:-5])
    assert cells.get("throw-0") is None


def test_a_result_says_how_it_was_made(dice, tmp_path):
    result = run_experiment(dice, folder=tmp_path, command="karat paper run dice", progress=lambda *_: None)
    assert result["settings"]["seed"] == 2024
    assert result["command"] == "karat paper run dice"
    assert result["versions"]["numpy"] is not None
    assert len(result["code"]) == 16
    assert set(result["seconds"]) == set(dice.cells())
    write_result("dice", result, tmp_path / "results")
    assert read_result("dice", tmp_path / "results")["summary"] == result["summary"]
    assert result_path("dice", tmp_path) is None


def test_a_file_that_is_no_result_is_refused(tmp_path):
    (tmp_path / "dice.json").write_text('{"schema": "other"}')
    with pytest.raises(AppraisalError, match="no result"):
        read_result("dice", tmp_path)
    (tmp_path / "dice.json").write_text("{")
    with pytest.raises(AppraisalError, match="cannot be read"):
        read_result("dice", tmp_path)
