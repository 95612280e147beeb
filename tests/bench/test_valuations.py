from __future__ import annotations

from pathlib import Path

import pytest

from karat.baselines import VALUATIONS, needs
from karat.bench import valuations
from karat.bench.valuations import (
    VARIANTS,
    as_lines,
    as_markdown,
    bench_market,
    measure,
    peak_megabytes,
    run_valuations_bench,
    stored_valuations_bench,
)


@pytest.fixture
def in_this_process(monkeypatch):
    """A small market and no process per line: what is tested is the bookkeeping."""
    asked = []

    def run(_, text):
        asked.append(text)
        return '{"seconds": 1.5, "cpu_seconds": 1.25, "peak_rss_mb": 300.0}'

    monkeypatch.setattr(valuations, "in_a_process", run)
    return asked


def test_every_valuation_that_can_run_here_has_a_line(in_this_process):
    figures = run_valuations_bench()
    assert {line["valuation"] for line in figures["valuations"]} == set(VALUATIONS)
    assert len(figures["valuations"]) == len(VALUATIONS) + len(VARIANTS) + 3
    assert figures["all_within"]
    assert figures["valuations"][-1]["title"] == "lava:transport=exact, 1 x 10,000 rows"
    assert figures["market"] == {"vendors": 10, "rows": 2000, "columns": 20, "classes": 5}


def test_what_takes_too_long_or_too_much_is_said(in_this_process, monkeypatch):
    monkeypatch.setattr(
        valuations, "in_a_process", lambda *_: '{"seconds": 121.0, "cpu_seconds": 9.0, "peak_rss_mb": 10.0}'
    )
    slow = run_valuations_bench(["volume"])
    assert not slow["all_within"]
    monkeypatch.setattr(
        valuations, "in_a_process", lambda *_: '{"seconds": 1.0, "cpu_seconds": 1.0, "peak_rss_mb": 4100.0}'
    )
    assert [line["is_within"] for line in run_valuations_bench(["volume"])["valuations"]] == [False, False]


def test_an_extra_that_is_not_installed_is_no_failure(in_this_process, monkeypatch):
    monkeypatch.setattr(needs.importlib.util, "find_spec", lambda name: None if name == "ot" else object())
    figures = run_valuations_bench(["wasserstein", "volume"])
    lines = {line["title"]: line for line in figures["valuations"]}
    assert (lines["wasserstein"]["lacks"], lines["wasserstein"]["is_within"]) == (["ot"], None)
    assert figures["all_within"]


def test_the_table_says_what_is_over_its_limit_and_what_is_not_installed(in_this_process, monkeypatch):
    text = "\n".join(as_lines(run_valuations_bench()))
    assert "10 vendors x 2,000 rows x 20 columns" in text
    assert "coalition-mmd, 16 x 200 rows" in text
    assert "(limit 2 s)" in text
    assert text.endswith("all within their limits")
    monkeypatch.setattr(
        valuations, "in_a_process", lambda *_: '{"seconds": 3.0, "cpu_seconds": 3.0, "peak_rss_mb": 1.0}'
    )
    slow = as_lines(run_valuations_bench(["coalition-mmd"]))
    over = [line.split(" ")[0] + line.split(" ")[1] for line in slow if "OVER" in line]
    assert over == ["coalition-mmd,16"]
    assert slow[-1] == "NOT all within their limits"
    monkeypatch.setattr(needs.importlib.util, "find_spec", lambda name: None if name == "ot" else object())
    assert "not installed: karat[ot]" in as_lines(run_valuations_bench(["wasserstein"]))[5]


def test_one_line_is_really_measured_in_a_process_of_its_own(monkeypatch):
    monkeypatch.setattr(valuations, "VARIANTS", ())
    (line,) = run_valuations_bench(["volume"], large=False)["valuations"]
    assert 0.0 < line["seconds"] < 60.0
    assert 20.0 < line["peak_rss_mb"] < 1000.0


def test_the_market_has_noise_that_grows():
    market = bench_market(vendors=3, rows=50, columns=4)
    assert [s.rows.shape for s in market.sources] == [(50, 4)] * 4
    assert measure("volume", {}, vendors=2, rows=20)["seconds"] > 0.0
    assert peak_megabytes() > 10.0


def test_the_stored_run_holds_every_valuation_within_its_limits_and_the_page_shows_it():
    stored = stored_valuations_bench()
    assert {line["valuation"] for line in stored["valuations"]} == set(VALUATIONS)
    assert all(line["is_within"] for line in stored["valuations"])
    page = Path(__file__).parents[2] / "docs" / "valuations.md"
    assert as_markdown(stored) in page.read_text(encoding="utf-8")
