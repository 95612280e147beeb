"""Valuations side by side, in a terminal of any width, in Markdown, on a page and as a data frame."""

from __future__ import annotations

import numpy as np
import pytest

from karat.baselines import VALUATIONS, value
from karat.baselines.beside import Beside, beside
from karat.report.columns import Bands, explained
from karat.report.tables import records, to_csv, to_markdown
from karat.report.text import as_text
from karat.values import Values
from karat.vendors import Market

RNG = np.random.default_rng(0)
HOSTILE = "=1+1<script>|"
ROWS = {name: RNG.normal(shift, 1.0, size=(30, 2)) for name, shift in [("near", 0.0), (HOSTILE, 2.0)]}
MARKET = Market.from_arrays(ROWS, anchor=RNG.normal(size=(25, 2)))


@pytest.fixture(scope="module")
def few():
    return beside(MARKET, ["mmd", "volume", "kl"])


@pytest.fixture(scope="module")
def many():
    """A column for every valuation that there is, with scores of its own."""
    names = ("acme", "globex", "initech")
    asked = beside(MARKET, ["mmd"]).asked * len(VALUATIONS)
    columns = [Values("mmd", names, RNG.normal(size=3) * 10.0**i) for i in range(-9, len(VALUATIONS) - 9)]
    return Beside(asked, tuple(columns))


def test_best_comes_first_and_the_agreement_stands_below(few):
    lines = as_text(few).splitlines()
    assert lines[0] == "Larger is better in every column"
    assert lines[2].split() == ["vendor", "mmd", "volume", "kl"]
    assert [lines[3].split()[0], lines[4].split()[0]] == ["near", HOSTILE]
    assert "Held against the anchor; volume against nothing." in lines
    assert lines[-1].split()[0] == "kl"
    assert lines[-1].split()[-1] == "1.00"


def test_without_an_anchor_it_is_said_who_stands_for_it():
    alone = Market.from_arrays(ROWS)
    said = explained(beside(alone, ["mmd", "mmd2", "kl"]))
    assert said == ["Held against all vendors in equal shares; kl against the other vendors."]


@pytest.mark.parametrize("width", [40, 80, 100, 300])
def test_every_score_is_shown_whole_however_short_the_line(many, width):
    text = as_text(many, width=width)
    assert max(map(len, text.splitlines())) <= width
    assert "…" not in text
    for column in many.columns:
        for number in column.scores:
            assert f"{number:.4g}" in text.split()


def test_headings_are_numbers_where_names_do_not_fit():
    rows = ("left", "right")
    columns = (("left", ["1.00", "0.50"]), ("right", ["0.50", "1.00"]))
    wide, short = (as_text_of(Bands("", rows, columns, numbered=True), width) for width in (80, 13))
    assert wide.split()[:2] == ["left", "right"]
    assert short.split()[:3] == ["1", "1", "left"]


def as_text_of(bands, width):
    import io

    from rich.console import Console

    buffer = io.StringIO()
    Console(file=buffer, width=width, color_system=None).print(bands)
    return buffer.getvalue()


def test_what_is_drawn_or_not_finished_says_so():
    names = ("a", "b")
    drawn = Values("data-shapley", names, np.zeros(2), {"standard_errors": [0.01, 0.25]})
    cut = Values("lava", names, np.zeros(2), {"is_converged": False})
    bound = Values("information-gain", names, np.zeros(2), {"is_exact": False})
    asked = beside(MARKET, ["mmd", "energy", "kl"]).asked
    said = " ".join(explained(Beside(asked, (drawn, cut, bound))))
    assert "mmd is from random orders of the vendors, with standard errors up to 0.25." in said
    assert "energy stopped before it had converged." in said
    assert "kl is a lower bound" in said


def test_classes_that_a_vendor_lacks_are_said_once():
    market = Market.from_arrays(
        {"acme": ROWS["near"], "globex": ROWS[HOSTILE]},
        labels={"acme": [0, 1, 2] * 10, "globex": [1] * 30},
        anchor=MARKET.anchor.rows,
        anchor_labels=[0, 1, 2, 2, 1] * 5,
    )
    *_, last = explained(beside(market, ["mmd", "cs-shapley", "knn-shapley"]))
    assert last == (
        "Without any row of some classes: globex (0, 2). Ask them for such rows, or leave them out."
    )
    assert value(market, "mmd-cond").details["absent_classes"] == {"globex": [0.0, 2.0]}


def test_a_file_holds_scores_and_markdown_the_agreement_too(few):
    assert to_csv(few).splitlines()[0] == "vendor,mmd,volume,kl"
    assert float(to_csv(few).splitlines()[1].split(",")[1]) == few.columns[0].scores[0]
    page = to_markdown(few)
    assert "| vendor | mmd | volume | kl |" in page
    assert "Rank agreement" in page
    assert "- Held against the anchor; volume against nothing." in page
    assert "<script>" not in page


def test_a_page_of_valuations_shows_them_and_runs_nothing(few):
    page = few.to_html()
    assert '<th scope="col" class="figure">volume</th>' in page
    assert "Rank agreement (Spearman)" in page
    assert "<script>" not in page
    assert few._repr_html_() in page


def test_one_valuation_shows_itself_and_becomes_a_data_frame():
    found = value(MARKET, "energy")
    assert [row["vendor"] for row in records(found)] == ["near", HOSTILE]
    assert list(found.to_frame()["energy"]) == found.scores.tolist()
    assert as_text(found).splitlines()[0].split() == ["vendor", "energy"]
    assert "near" in found._repr_html_()
