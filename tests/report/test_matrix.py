from __future__ import annotations

from karat.report.matrix import all_pairs, gap, matrix
from karat.report.naming import Naming
from markets import contaminated


def shown(appraisal):
    return matrix(appraisal, all_pairs(appraisal), Naming.of(appraisal.moments.names))


def test_cells_are_the_librarys_verdicts_in_the_order_of_the_leaderboard(appraisal):
    table, pairs = shown(appraisal), appraisal.matrix()
    order = [vendor.name for vendor in appraisal.ranking]
    assert [row.name for row in table.rows] == order
    for i, row in enumerate(table.rows):
        assert row.cells[i] is None
        for j, cell in enumerate(row.cells):
            if cell is not None:
                assert cell.verdict == pairs.verdict(order[i], order[j])
    assert table.decided == pairs.decided
    assert (table.pairs, table.risk) == (10, "5 %")


def test_glyphs_tell_without_colour(appraisal):
    cells = [cell for row in shown(appraisal).rows for cell in row.cells if cell]
    assert {(cell.verdict, cell.glyph) for cell in cells} == {
        ("better", "▲"),
        ("worse", "▼"),
        ("undecided", "≈"),
    }


def test_a_cell_says_gap_interval_p_and_what_would_decide(appraisal):
    row, other = shown(appraisal).rows[:2]
    sentence = row.cells[1].sentence
    assert sentence.startswith(f"{row.name} cannot be told from {other.name}: gap +")
    assert ", interval −" in sentence
    assert "adjusted p " in sentence


def test_gaps_mirror_each_other(appraisal):
    rows = shown(appraisal).rows
    assert rows[0].cells[4].gap == rows[4].cells[0].gap.replace("−", "+")
    assert gap(0.02, 0.001) == "+20"
    assert gap(-0.02, None) == "−0.0200"


def test_there_is_no_matrix_where_no_order_speaks_of_quality():
    assert all_pairs(contaminated(5, anchor=None)) is None
    assert all_pairs(contaminated(1)) is None
    assert all_pairs(contaminated(3, anchor=None, reference="equal-size")) is None


def test_of_many_vendors_the_nearest_are_compared_at_the_level_of_all_pairs():
    crowd = contaminated(33, rows=12, anchor=20)
    table, pairs = shown(crowd), all_pairs(crowd)
    assert len(table.rows) == 30
    assert table.vendors == 33
    assert pairs.confidence == 1.0 - 0.05 / (33 * 32 / 2)
