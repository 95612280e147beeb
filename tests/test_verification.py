"""A report is checked against itself and its data, and the first difference is named."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import karat
from karat.errors import AppraisalError, UsageError
from karat.guarantees.asymptotic import squared_distances
from karat.verification import verify


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Three vendors, one of them a folder of two files, and an anchor; and the appraisal of them."""
    folder = tmp_path_factory.mktemp("market")
    rng = np.random.default_rng(0)

    def frame(shift, rows):
        return pd.DataFrame(rng.normal(shift, 1.0, size=(rows, 2)), columns=["price", "size"])

    frame(0.0, 60).to_csv(folder / "acme.csv", index=False)
    frame(0.5, 50).to_parquet(folder / "globex.parquet")
    (folder / "initech").mkdir()
    frame(1.0, 30).to_csv(folder / "initech" / "a.csv", index=False)
    frame(1.0, 20).to_csv(folder / "initech" / "b.csv", index=False)
    frame(0.0, 40).to_csv(folder / "mine.csv", index=False)
    return folder


@pytest.fixture(scope="module")
def report(folder):
    market = {"acme": folder / "acme.csv", "globex": folder / "globex.parquet", "initech": folder / "initech"}
    appraisal = karat.appraise(market, anchor=folder / "mine.csv")
    appraisal.to_html(folder / "report.html")
    return folder / "report.html"


@pytest.fixture
def files(folder):
    return [folder / name for name in ("acme.csv", "globex.parquet", "initech", "mine.csv")]


def test_a_report_holds_against_itself_and_its_files(report, files):
    found = verify(report, files)
    assert found.difference is None
    assert len(found.checked) == 4


def test_files_are_found_in_folders_whatever_else_lies_there(report, folder):
    assert verify(report, [folder, folder / "initech"]).holds


def altered(report, tmp_path, alter):
    """The report with its appraisal changed, the page left as it was; as JSON."""
    saved = karat.load(report).to_dict()
    alter(saved)
    path = tmp_path / "appraisal.json"
    path.write_text(json.dumps(saved))
    return path


def test_a_value_that_does_not_follow_is_named(report, tmp_path):
    def alter(saved):
        saved["vendors"][1]["value"] -= 1e-6

    found = verify(altered(report, tmp_path, alter))
    assert found.difference.startswith("value of globex is -0.")
    assert not found.holds


def test_a_ruler_that_does_not_follow_is_named(report, tmp_path):
    found = verify(altered(report, tmp_path, lambda saved: saved["ruler"].update(percent=1.0)))
    assert found.difference.startswith("percent of the ruler is 1.0")


def test_a_word_changed_on_the_page_is_found(report, tmp_path):
    path = tmp_path / "report.html"
    path.write_text(report.read_text().replace("Pair by pair", "Pair by bear"))
    assert "Pair by bear" in verify(path).difference


def test_a_page_of_another_version_is_not_compared_and_says_so(report, tmp_path):
    text = report.read_text()
    path = tmp_path / "report.html"
    path.write_text(text.replace('"karat": "0.1.0"', '"karat": "0.0.9"'))
    found = verify(path)
    assert found.holds
    assert "written by karat 0.0.9" in found.checked[1]


def test_a_file_that_changed_is_named_with_both_hashes(report, files, tmp_path):
    (tmp_path / "acme.csv").write_text("price,size\n1,2\n3,4\n")
    found = verify(report, [tmp_path / "acme.csv", *files[1:]])
    assert found.difference.startswith("acme.csv of acme is another file now: its SHA-256 is ")


def test_moments_that_do_not_follow_from_the_data_are_named(report, files, tmp_path):
    appraisal = karat.load(report)
    gram = appraisal.moments.gram.copy()
    gram[0, 1] = gram[1, 0] = gram[0, 1] + 1e-3

    def alter(saved):
        from karat.gram.packing import pack

        saved["moments"]["gram"] = pack(gram)

    path = altered(report, tmp_path, alter)
    path.write_text(karat.load(path).to_json())  # values that follow from the altered moments
    found = verify(path, files)
    assert found.difference.startswith("gram of acme and globex is ")


def test_chosen_weights_and_seeded_references_are_recomputed(folder, files, tmp_path):
    market = {path.stem: path for path in files[:2]}
    for reference in ({"acme": 0.25, "globex": 0.75}, "equal-size"):
        path = tmp_path / "appraisal.json"
        karat.appraise(market, reference=reference, seed=3, precision="float64").save(path)
        assert verify(path, files[:2]).holds


