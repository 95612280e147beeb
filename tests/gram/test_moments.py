"""Moments against closed forms, laws and the slow oracle."""

from __future__ import annotations

import math

import numpy as np
import pytest

from karat.gram import Moments, kernel_sums, moments, moments_from_sums, tasks
from karat.kernels import (
    Energy,
    Gaussian,
    GaussianMean,
    Kernel,
    Laplace,
    Linear,
    Polynomial,
    RationalQuadratic,
)
from slow_moments import moments_from_kernel_matrix
from truths import (
    Ball,
    discrete_squared_mmd,
    energy_distance_of_points,
    gaussian_interaction,
    gaussian_mean,
    gaussian_row_mean_covariance,
    point_masses_squared_mmd,
    rows_of,
)


def moments_of(sources, kernel, *, names=None, anchor=None, precision="float64") -> Moments:
    names = names or [f"source {j}" for j in range(len(sources))]
    sums = kernel_sums(sources, kernel, precision=precision)
    return moments_from_sums(sums, names=names, kernel=kernel, anchor=anchor)


def whole_matrix(kernel, rows):
    whole = kernel.block(rows, rows)
    np.fill_diagonal(whole, kernel.diagonal(rows))  # a root turns 1e-16 between equal rows into 1e-8
    return whole


def squared_mmd(gram, i, j):
    return gram[i, i] - 2.0 * gram[i, j] + gram[j, j]


@pytest.fixture
def sources():
    rng = np.random.default_rng(0)
    return [rng.normal(0.3 * j, 1.0 + 0.2 * j, size=(m, 3)) for j, m in enumerate((7, 12, 4, 9))]


@pytest.mark.parametrize(
    "kernel", [Gaussian(1.0), GaussianMean([0.7, 1.4]), Laplace(2.0), Polynomial(2)], ids=repr
)
@pytest.mark.parametrize(("precision", "rtol"), [("float64", 1e-9), ("float32", 2e-6)])
@pytest.mark.parametrize("strip", [1, 64])
def test_moments_are_those_of_the_whole_kernel_matrix(sources, kernel, precision, rtol, strip, monkeypatch):
    monkeypatch.setattr(tasks, "STRIP", strip)
    found = moments_of(sources, kernel, precision=precision)
    rows = np.concatenate(sources)
    slow = moments_from_kernel_matrix(kernel.block(rows, rows), [len(s) for s in sources], anchor=False)
    for field in ("gram", "gram_biased", "self_mean"):
        np.testing.assert_allclose(getattr(found, field), getattr(slow, field), rtol=rtol, err_msg=field)
    for field in ("covariance", "interaction"):  # differences of much larger sums
        a, b = getattr(found, field), getattr(slow, field)
        np.testing.assert_allclose(a, b, rtol=10.0 * rtol, atol=10.0 * rtol * np.abs(b).max(), err_msg=field)
    np.testing.assert_array_equal(found.sizes, slow.sizes)


