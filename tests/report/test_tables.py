from __future__ import annotations

import csv
import io

import pyarrow.parquet as pq
import pytest

from karat.cli.output import WRITERS, write
from karat.errors import UsageError
from karat.report.tables import defused, frame, records, to_csv, to_markdown, to_parquet
from karat.vendors import Market
from markets import HOSTILE


@pytest.fixture
def market():
    return Market.read({"=1+1": [[0.0], [1.0]], "acme": [[1.0], [2.0]]}, anchor=[[0.0], [3.0]])


def test_csv_reads_back_as_the_numbers(appraisal):
    rows = list(csv.DictReader(io.StringIO(to_csv(appraisal))))
    assert [row["name"] for row in rows] == [vendor.name for vendor in appraisal.ranking]
    assert [float(row["value"]) for row in rows] == [vendor.value for vendor in appraisal.ranking]


def test_parquet_reads_back_with_its_types(appraisal):
    table = pq.read_table(io.BytesIO(to_parquet(appraisal)), page_checksum_verification=True)
    assert table.to_pylist() == records(appraisal)


FORMULAS = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "  =1", "＝1", "＋1"]


@pytest.mark.parametrize("text", FORMULAS)
def test_formulas_are_defused(text):
    assert defused(text).startswith("'")


def test_numbers_and_plain_text_stay(appraisal):
    assert [defused(cell) for cell in (-0.5, 3, None, True, "acme-1", "a=b")] == [
        *(-0.5, 3, None, True),
        "acme-1",
        "a=b",
    ]


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".md"])
def test_no_file_holds_a_formula_or_a_control_character(attacked, suffix):
    written = WRITERS[suffix](attacked)
    if suffix == ".parquet":
        cells = [str(row["name"]) for row in pq.read_table(io.BytesIO(written)).to_pylist()]
    elif suffix == ".csv":
        cells = [row["name"] for row in csv.DictReader(io.StringIO(written))]
    else:
        cells = [line.split("|")[1].strip() for line in written.splitlines() if line.startswith("| ")][2:]
    assert len(cells) == len(HOSTILE)
    assert not any(cell.startswith(("=", "+", "-", "@")) for cell in cells)
    assert not any(ord(character) < 32 or character in "\u202e\u200b" for cell in cells for character in cell)


def test_markdown_names_make_no_markup(attacked):
    text = to_markdown(attacked)
    assert "<script" not in text.replace("\\<", "")
    table = [line for line in text.splitlines() if line.startswith("| ")]
    assert len({line.replace("\\|", "").count("|") for line in table}) == 1


def test_frames_hold_names_as_they_are(attacked, market, appraisal):
    whole = {name.strip().replace("\ud800", "?") for name in HOSTILE}  # half a character is none
    assert set(frame(attacked)["name"]) == whole
    assert list(frame(market)["name"]) == ["=1+1", "acme", "anchor"]
    assert frame(appraisal.compare("vendor 0", "vendor 4"))["verdict"].tolist() == ["better"]
    assert len(frame(appraisal.matrix())) == 20
    assert appraisal.to_frame().equals(frame(appraisal))


def test_frames_come_from_whatever_library_is_there(appraisal, monkeypatch):
    from karat.report import tables

    monkeypatch.setattr(tables, "find_spec", lambda name: name == "polars")
    assert type(frame(appraisal)).__module__.startswith("polars")
    monkeypatch.setattr(tables, "find_spec", lambda name: None)
    assert type(frame(appraisal)).__module__.startswith("pyarrow")


def test_every_suffix_is_written_and_others_are_refused(appraisal, tmp_path):
    for suffix in (".json", ".html", ".md", ".csv", ".parquet"):
        write(appraisal, tmp_path / f"out{suffix}")
        assert (tmp_path / f"out{suffix}").stat().st_size > 100
    assert sorted(path.suffix for path in tmp_path.iterdir()) == sorted(WRITERS)
    with pytest.raises(UsageError, match=r"\.json, \.html, \.md, \.csv, \.parquet"):
        write(appraisal, tmp_path / "out.xlsx")
