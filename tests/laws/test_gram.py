"""What the moments must satisfy under every kernel of the registry and in every precision of the tiles."""

from __future__ import annotations

import numpy as np
import pytest

from karat.gram import kernel_sums, moments_from_sums
from karat.kernels import RULES, kernel_named

NAMES = list(RULES)
SIZES = (30, 17, 24)


@pytest.fixture
def sources():
    rng = np.random.default_rng(0)
    return [rng.normal(0.4 * j, 1.0, size=(m, 3)) for j, m in enumerate(SIZES)]


@pytest.fixture(params=NAMES)
def kernel(request, sources):
    return kernel_named(request.param, [sources[-1]])


@pytest.fixture(params=["float32", "float64"])
def moments(request, kernel):
    def of(sources):
        names = [f"source {j}" for j in range(len(sources))]
        sums = kernel_sums(sources, kernel, precision=request.param)
        return moments_from_sums(sums, names=names, kernel=kernel, anchor=len(sources) - 1)

    return of


def distances(gram):
    diagonal = np.diag(gram)
    return diagonal[:, None] + diagonal[None, :] - 2.0 * gram


def test_gram_is_symmetric_and_its_biased_form_psd(moments, sources):
    found = moments(sources)
    np.testing.assert_array_equal(found.gram, found.gram.T)
    eigenvalues = np.linalg.eigvalsh(found.gram_biased)
    assert eigenvalues[0] >= -2e-6 * eigenvalues[-1]


def test_row_mean_covariances_are_symmetric_and_psd(moments, sources):
    for covariance in moments(sources).covariance:
        np.testing.assert_allclose(covariance, covariance.T, rtol=1e-12)
        eigenvalues = np.linalg.eigvalsh(covariance)
        assert eigenvalues[0] >= -1e-10 * eigenvalues[-1]


def test_interactions_are_symmetric_and_not_negative(moments, sources):
    eta = moments(sources).interaction
    np.testing.assert_allclose(eta, eta.T, rtol=1e-9)
    assert (eta >= -1e-5 * np.abs(eta).max()).all()


def test_moments_stay_within_the_bound(moments, sources):
    found = moments(sources)
    assert (np.abs(found.gram) <= found.bound).all()
    assert (np.abs(found.gram_biased) <= found.bound).all()
    assert (found.spread >= 0.0).all()
    if found.nonnegative:
        assert (found.gram >= 0.0).all()


def test_reordering_sources_reorders_their_moments(moments, sources):
    """The anchor stays last: the centre, and with it the rounding, follows it."""
    found, other = moments(sources), moments([sources[1], sources[0], sources[2]])
    order = np.array([1, 0, 2])
    for field in ("gram", "gram_biased", "interaction"):
        expected = getattr(found, field)[np.ix_(order, order)]
        np.testing.assert_allclose(getattr(other, field), expected, rtol=3e-6, atol=1e-7, err_msg=field)
    expected = found.covariance[order][:, order][:, :, order]
    np.testing.assert_allclose(other.covariance, expected, rtol=1e-4, atol=1e-6 * np.abs(expected).max())


def test_shuffling_rows_only_moves_rounding(moments, sources):
    rng = np.random.default_rng(1)
    found, other = moments(sources), moments([rng.permutation(rows) for rows in sources])
    np.testing.assert_allclose(other.gram, found.gram, rtol=3e-6, atol=1e-7)
    np.testing.assert_allclose(other.interaction, found.interaction, rtol=1e-4, atol=1e-6)


def test_a_shift_of_a_column_by_a_billion_changes_no_distance(kernel, moments, sources):
    """Rows are rounded beforehand so that 1e9 leaves them exact; what is tested is the centring."""
    if not kernel.is_shift_invariant:
        pytest.skip("the kernel knows an origin")
    rows = [np.round(s * 1024.0) / 1024.0 for s in sources]
    near = distances(moments(rows).gram)
    for shift in (np.array([0.0, 1e9, 0.0]), np.full(3, -1e9)):
        np.testing.assert_allclose(distances(moments([s + shift for s in rows]).gram), near, atol=1e-6)


def test_a_vendor_equal_to_the_anchor_is_at_no_biased_distance(moments, sources):
    gram = moments([sources[0], sources[2].copy(), sources[2]]).gram_biased
    assert abs(distances(gram)[1, 2]) <= 2e-6 * np.abs(gram).max()


def test_same_sources_same_moments(moments, sources):
    one, other = moments(sources), moments(sources)
    for field in ("gram", "gram_biased", "covariance", "interaction", "self_mean"):
        np.testing.assert_array_equal(getattr(one, field), getattr(other, field))
