"""The authors' block estimator: numbers by hand, their formula written out, and what is wrong with it."""

from __future__ import annotations

import math

import numpy as np
import pytest
import sklearn.utils

from karat.errors import MarketError, UsageError
from karat.gram import kernel_sums, moments_from_sums
from karat.gram.block import block_squared_mmd, block_values
from karat.kernels import Energy, Gaussian, GaussianSum, Kernel
from truths import Ball, gaussian_mean, point_masses_squared_mmd

PAPER = GaussianSum([1.0, 2.0, 5.0, 10.0])
U = math.exp(-0.5)  # the Gaussian of bandwidth 1 between the points 0 and 1


@pytest.fixture
def samples():
    rng = np.random.default_rng(0)
    return rng.normal(size=(23, 3)), rng.normal(0.5, 1.3, size=(23, 3))


def test_point_masses_have_their_mmd_in_every_block():
    x, y = np.zeros((5, 1)), np.full((5, 1), 0.7)
    expected = point_masses_squared_mmd(0.7, 1.0)
    assert block_squared_mmd(x, y, Gaussian(1.0), block=2) == pytest.approx(expected)
    assert block_squared_mmd(x, y, Gaussian(1.0), block=2, biased=False) == pytest.approx(expected)


def test_the_authors_divide_the_sum_over_blocks_by_the_block_size():
    """Five rows in blocks of two are three blocks: three equal numbers, divided by two instead of three."""
    x, y = np.zeros((5, 1)), np.full((5, 1), 0.7)
    scaled = block_squared_mmd(x, y, Gaussian(1.0), block=2, compat="xu2024")
    assert scaled == pytest.approx(1.5 * point_masses_squared_mmd(0.7, 1.0))


def test_two_rows_a_side_by_hand():
    """k is 1 for equal points and u for others: biased (1+u)/2 + (1+u)/2 - (1+u), unbiased u + u - (1+u)."""
    x = np.array([[0.0], [1.0]])
    assert block_squared_mmd(x, x, Gaussian(1.0)) == pytest.approx(0.0, abs=1e-15)
    assert block_squared_mmd(x, x, Gaussian(1.0), biased=False) == pytest.approx(U - 1.0)
    y = np.array([[1.0], [1.0]])  # (1+u)/2 + 1 - 2 (1+u)/2 = (1-u)/2, and u + 1 - (1+u) = 0
    assert block_squared_mmd(x, y, Gaussian(1.0)) == pytest.approx((1.0 - U) / 2.0)
    assert block_squared_mmd(x, y, Gaussian(1.0), biased=False) == pytest.approx(0.0, abs=1e-15)


def test_both_sides_are_shuffled_together():
    """A sample against itself: every block meets its own rows, so every block gives 0."""
    x = np.random.default_rng(1).normal(size=(17, 2))
    assert block_squared_mmd(x, x, Gaussian(1.0), block=4) == pytest.approx(0.0, abs=1e-15)


def by_the_formula(x, y, widths, block):
    """Shuffle as scikit-learn does, cut, and add up row by row."""
    x, y = sklearn.utils.shuffle(x, y, random_state=1234)

    def k(a, b):
        return sum(math.exp(-(math.dist(a, b) ** 2) / (2.0 * s * s)) for s in widths)

    blocks = []
    for start in range(0, len(x), block):
        a, b = x[start : start + block], y[start : start + block]
        m = len(a)
        own = sum(k(p, q) for p in a for q in a) + sum(k(p, q) for p in b for q in b)
        blocks.append(own / m**2 - 2.0 * sum(k(p, q) for p in a for q in b) / m**2)
    return blocks


@pytest.mark.parametrize("block", [1, 5, 8, 23, 1024])
def test_the_estimate_is_the_formula_on_rows_shuffled_by_scikit_learn(samples, block):
    blocks = by_the_formula(*samples, PAPER.bandwidths, block)
    assert block_squared_mmd(*samples, PAPER, block=block) == pytest.approx(np.mean(blocks), rel=1e-10)
    scaled = block_squared_mmd(*samples, PAPER, block=block, compat="xu2024")
    assert scaled == pytest.approx(sum(blocks) / block, rel=1e-10)


@pytest.mark.parametrize("biased", [True, False])
def test_one_block_is_the_exact_estimate(samples, biased):
    kernel = Gaussian(1.3)
    sums = kernel_sums(samples, kernel, precision="float64")
    moments = moments_from_sums(sums, names=["x", "y"], kernel=kernel, anchor=None)
    gram = moments.gram_biased if biased else moments.gram
    expected = gram[0, 0] - 2.0 * gram[0, 1] + gram[1, 1]
    assert block_squared_mmd(*samples, kernel, biased=biased) == pytest.approx(expected, rel=1e-10)


def test_blocks_of_b_rows_are_biased_by_what_the_theory_says():
    """(K - E k(x, x')) / b + (K - E k(y, y')) / b: many times the truth here; the unbiased form has none."""
    p, q, kernel, b = Ball((0.0, 0.0), 1.0), Ball((0.2, 0.0), 1.0), Gaussian(1.0), 16
    inside = gaussian_mean(p, p, 1.0)
    truth = 2.0 * (inside - gaussian_mean(p, q, 1.0))
    bias = 2.0 * (1.0 - inside) / b
    rng = np.random.default_rng(2)
    x, y = p.draw(rng, 800 * b), q.draw(rng, 800 * b)
    assert bias > 5.0 * truth
    assert block_squared_mmd(x, y, kernel, block=b) == pytest.approx(truth + bias, abs=0.1 * bias)
    assert block_squared_mmd(x, y, kernel, block=b, biased=False) == pytest.approx(truth, abs=0.1 * bias)


