"""What every reference of the table must satisfy, each under its own name."""

from __future__ import annotations

import numpy as np
import pytest

from karat.gram import kernel_sums, moments_from_sums
from karat.kernels import Gaussian
from karat.values import REFERENCES, reference_named, squared_mmd

VENDORS = 9


@pytest.fixture(params=range(6))
def sources(request):
    """Nine vendors, of which two show the same rows, and an anchor."""
    rng = np.random.default_rng(request.param)
    rows = {f"v{i}": rng.normal(rng.uniform(0.0, 1.0), 1.0, size=(60, 2)) for i in range(VENDORS)}
    rows["v5"] = rows["v2"]
    return rows | {"anchor": rng.normal(size=(40, 2))}


@pytest.fixture(params=["float32", "float64"])
def moments(request):
    def of(sources):
        kernel, names = Gaussian(1.0), list(sources)
        sums = kernel_sums(list(sources.values()), kernel, precision=request.param)
        anchor = names.index("anchor") if "anchor" in names else None
        return moments_from_sums(sums, names=names, kernel=kernel, anchor=anchor)

    return of


@pytest.fixture(params=REFERENCES)
def squared(request, moments):
    """Names to squared distances, from named rows."""

    def of(sources):
        found = moments(sources)
        values = squared_mmd(found.gram, reference_named(found, request.param).contrasts)
        return dict(zip(found.vendor_names, values.tolist(), strict=True))

    return of


@pytest.mark.parametrize("name", REFERENCES)
def test_contrasts_sum_to_zero_and_weights_are_shares(name, moments, sources):
    reference = reference_named(moments(sources), name)
    np.testing.assert_allclose(reference.contrasts.sum(axis=1), 0.0, atol=1e-12)
    if reference.weights is not None:
        assert reference.weights.sum() == pytest.approx(1.0, abs=1e-12)
        assert (reference.weights >= 0.0).all()


def test_renaming_and_reordering_vendors_moves_their_values_along(squared, sources):
    values = squared(sources)
    order = np.random.default_rng(1).permutation(VENDORS)
    shuffled = {f"other v{i}": sources[f"v{i}"] for i in order} | {"anchor": sources["anchor"]}
    again = squared(shuffled)
    for name, value in values.items():
        assert again[f"other {name}"] == pytest.approx(value, rel=1e-5, abs=1e-7)


def test_equal_vendors_have_equal_values(squared, sources):
    values = squared(sources)
    assert values["v2"] == pytest.approx(values["v5"], rel=1e-5, abs=1e-7)


def test_the_order_of_rows_does_not_matter(squared, sources):
    values = squared(sources)
    again = squared({name: rows[::-1] for name, rows in sources.items()})
    for name, value in values.items():
        assert again[name] == pytest.approx(value, rel=1e-5, abs=1e-7)
