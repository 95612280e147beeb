"""A market whose files do not fit in memory is the market that it would be if they did."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import karat
from karat.errors import KaratError, MarketError, SchemaError, SourceError
from karat.integrity import without_copies
from karat.sources.draws import priorities
from karat.vendors import StreamedSample, large
from karat.vendors.hashes import row_hashes
from karat.vendors.sketch import Room


def frame(rng, rows, shift=0.0):
    found = pd.DataFrame(rng.normal(shift, 1.0, (rows, 4)), columns=list("abcd"))
    return found.assign(d=found["d"].round())


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Three vendors in three formats: one with gaps, one that shows rows twice and rows of the anchor."""
    rng = np.random.default_rng(0)
    monkeypatch.setattr("karat.sources.npz.CELLS_AT_ONCE", 1000)
    monkeypatch.setattr("karat.sources.parquet.CELLS_AT_ONCE", 1000)
    monkeypatch.setattr("karat.sources.delimited.LONGEST_ROW", 10_000)
    anchor, acme, globex, initech = frame(rng, 300), frame(rng, 2000), frame(rng, 1500, 0.3), frame(rng, 900)
    globex.loc[rng.random(1500) < 0.02, "b"] = np.nan
    globex.loc[7, "c"] = 1e6
    initech = pd.concat([initech, anchor[:100], initech[:200]])
    anchor.to_csv(tmp_path / "anchor.csv", index=False)
    acme.to_csv(tmp_path / "acme.csv", index=False)
    globex.to_parquet(tmp_path / "globex.parquet", index=False)
    np.savez(tmp_path / "initech.npz", **{name: initech[name].to_numpy() for name in initech})
    return {name: str(next(tmp_path.glob(f"{name}.*"))) for name in ("acme", "globex", "initech", "anchor")}


def both(files, monkeypatch, **options):
    """The market read whole, and in parts."""
    given = dict(files)
    anchor = given.pop("anchor")
    monkeypatch.setenv("KARAT_MAX_CELLS", "1000000")
    whole = karat.Market.read(given, anchor=anchor, **options)
    monkeypatch.setenv("KARAT_MAX_CELLS", "3000")
    parts = karat.Market.read(given, anchor=anchor, **options)
    assert parts.is_streamed
    assert not whole.is_streamed
    return whole, parts


def rows_of(source):
    return np.concatenate(list(source.chunks()))


@pytest.mark.parametrize("options", [{}, {"missing": "drop"}, {"scaling": "none"}, {"columns": ["c", "a"]}])
def test_rows_encoder_and_inputs_are_those_of_the_market_in_memory(files, monkeypatch, options):
    whole, parts = both(files, monkeypatch, **options)
    assert parts.encoder == whole.encoder
    assert parts.inputs == whole.inputs
    assert parts.layout == whole.layout
    for one, other in zip(parts.sources, whole.sources, strict=True):
        assert isinstance(one, StreamedSample)
        assert (one.name, one.size, one.width) == (other.name, other.size, other.width)
        np.testing.assert_array_equal(rows_of(one), other.rows)


def test_findings_are_those_of_the_market_in_memory(files, monkeypatch):
    whole, parts = both(files, monkeypatch)

    def told(market):
        return sorted(f.message for f in without_copies(market).findings if f.kind != "clipped")

    assert told(parts) == told(whole)
    assert any("are rows of your own" in message for message in told(parts))
    assert any("repeat other rows" in message for message in told(parts))
    assert [f.message for f in parts.findings if f.kind == "clipped"] == [
        "cells of c in globex lie beyond 100 deviations: cut off there."
    ]


def test_values_and_intervals_are_the_very_bits_of_landmarks_in_memory(files, monkeypatch):
    whole, parts = both(files, monkeypatch)
    known, found = karat.appraise(whole, method="landmarks", seed=4), karat.appraise(parts, seed=4, workers=1)
    assert found.vendors == known.vendors
    assert found.vendors[2].rows == 900
    assert found.provenance["method"]["name"] == "landmarks"
    assert "read in parts" in found.provenance["method"]["reason"]


