from __future__ import annotations

import numpy as np
import pytest

from karat.errors import SchemaError
from karat.schema.labels import check_target, is_missing, labels_of
from karat.sources import Numbers, Table
from karat.sources.table import Unreadable, text_column


def test_labels_are_numbers_or_text_with_their_gaps():
    table = Table((text_column("word", ["a", None, "b"]), Numbers("number", np.array([1.0, np.nan, 2.0]))), 3)
    words, numbers = labels_of(table, "word", vendor="acme"), labels_of(table, "number", vendor="acme")
    assert words.tolist() == ["a", "", "b"]
    assert is_missing(words).tolist() == is_missing(numbers).tolist() == [False, True, False]


@pytest.mark.parametrize(
    ("column", "said"),
    [
        (Numbers("t", np.array([1.0, np.inf])), "infinite label in column 't', row 2"),
        (text_column("t", ["x" * 1000, "y"]), "1,000 characters"),
        (Unreadable("t", "cells of type list"), r"neither numbers nor text \(cells of type list\)"),
    ],
)
def test_what_is_no_label_is_refused(column, said):
    with pytest.raises(SchemaError, match=said):
        labels_of(Table((column,), 2), "t", vendor="acme")


def test_only_the_anchor_may_lack_the_target():
    full, bare = Table.of(x=[1.0], t=[1.0]), Table.of(x=[1.0])
    check_target({"acme": full, "anchor": bare}, "t", anchor="anchor")
    with pytest.raises(SchemaError, match="'acme' lacks the target column 't'"):
        check_target({"acme": bare, "anchor": full}, "t", anchor="anchor")


def test_a_target_is_text_everywhere_or_nowhere():
    with pytest.raises(SchemaError, match="text in 'globex' and numbers in 'acme'"):
        check_target({"acme": Table.of(t=[1.0]), "globex": Table.of(t=["a"])}, "t", anchor=None)
