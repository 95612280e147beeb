"""Landmarks against the exact engine: no bias, honest errors, and everything that moments hold."""

from __future__ import annotations

import numpy as np
import pytest

from karat.errors import KaratError
from karat.gram import kernel_sums, landmarks, moments_from_sums
from karat.gram.checkpoint import Checkpoint
from karat.gram.landmarks import landmark_moments
from karat.gram.residual import compare
from karat.gram.stream import FromReader
from karat.guarantees.asymptotic import squared_distances
from karat.kernels import Energy, Gaussian, GaussianMean, Kernel, Laplace, Linear, RationalQuadratic

NAMES = ("a", "b", "c", "anchor")
KERNEL = GaussianMean([1.5, 3.0, 6.0])


class Overlap(Kernel):
    """A buyer's own kernel: how near two rows are, column by column."""

    name, bound = "overlap", 1.0

    def block(self, a, b):
        return np.maximum(1.0 - np.abs(a[:, None, :] - b[None, :, :]) / 8.0, 0.0).mean(axis=2)

    def diagonal(self, a):
        return np.ones(len(a))


def draw(seed, sizes=(700, 900, 500, 800), width=6):
    rng = np.random.default_rng(seed)
    return [rng.normal(0.1 * j, 1.0 + 0.1 * j, size=(m, width)) for j, m in enumerate(sizes)]


def exact(sources, kernel=KERNEL, names=NAMES):
    return moments_from_sums(kernel_sums(sources, kernel), names=names, kernel=kernel, anchor=len(names) - 1)


def approximate(sources, kernel=KERNEL, names=NAMES, **given):
    return landmark_moments(sources, kernel, names=names, anchor=len(names) - 1, **given)


@pytest.fixture
def few_compared(monkeypatch):
    """100 rows of each of four sources, so that residuals are estimates."""
    monkeypatch.setattr(landmarks, "FEWEST_COMPARED", 400)
    monkeypatch.setattr(landmarks, "MOST_COMPARED", 400)


KERNELS = [KERNEL, Gaussian(2.0), Laplace(12.0), RationalQuadratic(2.0, 0.7), Energy(), Linear(), Overlap()]


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_with_all_rows_compared_the_moments_are_the_exact_ones(kernel):
    """Whatever the landmarks miss is then added back in full."""
    sources = draw(0, sizes=(60, 45, 30, 80))
    found, truth = approximate(sources, kernel, landmarks=20).moments, exact(sources, kernel)
    scale = np.abs(truth.gram).max()
    np.testing.assert_allclose(found.gram, truth.gram, atol=2e-6 * scale)
    np.testing.assert_allclose(found.gram_biased, truth.gram_biased, atol=2e-6 * scale)
    np.testing.assert_allclose(found.self_mean, truth.self_mean, rtol=1e-12)
    np.testing.assert_allclose(found.interaction, truth.interaction, atol=1e-7 * truth.self_mean.max() ** 2)
    np.testing.assert_allclose(found.covariance, truth.covariance, atol=1e-5 * truth.covariance.max())
    assert not found.nonnegative
    assert found.bound == truth.bound


@pytest.mark.usefixtures("few_compared")
def test_the_error_has_no_bias_and_is_as_large_as_it_says():
    """Over many draws: the mean error is within its noise, and standard errors are right within a third."""
    sources = draw(1)
    truth = exact(sources).gram
    upper = np.triu_indices(4)
    errors, said = [], []
    for seed in range(40):
        found = approximate(sources, landmarks=48, seed=seed).moments
        errors.append((found.gram - truth)[upper])
        said.append(found.approximation[upper])
    errors, said = np.array(errors), np.array(said)
    root_mean_square = np.sqrt((errors**2).mean(axis=0))
    assert (np.abs(errors.mean(axis=0)) < 4.0 * root_mean_square / np.sqrt(40)).all()
    typical = np.sqrt((said**2).mean(axis=0))
    assert (root_mean_square / typical < 1.35).all()
    assert (root_mean_square / typical > 0.6).all()


