from __future__ import annotations

import hashlib

import numpy as np
import pandas as pd
import pytest

from karat.errors import KaratError, MarketError, SchemaError, SourceError
from karat.schema import Layout
from karat.sources import Table, demo
from karat.vendors import Market


def frame(rows, seed=0):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {"a": rng.normal(size=rows), "b": rng.integers(0, 9, rows), "c": rng.random(rows) > 0.5}
    )


def arrays(*sizes):
    rng = np.random.default_rng(0)
    return {f"v{i}": rng.normal(size=(m, 3)) for i, m in enumerate(sizes)}


def test_arrays_are_used_as_they_are():
    given, own = arrays(12, 20), np.ones((15, 3), dtype=np.float32)
    market = Market.read(given, anchor=own)
    assert market.names == ("v0", "v1")
    assert [source.name for source in market.sources] == ["v0", "v1", "anchor"]
    assert all(np.shares_memory(s.rows, given[s.name]) for s in market.samples)
    assert np.shares_memory(market.anchor.rows, own)
    assert (market.encoder, market.inputs, market.layout) == (None, (), Layout.unnamed(3))


def test_without_an_anchor_the_sources_are_the_vendors():
    market = Market.read(arrays(12, 20))
    assert market.anchor is None
    assert market.sources == market.samples


def test_frames_are_encoded_by_the_anchor():
    acme, own = frame(30), frame(25, seed=1)
    market = Market.read({"acme": acme}, anchor=own)
    expected = (acme - own.mean()) / own.std(ddof=0)
    np.testing.assert_allclose(market.samples[0].rows, expected.to_numpy(), rtol=1e-12)
    assert market.layout.names == ("a", "b", "c")
    assert [block.kind for block in market.layout] == ["number", "number", "bool"]
    assert market.encoder.reference == ("anchor",)
    for source in market.sources:
        assert source.rows.flags.c_contiguous
        assert not source.rows.flags.writeable


def test_files_and_frames_and_tables_mix_and_inputs_are_hashed(tmp_path):
    acme, globex = frame(30), frame(20, seed=1)
    acme.to_csv(tmp_path / "acme.csv", index=False)
    folder = tmp_path / "globex"
    folder.mkdir()
    globex[:15].to_parquet(folder / "1.parquet")
    globex[15:].to_parquet(folder / "2.parquet")
    own = Table.of(a=[0.0, 1.0] * 6, b=[1.0, 2.0] * 6, c=[0.0, 1.0] * 6)
    mixed = Market.read({"acme": str(tmp_path / "acme.csv"), "globex": folder}, anchor=own)
    frames = Market.read({"acme": acme, "globex": globex}, anchor=own)
    for one, other in zip(mixed.samples, frames.samples, strict=True):
        np.testing.assert_array_equal(one.rows, other.rows)
    assert [(file.name, file.path, file.rows) for file in mixed.inputs] == [
        ("acme", "acme.csv", 30),
        ("globex", "1.parquet", 15),
        ("globex", "2.parquet", 5),
    ]
    assert mixed.inputs[0].sha256 == hashlib.sha256((tmp_path / "acme.csv").read_bytes()).hexdigest()
    assert {f.kind for f in mixed.findings} == {"no-checksums"}
    assert {f.vendor for f in mixed.findings} == {"globex"}


def test_a_list_of_paths_names_the_vendors(tmp_path):
    for name in ("acme", "globex"):
        frame(12).to_csv(tmp_path / f"{name}.csv", index=False)
    market = Market.read(sorted(tmp_path.iterdir()))
    assert market.names == ("acme", "globex")
    assert [(f.kind, f.vendor) for f in market.findings] == [("same-rows", "globex")]


def test_column_order_does_not_matter():
    acme, own = frame(30), frame(25, seed=1)
    plain = Market.read({"acme": acme}, anchor=own)
    moved = Market.read({"acme": acme[["c", "a", "b"]]}, anchor=own)
    np.testing.assert_array_equal(plain.samples[0].rows, moved.samples[0].rows)


def test_a_target_becomes_labels():
    acme = frame(30).assign(t=["u", "v", "w"] * 10)
    market = Market.read({"acme": acme, "globex": acme}, anchor=frame(25), target="t")
    assert market.labels_kind == "text"
    assert market.samples[0].labels.tolist() == ["u", "v", "w"] * 10
    assert market.anchor.labels is None
    assert "no-labels" in {finding.kind for finding in market.findings}
    assert Market.read({"acme": frame(30)}, target="b").labels_kind == "number"
    assert Market.read({"acme": frame(30)}).labels_kind is None


def test_one_name_is_as_good_as_a_list():
    assert Market.read({"acme": frame(30)}, columns="a").layout.names == ("a",)
    assert Market.read({"acme": frame(30)}, drop="a").layout.names == ("b", "c")


