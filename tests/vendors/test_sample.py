from __future__ import annotations

import numpy as np
import pytest

from karat.errors import MarketError
from karat.vendors import VendorSample


def test_a_sample_knows_its_size_and_width():
    sample = VendorSample.of("acme", np.ones((4, 3)))
    assert (sample.size, sample.width, sample.labels) == (4, 3, None)


def test_a_digest_tells_contents_apart():
    rows = np.arange(6.0)
    samples = {
        VendorSample.of("acme", given, labels=labels).digest
        for given, labels in [
            (rows.reshape(2, 3), None),
            (rows.reshape(3, 2), None),
            (rows.reshape(3, 2).astype(np.float32), None),
            (rows.reshape(3, 2)[::-1], None),
            (rows.reshape(3, 2), [1, 2, 3]),
            (rows.reshape(3, 2), ["1", "2", "3"]),
        ]
    }
    assert len(samples) == 6
    again = [VendorSample.of(name, rows.reshape(2, 3)).digest for name in ("acme", "globex")]
    assert again[0] == again[1]
    assert again[0] in samples


@pytest.mark.parametrize(("rows", "said"), [(np.empty((0, 2)), "no rows"), (np.ones((1, 2)), "one row")])
def test_a_preview_needs_two_rows(rows, said):
    with pytest.raises(MarketError, match=f"vendor 'acme' shows {said}.*at least 2 rows"):
        VendorSample.of("acme", rows)


@pytest.mark.parametrize(
    ("labels", "expected"),
    [([1, 2], [1.0, 2.0]), ([[1], [2]], [1.0, 2.0]), (["a", "b"], ["a", "b"]), ([True, False], [1.0, 0.0])],
)
def test_labels_are_numbers_or_text(labels, expected):
    sample = VendorSample.of("acme", np.eye(2), labels=labels)
    assert sample.labels.tolist() == expected
    assert not sample.labels.flags.writeable


@pytest.mark.parametrize(
    ("labels", "said"),
    [
        ([1, 2, 3], r"labels of shape \(3,\) for 2 rows"),
        ([1.0, np.nan], "label nan in row 2"),
        ([None, {}], "labels of type object"),
    ],
)
def test_what_are_no_labels_is_refused(labels, said):
    with pytest.raises(MarketError, match=said):
        VendorSample.of("acme", np.eye(2), labels=labels)


def test_later_changes_of_labels_do_not_reach_the_sample():
    labels = np.array([1.0, 2.0])
    sample = VendorSample.of("acme", np.eye(2), labels=labels)
    labels[0] = 9.0
    assert sample.labels.tolist() == [1.0, 2.0]