def test_a_file_that_was_not_given_is_asked_for(report, files):
    with pytest.raises(UsageError, match=r"'mine\.csv' of 'anchor' was not given.*all files"):
        verify(report, files[:-1])


def test_rows_in_memory_cannot_be_verified_by_files(files, tmp_path):
    rng = np.random.default_rng(0)
    karat.appraise({"a": rng.normal(size=(20, 2))}, anchor=rng.normal(size=(20, 2))).save(tmp_path / "a.json")
    assert verify(tmp_path / "a.json").holds
    with pytest.raises(UsageError, match="rows in memory"):
        verify(tmp_path / "a.json", files)


def test_what_is_no_report_is_refused(tmp_path):
    with pytest.raises(AppraisalError):
        verify(tmp_path / "absent.html")


@pytest.fixture(scope="module")
def crowd(tmp_path_factory):
    """More vendors than moments keep a covariance for, as files, and their appraisal."""
    folder = tmp_path_factory.mktemp("crowd")
    rng = np.random.default_rng(1)
    for i in range(66):
        pd.DataFrame(rng.normal(i / 66, 1.0, size=(12, 2)), columns=["a", "b"]).to_csv(
            folder / f"v{i}.csv", index=False
        )
    pd.DataFrame(rng.normal(size=(30, 2)), columns=["a", "b"]).to_csv(folder / "mine.csv", index=False)
    market = {f"v{i}": folder / f"v{i}.csv" for i in range(66)}
    karat.appraise(market, anchor=folder / "mine.csv", precision="float64").save(folder / "appraisal.json")
    return folder


def test_a_market_of_many_holds_and_says_what_its_moments_cannot_tell(crowd):
    found = verify(crowd / "appraisal.json", [crowd])
    assert found.difference is None
    assert found.checked[0].endswith("the intervals from saved errors")


def recast(crowd, tmp_path, **changed):
    """The appraisal with other distances saved beside its moments, and values that follow from those."""
    appraisal = karat.load(crowd / "appraisal.json")
    path = tmp_path / "recast.json"
    replace(appraisal, distances=replace(appraisal.distances, **changed)).save(path)
    return path


def test_distances_that_do_not_follow_from_the_moments_of_many_are_named(crowd, tmp_path):
    """Saved values agree with saved distances here; only the moments tell that both were changed."""
    squared = karat.load(crowd / "appraisal.json").distances.squared.copy()
    squared[65] = 0.0
    found = verify(recast(crowd, tmp_path, squared=squared))
    assert found.difference.startswith("squared of v65 is 0 in the file, and 0.")


def test_errors_that_do_not_follow_from_the_rows_of_many_are_named(crowd, tmp_path):
    plug_in = karat.load(crowd / "appraisal.json").distances.plug_in * 0.5
    path = recast(crowd, tmp_path, plug_in=plug_in)
    assert verify(path).holds
    assert verify(path, [crowd]).difference.startswith("plug_in of v0 is ")


def test_landmarks_are_drawn_again_with_the_error_that_they_claim(folder, files, tmp_path):
    market = {path.stem: path for path in files[:2]}
    appraisal = karat.appraise(market, anchor=files[3], method="landmarks")
    appraisal.save(tmp_path / "appraisal.json")
    assert verify(tmp_path / "appraisal.json", files).holds
    claimed = replace(appraisal.moments, approximation=np.full((3, 3), 1e-9))
    distances = squared_distances(claimed, appraisal.reference.contrasts, claimed.vendor_names)
    replace(appraisal, moments=claimed, distances=distances).save(tmp_path / "claimed.json")
    assert verify(tmp_path / "claimed.json", files).difference.startswith("approximation of ")


def test_a_report_of_files_read_in_parts_holds_when_they_are_read_so_again(folder, files, monkeypatch):
    market = {"acme": folder / "acme.csv", "globex": folder / "globex.parquet"}
    monkeypatch.setenv("KARAT_MAX_CELLS", "80")
    karat.appraise(market, anchor=folder / "mine.csv").to_html(folder / "parts.html")
    given = [files[0], files[1], files[3]]
    assert verify(folder / "parts.html", given).holds
    monkeypatch.delenv("KARAT_MAX_CELLS")
    with pytest.raises(UsageError, match=r"were read in parts when .* Set KARAT_MAX_CELLS to fewer cells"):
        verify(folder / "parts.html", given)


def test_a_report_of_files_held_in_memory_asks_for_them_to_be_held_again(report, files, monkeypatch):
    monkeypatch.setenv("KARAT_MAX_CELLS", "80")
    with pytest.raises(UsageError, match=r"were held in memory when .* Set KARAT_MAX_CELLS to more cells"):
        verify(report, files)