def test_the_size_of_chunks_changes_no_bit(files, monkeypatch):
    _, parts = both(files, monkeypatch)
    first = karat.appraise(parts)
    monkeypatch.setattr("karat.sources.npz.CELLS_AT_ONCE", 77)
    monkeypatch.setattr("karat.sources.parquet.CELLS_AT_ONCE", 4001)
    monkeypatch.setattr("karat.sources.delimited.LONGEST_ROW", 333_333)
    _, again = both(files, monkeypatch)
    assert karat.appraise(again).to_dict() == first.to_dict()


def test_what_needs_all_rows_at_once_says_so_and_helps(files, monkeypatch):
    _, parts = both(files, monkeypatch)
    with pytest.raises(KaratError, match=r"exact method needs all rows in memory.*KARAT_MAX_CELLS"):
        karat.appraise(parts, method="exact")
    with pytest.raises(MarketError, match=r"'acme' is too large to be held in memory \(2,000 rows\)"):
        karat.value(parts, "volume")
    with pytest.raises(MarketError, match="too large to be held"):
        karat.appraise(parts, reference="equal-size")


def test_without_an_anchor_scales_follow_from_all_vendors(files, monkeypatch):
    del files["anchor"]
    whole = karat.Market.read(files)
    monkeypatch.setenv("KARAT_MAX_CELLS", "3000")
    assert karat.Market.read(files).encoder == whole.encoder


def test_scales_follow_from_a_sample_where_the_anchor_is_large_and_a_finding_says_so(files, monkeypatch):
    monkeypatch.setattr(large, "MOST_FITTED", 200)
    whole, parts = both(files, monkeypatch)
    scales = [(f.centre, f.scale) for f in parts.encoder.fields]
    np.testing.assert_allclose(scales, [(f.centre, f.scale) for f in whole.encoder.fields], atol=0.25)
    (finding,) = [f for f in parts.findings if f.kind == "sampled"]
    assert finding.message == "scales and kernel follow from 200 of the 300 rows of anchor."


def test_rows_to_fit_on_that_are_judged_too_are_found_in_parts_as_well(files, monkeypatch):
    given = dict(files)
    anchor = given.pop("anchor")
    monkeypatch.setenv("KARAT_MAX_CELLS", "3000")
    appraisal = karat.appraise(given, anchor=anchor, fit_on=anchor)
    assert any(f.kind == "fitted-on-judged" for f in appraisal.findings)


def test_of_very_many_rows_copies_are_counted_by_a_share_of_them(files, monkeypatch):
    monkeypatch.setattr(large, "MOST_HASHES", 2400)
    _, parts = both(files, monkeypatch)
    assert {source.hash_share for source in parts.sources} == {0.25}
    checked = without_copies(parts)
    assert checked.samples[2].size == 1200
    (finding,) = [f for f in checked.findings if f.kind == "replayed-kept"]
    assert 40 <= finding.count <= 170
    assert "counted by one in 4 of so many rows, and all of them stay" in finding.message


def test_a_sketch_keeps_equal_rows_together_and_the_share_it_says():
    rows = np.random.default_rng(1).normal(size=(4000, 2))
    sketching, again = Room(1100).sketching(), Room(550).sketching()
    for part in np.split(rows, 8):
        sketching.add(part)
    again.add(rows[::-1])
    one, other = sketching.result(), again.result()
    assert one.total == other.total == int(row_hashes(rows).sum(dtype=np.uint64))
    assert (one.level, other.level) == (2, 3)
    assert len(one.hashes) == pytest.approx(4000 * one.share, rel=0.15)
    assert set(one.hashes[one.hashes % 8 == 0]) == set(other.hashes)


def test_sketches_share_their_room_whatever_their_sizes():
    rows = np.random.default_rng(2).normal(size=(1000, 2))
    room = Room(1000)
    large_one, small_one = room.sketching(), room.sketching()
    large_one.add(rows[:990])
    small_one.add(rows[990:])
    assert (large_one.result().level, small_one.result().level) == (0, 0)
    small_one.add(rows[:1])
    assert (large_one.result().level, small_one.result().level) == (1, 1)
    assert len(large_one.result().hashes) + len(small_one.result().hashes) == room.count <= 1000


