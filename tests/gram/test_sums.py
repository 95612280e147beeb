from __future__ import annotations

import numpy as np
import pytest

from karat.errors import IncompleteSumsError
from karat.gram import KernelSums

SIZES = (3, 2, 4)
CENTRE = np.array([1.0, 2.0])


def some_sums(seed, sizes=SIZES, centre=CENTRE):
    """Sums of whole numbers, so that adding them is exact in any order."""
    rng = np.random.default_rng(seed)
    n = len(sizes)

    def draw(*shape):
        return rng.integers(0, 100, size=shape).astype(float)

    return KernelSums(
        np.array(sizes, dtype=float),
        np.arange(float(n)),
        tuple(draw(m, n) for m in sizes),
        draw(n, n),
        draw(n, n),
        centre,
    )


def assert_equal_sums(one, other):
    for a, b in zip(one.row_sums, other.row_sums, strict=True):
        np.testing.assert_array_equal(a, b)
    for field in ("sizes", "self_sums", "squares", "seen", "centre"):
        np.testing.assert_array_equal(getattr(one, field), getattr(other, field))


def test_nothing_is_the_neutral_element():
    sums = some_sums(0)
    nothing = KernelSums.nothing(SIZES, np.arange(3.0), CENTRE)
    assert_equal_sums(sums + nothing, sums)
    assert_equal_sums(nothing + sums, sums)


def test_the_order_of_addition_does_not_matter():
    a, b, c = (some_sums(seed) for seed in range(3))
    assert_equal_sums((a + b) + c, a + (c + b))


def test_adding_leaves_both_sides_as_they_were():
    a, b = some_sums(0), some_sums(1)
    _ = a + b
    assert_equal_sums(a, some_sums(0))
    assert_equal_sums(b, some_sums(1))


def test_sums_over_other_rows_do_not_add_up():
    with pytest.raises(IncompleteSumsError, match=r"over 3, 2, 4 and over 3, 2, 5 rows do not add up"):
        some_sums(0) + some_sums(0, sizes=(3, 2, 5))


def test_sums_around_another_centre_do_not_add_up():
    with pytest.raises(IncompleteSumsError, match="shifted by different centres"):
        some_sums(0) + some_sums(0, centre=np.zeros(2))


def test_choosing_sources_keeps_their_rows_and_pairs():
    sums = some_sums(0)
    chosen = sums.of_sources([2, 0])
    np.testing.assert_array_equal(chosen.sizes, [4, 3])
    np.testing.assert_array_equal(chosen.row_sums[0], sums.row_sums[2][:, [2, 0]])
    np.testing.assert_array_equal(chosen.squares, sums.squares[np.ix_([2, 0], [2, 0])])
    np.testing.assert_array_equal(chosen.seen, sums.seen[np.ix_([2, 0], [2, 0])])
    assert_equal_sums(sums.of_sources([0, 1, 2]), sums)


def test_sums_are_complete_when_every_ordered_pair_was_seen_once():
    sums = some_sums(0)
    pairs = np.outer(SIZES, SIZES) - np.diag(SIZES).astype(float)
    KernelSums(*[*vars(sums).values()][:4], pairs, CENTRE).check_complete("abc")
    pairs[1, 2] -= 1.0
    with pytest.raises(
        IncompleteSumsError, match=r"of 8 pairs of rows of 'b' and 'c', 7 were seen.*each once"
    ):
        KernelSums(*[*vars(sums).values()][:4], pairs, CENTRE).check_complete("abc")