def test_a_market_is_returned_as_it_is_and_options_with_it_are_refused():
    market = Market.read(arrays(12))
    assert Market.read(market) is market
    with pytest.raises(MarketError, match="a market that was read already"):
        Market.read(market, anchor=np.eye(3))


def test_arrays_with_labels():
    market = Market.from_arrays(arrays(3, 2), labels={"v0": [1, 2, 3], "v1": [4, 5]})
    assert market.labels_kind == "number"
    assert Market.from_arrays(arrays(3, 2), labels={"v0": [1, 2, 3]}).labels_kind is None
    with pytest.raises(MarketError, match="labels were given for 'v9'"):
        Market.from_arrays(arrays(3), labels={"v9": [1]})


@pytest.mark.parametrize(
    ("given", "options", "said"),
    [
        ({}, {}, "no vendor was given"),
        ({"acme": frame(0)}, {}, "vendor 'acme' shows no rows"),
        ({"acme": frame(1)}, {}, "vendor 'acme' shows one row"),
        ({"acme": frame(5)}, {"anchor": frame(1)}, "the anchor shows one row"),
        ({"acme": np.eye(3)[:1]}, {}, "vendor 'acme' shows one row"),
        ({"acme": np.eye(3), "globex": np.eye(2)}, {}, "vendor 'globex' has 2 columns, 'acme' has 3"),
        ({"acme": np.eye(3)}, {"anchor": np.eye(4)}, "the anchor has 4 columns"),
        ({"acme": frame(5), "globex": np.eye(3)}, {}, "'globex' is a bare array, 'acme' has named columns"),
        ({"acme": np.eye(3)}, {"anchor": "own.csv"}, "'acme' is a bare array, 'anchor' has"),
        ({"anchor": frame(5)}, {"anchor": frame(5)}, "a vendor is called 'anchor'"),
        ({"acme": np.eye(3)}, {"columns": ["a"]}, "given for arrays"),
        ({"acme": np.eye(3)}, {"missing": "drop"}, "given for arrays"),
    ],
)
def test_what_is_no_market_is_refused(given, options, said):
    with pytest.raises(MarketError, match=said):
        Market.read(given, **options)


def test_an_unreadable_file_is_said_with_the_vendor_s_name(tmp_path):
    (tmp_path / "data.csv").write_text("a,b\n1,2\n1,2,3\n")
    with pytest.raises(SourceError, match=r"^'acme': 1 row of data\.csv") as caught:
        Market.read({"acme": tmp_path / "data.csv"})
    assert (caught.value.vendor, caught.value.row) == ("acme", 2)


def test_a_bad_cell_is_placed_in_its_file(tmp_path):
    folder = tmp_path / "acme"
    folder.mkdir()
    (folder / "1.csv").write_text("a\n1\n2\n")
    (folder / "2.csv").write_text("a\n3\ninf\n")
    with pytest.raises(SchemaError, match=r"'acme' has an infinite number in column 'a', row 2 of 2\.csv"):
        Market.read({"acme": folder})


@pytest.mark.parametrize("cell", [np.nan, np.inf, 1e308, -0.0, 5e-324, 2.0**63, -1e200])
@pytest.mark.parametrize("where", ["vendor", "anchor", "both"])
def test_any_cell_gives_finite_rows_or_a_typed_error(cell, where):
    acme, own = frame(12), frame(12, seed=1)
    for source in [acme, own] if where == "both" else [acme if where == "vendor" else own]:
        source.loc[3, "a"] = cell
    try:
        market = Market.read({"acme": acme}, anchor=own)
    except KaratError:
        assert np.isinf(cell)
    else:
        assert not np.isinf(cell)
        for source in market.sources:
            assert np.isfinite(source.rows).all()


def test_inputs_are_left_untouched():
    acme, given = frame(12), arrays(12)
    acme.loc[2, "a"] = np.nan
    before, copies = acme.copy(deep=True), {name: rows.copy() for name, rows in given.items()}
    Market.read({"acme": acme}, anchor=acme)
    Market.read(given)
    pd.testing.assert_frame_equal(acme, before)
    np.testing.assert_array_equal(given["v0"], copies["v0"])


def test_with_an_anchor_a_junk_vendor_moves_nobody():
    acme, own = frame(30), frame(25, seed=1)
    junk = pd.DataFrame({"a": [1e300, np.nan] * 10, "b": [np.nan] * 20, "c": [-1e9] * 20})
    alone = Market.read({"acme": acme}, anchor=own)
    beside = Market.read({"acme": acme, "junk": junk}, anchor=own)
    for i in (0, -1):
        np.testing.assert_array_equal(beside.sources[i].rows[:, :3], alone.sources[i].rows)
        assert not beside.sources[i].rows[:, 3:].any()


def test_the_demo_market_reads_without_findings():
    market = Market.read(demo.vendors(), anchor=demo.anchor())
    assert market.names == ("acme", "globex", "umbrella", "initech", "hooli", "vandelay")
    assert market.findings == ()
    assert len(market.inputs) == 7