@pytest.mark.usefixtures("few_compared")
def test_the_correction_takes_away_most_of_what_projections_miss():
    sources = draw(2)
    truth = exact(sources).gram
    found = approximate(sources, landmarks=32)
    raw = uncorrected(sources, 32)
    assert np.abs(found.moments.gram - truth).max() < 0.25 * np.abs(raw - truth).max()


def uncorrected(sources, count):
    patch = pytest.MonkeyPatch()
    with patch.context() as inside:

        def nothing_missed(*given, **more):
            found = compare(*given, **more)
            found.means[:] = 0.0
            return found

        inside.setattr(landmarks, "compare", nothing_missed)
        return approximate(sources, landmarks=count).moments.gram


@pytest.mark.usefixtures("few_compared")
def test_covariances_and_interactions_are_those_of_all_rows_up_to_their_noise():
    sources = draw(3)
    found, truth = approximate(sources, landmarks=64).moments, exact(sources)
    for j in range(4):
        ratio = np.trace(found.covariance[j]) / np.trace(truth.covariance[j])
        assert ratio == pytest.approx(1.0, abs=0.35)
        assert np.linalg.eigvalsh(found.covariance[j])[0] > -1e-12
    np.testing.assert_allclose(found.interaction, truth.interaction, rtol=0.25)
    assert np.linalg.eigvalsh(found.gram_biased)[0] > -1e-12


@pytest.mark.usefixtures("few_compared")
def test_more_landmarks_leave_a_smaller_error():
    sources = draw(4)
    errors = [approximate(sources, landmarks=p).moments.approximation.mean() for p in (16, 64, 256)]
    assert errors[0] > 2.0 * errors[1] > 4.0 * errors[2]


def test_a_tolerance_decides_how_many_landmarks_there_are():
    sources = draw(5, sizes=(1500, 1500, 1000, 1500))
    rough, fine = (approximate(sources, tolerance=tolerance) for tolerance in (2e-3, 5e-5))
    assert rough.landmarks < fine.landmarks
    assert rough.moments.approximation.max() < 2e-3
    assert fine.moments.approximation.max() < 5e-5
    assert fine.rank <= fine.landmarks


@pytest.mark.parametrize("cuts", [(1,), (300, 301), (16, 512)])
def test_neither_chunks_nor_workers_change_a_bit(cuts):
    sources = draw(6, sizes=(1500, 1100, 600, 1300))
    whole = approximate(sources, landmarks=40, workers=1).moments
    chunked = [FromReader(lambda rows=rows: iter(np.split(rows, cuts))) for rows in sources]
    found = approximate(chunked, landmarks=40, workers=3, centre=sources[-1].mean(axis=0)).moments
    for name in ("gram", "gram_biased", "covariance", "interaction", "approximation", "self_mean"):
        np.testing.assert_array_equal(getattr(found, name), getattr(whole, name))


def test_the_seed_changes_the_draws_and_nothing_else_does():
    sources = draw(7)
    one, same, other = (approximate(sources, landmarks=40, seed=seed).moments.gram for seed in (1, 1, 2))
    np.testing.assert_array_equal(one, same)
    assert (one != other).any()
    assert np.abs(one - other).max() < 1e-3


class Killed(Exception):  # noqa: N818
    """As if the process had been stopped."""


def test_a_run_that_was_killed_goes_on_where_it_stopped(tmp_path, monkeypatch):
    sources = draw(8, sizes=(3000, 2500, 2000, 2600))
    whole = approximate(sources, landmarks=40).moments
    path = tmp_path / "partial"
    monkeypatch.setattr(Checkpoint, "save_now_and_then", lambda self, state: self.save(state()))
    calls = []

    def stop_soon(done, total):
        calls.append(done)
        if len(calls) == 4:
            raise Killed

    with pytest.raises(Killed):
        approximate(sources, landmarks=40, progress=stop_soon, checkpoint=path)
    assert path.exists()
    again = []
    found = approximate(sources, landmarks=40, progress=lambda *at: again.append(at), checkpoint=path)
    np.testing.assert_array_equal(found.moments.gram, whole.gram)
    np.testing.assert_array_equal(found.moments.self_mean, whole.self_mean)
    assert len(calls) + len(again) <= 13  # 12 pieces in all
    assert again[-1][0] == again[-1][1]
    assert not path.exists()


