"""The joint MMD against product kernels, block by block."""

from __future__ import annotations

import numpy as np
import pytest

from karat.baselines import valuation_named, value
from karat.baselines.joint import beside, class_columns, number_column
from karat.errors import ValuationError
from karat.gram import kernel_sums, moments_from_sums
from karat.kernels import Gaussian, GaussianMean, Laplace, OnColumns, Product, default_kernel
from karat.kernels.bandwidth import median_distance
from karat.vendors import Market


def _market(kind: str, seed: int = 0) -> Market:
    """Three vendors with the anchor's features; labels follow the first column, ever less."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(4, 60, 2))
    noise = np.array([0.0, 1.0, 4.0, 0.0])[:, None] * rng.normal(size=(4, 60))
    y = x[:, :, 0] + noise if kind == "numbers" else (x[:, :, 0] + noise > 0).astype(float)
    return Market.from_arrays(
        {f"v{i}": x[i] for i in range(3)},
        anchor=x[3],
        labels={f"v{i}": y[i] for i in range(3)},
        anchor_labels=y[3],
    )


def _squared_by_blocks(market: Market, kernel, columns) -> np.ndarray:
    joint = [beside(source.rows, extra) for source, extra in zip(market.sources, columns, strict=True)]
    sums = kernel_sums(joint, kernel)
    gram = moments_from_sums(sums, names=list("abcd"), kernel=kernel, anchor=3).gram
    return np.diag(gram)[:3] + gram[3, 3] - 2.0 * gram[:3, 3]


@pytest.mark.parametrize("kernel", ["gaussian", "gaussian:0.3"])
def test_numbers_have_the_product_of_two_gaussians(kernel):
    market = _market("numbers")
    bandwidth = 0.3 if kernel == "gaussian:0.3" else median_distance([market.anchor.rows])
    labels = [source.labels[:, None] for source in market.sources]
    product = Product(
        [OnColumns(Gaussian(bandwidth), 0, 2), OnColumns(Gaussian(median_distance(labels[-1:])), 2, 3)]
    )
    found = value(market, "mmd-joint", kernel=kernel).details["squared"]
    np.testing.assert_allclose(found, _squared_by_blocks(market, product, labels), atol=2e-6)


def test_classes_have_the_product_of_the_features_kernel_and_equality():
    market = _market("classes")
    one_hot = [np.eye(2)[source.labels.astype(int)] for source in market.sources]
    product = Product([OnColumns(default_kernel([market.anchor.rows]), 0, 2), OnColumns(Gaussian(0.1), 2, 4)])
    found = value(market, "mmd-joint").details["squared"]
    np.testing.assert_allclose(found, _squared_by_blocks(market, product, one_hot), atol=2e-6)


def test_label_columns_leave_the_kernel_alone_where_labels_agree():
    kernel = GaussianMean([0.5, 1.0, 2.0])
    rng = np.random.default_rng(0)
    x = rng.normal(size=(5, 3))
    same = beside(x, class_columns(np.ones(5, dtype=np.intp), 4, kernel))
    np.testing.assert_allclose(kernel.block(same, same), kernel.block(x, x), rtol=1e-9)
    other = beside(x, class_columns(np.zeros(5, dtype=np.intp), 4, kernel))
    assert kernel.block(same, other).max() < 2e-11
    numbers = number_column(np.array([0.0, 3.0]), 3.0, kernel)
    assert kernel.bandwidths[1] == np.ptp(numbers)


@pytest.mark.parametrize("kind", ["classes", "numbers"])
def test_labels_are_seen_where_features_are_all_alike(kind):
    market = _market(kind)
    joint = value(market, "mmd-joint").details["squared"]
    assert joint[0] < joint[1] < joint[2]
    plain = np.array(value(market, "mmd").details["squared"])
    assert joint[2] > 5 * np.abs(plain).max()


def test_the_union_of_the_vendors_can_be_the_reference():
    found = value(_market("classes"), "mmd-joint", reference="uniform")
    assert found.details["reference"] == "uniform"
    assert found.scores.shape == (3,)


@pytest.mark.parametrize("kernel", ["laplace", Laplace(1.0)])
def test_kernels_that_are_no_gaussians_are_refused(kernel):
    with pytest.raises(ValuationError, match=r"needs a Gaussian kernel, not 'laplace'.*'gaussian-mean'"):
        valuation_named("mmd-joint", kernel=kernel)
