from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from karat.errors import SourceError
from karat.sources import Table, is_tabular, open_table


@pytest.mark.parametrize(
    ("thing", "expected"),
    [
        ("a.csv", True),
        (Path("a.csv"), True),
        (["a.csv", Path("b.csv")], True),
        (pd.DataFrame({"a": [1]}), True),
        (Table.of(a=[1.0]), True),
        ([], False),
        ([[1.0, 2.0]], False),
        (np.eye(2), False),
        (3.5, False),
        (None, False),
        (object(), False),
    ],
)
def test_what_has_named_columns_is_told_from_what_has_not(thing, expected):
    assert is_tabular(thing) is expected


def test_every_door_opens_the_same_table(tmp_path):
    frame = pd.DataFrame({"a": [1.0, 2.0]})
    path = tmp_path / "a.csv"
    frame.to_csv(path, index=False)
    table = open_table(frame)
    assert open_table(table) is table
    for thing in (path, str(path), [path], tmp_path):
        np.testing.assert_array_equal(open_table(thing).by_name["a"].values, [1, 2])


def test_what_has_no_columns_is_refused():
    with pytest.raises(SourceError, match="'object' has no named columns"):
        open_table(object())


def test_nothing_heavy_is_imported_before_it_is_needed():
    code = (
        "import sys, numpy, karat.vendors;"
        "karat.vendors.Market.read({'a': numpy.eye(12), 'b': numpy.eye(13)[:, 1:]});"
        "heavy = {'pyarrow', 'narwhals', 'pandas', 'numba', 'sklearn'} & set(sys.modules);"
        "sys.exit(' '.join(heavy) or 0)"
    )
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (answer.returncode, answer.stderr.strip()) == (0, "")
