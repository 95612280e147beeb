from __future__ import annotations

import numpy as np
import pytest

from karat.errors import SchemaError
from karat.schema.choose import choose_columns, listed
from karat.sources import Numbers, Table
from karat.sources.table import Stray, Text, Unreadable, text_column

A = Table.of(x=[1.0, 2.0], y=[3.0, 4.0], town=["u", "v"])
B = Table.of(town=["u", "v"], y=[3.0, 4.0], x=[1.0, 2.0])


def choose(*, anchor=A, acme=B, **asked):
    return choose_columns({"anchor": anchor, "acme": acme}, reference="anchor", **asked)


def test_columns_are_matched_by_name_in_the_order_of_the_reference():
    assert choose(drop=["town"]) == ("x", "y")
    assert choose(anchor=B, acme=A, drop=["town"]) == ("y", "x")


def test_the_target_is_no_feature():
    assert choose(target="y", drop=["town"]) == ("x",)
    assert choose(target="town") == ("x", "y")
    assert choose(columns=["x", "y"], target="y") == ("x",)


def test_chosen_columns_need_not_be_all_that_are_shared():
    assert choose(acme=Table.of(y=[1.0], z=[2.0]), columns=["y"]) == ("y",)


def test_text_is_named_with_the_option_that_leaves_it_out():
    with pytest.raises(
        SchemaError, match=r"'town' \(text such as 'u'\).*drop=\['town'\] \(--drop town\)"
    ) as caught:
        choose()
    assert (caught.value.vendor, caught.value.column) == ("anchor", "town")


def test_all_columns_that_hold_no_numbers_are_named_at_once():
    table = Table(
        (text_column("a", ["u"]), Unreadable("b", "cells of type list"), Numbers("c", np.ones(1))), 1
    )
    with pytest.raises(SchemaError, match=r"2 columns that hold no numbers: 'a', 'b'"):
        choose(anchor=table, acme=table)


def test_the_hint_leaves_out_all_that_hold_no_numbers():
    names = [f"text{i}" for i in range(8)]
    table = Table((*(text_column(name, ["u"]) for name in names), Numbers("n", np.ones(1))), 1)
    with pytest.raises(SchemaError) as caught:
        choose(anchor=table, acme=table)
    assert f"(--drop {','.join(names)})" in caught.value.hint
    assert choose(anchor=table, acme=table, drop=names) == ("n",)


@pytest.mark.parametrize("name", ["a b", "\u202ea", "$(rm)", "'"])
def test_the_hint_types_no_name_that_a_shell_or_reader_would_misread(name):
    table = Table((text_column(name, ["u"]), Numbers("n", np.ones(1))), 1)
    with pytest.raises(SchemaError) as caught:
        choose(anchor=table, acme=table)
    assert "(--drop)" in caught.value.hint


def test_a_few_stray_cells_are_placed():
    stray = Text("x", np.array([0, 1], np.int32), ("1", "n.a."), Stray(1, 1, "n.a."))
    table = Table((stray,), 2)
    with pytest.raises(SchemaError, match=r"1 cell is no number: 'n\.a\.' in row 2") as caught:
        choose(anchor=table, acme=table)
    assert caught.value.row == 2


@pytest.mark.parametrize(
    ("acme", "said"),
    [
        (Table.of(x=[1.0]), r"'acme' lacks 'y', compared with the columns of 'anchor'"),
        (Table.of(x=[1.0], y=[1.0], z=[1.0]), r"'acme' has 'z' besides"),
        (Table.of(x=[1.0], Y=[1.0]), r"'acme' lacks 'y' and has 'Y' besides, compared"),
    ],
)
def test_a_vendor_with_other_columns_is_named_with_them(acme, said):
    with pytest.raises(SchemaError, match=said) as caught:
        choose(anchor=Table.of(x=[1.0], y=[2.0]), acme=acme)
    assert caught.value.vendor == "acme"


@pytest.mark.parametrize("option", ["columns", "drop", "target"])
def test_an_unknown_column_meets_its_neighbour(option):
    asked = "twon" if option == "target" else ["twon"]
    with pytest.raises(SchemaError, match=rf"{option} names 'twon'.*Did you mean 'town'"):
        choose(**{option: asked})


def test_no_column_left_says_so():
    with pytest.raises(SchemaError, match="no column is left"):
        choose(columns=["x"], drop=["x"])


def test_a_column_without_a_name_has_to_be_asked_for():
    table = Table.of(unnamed_1=[0.0, 1.0], x=[1.0, 2.0])
    with pytest.raises(SchemaError, match=r"saved row number.*drop=\['unnamed_1'\]"):
        choose(anchor=table, acme=table)
    assert choose(anchor=table, acme=table, drop=["unnamed_1"]) == ("x",)
    assert choose(anchor=table, acme=table, columns=["unnamed_1"]) == ("unnamed_1",)


@pytest.mark.parametrize(
    ("kinds", "is_fine"),
    [
        (("number", "bool"), True),
        (("time", "time"), True),
        (("time", "empty"), True),
        (("empty", "number"), True),
        (("time", "number"), False),
        (("bool", "time"), False),
    ],
)
def test_a_time_has_no_unit_in_common_with_a_number(kinds, is_fine):
    tables = [Table((Numbers("x", np.ones(2), kind),), 2) for kind in kinds]
    if is_fine:
        assert choose(anchor=tables[0], acme=tables[1]) == ("x",)
    else:
        with pytest.raises(SchemaError, match=r"holds times in .* and numbers in") as caught:
            choose(anchor=tables[0], acme=tables[1])
        assert caught.value.vendor == "acme"


def test_long_lists_of_names_are_cut():
    assert listed([str(i) for i in range(7)]).endswith("'4' and 2 more")
