"""One timing, in a process of its own: `python -m karat.paper.timing JOB`, JSON in and JSON out."""

from __future__ import annotations

import json
import os
import resource
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from threadpoolctl import threadpool_info

from karat.baselines.base import value
from karat.gram import Moments, kernel_sums, moments_from_sums
from karat.gram.block import block_values
from karat.gram.landmarks import landmark_moments
from karat.kernels import Kernel, kernel_named
from karat.paper.bench import market_of
from karat.paper.drawing import Vendors
from karat.paper.pairs import PAIRS, PairOfSets
from karat.paper.pools import Part, pair_pools
from karat.paper.schedules import schedule_values
from karat.typing import Rows, Vector
from karat.values import reference_named, squared_mmd
from karat.values import value as minus_distance

CIFAR_PIXELS = PairOfSets(
    "CIFAR10 vs. CIFAR100", "cifar10", "cifar100", "pixels", "classes", False, "logistic", "logistic"
)
"""Raw pixels, as the paper times them."""

DATA = {"mnist": PAIRS["mnist-emnist"], "cifar10": CIFAR_PIXELS, "davinz": PAIRS["mnist-emnist"]}

LANDMARKS = 512
"""Landmarks at every size, where their number is fixed."""

REPEATS, ENOUGH = 3, 15.0
"""The least of so many repeats is kept; none is begun after so many seconds."""

Scored = tuple[Vector, int | None]
"""Values, and the number of landmarks where there are any."""


def timed(job: Mapping[str, Any]) -> dict[str, Any]:
    """Seconds of the valuation, and the largest resident set in MB with the data in it.

    load: how many processes wanted to run just before, this one's parent among them.
    """
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else None
    n, m = int(job["n"]), int(job["m"])
    pools = pair_pools(DATA[job["data"]], 30_000)
    vendors = Vendors(pools, "huber", schedule_values("huber", "(i-1)/n", n), own_labels=False)
    streams = np.random.default_rng([int(job["seed"]), n, m]).spawn(n + 1)
    drawn = [vendors.draw(i, m, stream) for i, stream in enumerate(streams[:-1])]
    anchor = pools.clean.anchor
    held = anchor.take(streams[-1].integers(anchor.size, size=m))
    value_them = ENGINES[job["engine"]]
    value_them(
        [Part(part.rows[:64], part.labels[:64]) for part in drawn], held.take(np.arange(64))
    )  # compiles
    before = _peak_mb()
    every: list[float] = []
    while len(every) < REPEATS and sum(every) < ENOUGH:
        started = time.perf_counter()
        scores, landmarks = value_them(drawn, held)
        every.append(time.perf_counter() - started)
    return {
        "seconds": min(every),
        "repeats": every,
        "peak_mb": _peak_mb(),
        "before_mb": before,
        "landmarks": landmarks,
        "load": load,
        "threads": {one["user_api"]: one["num_threads"] for one in threadpool_info()},
        "scores": np.asarray(scores).tolist(),
    }


def exact(drawn: list[Part], held: Part) -> Scored:
    """Every pair of rows."""
    rows, kernel = _sources(drawn, held)
    names = [str(j) for j in range(len(rows))]
    moments = moments_from_sums(kernel_sums(rows, kernel), names=names, kernel=kernel, anchor=len(rows) - 1)
    return _against_anchor(moments), None


def landmarks(drawn: list[Part], held: Part, count: int | None = LANDMARKS) -> Scored:
    """Linear in the rows."""
    rows, kernel = _sources(drawn, held)
    names = [str(j) for j in range(len(rows))]
    found = landmark_moments(rows, kernel, names=names, anchor=len(rows) - 1, landmarks=count, seed=0)
    return _against_anchor(found.moments), found.landmarks


def adaptive(drawn: list[Part], held: Part) -> Scored:
    """As many landmarks as karat takes when it is not told how many."""
    return landmarks(drawn, held, None)


def block(drawn: list[Part], held: Part) -> Scored:
    """The authors' algorithm, with its division put right, so that its error can be told."""
    rows, kernel = _sources(drawn, held)
    return block_values(rows[:-1], rows[-1], kernel).values, None


def davinz(drawn: list[Part], held: Part) -> Scored:
    """DAVINZ with the small network and one initialisation, as its authors run it."""
    market = market_of(drawn, held)
    return value(market, "davinz", seed=0, model="cnn-22k", initialisations=1).scores, None


def _against_anchor(moments: Moments) -> Vector:
    return minus_distance(squared_mmd(moments.gram, reference_named(moments, "anchor").contrasts))


def _sources(drawn: list[Part], held: Part) -> tuple[list[Rows], Kernel]:
    rows = [part.rows for part in (*drawn, held)]
    return rows, kernel_named("default", [held.rows[:2000]])


ENGINES: Mapping[str, Callable[[list[Part], Part], Scored]] = {
    "exact": exact,
    "landmarks": landmarks,
    "adaptive": adaptive,
    "block": block,
    "davinz": davinz,
}


def _peak_mb() -> float:
    """Largest resident set so far; Linux counts in kilobytes, macOS in bytes."""
    unit = 1.0 if sys.platform == "darwin" else 1024.0
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6


if __name__ == "__main__":
    sys.stdout.write(json.dumps(timed(json.loads(sys.argv[1]))))
