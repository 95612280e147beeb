from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from karat.paper.entries import ENTRIES
from karat.paper.figures import Axis, Series, bar_plot, line_plot, scatter_plot
from karat.paper.layout import Table
from karat.paper.page import as_markdown, page
from karat.paper.runner import run_experiment
from karat.paper.store import SHIPPED, write_result
from karat.paper.verdicts import CEILING
from paper_sets import put_in_place, tiny_ranking

HOSTILE = "<script>alert(\"x\")</script> & 'y'"


@pytest.mark.parametrize(
    "drawn",
    [
        line_plot(HOSTILE, [Series(HOSTILE, [1.0, 2.0], [0.0, 3.0], [0.1, None])], x_label="m", y_label="v"),
        line_plot(
            "log",
            [Series("a", [1.0, 1000.0], [0.01, 30.0])],
            x_label="m",
            y_label="v",
            log_x=True,
            log_y=True,
        ),
        scatter_plot(HOSTILE, Series("", [1.0, 2.0], [2.0, 1.0]), x_label="x", y_label="y", fit=(-1.0, 3.0)),
        bar_plot(HOSTILE, ["1", "2"], [Series("a", [0.0, 1.0], [-0.5, 0.2])], y_label="change"),
    ],
)
def test_plots_are_well_formed_and_hostile_names_stay_text(drawn):
    root = ET.fromstring(drawn)
    assert root.tag.endswith("svg")
    assert not [one for one in root.iter() if one.tag.endswith("script")]


def test_a_plot_of_nothing_is_nothing():
    assert line_plot("x", [Series("a", [1.0], [0.0])], x_label="", y_label="", log_y=True) == ""


@pytest.mark.parametrize(("name", "places"), [("short", 2), ("a name that leaves no room for another", 1)])
def test_long_names_stand_alone_in_the_legend(name, places):
    series = [Series(name, [1.0, 2.0], [1.0, 2.0]), Series("b", [1.0, 2.0], [2.0, 1.0])]
    root = ET.fromstring(line_plot("t", series, x_label="", y_label=""))
    boxes = [one for one in root if one.tag.endswith("rect")]
    assert len({box.get("x") for box in boxes}) == places


@pytest.mark.parametrize(
    ("low", "high", "log"), [(0.0, 1.0, False), (-3.0, 1e4, False), (0.02, 0.9, True), (1.0, 1e6, True)]
)
def test_ticks_are_few_and_within_the_axis(low, high, log):
    axis = Axis.over("", [low, high], log=log)
    ticks = axis.ticks()
    assert 2 <= len(ticks) <= 9
    assert all(axis.low <= tick <= axis.high for tick in ticks)


def test_cells_cannot_break_a_table():
    text = as_markdown(Table("t", ("a|b",), (("*x*",),)))
    assert "a\\|b" in text
    assert "\\*x\\*" in text


def test_the_page_has_a_section_for_every_entry_and_says_what_was_not_run(tmp_path, monkeypatch):
    put_in_place(monkeypatch)
    write_result("calih-kingh", run_experiment(tiny_ranking(), folder=tmp_path), tmp_path / "results")
    text = page(tmp_path / "results")
    for entry in ENTRIES:
        assert f"## {entry.id}: {entry.what} {{ #{entry.id} }}" in text
        assert f"[{entry.id}](#{entry.id})" in text.split("## How to read it")[0]
    assert "The same runs: [fig-6](#fig-6)." in text
    assert "verification: not run here; `karat paper run table-5 --only verification` runs it." in text
    assert "0.896 (0.02)" in text
    assert "Not measured, no GPU: table-16, table-19." in text
    assert "table-5 (verification)" in text.split("## How to read it")[0]
    assert f"| {CEILING} | 0 of 1 | calih-kingh |" in text
    assert "<svg" in text


def test_the_shipped_results_can_all_be_laid_out():
    from karat.paper.listing import shown

    for entry in ENTRIES:
        assert entry.id in shown(entry.id, SHIPPED)