@pytest.mark.parametrize("kernel", [Energy(), Linear()], ids=repr)
def test_kernels_that_know_an_origin_have_it_at_the_centre_and_contrasts_do_not_mind(sources, kernel):
    found = moments_of(sources, kernel)
    rows, sizes = np.concatenate(sources), [len(s) for s in sources]
    centred = rows - sources[-1].mean(axis=0)
    around_centre = moments_from_kernel_matrix(whole_matrix(kernel, centred), sizes, anchor=False)
    for field in ("gram", "gram_biased", "covariance", "interaction", "self_mean"):
        expected = getattr(around_centre, field)
        np.testing.assert_allclose(getattr(found, field), expected, rtol=1e-9, atol=1e-12, err_msg=field)
    around_zero = moments_from_kernel_matrix(whole_matrix(kernel, rows), sizes, anchor=False)
    contrasts = np.eye(4) - 0.25
    for field in ("gram", "gram_biased"):
        a, b = (contrasts @ getattr(m, field) @ contrasts for m in (found, around_zero))
        np.testing.assert_allclose(a, b, atol=1e-12, err_msg=field)
    np.testing.assert_allclose(found.interaction, around_zero.interaction, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(found.spread, around_zero.spread, rtol=1e-9)


def test_moments_say_whose_they_are(sources):
    found = moments_of(sources, Gaussian(1.0), names=["a", "b", "c", "mine"], anchor=3)
    assert (found.n_sources, found.n_vendors, found.vendors) == (4, 3, (0, 1, 2))
    assert found.vendor_names == ("a", "b", "c")
    assert (found.bound, found.nonnegative) == (1.0, True)
    assert found.approximation is None
    np.testing.assert_array_equal(found.effective_sizes, [7, 12, 4, 9])
    assert moments_of(sources, Linear()).bound == math.inf


def test_the_vendors_alone_have_the_moments_of_a_market_without_an_anchor(sources):
    found = moments_of(sources, Gaussian(1.0), anchor=1).of_vendors()
    alone = moments_of([sources[j] for j in (0, 2, 3)], Gaussian(1.0))
    assert (found.names, found.anchor) == (("source 0", "source 2", "source 3"), None)
    for field in (
        "sizes",
        "effective_sizes",
        "gram",
        "gram_biased",
        "self_mean",
        "covariance",
        "interaction",
    ):
        np.testing.assert_allclose(getattr(found, field), getattr(alone, field), rtol=1e-9, err_msg=field)


@pytest.mark.parametrize("distance", [0.0, 1e-3, 0.3, 4.0, 1e6])
def test_two_point_masses_have_the_textbook_mmd(distance):
    sources = [np.zeros((3, 2)), np.full((5, 2), distance / math.sqrt(2.0))]
    found = moments_of(sources, Gaussian(1.5))
    expected = point_masses_squared_mmd(distance, 1.5)
    assert squared_mmd(found.gram, 0, 1) == pytest.approx(expected, rel=1e-9, abs=1e-15)
    assert squared_mmd(found.gram_biased, 0, 1) == pytest.approx(expected, rel=1e-9, abs=1e-15)
    np.testing.assert_allclose(found.covariance, 0.0, atol=1e-15)
    np.testing.assert_allclose(found.spread, 0.0, atol=1e-15)


@pytest.mark.parametrize("distance", [0.3, 4.0])
def test_the_energy_kernel_gives_half_the_energy_distance(distance):
    sources = [np.zeros((3, 1)), np.full((5, 1), distance)]
    found = moments_of(sources, Energy())
    assert squared_mmd(found.gram, 0, 1) == pytest.approx(energy_distance_of_points(distance) / 2.0)


def test_the_linear_kernel_gives_the_distance_of_the_means(sources):
    found = moments_of(sources, Linear())
    gap = sources[0].mean(axis=0) - sources[1].mean(axis=0)
    assert squared_mmd(found.gram_biased, 0, 1) == pytest.approx(gap @ gap)


NORMALS = (Ball((0.0, 0.0), 1.0), Ball((0.8, -0.3), 0.5))


def test_moments_of_normal_samples_are_near_the_closed_forms():
    """400 markets of 12 and 9 rows: every mean is within 4 standard errors of what it estimates."""
    rng, s, repetitions = np.random.default_rng(1), 1.1, 400
    p, q = NORMALS
    gram, interaction, spread = np.zeros((3, repetitions, 2, 2))
    for r in range(repetitions):
        found = moments_of([p.draw(rng, 12), q.draw(rng, 9)], Gaussian(s))
        gram[r], interaction[r], spread[r] = found.gram, found.interaction, np.diag(found.spread)

    def assert_unbiased(draws, truth):
        error = draws.std(axis=0, ddof=1) / math.sqrt(repetitions)
        assert (np.abs(draws.mean(axis=0) - truth) < 4.0 * error + 1e-15).all(), (
            draws.mean(axis=0),
            truth,
            error,
        )
        assert (error < 0.06 * np.abs(truth)).all()  # the test can fail

    truth = np.array([[gaussian_mean(a, b, s) for b in NORMALS] for a in NORMALS])
    assert_unbiased(gram, truth)
    assert_unbiased(
        interaction, np.array([[gaussian_interaction(a, b, s) for b in NORMALS] for a in NORMALS])
    )
    assert_unbiased(np.diagonal(spread, axis1=1, axis2=2), 1.0 - np.diag(truth))


def test_the_covariance_of_row_means_is_the_closed_form_in_large_samples():
    rng, s = np.random.default_rng(2), 1.1
    found = moments_of([ball.draw(rng, 4000) for ball in NORMALS], Gaussian(s), precision="float32")
    truth = [[[gaussian_row_mean_covariance(x, a, b, s) for b in NORMALS] for a in NORMALS] for x in NORMALS]
    np.testing.assert_allclose(found.covariance, truth, rtol=0.06, atol=1e-4)


def test_the_closed_forms_agree_with_numerical_integration():
    """Truths are checked too: E over a fine grid of one column."""
    p, q, s = Ball((0.2,), 0.7), Ball((-0.5,), 1.3), 0.9
    x = np.linspace(-9.0, 9.0, 1201)

    def density(ball):
        weight = np.exp(-((x - ball.mean[0]) ** 2) / (2.0 * ball.variance))
        return weight / weight.sum()

    k = np.exp(-((x[:, None] - x[None, :]) ** 2) / (2.0 * s * s))
    a, b = density(p), density(q)
    rest = k - (k @ b)[:, None] - (a @ k)[None, :] + a @ k @ b
    assert gaussian_mean(p, q, s) == pytest.approx(a @ k @ b, rel=1e-9)
    assert gaussian_interaction(p, q, s) == pytest.approx(a @ rest**2 @ b, rel=1e-9)
    covariance = a @ ((k @ a) * (k @ b)) - (a @ k @ a) * (a @ k @ b)
    assert gaussian_row_mean_covariance(p, p, q, s) == pytest.approx(covariance, rel=1e-9)


POINTS = np.array([[0.0, 0.0], [1.0, 0.5], [-0.7, 2.0], [3.0, 1.0]])
KERNELS = [Gaussian(1.0), GaussianMean([0.5, 1.0, 2.0]), Laplace(1.0), RationalQuadratic(1.0)]


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_rows_that_are_a_discrete_distribution_have_its_mmd(kernel):
    p, q = (5, 0, 3, 2), (1, 4, 4, 1)
    found = moments_of([rows_of(p, POINTS), rows_of(q, POINTS)], kernel)
    expected = discrete_squared_mmd(np.array(p) / 10.0, np.array(q) / 10.0, kernel.block(POINTS, POINTS))
    assert squared_mmd(found.gram_biased, 0, 1) == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_the_huber_model_is_closed_and_linear_in_the_contamination(kernel):
    """P_i = (1 - e_i) P* + e_i Q is at e_i MMD(P*, Q) from P*, and at |e_i - e_j| MMD(P*, Q) from P_j."""
    clean, other = np.array([8, 4, 8, 0]), np.array([0, 4, 4, 12])
    shares = np.array([0.0, 0.25, 0.5, 0.75, 1.0])
    counts = [((1.0 - e) * clean + e * other).astype(int) for e in shares]
    assert all(c.sum() == 20 for c in counts)
    found = moments_of([rows_of(tuple(c), POINTS) for c in [*counts, clean]], kernel, anchor=5)
    gram = found.gram_biased
    whole = math.sqrt(squared_mmd(gram, 4, 5))
    to_anchor = [math.sqrt(max(squared_mmd(gram, i, 5), 0.0)) for i in range(5)]
    np.testing.assert_allclose(to_anchor, shares * whole, atol=1e-7)
    np.testing.assert_allclose(
        [squared_mmd(gram, i, j) for i in range(5) for j in range(5)],
        np.square(np.subtract.outer(shares, shares)).ravel() * whole**2,
        atol=1e-13,
    )


@pytest.mark.parametrize("form", ["gram", "gram_biased"])
def test_leaving_a_vendor_out_of_the_uniform_mixture_only_rescales_its_distance(sources, form):
    """d(mu_i, mean of all) = (1 - 1/n) d(mu_i, mean of the others)."""
    gram, n = getattr(moments_of(sources, Gaussian(1.0)), form), 4
    for i in range(n):
        with_all = np.eye(n)[i] - 1.0 / n
        others = np.where(np.arange(n) == i, 1.0, -1.0 / (n - 1))
        assert with_all @ gram @ with_all == pytest.approx((1.0 - 1.0 / n) ** 2 * (others @ gram @ others))


def test_the_two_forms_differ_by_the_spread_over_the_rows(sources):
    found = moments_of(sources, GaussianMean([0.5, 1.0]))
    difference = found.gram_biased - found.gram
    np.testing.assert_allclose(np.diag(difference), found.spread / found.sizes, rtol=1e-12)
    np.testing.assert_array_equal(difference - np.diag(np.diag(difference)), 0.0)


def test_sources_with_fewer_than_four_rows_have_no_interaction_of_their_own():
    rng = np.random.default_rng(3)
    found = moments_of([rng.normal(size=(m, 2)) for m in (2, 3, 4, 5)], Gaussian(1.0))
    np.testing.assert_array_equal(np.isnan(found.interaction), np.diag([True, True, False, False]))
    for field in ("gram", "gram_biased", "covariance"):
        assert np.isfinite(getattr(found, field)).all()


def test_covariances_are_kept_up_to_a_number_of_sources_and_not_beyond(sources, monkeypatch):
    monkeypatch.setattr(moments, "MOST_SOURCES_WITH_COVARIANCE", 3)
    assert moments_of(sources, Gaussian(1.0)).covariance is None
    assert moments_of(sources[:3], Gaussian(1.0)).covariance is not None


def test_one_source_alone_has_moments(sources):
    found = moments_of(sources[:1], Gaussian(1.0))
    assert found.gram.shape == found.interaction.shape == (1, 1)
    assert found.covariance.shape == (1, 1, 1)


def test_a_kernel_of_ones_own_has_moments(sources):
    class Agreement(Kernel):
        name, bound = "agreement", 1.0

        def block(self, a, b):
            return (a[:, None, :].round() == b[None, :, :].round()).all(axis=2)

        def diagonal(self, a):
            return np.ones(len(a))

    found = moments_of(sources, Agreement())
    rows = np.concatenate(sources)
    whole = Agreement().block(rows, rows).astype(float)
    slow = moments_from_kernel_matrix(whole, [len(s) for s in sources], anchor=False)
    np.testing.assert_allclose(found.gram, slow.gram, atol=1e-15)
    np.testing.assert_allclose(found.covariance, slow.covariance, atol=1e-15)
    np.testing.assert_allclose(found.interaction, slow.interaction, atol=1e-14)
