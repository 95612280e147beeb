from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from karat.errors import SchemaError
from karat.schema import Encoder
from karat.schema.encode import CLIP
from karat.sources import Numbers, Table

NAMES = ("a", "b", "c")


def table(cells, names=NAMES):
    cells = np.asarray(cells, dtype=np.float64)
    return Table(tuple(Numbers(n, cells[:, i].copy()) for i, n in enumerate(names)), len(cells))


def draws(*sizes, seed=0):
    rng = np.random.default_rng(seed)
    return [rng.normal(i, 1 + i, size=(m, 3)) for i, m in enumerate(sizes)]


def encode(tables, *, anchor="anchor", **options):
    encoder = Encoder.fit(tables, anchor=anchor, **options)
    return {name: encoder.encode(one, vendor=name).rows for name, one in tables.items()}


def test_the_reference_has_mean_zero_and_deviation_one():
    acme, anchor = draws(30, 20)
    rows = encode({"acme": table(acme), "anchor": table(anchor)})
    np.testing.assert_allclose(rows["anchor"].mean(axis=0), 0.0, atol=1e-14)
    np.testing.assert_allclose(rows["anchor"].std(axis=0), 1.0, rtol=1e-14)
    np.testing.assert_allclose(rows["acme"], (acme - anchor.mean(axis=0)) / anchor.std(axis=0), rtol=1e-12)


