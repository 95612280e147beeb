from __future__ import annotations

import pytest

from karat.report.board import amounts, board, spoken
from karat.report.html import report
from karat.report.method import method
from karat.report.naming import Naming
from markets import contaminated


def lines_of(appraisal, **given):
    return board(appraisal, Naming.of(appraisal.moments.names), **given).lines


def test_lines_stand_best_first_and_know_their_place_in_the_market(appraisal):
    lines = lines_of(appraisal)
    names = appraisal.moments.vendor_names
    assert [names[line.index] for line in lines] == [vendor.name for vendor in appraisal.ranking]
    assert [line.rank for line in lines] == [str(vendor.rank) for vendor in appraisal.ranking]


def test_shares_are_the_intervals_on_the_ruler(appraisal):
    line, vendor = lines_of(appraisal)[2], appraisal.ranking[2]
    ruler = appraisal.ruler
    low, high = ruler.share(-vendor.high), ruler.share(-vendor.low)
    shown = line.share.removesuffix(" %").split("–")
    assert float(shown[0]) == pytest.approx(low, abs=0.51)
    assert float(shown[1]) == pytest.approx(high, abs=0.51)


def test_the_farthest_vendor_sets_the_scale(appraisal):
    assert [line.note for line in lines_of(appraisal)] == ["", "", "", "", "sets the scale"]


def test_open_ranks_come_from_the_pairs(appraisal):
    pairs = appraisal.matrix()
    ranks = dict(zip(pairs.names, pairs.ranks(), strict=True))
    for line, vendor in zip(lines_of(appraisal, pairs=pairs), appraisal.ranking, strict=True):
        first, last = ranks[vendor.name]
        assert line.ranks == (str(first) if first == last else f"{first}–{last}")


def test_who_is_out_looks_so(appraisal):
    best = appraisal.ranking[0].name
    assert [line.look for line in lines_of(appraisal, candidates=(best,))] == ["", *["beaten"] * 4]


def test_too_few_rows_have_no_interval_and_say_so():
    lines = lines_of(contaminated(3, rows=5, anchor=6))
    assert {line.interval for line in lines} == {"no interval"}
    assert all(line.share.endswith("no interval") for line in lines)


def test_one_vendor_has_distances_and_no_percentages():
    alone = contaminated(1)
    shown = board(alone, Naming.of(alone.moments.names))
    assert not shown.has_shares
    assert "%" not in spoken(alone.vendors[0], alone)
    assert amounts(0.1, 0.2, alone) == "0.100 to 0.200"


def test_dropped_rows_are_counted(tmp_path):
    import pandas as pd

    import karat

    frame = pd.DataFrame({"x": [1.0, 2.0, None, 4.0, 5.0] * 4})
    frame.to_csv(tmp_path / "acme.csv", index=False)
    pd.DataFrame({"x": range(20)}).to_csv(tmp_path / "mine.csv", index=False)
    appraisal = karat.appraise(
        {"acme": tmp_path / "acme.csv"}, anchor=tmp_path / "mine.csv", missing="drop", keep_copies=True
    )
    assert lines_of(appraisal)[0].rows == "16 rows, 4 dropped"


def test_a_board_without_intervals_promises_none():
    for market in ({"anchor": None, "reference": "equal-size"}, {"anchor": 6, "rows": 3}):
        page = report(contaminated(3, **market))
        assert "The dot is the estimate." in page
        assert "% interval" not in page.split('id="karat-appraisal"')[0].replace("\xa0", " ")


def test_biased_values_are_called_biased_in_the_method():
    biased = contaminated(3, anchor=None, reference="equal-size")
    assert dict(method(biased))["Estimate"].startswith("biased, ")
    assert dict(method(contaminated(3)))["Estimate"].startswith("unbiased, ")
