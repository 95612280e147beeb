from __future__ import annotations

import karat
from karat.report.method import files, kernel_words, method, sources
from karat.report.naming import Naming
from karat.report.page import MOST_FINDINGS, page_of
from karat.sources import demo


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
    from dataclasses import replace

    from karat.schema import Finding

    many = tuple(Finding("clipped", f"cell {i}", f"vendor {i % 2}") for i in range(MOST_FINDINGS + 7))
    page = page_of(replace(appraisal, findings=many))
    assert [told.name for told in page.findings] == ["vendor 0", "vendor 1"]
    assert page.more_findings == 7


def test_the_reference_lies_in_the_middle_of_the_rings(appraisal):
    page = page_of(appraisal)
    assert "your data" in page.map.svg
    assert page.map.warning is None


def test_a_market_on_a_line_is_warned_about_on_the_map():
    from markets import contaminated

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