def test_without_an_anchor_every_vendor_has_the_same_weight():
    one, other = draws(30, 20)
    once = encode({"one": table(one), "other": table(other)}, anchor=None)
    often = encode({"one": table(np.tile(one, (9, 1))), "other": table(other)}, anchor=None)
    np.testing.assert_allclose(often["other"], once["other"], rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(once["one"].mean(axis=0) + once["other"].mean(axis=0), 0.0, atol=1e-14)


offsets = st.sampled_from([0.0, 1.0, -1e3, 1e9])
scales = st.sampled_from([1e-6, 0.5, 3.0, 1e6])
cells = arrays(np.float64, (12, 3), elements=st.floats(-10, 10).map(lambda x: round(x, 3)))


@given(cells, cells, st.tuples(offsets, offsets, offsets), st.tuples(scales, scales, scales))
def test_shifts_and_scales_of_columns_change_nothing(acme, anchor, shift, scale):
    anchor = anchor + np.linspace(0, 1, 12)[:, np.newaxis]  # no constant column: it has no scale to undo
    spread = anchor.std(axis=0)
    if (spread < 0.05).any():
        return
    plain = encode({"acme": table(acme), "anchor": table(anchor)})
    moved = encode({n: table(x * scale + shift) for n, x in (("acme", acme), ("anchor", anchor))})
    # What the inputs themselves lose in float64 when 1e9 is added, in units of the reference's spread.
    lost = 1e-15 * (1.0 + np.abs(shift) / (np.asarray(scale) * spread) + 10 / spread)
    lost = np.where(np.abs(plain["acme"]) + np.abs(moved["acme"]) < 2 * CLIP, lost * 10, np.inf)
    assert (np.abs(moved["acme"] - plain["acme"]) <= lost * (1 + np.abs(plain["acme"]))).all()


@given(st.permutations(range(3)))
def test_column_order_changes_nothing_but_the_order(order):
    acme, anchor = draws(11, 12)
    names = tuple(NAMES[i] for i in order)
    plain = encode({"acme": table(acme), "anchor": table(anchor)})
    vendor_moved = encode({"acme": table(acme[:, order], names), "anchor": table(anchor)})
    all_moved = encode({"acme": table(acme[:, order], names), "anchor": table(anchor[:, order], names)})
    np.testing.assert_array_equal(vendor_moved["acme"], plain["acme"])
    np.testing.assert_array_equal(all_moved["acme"], plain["acme"][:, order])


@given(
    arrays(
        np.float64,
        st.tuples(st.integers(2, 8), st.just(3)),
        elements=st.one_of(st.floats(allow_infinity=False), st.just(np.nan)),
    )
)
def test_with_an_anchor_no_vendor_can_move_another(junk):
    """Whatever finite cells and gaps a junk vendor shows, the others' distances stay as they are."""
    acme, anchor = draws(10, 12)
    acme[3, 1] = np.nan
    alone = encode({"acme": table(acme), "anchor": table(anchor)})
    beside = encode({"acme": table(acme), "junk": table(junk), "anchor": table(anchor)})
    for name in ("acme", "anchor"):
        known = alone[name].shape[1]
        np.testing.assert_array_equal(beside[name][:, :3], alone[name][:, :3])
        # Flags that the junk vendor brought are 0 for all others.
        assert beside[name][:, 3:].sum() == alone[name][:, 3:known].sum()
    distances = np.square(beside["acme"][:, np.newaxis] - beside["anchor"]).sum(axis=2)
    expected = np.square(alone["acme"][:, np.newaxis] - alone["anchor"]).sum(axis=2)
    np.testing.assert_allclose(distances, expected, rtol=1e-15)
    assert np.isfinite(beside["junk"]).all()
    assert np.abs(beside["junk"]).max() <= CLIP


def test_missing_cells_are_filled_at_the_mean_and_flagged():
    acme, anchor = draws(5, 12)
    acme[1, 0] = acme[4, 2] = np.nan
    tables = {"acme": table(acme), "anchor": table(anchor)}
    encoder = Encoder.fit(tables, anchor="anchor")
    assert encoder.layout.names == ("a", "b", "c", "a (missing)", "c (missing)")
    assert [block.kind for block in encoder.layout] == ["number"] * 3 + ["missing"] * 2
    encoded = encoder.encode(tables["acme"], vendor="acme")
    assert encoded.rows[1, 0] == encoded.rows[4, 2] == 0.0
    assert encoded.rows[:, 3].tolist() == [0, 1, 0, 0, 0]
    assert encoded.rows[:, 4].tolist() == [0, 0, 0, 0, 1]
    assert [(f.kind, f.column, f.count) for f in encoded.findings] == [
        ("missing", "a", 1),
        ("missing", "c", 1),
    ]
    assert encoded.findings[0].message.startswith("1 cell of a is missing in acme")


def test_without_missing_cells_there_are_no_flags():
    acme, anchor = draws(5, 12)
    assert Encoder.fit({"acme": table(acme), "anchor": table(anchor)}, anchor="anchor").layout.width == 3


def test_rows_with_missing_cells_can_be_left_out_and_are_counted():
    acme, anchor = draws(5, 12)
    acme[1, 0] = anchor[3, 2] = np.nan
    tables = {"acme": table(acme), "anchor": table(anchor)}
    encoder = Encoder.fit(tables, anchor="anchor", missing="drop")
    encoded = encoder.encode(tables["acme"], vendor="acme")
    assert encoded.kept.tolist() == [0, 2, 3, 4]
    assert [(f.kind, f.count) for f in encoded.findings] == [("dropped-rows", 1)]
    np.testing.assert_allclose(encoder.encode(tables["anchor"], vendor="anchor").rows.std(axis=0), 1.0)


def test_too_few_complete_rows_say_so():
    acme, anchor = draws(5, 12)
    acme[1:, 0] = np.nan
    tables = {"acme": table(acme), "anchor": table(anchor)}
    with pytest.raises(SchemaError, match="only 1 of 5 rows of 'acme'"):
        Encoder.fit(tables, anchor="anchor", missing="drop").encode(tables["acme"], vendor="acme")


@pytest.mark.parametrize(
    ("cell", "options", "said"),
    [
        (np.nan, {"missing": "error"}, "'acme' has no value in column 'b', row 3"),
        (np.inf, {}, "'acme' has an infinite number in column 'b', row 3"),
        (-np.inf, {"missing": "drop"}, "infinite number"),
        (1e200, {"scaling": "none"}, r"'acme' has 1e\+200, whose square overflows, in column 'b', row 3"),
    ],
)
def test_a_cell_that_cannot_be_used_is_named_with_vendor_column_and_row(cell, options, said):
    acme, anchor = draws(5, 12)
    acme[2, 1] = cell
    with pytest.raises(SchemaError, match=said) as caught:
        Encoder.fit({"acme": table(acme), "anchor": table(anchor)}, anchor="anchor", **options)
    assert (caught.value.vendor, caught.value.column, caught.value.row) == ("acme", "b", 3)


def test_far_cells_are_cut_off_and_counted():
    acme, anchor = draws(5, 12)
    acme[0, 0], acme[1, 0], acme[2, 0] = 1e6, -1.7e308, 5e-324
    tables = {"acme": table(acme), "anchor": table(anchor)}
    encoded = Encoder.fit(tables, anchor="anchor").encode(tables["acme"], vendor="acme")
    assert encoded.rows[:2, 0].tolist() == [CLIP, -CLIP]
    assert [(f.kind, f.vendor, f.column, f.count) for f in encoded.findings] == [("clipped", "acme", "a", 2)]
    assert encoded.findings[0].message.startswith("2 cells of a in acme lie beyond")


def test_a_constant_column_is_kept_so_that_a_vendor_who_differs_is_seen():
    acme, anchor = draws(5, 12)
    acme[:, 1], anchor[:, 1] = 9.0, 7.0
    tables = {"acme": table(acme), "anchor": table(anchor)}
    encoder = Encoder.fit(tables, anchor="anchor")
    assert encoder.encode(tables["acme"], vendor="acme").rows[:, 1].tolist() == [2.0] * 5
    assert [(f.kind, f.column) for f in encoder.findings] == [("constant", "b")]


def test_a_column_that_the_reference_lacks_throughout_compares_absence_only():
    acme, anchor = draws(5, 12)
    anchor[:, 1], acme[0, 1] = np.nan, np.nan
    tables = {"acme": table(acme), "anchor": table(anchor)}
    encoder = Encoder.fit(tables, anchor="anchor")
    rows = encoder.encode(tables["acme"], vendor="acme").rows
    assert rows[:, 1].tolist() == [0.0] * 5
    assert rows[:, 3].tolist() == [1, 0, 0, 0, 0]
    assert [(f.kind, f.column) for f in encoder.findings] == [("unknown-column", "b")]


def test_scaling_none_leaves_numbers_as_they_are():
    acme, anchor = draws(5, 12)
    acme[0, 0] = np.nan
    rows = encode({"acme": table(acme), "anchor": table(anchor)}, scaling="none")["acme"]
    np.testing.assert_array_equal(rows[1:, :3], acme[1:])
    assert rows[0, 0] == pytest.approx(anchor[:, 0].mean(), rel=1e-14)


def test_times_are_seconds_and_said_so():
    times = Table((Numbers("t", np.array([0.0, 60.0]), "time"),), 2)
    encoder = Encoder.fit({"anchor": times}, anchor="anchor")
    assert encoder.encode(times, vendor="anchor").rows.tolist() == [[-1.0], [1.0]]
    assert [(f.kind, f.column) for f in encoder.findings] == [("time", "t")]
    assert encoder.layout.blocks[0].kind == "time"


def test_labels_are_taken_out_and_follow_their_rows():
    tables = {"acme": Table.of(x=[1.0, 2.0, 3.0], t=["u", "v", "w"]), "anchor": Table.of(x=[0.0, 5.0])}
    tables["acme"].by_name["x"].values[1] = np.nan
    encoder = Encoder.fit(tables, anchor="anchor", target="t", missing="drop")
    assert encoder.layout.names == ("x",)
    assert encoder.encode(tables["acme"], vendor="acme").labels.tolist() == ["u", "w"]
    assert encoder.encode(tables["anchor"], vendor="anchor").labels is None


def test_a_missing_label_is_named_or_its_row_dropped():
    tables = {"acme": Table.of(x=[1.0, 2.0, 3.0], t=[1.0, np.nan, 2.0])}
    with pytest.raises(SchemaError, match=r"no label in column 't', row 2.*--missing drop"):
        Encoder.fit(tables, target="t").encode(tables["acme"], vendor="acme")
    encoder = Encoder.fit(tables, target="t", missing="drop")
    assert encoder.encode(tables["acme"], vendor="acme").labels.tolist() == [1, 2]


def test_a_frozen_encoder_encodes_a_later_table_alike():
    acme, later, anchor = draws(5, 6, 12)
    tables = {"acme": table(acme), "anchor": table(anchor)}
    encoder = Encoder.fit(tables, anchor="anchor")
    later[0, 0] = np.nan  # no flag was made for it
    encoded = encoder.encode(table(later), vendor="later")
    assert encoded.rows.shape == (6, 3)
    assert encoded.rows[0, 0] == 0.0
    assert [f.kind for f in encoded.findings] == ["missing"]
    with pytest.raises(SchemaError, match=r"'later' lacks 'c', which the encoder was fitted with"):
        encoder.encode(table(later[:, :2], NAMES[:2]), vendor="later")


def test_an_encoder_survives_being_saved_and_its_digest_tells_encoders_apart():
    acme, anchor = draws(5, 12)
    tables = {"acme": table(acme), "anchor": table(anchor)}
    encoder = Encoder.fit(tables, anchor="anchor")
    again = Encoder.from_dict(json.loads(json.dumps(encoder.to_dict())))
    assert again == encoder
    assert again.digest == encoder.digest
    assert Encoder.fit(tables).digest != encoder.digest
    np.testing.assert_array_equal(
        again.encode(tables["acme"], vendor="acme").rows, encoder.encode(tables["acme"], vendor="acme").rows
    )


@pytest.mark.parametrize(
    ("option", "allowed"), [("missing", "'flag', 'drop', 'error'"), ("scaling", "'reference'")]
)
def test_an_unknown_option_is_refused_with_those_there_are(option, allowed):
    with pytest.raises(SchemaError, match=f"{option} is 'magic'.*{allowed}"):
        Encoder.fit({"acme": Table.of(x=[1.0, 2.0])}, **{option: "magic"})


def test_tables_are_left_untouched():
    acme, anchor = draws(5, 12)
    acme[0, 0] = np.nan
    tables = {"acme": table(acme), "anchor": table(anchor)}
    encode(tables)
    np.testing.assert_array_equal(tables["acme"].by_name["a"].values, acme[:, 0])