def test_the_same_rows_under_two_names_are_found_in_any_order(files, monkeypatch, tmp_path):
    turned = pd.read_csv(files["acme"])[::-1]
    turned.to_csv(tmp_path / "twin.csv", index=False)
    _, parts = both(files | {"twin": str(tmp_path / "twin.csv")}, monkeypatch)
    assert [f.message for f in parts.findings if f.kind == "same-rows"] == [
        "twin shows exactly the rows of acme."
    ]


@pytest.mark.parametrize(
    ("cell", "error", "says"),
    [
        ("oops", SchemaError, r"'acme' has a column that holds no numbers: 'a' .*row 1900 of acme\.csv"),
        ("inf", SchemaError, r"'acme' has an infinite number in column 'a', row 1900 of acme\.csv"),
        ("1,2", SourceError, r"'acme': 1 row of acme\.csv has another number of cells.*row 1900"),
    ],
)
def test_a_bad_cell_far_down_a_large_file_is_named(files, monkeypatch, cell, error, says):
    from pathlib import Path

    path = Path(files["acme"])
    lines = path.read_text().splitlines()
    lines[1900] = ",".join([cell, *lines[1900].split(",")[1:]])
    path.write_text("\n".join(lines))
    monkeypatch.setenv("KARAT_MAX_CELLS", "3000")
    anchor = files.pop("anchor")
    with pytest.raises(error, match=says) as caught:
        karat.appraise(files, anchor=anchor)
    assert caught.value.vendor == "acme"
    assert caught.value.row == 1900


def test_the_target_is_left_out_and_said_to_be(files, monkeypatch):
    _, parts = both(files, monkeypatch, target="d")
    assert [block.name for block in parts.layout.blocks[:3]] == ["a", "b", "c"]
    assert any("no valuation sees it" in finding.message for finding in parts.findings)


def test_looking_tells_its_progress(files, monkeypatch):
    monkeypatch.setenv("KARAT_MAX_CELLS", "3000")
    told = []
    karat.Market.read(files, progress=lambda done, total: told.append((done, total)))
    assert told[-1][0] == 4 * (300 + 2000 + 1500 + 1200)
    assert told[-1][1] == pytest.approx(told[-1][0], rel=0.05)


def test_a_stopped_run_goes_on_where_it_was_to_the_same_bits(files, monkeypatch, tmp_path):
    _, parts = both(files, monkeypatch)
    known = karat.appraise(parts)
    monkeypatch.setattr("karat.gram.checkpoint.SECONDS_BETWEEN", 0.0)
    place = tmp_path / "partial.npz"

    class StoppedError(Exception):
        pass

    def stop(done, total):
        if done > total / 2:
            raise StoppedError

    with pytest.raises(StoppedError):
        karat.appraise(parts, progress=stop, checkpoint=place)
    assert place.exists()
    told = []
    again = karat.appraise(parts, progress=lambda done, _: told.append(done), checkpoint=place)
    assert again.to_dict() == known.to_dict()
    assert len(told) < 6
    assert not place.exists()


def test_cells_are_counted_as_far_as_they_were_read(files, monkeypatch):
    monkeypatch.setenv("KARAT_MAX_CELLS", "3000")
    with pytest.raises(SchemaError, match=r"no value in column 'b'.*such cells so far\)"):
        karat.Market.read(files, missing="error")


def test_a_source_without_complete_rows_is_refused_as_in_memory(files, monkeypatch):
    empty = pd.read_csv(files["acme"]).assign(a=np.nan)
    empty.to_csv(files["acme"], index=False)
    said = []
    for most in ("1000000", "3000"):
        monkeypatch.setenv("KARAT_MAX_CELLS", most)
        with pytest.raises(SchemaError, match="only 0 of 2000 rows of 'acme'") as caught:
            karat.Market.read(files, missing="drop")
        said.append(str(caught.value))
    assert said[0] == said[1]


