"""The ground truth: expected test performance of a model trained on a vendor's rows.

zeta_i = E over D_i ~ P_i of Perf(M(D_i); test pool), accuracy for classes and R^2 for numbers. The
expectation is a mean over several draws, and every vendor of every draw gets a fresh model: neither the order
of the vendors nor a single lucky draw can enter, as both do in the authors' code.
"""

from __future__ import annotations

import numpy as np

from karat.models import Model
from karat.paper.drawing import Vendors


def performances(vendors: Vendors, model: Model, *, rows: int, rng: np.random.Generator) -> list[float]:
    """The test performance of a fresh model for each vendor, from one draw of so many rows each."""
    test = vendors.pools.clean.test
    found = []
    for i, stream in enumerate(rng.spawn(vendors.n)):
        drawn = vendors.draw(i, rows, stream)
        seed = int(stream.integers(2**31))
        n_classes = vendors.pools.n_classes
        labels = drawn.labels.astype(np.intp if n_classes is not None else np.float64)
        fitted = model.fit(drawn.rows, labels, n_classes=n_classes, seed=seed)
        found.append(fitted.score(test.rows, test.labels))
    return found
