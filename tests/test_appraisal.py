"""What an appraisal says of itself: ties, references, and on what grounds its decisions hold."""

from __future__ import annotations

import numpy as np
import pytest

import karat


@pytest.mark.parametrize("seed", [4, 17, 28, 41])
@pytest.mark.parametrize("reference", ["anchor", "uniform", "leave-one-out"])
def test_equal_previews_share_a_rank_against_every_reference(seed, reference):
    """Their sums are added in another order, and float32 sums differ by some 1e-8 then."""
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(rng.integers(12, 300), 3))
    sizes = rng.integers(12, 200, size=4)
    others = {f"v{i}": rng.normal(0.1 * i, 1.0, size=(m, 3)) for i, m in enumerate(sizes)}
    market = {"first": rows, **others, "last": rows}
    appraisal = karat.appraise(market, anchor=rng.normal(size=(50, 3))).against(reference)
    ranks = dict(zip(appraisal.moments.vendor_names, appraisal._ranks(), strict=True))
    assert ranks["first"] == ranks["last"]
