from __future__ import annotations

from dataclasses import replace

import numpy as np

import karat
from karat.report.board import spoken
from karat.report.html import report
from karat.report.method import files, kernel_words, method, sources
from karat.report.naming import Naming
from karat.report.page import MOST_FINDINGS, page_of
from karat.schema import Finding
from karat.sources import demo
from markets import contaminated


def test_the_demo_says_what_we_know_about_it():
    page = page_of(karat.appraise(demo.vendors(), anchor=demo.anchor(), command="karat demo"))
    assert page.headline == "Buy acme, vandelay, globex or umbrella."
    assert "hooli" in page.sentences[1]
    assert "initech" in page.sentences[1]
    assert any("rows of vandelay are rows of your own" in warning for warning in page.warnings)
    assert page.command == "karat demo"
    assert [source.file for source in page.sources][-1] == "anchor.parquet"
    assert page.files[0] == "acme.parquet"


def test_findings_are_grouped_by_source_and_capped(appraisal):
    many = tuple(Finding("clipped", f"cell {i}", f"vendor {i % 2}") for i in range(MOST_FINDINGS + 7))
    page = page_of(replace(appraisal, findings=many))
    assert [told.name for told in page.findings] == ["vendor 0", "vendor 1"]
    assert page.more_findings == 7
    assert page.findings[0].messages == ("cell 0", "cell 2", "cell 4")
    assert sum(len(told.messages) + len(told.folded) for told in page.findings) == MOST_FINDINGS


def test_a_few_findings_of_each_kind_are_shown_and_the_others_can_be_unfolded(appraisal):
    found = [Finding("clipped", f"cell {i}", "vendor 0") for i in range(5)]
    found += [Finding("replayed", "rows of your own", "vendor 0")]
    (told,) = page_of(replace(appraisal, findings=tuple(found))).findings
    assert told.messages == ("cell 0", "cell 1", "cell 2", "rows of your own")
    assert told.folded == ("cell 3", "cell 4")
    assert "2 more like these</summary>" in report(replace(appraisal, findings=tuple(found)))


def test_the_reference_lies_in_the_middle_of_the_rings(appraisal):
    page = page_of(appraisal)
    assert "your data" in page.map.svg
    assert page.map.warning is None


def test_a_market_on_a_line_is_warned_about_on_the_map():
    page = page_of(contaminated(5, rows=150, anchor=None))
    assert page.map.warning.startswith("One direction")
    assert page.matrix is None


def test_method_names_kernel_reference_and_scale(appraisal):
    said = dict(method(appraisal))
    assert said["Reference"] == "your own 100 rows."
    assert said["Kernel"] == kernel_words(appraisal.kernel)
    assert said["Scale"].startswith("1 % is the MMD that 1 % of vendor 4")


def test_rows_in_memory_are_named_by_their_digest(appraisal):
    shown = sources(appraisal, Naming.of(appraisal.moments.names))
    assert {one.file for one in shown} == {"rows in memory"}
    assert len(shown[0].sha256) == 64
    assert files(appraisal) == ()


def hidden_behind(wide):
    """Vendors along two directions, and one away from them in a third, which no map has room for."""
    rng = np.random.default_rng(0)
    centres = {"east": (wide, 0, 0), "west": (-wide, 0, 0), "north": (0, wide, 0), "above": (0, 0, 1.0)}
    rows = {name: rng.normal(centre, 1.0, size=(200, 3)) for name, centre in centres.items()}
    return karat.appraise(rows, anchor=rng.normal(size=(200, 3)))


def test_a_vendor_that_the_map_draws_too_near_is_named_with_its_distance():
    appraisal = hidden_behind(3.0)
    above = next(vendor for vendor in appraisal.vendors if vendor.name == "above")
    assert above.share > 25.0
    assert page_of(appraisal).map.hidden == f"above ({spoken(above, appraisal)})"
    assert "Farther than drawn" in report(appraisal)


def test_a_market_that_the_map_shows_whole_has_nothing_hidden(clear):
    assert page_of(clear).map.hidden is None
    assert "Farther than drawn" not in report(clear)


def test_a_union_of_vendors_is_not_called_the_buyers_own_rows():
    """The paper's reference stands where an anchor stands, and shares rows with those it judges."""
    draw = np.random.default_rng(3).normal
    market = {f"v{i}": draw(draw(size=4), 1.0, (80, 4)) for i in range(6)}
    page = page_of(karat.appraise(market, reference="equal-size"))
    assert page.what_if is None
    assert "your data" not in page.map.svg
    told = " ".join((page.subtitle, *page.assumptions, *page.caveats))
    assert "Without rows of your own" in told
    assert "your" not in told.replace("Without rows of your own", "").lower()
