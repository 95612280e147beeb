"""Hand-made data sets in the place of the real ones: two clouds of points, with numbers to predict."""

from __future__ import annotations

import numpy as np

from karat.paper import pools, sets
from karat.paper.ranking import Ranking
from karat.paper.sets import DataSet


def put_in_place(monkeypatch) -> None:
    """Let "calih" and "kingh" be 600 points each."""
    rng = np.random.default_rng(0)
    clean = rng.normal(0.0, 1.0, (600, 3)).astype(np.float32)
    foreign = rng.normal(1.5, 1.0, (600, 3)).astype(np.float32)
    made = {
        "calih": DataSet("calih", clean, clean.sum(axis=1).astype(np.float64), None),
        "kingh": DataSet("kingh", foreign, -foreign.sum(axis=1).astype(np.float64), None),
    }
    for name, found in made.items():
        monkeypatch.setitem(sets.SETS, name, lambda found=found: found)
    pools.pair_pools.cache_clear()


def tiny_ranking(**changes) -> Ranking:
    """A market of five vendors of 120 rows from those points."""
    settings = {
        "name": "calih-kingh",
        "scale": "quick",
        "trials": 2,
        "draws": 2,
        "pair": "calih-kingh",
        "kind": "huber",
        "schedule": "(i-1)/n",
        "n_vendors": 5,
        "rows": 120,
        "model": "ridge",
    }
    return Ranking(**(settings | changes))