def test_truths_in_one_file_and_numbers_in_the_next_are_encoded_as_in_memory(files, monkeypatch, tmp_path):
    flags = pd.read_csv(files["acme"]).assign(d=lambda table: table["a"] > 0)
    flags[:1000].to_csv(tmp_path / "1.csv", index=False)
    flags[1000:].astype(float).to_csv(tmp_path / "2.csv", index=False)
    given = files | {"acme": [str(tmp_path / "1.csv"), str(tmp_path / "2.csv")]}
    whole, parts = both(given, monkeypatch)
    assert parts.encoder == whole.encoder
    np.testing.assert_array_equal(rows_of(parts.samples[0]), whole.samples[0].rows)


def test_a_file_that_changes_before_its_rows_are_summed_is_named_with_its_vendor(files, monkeypatch):
    from pathlib import Path

    _, parts = both(files, monkeypatch)
    with Path(files["acme"]).open("a") as stream:
        stream.write("1,2,3,4\n")
    with pytest.raises(SourceError, match=r"'acme': acme\.csv has changed while it was read") as caught:
        karat.appraise(parts)
    assert caught.value.vendor == "acme"


def test_partial_sums_of_files_that_changed_since_are_refused(files, monkeypatch, tmp_path):
    from pathlib import Path

    monkeypatch.setattr("karat.gram.checkpoint.SECONDS_BETWEEN", 0.0)
    place = tmp_path / "partial.npz"
    _, parts = both(files, monkeypatch)

    class StoppedError(Exception):
        pass

    def stop(done, total):
        raise StoppedError

    with pytest.raises(StoppedError):
        karat.appraise(parts, progress=stop, checkpoint=place)
    path = Path(files["acme"])
    lines = path.read_text().splitlines()
    last_in = np.maximum(priorities(0, 0, 0, 2000), priorities(0, 1, 0, 2000)).argmax()
    lines[1 + last_in] = "0.5,0.5,0.5,1.0"  # neither a landmark nor compared
    path.write_text("\n".join(lines) + "\n")
    _, other = both(files, monkeypatch)
    with pytest.raises(KaratError, match="is of other rows"):
        karat.appraise(other, checkpoint=place)


def test_rows_that_only_look_equal_once_they_are_encoded_are_no_copies(files, monkeypatch):
    far = pd.read_csv(files["acme"]).assign(a=lambda table: np.arange(len(table)) * 1e6, b=1.0, c=2.0, d=3.0)
    far.to_csv(files["acme"], index=False)
    for market in both(files, monkeypatch):
        checked = without_copies(market)
        assert checked.samples[0].size == 2000
        assert not [f for f in checked.findings if f.vendor == "acme" and f.kind.startswith("repeated")]


def test_copies_are_found_among_rows_without_a_value_in_the_anchor(files, monkeypatch):
    pd.read_csv(files["anchor"]).assign(d=np.nan).to_csv(files["anchor"], index=False)
    again = pd.read_csv(files["acme"])
    pd.concat([again, again[:50]]).to_csv(files["acme"], index=False)
    sizes = [[s.size for s in without_copies(market).samples] for market in both(files, monkeypatch)]
    assert sizes[0] == sizes[1]
    assert sizes[0][0] == 2000


def test_a_sample_is_not_taken_to_be_more_nearly_unique_than_its_source(monkeypatch, tmp_path):
    rng = np.random.default_rng(3)
    given = {}
    for name in ("acme", "globex", "initech"):
        rows = pd.DataFrame({"price": rng.integers(0, 6000, 6000), "kind": rng.integers(0, 2, 6000)})
        again = rows[:500] if name == "acme" else rows[:0]
        pd.concat([rows, again]).to_csv(tmp_path / f"{name}.csv", index=False)
        given[name] = tmp_path / f"{name}.csv"
    monkeypatch.setattr(large, "MOST_SAMPLED", 300)
    monkeypatch.setenv("KARAT_MAX_CELLS", "3000")
    assert [source.size for source in without_copies(karat.Market.read(given)).samples] == [6500, 6000, 6000]
