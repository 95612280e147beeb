from __future__ import annotations

import numpy as np
import pytest

from karat.baselines.labels import kind_of, read_labels


@pytest.mark.parametrize(
    ("labels", "kind"),
    [
        ([0.0, 1.0, 1.0, 0.0], "classes"),
        (["a", "b"], "classes"),
        ([0.5, 1.0, 1.0, 0.5], "numbers"),
        (list(range(1000)), "numbers"),
        ([3.0, 3.0], "classes"),
    ],
)
def test_whole_numbers_that_repeat_and_text_are_classes(labels, kind):
    assert kind_of([np.array(labels)]) == kind


def test_codes_are_shared_by_all_sources():
    labels = read_labels([np.array([7.0, 3.0, 7.0]), np.array([9.0, 3.0, 9.0])])
    assert labels.classes == (3.0, 7.0, 9.0)
    assert [codes.tolist() for codes in labels.arrays] == [[1, 0, 1], [2, 0, 2]]
    assert labels.n_classes == 3


def test_the_reading_can_be_asked_for():
    assert read_labels([np.array([0.0, 1.0, 0.0, 1.0])], "numbers").numbers[0].tolist() == [
        0.0,
        1.0,
        0.0,
        1.0,
    ]