def test_more_than_64_sources_keep_row_means_instead_of_covariances():
    rng = np.random.default_rng(9)
    sources = [rng.normal(0.05 * (j % 3), 1.0, size=(40, 2)) for j in range(70)]
    names = [str(j) for j in range(70)]
    found = approximate(sources, names=names, landmarks=80)
    assert found.moments.covariance is None
    contrasts = np.eye(70)[:69] - np.eye(70)[69]
    distances = squared_distances(found.moments, contrasts, names[:69], row_means=found.row_means)
    truth = exact(sources, names=names)
    sums = kernel_sums(sources, KERNEL)
    means = [rows / (sums.sizes - np.eye(70)[j]) for j, rows in enumerate(sums.row_sums)]
    expected = squared_distances(truth, contrasts, names[:69], row_means=means)
    np.testing.assert_allclose(distances.squared, expected.squared, atol=1e-5)
    np.testing.assert_allclose(distances.standard_errors, expected.standard_errors, rtol=0.02)


def test_a_vendor_in_other_units_keeps_its_own_inner_product():
    sources = draw(10)
    sources[1] = sources[1] + 1e6
    found, truth = approximate(sources, Gaussian(2.0), landmarks=64).moments, exact(sources, Gaussian(2.0))
    np.testing.assert_allclose(found.gram, truth.gram, atol=5e-3)
    assert found.gram[1, 1] == pytest.approx(truth.gram[1, 1], abs=6.0 * found.approximation[1, 1])


def test_sources_are_left_untouched():
    sources = draw(11, sizes=(100, 90, 50, 80))
    before = [rows.copy() for rows in sources]
    for rows in sources:
        rows.flags.writeable = False
    approximate(sources, landmarks=16)
    for rows, old in zip(sources, before, strict=True):
        np.testing.assert_array_equal(rows, old)


def test_no_landmarks_at_all_are_refused():
    with pytest.raises(KaratError, match="0 landmarks"):
        approximate(draw(12), landmarks=0)


@pytest.mark.slow
def test_intervals_from_landmarks_cover_the_truth():
    """At least 93 % at a nominal 95 %, with the approximation inside; every other market is fair."""
    kernel, covered, markets = Gaussian(2.0), 0, 400
    rng = np.random.default_rng(13)
    for market in range(markets):
        shift = 0.0 if market % 2 else 0.25
        sources = [rng.normal(shift, 1.0, size=(1500, 3)), rng.normal(size=(1200, 3))]
        patch = pytest.MonkeyPatch()
        with patch.context() as inside:
            inside.setattr(landmarks, "FEWEST_COMPARED", 200)
            inside.setattr(landmarks, "MOST_COMPARED", 200)
            found = approximate(sources, kernel, names=("a", "anchor"), landmarks=12, seed=market).moments
        distances = squared_distances(found, np.array([[1.0, -1.0]]), ["a"])
        lower, upper = distances.mmd_intervals(0.95)
        covered += bool(lower[0] <= gaussian_mmd(shift, 2.0, 3) <= upper[0])
    assert covered / markets >= 0.93


def gaussian_mmd(shift, bandwidth, width):
    """N(0, 1) and N(shift, 1): E k = (s^2 / (s^2 + 2))^(d/2) exp(-|difference|^2 / (2 (s^2 + 2)))."""
    spread = bandwidth**2 + 2.0
    same = (bandwidth**2 / spread) ** (width / 2.0)
    return np.sqrt(2.0 * same * (1.0 - np.exp(-width * shift**2 / (2.0 * spread))))
