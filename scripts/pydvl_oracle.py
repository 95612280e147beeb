"""Numbers of pyDVL that tests compare karat with, written as JSON to standard output.

pyDVL pins numpy below 2, so it lives in an environment of its own:

    python3.11 -m venv /somewhere/pydvl
    /somewhere/pydvl/bin/pip install "pyDVL==0.10.0"
    /somewhere/pydvl/bin/python scripts/pydvl_oracle.py > tests/baselines/pydvl_oracle.json

All of it is exact (every subset is visited), so nothing depends on a seed but the data.
"""

from __future__ import annotations

import json
import sys
from importlib.metadata import version
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydvl.valuation.dataset import Dataset, GroupedDataset
from pydvl.valuation.methods.banzhaf import BanzhafValuation
from pydvl.valuation.methods.beta_shapley import BetaShapleyValuation
from pydvl.valuation.methods.knn_shapley import KNNShapleyValuation
from pydvl.valuation.methods.loo import LOOValuation
from pydvl.valuation.methods.shapley import ShapleyValuation
from pydvl.valuation.samplers import DeterministicUniformSampler, FiniteSequentialIndexIteration
from pydvl.valuation.scorers import SupervisedScorer
from pydvl.valuation.stopping import NoStopping
from pydvl.valuation.utility import ModelUtility
from pydvl.valuation.utility.base import UtilityBase
from sklearn.linear_model import RidgeClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

CLASSES = 3
NEIGHBOURS = 5


class ListedWorths(UtilityBase[Any]):
    """A game given by the worth of every coalition; player i is bit i."""

    def __init__(self, worths: NDArray[np.float64]) -> None:
        self.worths = worths

    def __call__(self, sample: Any) -> float:
        return float(self.worths[0 if sample is None else sum(1 << int(i) for i in sample.subset)])


def semivalues(utility: Any, data: Dataset) -> dict[str, list[float]]:
    """Every semivalue that karat has, over all subsets."""

    def exhaustive() -> tuple[Any, Any]:
        sampler = DeterministicUniformSampler(index_iteration=FiniteSequentialIndexIteration)
        return sampler, NoStopping(sampler)

    methods = {
        "shapley": ShapleyValuation(utility, *exhaustive(), progress=False),
        "banzhaf": BanzhafValuation(utility, *exhaustive(), progress=False),
        "beta-16-1": BetaShapleyValuation(utility, *exhaustive(), alpha=16, beta=1, progress=False),
        "beta-1-16": BetaShapleyValuation(utility, *exhaustive(), alpha=1, beta=16, progress=False),
        "leave-one-out": LOOValuation(utility, progress=False),
    }
    return {name: by_index(method.fit(data)) for name, method in methods.items()}


def by_index(method: Any) -> list[float]:
    """The values in the order of the players."""
    result = method.result
    values = np.empty(len(result))
    values[result.indices] = result.values
    return values.tolist()


def market(generator: np.random.Generator) -> dict[str, Any]:
    """Five vendors of 30 rows with more and more wrong labels, and 40 rows to score on."""
    centres = generator.normal(size=(CLASSES, 4))

    def draw(rows: int, wrong: float) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        codes = generator.integers(CLASSES, size=rows)
        x = centres[codes] + generator.normal(size=(rows, 4))
        noisy = np.where(generator.uniform(size=rows) < wrong, generator.integers(CLASSES, size=rows), codes)
        return x.round(4), noisy

    vendors = [draw(30, wrong) for wrong in (0.0, 0.2, 0.4, 0.6, 0.8)]
    test = draw(40, 0.0)
    return {
        "vendors": [{"rows": x.tolist(), "labels": y.tolist()} for x, y in vendors],
        "test": {"rows": test[0].tolist(), "labels": test[1].tolist()},
    }


def main() -> None:
    """Compute and write everything."""
    generator = np.random.default_rng(20240601)
    n = 5
    worths = generator.normal(size=2**n).round(6)
    worths[0] = 0.0
    dummies = Dataset(np.zeros((n, 1)), np.zeros(n))
    game = {
        "players": n,
        "worths": worths.tolist(),
        "values": semivalues(ListedWorths(worths).with_dataset(dummies), dummies),
    }

    rows = market(generator)
    x = np.concatenate([np.array(vendor["rows"]) for vendor in rows["vendors"]])
    y = np.concatenate([np.array(vendor["labels"]) for vendor in rows["vendors"]])
    groups = np.repeat(np.arange(len(rows["vendors"])), 30)
    test = Dataset(np.array(rows["test"]["rows"]), np.array(rows["test"]["labels"]))
    grouped = GroupedDataset(x, y, data_groups=groups)
    scorer = SupervisedScorer("accuracy", test, default=1.0 / CLASSES, range=(0.0, 1.0))
    model = make_pipeline(StandardScaler(), RidgeClassifier(alpha=1.0))
    ridge = semivalues(ModelUtility(model, scorer, clone_before_fit=True), grouped)

    knn = KNNShapleyValuation(KNeighborsClassifier(NEIGHBOURS), test, progress=False).fit(Dataset(x, y))
    stored = {
        "pydvl": version("pydvl"),
        "game": game,
        "market": rows,
        "classes": CLASSES,
        "ridge": ridge,
        "neighbours": NEIGHBOURS,
        "knn": by_index(knn),
    }
    json.dump(stored, sys.stdout, separators=(",", ":"))
    sys.stdout.write("\n")


if __name__ == "__main__":
    main()
