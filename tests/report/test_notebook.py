from __future__ import annotations

import re
import subprocess
import sys
from html import unescape

from karat.vendors import Market


def tags(html):
    return set(re.findall(r"<(\w+)", html))


def test_an_appraisal_shows_its_answer_and_its_leaderboard(appraisal):
    shown = appraisal._repr_html_()
    assert '<p class="verdict">Buy ' in shown
    assert shown.count("<svg") == 5


def test_no_result_brings_a_script_into_a_notebook(attacked, appraisal):
    market = Market.read({"<script>a": [[0.0], [1.0]], "b": [[1.0], [2.0]]}, anchor=[[0.0], [3.0]])
    comparison = attacked.compare(*attacked.moments.vendor_names[:2])
    for result in (attacked, market, comparison, attacked.matrix()):
        allowed = "div style p table caption thead tbody tr th td bdi svg title line rect circle pre"
        assert tags(result._repr_html_()) <= set(allowed.split())


def test_a_market_counts_its_rows_and_findings():
    rows = [[float(i)] for i in range(12)]
    market = Market.read({"acme": rows, "twin": rows}, anchor=[[0.5], [3.0]])
    shown = market._repr_html_()
    assert "A market: 3 sources, 1 column, 2 findings" in shown


def test_a_comparison_is_told_in_sentences(appraisal):
    shown = appraisal.compare("vendor 0", "vendor 4")._repr_html_()
    assert "vendor 0 is better than vendor 4" in shown


def test_any_result_has_a_page_under_a_policy_that_runs_nothing(appraisal, tmp_path):
    comparison = appraisal.compare("vendor 0", "vendor 4")
    comparison.to_html(tmp_path / "comparison.html")
    text = (tmp_path / "comparison.html").read_text()
    assert "default-src 'none'; style-src 'sha256-" in unescape(text)
    assert "script-src" not in text
    assert comparison.to_html() == text


def test_showing_is_imported_when_it_is_asked_for():
    code = "import karat.vendors, sys; sys.exit('karat.report' in sys.modules or 'jinja2' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
