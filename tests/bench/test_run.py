"""The bench on sizes that take no time: its keys, its table, and how it measures."""

from __future__ import annotations

import json
import time

import numpy as np
import pytest

from karat.bench import as_lines, choices, exact, landmarks, process, run, run_bench
from karat.bench.timing import cpu_seconds, in_a_process, least_seconds


@pytest.fixture
def small(monkeypatch):
    """Sizes that take milliseconds, and no processes but one."""
    monkeypatch.setattr(exact, "ROWS", {16: 200, 8: 200})
    monkeypatch.setattr(exact, "BASELINE_ROWS", 100)
    monkeypatch.setattr(exact, "SHAPES", ((64, 64), (128, 64)))
    monkeypatch.setattr(choices, "ROWS", {16: 200})
    monkeypatch.setattr(landmarks, "COUNTS", (20, 40))
    monkeypatch.setattr(landmarks, "WIDTH", 1024)
    stage = landmarks.set_the_stage(40)
    monkeypatch.setattr(landmarks, "set_the_stage", lambda rows: stage)
    waits = {"peak_rss_mb": 100.0, "import_cpu_seconds": 0.1, "thousand_vendors_seconds": None}
    monkeypatch.setattr(run, "process_figures", lambda *, quick: dict(waits))


@pytest.mark.usefixtures("small")
def test_the_figures_have_the_promised_keys_and_survive_json():
    figures = json.loads(json.dumps(run_bench(quick=True)))
    for row in figures["exact"].values():
        assert {"ns_per_pair", "over_blas", "sklearn_over_exact", "torch_over_exact"} <= set(row)
        assert row["ns_per_pair"] > 0.0
        assert row["over_blas"] > 0.0
    assert {"laplace", "polynomial", "float64", "one thread"} <= set(figures["choices"]["16"])
    assert 0.0 < figures["choices"]["16"]["float32_error"] < 2e-6
    assert set(figures["landmarks"]) == {"default", "20", "40"}
    for row in figures["landmarks"].values():
        assert {"seconds", "max_error", "estimated_error"} <= set(row)
    assert set(figures["block"]) == {"seconds", "max_error"}
    assert figures["rows_per_second"] > 0.0
    assert figures["peak_rss_mb"] == 100.0
    assert figures["machine"]["cores"] >= 1


@pytest.mark.usefixtures("small")
def test_the_table_shows_every_figure_and_a_dash_for_what_was_not_measured():
    figures = run_bench(quick=True)
    figures["exact"]["16"]["torch_over_exact"] = None
    lines = as_lines(figures)
    assert any(line.split()[:2] == ["16", "columns"] and line.endswith("-") for line in lines)
    assert any("a thousand vendors" in line and line.split()[0] == "-" for line in lines)
    assert sum("block" in line for line in lines) == 1
    assert max(map(len, lines)) < 110


def test_landmarks_err_less_than_blocks_and_about_as_much_as_they_say():
    """On rows that are all compared the landmarks are exact; blocks have their bias."""
    stage = landmarks.set_the_stage(120)
    truth = landmarks.to_the_anchor(np.array([[1.0, 0.5], [0.5, 0.75]]))
    np.testing.assert_allclose(truth, [0.75])
    sums = landmarks.kernel_sums(stage.sources, stage.kernel)
    moments = landmarks.moments_from_sums(sums, names=stage.names, kernel=stage.kernel, anchor=stage.anchor)
    exact_values = landmarks.to_the_anchor(moments.gram)
    by_landmarks = landmarks._landmarks(stage, 30, exact_values, 1)
    assert by_landmarks["max_error"] < 1e-5
    assert landmarks._block(stage, exact_values, 1)["max_error"] > 100.0 * by_landmarks["max_error"]


def test_absent_images_are_replaced_by_noise_and_named_so(monkeypatch, tmp_path):
    monkeypatch.setenv("KARAT_DATA", str(tmp_path))
    stage = landmarks.set_the_stage(20)
    assert stage.data == "Gaussians"
    assert [rows.shape for rows in stage.sources] == [(20, 1024)] * 11


def test_calls_are_timed_in_turns_after_one_that_does_not_count():
    calls = []

    def call(name, pause):
        calls.append(name)
        time.sleep(pause)

    least = least_seconds(
        {"a": lambda: call("a", 0.02), "b": lambda: call("b", 0.0)},
        repeats=2,
    )
    assert calls == ["a", "b", "a", "b", "a", "b"]
    assert least["a"] >= 0.02 > least["b"]


@pytest.mark.parametrize("shape", [(64, 64), (50, 200), (1000, 7)])
def test_the_bare_product_is_of_all_rows(shape, monkeypatch):
    seen = []
    multiply = np.matmul

    def watched(a, b, out):
        seen.append(a.shape[0] * b.shape[1])
        return multiply(a, b, out=out)

    monkeypatch.setattr(np, "matmul", watched)
    x = np.random.default_rng(0).normal(size=(130, 3)).astype(np.float32)
    exact.bare_product(x, *shape)()
    assert sum(seen) == 130 * 130


def test_the_market_has_a_clean_anchor_and_vendors_that_are_less_and_less_so():
    stage = landmarks.set_the_stage(60)
    assert [len(rows) for rows in stage.sources] == [60] * 11
    assert stage.names[-1] == "anchor"
    assert stage.sources[0].dtype == np.float32


@pytest.mark.slow
def test_what_a_user_waits_for_is_measured_in_seconds():
    found = process.process_figures(quick=True)
    assert found.pop("thousand_vendors_seconds") is None
    assert found.pop("thousand_vendors_peak_mb") is None
    assert all(value is not None and value > 0.0 for value in found.values())


def test_cpu_and_memory_are_those_of_a_process_of_its_own():
    assert 0.0 < cpu_seconds(["true"], repeats=1) < 0.5
    assert in_a_process("import sys; print(sys.argv[1])", "hello") == "hello"
    peak = process.peak_rss_mb(vendors=2, rows=50, width=3)
    assert 30.0 < peak < 1000.0
