"""The bench's figures have the keys that are promised, on sizes that take no time."""

from __future__ import annotations

import math

import numpy as np
import pytest

from karat.bench import as_lines, exact, scale
from karat.bench.timing import least_seconds


def test_the_least_of_several_turns_is_kept():
    calls = []
    found = least_seconds({"a": lambda: calls.append("a"), "b": lambda: calls.append("b")}, repeats=2)
    assert calls == ["a", "b"] * 3
    assert set(found) == {"a", "b"}


def test_the_bare_product_computes_every_inner_product_once():
    x = np.random.default_rng(0).normal(size=(70, 5)).astype(np.float32)
    exact.bare_product(x, 32, 16)()


def test_exact_figures_hold_the_promised_keys(monkeypatch):
    monkeypatch.setattr(exact, "ROWS", {4: 400})
    monkeypatch.setattr(exact, "BASELINE_ROWS", 100)
    figures = exact.exact_figures(quick=True)["4"]
    assert {"ns_per_pair", "over_blas", "sklearn_over_exact", "torch_over_exact"} <= figures.keys()
    assert all(number is None or number > 0.0 for number in figures.values())


def test_landmarks_and_blocks_stand_beside_the_exact_engine(monkeypatch):
    rng = np.random.default_rng(0)
    sources = [rng.normal(j / 10, 1.0, (120, 3)).astype(np.float32) for j in range(11)]
    monkeypatch.setattr(scale, "images", lambda rows: ("normal rows", sources))
    monkeypatch.setattr(scale, "LANDMARKS", (64,))
    found = scale.approximations(quick=True)
    assert found["landmarks"]["64"].keys() == {"seconds", "max_error", "estimated_error"}
    assert found["block"]["max_error"] > found["landmarks"]["64"]["max_error"]
    assert found["rows_per_second"] > 0.0
    lines = as_lines(found)
    assert any(line.startswith("landmarks.64.seconds") for line in lines)


def test_absent_images_are_replaced_by_noise_and_named_so(monkeypatch, tmp_path):
    monkeypatch.setenv("KARAT_DATA", str(tmp_path))
    name, sources = scale.images(rows=20)
    assert name == "normal rows"
    assert len(sources) == 11
    assert sources[0].shape == (20, 784)


@pytest.mark.slow
def test_the_command_figures_are_seconds():
    assert all(math.isfinite(v) and v > 0.0 for v in scale.command_figures(quick=True).values())