def test_the_authors_scaling_makes_values_grow_with_the_rows():
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(600, 1)), rng.normal(2.0, 1.0, size=(600, 1))
    small, large = (
        block_squared_mmd(x[:m], y[:m], Gaussian(1.0), block=50, compat="xu2024") for m in (100, 600)
    )
    assert large / small == pytest.approx(6.0, rel=0.2)


def test_a_last_block_of_one_row_has_no_unbiased_estimate_and_is_left_out(samples):
    x, y = (rows[:5] for rows in samples)
    order = np.random.RandomState(1234).permutation(5)[:4]
    whole = block_squared_mmd(x, y, Gaussian(1.0), block=2, biased=False)
    pairs = [order[:2], order[2:]]
    parts = [block_squared_mmd(x[p], y[p], Gaussian(1.0), biased=False) for p in pairs]
    assert whole == pytest.approx(np.mean(parts))


def test_memory_is_bounded_by_one_block(samples):
    shapes = []

    class Watching(Kernel):
        name, bound = "watching", 1.0

        def block(self, a, b):
            shapes.append((len(a), len(b)))
            return np.ones((len(a), len(b)))

        def diagonal(self, a):
            return np.ones(len(a))

    block_squared_mmd(*samples, Watching(), block=7)
    assert max(shapes) == (7, 7)


def test_kernels_that_know_an_origin_survive_rows_far_from_it(samples):
    near = block_squared_mmd(*samples, Energy(), block=8)
    far = block_squared_mmd(*(rows + 1e9 for rows in samples), Energy(), block=8)
    assert far == pytest.approx(near, abs=1e-6)


def test_vendors_are_cut_to_the_shorter_side_after_a_permutation():
    """Rows hold their own numbers, from 1000 up in the reference; the kernel notes which ones it meets."""
    met = []

    class Noting(Kernel):
        name, bound = "noting", 1.0

        def block(self, a, b):
            met.append((a[:, 0].tolist(), b[:, 0].tolist()))
            return np.ones((len(a), len(b)))

        def diagonal(self, a):
            return np.ones(len(a))

    sources = [np.arange(float(m))[:, None] for m in (40, 90)]
    found = block_values(sources, 1000.0 + np.arange(60.0)[:, None], Noting())
    np.testing.assert_array_equal(found.rows, [40, 60])
    (short, part), (rest, whole) = met[0], met[3]
    assert sorted(short) == list(range(40))
    assert sorted(whole) == list(range(1000, 1060))
    assert len(set(part)) == 40
    assert sorted(part) != list(range(1000, 1040))
    assert len(set(rest)) == 60
    assert sorted(rest) != list(range(60))


def test_values_are_minus_the_root_and_move_with_the_seed():
    rng = np.random.default_rng(4)
    sources, reference = [rng.normal(size=(m, 2)) for m in (40, 90)], rng.normal(0.3, 1.0, size=(60, 2))
    found, other = (block_values(sources, reference, Gaussian(1.0), block=16, seed=s) for s in (0, 1))
    np.testing.assert_allclose(found.values, -np.sqrt(found.squared))
    assert (found.squared != other.squared).all()


def test_same_seed_same_values_and_a_vendors_place_does_not_matter():
    rng = np.random.default_rng(5)
    sources = [rng.normal(size=(m, 2)) for m in (40, 90, 40)]
    reference = rng.normal(size=(60, 2))
    found = block_values(sources, reference, Gaussian(1.0), block=16, seed=7)
    again = block_values(sources[::-1], reference, Gaussian(1.0), block=16, seed=np.random.default_rng(7))
    np.testing.assert_array_equal(found.squared, again.squared[::-1])


def test_rows_are_left_untouched():
    rng = np.random.default_rng(6)
    sources, reference = [rng.normal(size=(30, 2))], rng.normal(size=(20, 2))
    before = sources[0].copy(), reference.copy()
    block_values(sources, reference, PAPER, block=8)
    np.testing.assert_array_equal(sources[0], before[0])
    np.testing.assert_array_equal(reference, before[1])


def test_the_authors_floor_hides_values_nearer_to_zero_than_a_thousandth():
    x = np.random.default_rng(7).normal(size=(30, 2))
    found = block_values([np.zeros((30, 2)), x], np.zeros((30, 2)), Gaussian(1.0), compat="xu2024")
    assert found.squared[0] == 0.0
    assert found.values[0] == -1e-3
    assert block_values([np.zeros((30, 2))], np.zeros((30, 2)), Gaussian(1.0)).values[0] == 0.0


def test_negative_unbiased_estimates_are_kept_and_their_value_is_zero():
    x = np.array([[0.0], [1.0]])
    found = block_values([x], x, Gaussian(1.0), biased=False)
    assert found.squared[0] == pytest.approx(U - 1.0)
    assert found.values[0] == 0.0


@pytest.mark.parametrize(
    ("sizes", "options", "error", "message"),
    [
        ((4, 5), {}, MarketError, "blocks of 4 rows cannot be paired with blocks of 5"),
        ((4, 4), {"block": 0}, UsageError, "4 rows in blocks of 0 give no block of 1 rows"),
        ((4, 4), {"block": 1, "biased": False}, UsageError, "no block of 2 rows or more"),
        ((1, 1), {"biased": False}, UsageError, "no block of 2 rows or more"),
        ((4, 4), {"compat": "xu2023"}, UsageError, "no compat mode 'xu2023'"),
        ((4, 4), {"compat": "xu2024", "biased": False}, UsageError, "the authors never use"),
    ],
)
def test_blocks_that_cannot_be_formed_say_why(sizes, options, error, message):
    x, y = (np.zeros((m, 1)) for m in sizes)
    with pytest.raises(error, match=message):
        block_squared_mmd(x, y, Gaussian(1.0), **options)
