from __future__ import annotations

import numpy as np
import pytest

from karat.gram import kernel_sums, moments_from_sums
from karat.kernels import Gaussian
from karat.paper.entries import entry_named
from karat.paper.store import SHIPPED, read_result
from karat.paper.tables import tables_of
from karat.paper.verification import (
    POINTS,
    Verification,
    kernel_matrix,
    observed,
    random_distributions,
    squared_gaps,
)
from karat.vendors.huber import contaminated_probabilities
from truths import rows_of


def test_what_is_computed_from_counts_is_what_the_engine_finds_in_the_rows():
    rng = np.random.default_rng(0)
    vendors = random_distributions(3, rng)
    gram, biased, noise = observed(vendors, kernel_matrix(), 40, np.random.default_rng(7))
    counts = np.random.default_rng(7).multinomial(40, vendors)
    points = np.arange(float(POINTS))[:, None]
    rows = [rows_of(tuple(row), points) for row in counts]
    sums = kernel_sums(rows, Gaussian(1.0), precision="float64")
    moments = moments_from_sums(sums, names=["a", "b", "c"], kernel=Gaussian(1.0), anchor=None)
    np.testing.assert_allclose(gram, moments.gram, atol=1e-12)
    np.testing.assert_allclose(biased, moments.gram_biased, atol=1e-12)
    np.testing.assert_allclose(noise, moments.spread / 40, atol=1e-12)


def test_the_error_level_is_the_contamination_times_the_distance_of_q():
    rng = np.random.default_rng(1)
    clean, foreign = random_distributions(2, rng)
    share = np.array([0.0, 0.2, 0.5])
    vendors = contaminated_probabilities(clean, np.tile(foreign, (3, 1)), share)
    gaps = squared_gaps(vendors, clean, kernel_matrix())
    whole = squared_gaps(foreign[None, :], clean, kernel_matrix())[0]
    np.testing.assert_allclose(gaps, share**2 * whole, atol=1e-15)


def test_an_r2_of_1_fits_neither_the_papers_own_table_nor_any_trial():
    (table,) = tables_of(entry_named("fig-6"), {"verification": read_result("verification", SHIPPED)})
    assert [row[2] for row in table.rows] == ["0.759", "0.664", "0.650", "0.791"]
    for row in table.rows:
        assert float(row[4].split(" to ")[1]) < 0.98
        assert row[5] == "below 1e-20"


def test_population_values_are_near_the_printed_and_the_robust_core_is_better():
    experiment = Verification(name="verification", scale="quick", trials=3, sizes=(200,), rows=(0,))
    summary = experiment.summary({cell: experiment.run(cell) for cell in experiment.cells()})
    found = summary["table"]["200"]
    assert 0.6 < found["uniform-0"]["mean"] < 0.97
    assert found["robust-0"]["mean"] > 0.97
    first = found["uniform-0"]["trials"][0]
    assert found["fit"]["r2"] == pytest.approx(first**2, abs=1e-9)
