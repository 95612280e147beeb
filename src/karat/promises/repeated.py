"""Ten looks at growing previews: does the chance of any wrong verdict stay at the level?"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator

import numpy as np

from karat.decisions import Mixture, PlannedMaximum, Unplanned
from karat.decisions.looks import Rule
from karat.guarantees import Pairs, squared_distances
from karat.promises.batches import (
    batched_moments,
    default_kernel_values,
    median_distances,
    runs_per_batch,
    squared_distances_within,
)
from karat.promises.populations import Batch, normal
from karat.promises.promise import Effort, Must, Result
from karat.promises.stacked import Stack

LOOKS = 10
STEP = 15
"""Rows that every source adds between two looks."""

SHARES = (0.3, 0.3, 0.0)
CONTRASTS = np.array([[1.0, 0.0, -1.0], [0.0, 1.0, -1.0]])

RULES: dict[str, Callable[[], Rule]] = {
    "planned maximum": PlannedMaximum,
    "no plan": Unplanned,
    "mixture boundary": lambda: Mixture(sharpest_at=0.5),
}


def repeated_looks(effort: Effort, seed: int) -> Iterator[Result]:
    """Two equal vendors and an anchor that all grow; kernel and encoder are chosen anew at every look."""
    rng = np.random.default_rng(seed)
    start = time.perf_counter()
    wrong = dict.fromkeys([*RULES, "no rule"], 0)
    runs, rows = effort.look_runs, LOOKS * STEP
    batch = runs_per_batch(3 * rows)
    done = 0
    while done < runs:
        count = min(batch, runs - done)
        done += count
        sources = [normal().draw(rng, count, rows, share) for share in SHARES]
        decided = {name: np.zeros(count, dtype=bool) for name in wrong}
        rules = {name: make() for name, make in RULES.items()}
        for look in range(1, LOOKS + 1):
            pairs = _pairs([rows[:, : look * STEP] for rows in sources])
            smaller = np.minimum(pairs.p_value(), pairs.swapped().p_value())
            rules = {name: rule.at(look / LOOKS) for name, rule in rules.items()}
            decided["no rule"] |= smaller <= 0.025
            for name, rule in rules.items():
                decided[name] |= smaller <= (1.0 - rule.current.confidence) / 2.0
        for name in wrong:
            wrong[name] += int(decided[name].sum())
    shares = {name: count / runs for name, count in wrong.items()}
    worst = max(shares[name] for name in RULES)
    must = Must(at_most=0.05 + 2.0 * math.sqrt(0.05 * 0.95 / runs))
    yield Result(
        "wrong verdicts over ten looks", worst, must, runs, time.perf_counter() - start, seed, shares
    )


def _pairs(sources: list[Batch]) -> Pairs:
    """The two vendors of every run, on the rows that are there by now."""
    scale = sources[-1].std(axis=1)[:, None, :]
    encoded = [rows / scale for rows in sources]
    bandwidth = median_distances(squared_distances_within(encoded[-1]))
    values = default_kernel_values(squared_distances_within(np.concatenate(encoded, axis=1)), bandwidth)
    found = [
        (squared_distances(moments, CONTRASTS, ["a", "b"]), np.zeros(2))
        for moments in batched_moments(values, [rows.shape[1] for rows in encoded], anchor=True)
    ]
    return Stack.of(found).pairs(0, 1)
