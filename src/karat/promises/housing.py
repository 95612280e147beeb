"""The paper's housing market: ten vendors of California houses with more and more of King County in them.

CaliH and KingH are split once by hash into an anchor pool and a vendor pool, and rows are drawn with
replacement: the pools are the distributions, so the true distance of every vendor under the kernel of the run
is known. Vendor i has e_i = (i - 1) / 10, the anchor is drawn from the anchor pool of CaliH.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from karat.decisions import AsymptoticPolicy, PaperPolicy, pair_matrix, policy_named
from karat.gram import Moments, kernel_sums, moments_from_sums
from karat.guarantees import squared_distances
from karat.kernels import GaussianSum, Kernel, default_kernel
from karat.promises.promise import Effort, Must, Result
from karat.sources import catalog
from karat.typing import Matrix, Rows, Vector
from karat.values import Reference, reference_named

VENDORS = 10
PAIRS = VENDORS * (VENDORS - 1) // 2
SEEDS_OF_POWER = 3

MARKETS = ((2000, 2000), (300, 300), (500, 20))
"""Rows of each preview and of the anchor."""

POWER = {(2000, 2000): (134, 133), (300, 300): (122, 110), (500, 20): (None, None)}
"""Of 135 pairs in three seeds, how many have to be decided: pair by pair, and with Holm."""

ANCHOR_SHARE = 0.25


@dataclass(frozen=True)
class HousingPools:
    """anchor, clean: the two pools of CaliH. other: KingH's vendor pool."""

    anchor: Matrix
    clean: Matrix
    other: Matrix


@lru_cache(maxsize=1)
def housing_pools() -> HousingPools | None:
    """The pools, or None where the data are absent."""
    if not catalog.is_here("regression_features"):
        return None
    with np.load(catalog.locate("regression_features"), allow_pickle=False) as data:
        anchor, clean = split_by_hash(data["CaliH_x"])
        _, other = split_by_hash(data["KingH_x"])
    return HousingPools(anchor, clean, other)


def split_by_hash(rows: Rows) -> tuple[Matrix, Matrix]:
    """(anchor pool, vendor pool): a quarter of the rows by the first byte of their SHA-256, and the rest."""
    first = np.array([hashlib.sha256(np.ascontiguousarray(row).tobytes()).digest()[0] for row in rows])
    is_anchor = first < 256 * ANCHOR_SHARE
    return rows[is_anchor].astype(np.float64), rows[~is_anchor].astype(np.float64)


@dataclass
class Housing:
    """What was counted in one kind of market, over its seeds."""

    pairwise: int = 0
    holm: int = 0
    guaranteed: int = 0
    guaranteed_all: int = 0
    paper: int = 0
    wrong_pairwise: int = 0
    wrong_markets: int = 0
    wrong_guaranteed: int = 0


def housing(effort: Effort, seed: int) -> Iterator[Result]:
    """Power in three seeds, wrong verdicts in all, the paper's policy and the guaranteed one beside.

    The markets are those of the seeds 0, 1, 2, .., whatever `seed` is: power is promised for these.
    """
    pools = housing_pools()
    for sizes, (pairwise, holm) in POWER.items():
        yield from _one_kind(pools, sizes, pairwise, holm, effort, seed)


def _one_kind(
    pools: HousingPools | None,
    sizes: tuple[int, int],
    pairwise: int | None,
    holm: int | None,
    effort: Effort,
    seed: int,
) -> Iterator[Result]:
    rows, anchor_rows = sizes
    start = time.perf_counter()
    power, every = Housing(), Housing()
    seeds = effort.housing_seeds if rows != 2000 or effort.is_full else SEEDS_OF_POWER
    if pools is not None:
        for number in range(seeds):
            rng = np.random.default_rng(
                number
            )  # seeds 0, 1, 2, ..: the markets of the paper, whatever `seed`
            counted = _count(pools, rows, anchor_rows, rng)
            _add(every, counted)
            if number < SEEDS_OF_POWER:
                _add(power, counted)
    seconds = time.perf_counter() - start
    where = f"CaliH/KingH, {rows} rows, anchor {anchor_rows}"

    def line(what: str, number: float, must: Must, of: Housing) -> Result:
        return Result(
            f"{where}: {what}",
            None if pools is None else number,
            must,
            seeds if of is every else SEEDS_OF_POWER,
            seconds,
            seed,
            {} if pools is None else {k: float(v) for k, v in vars(of).items()},
        )

    asked = Must() if pairwise is None else Must(at_least=pairwise)
    asked_holm = Must() if holm is None else Must(at_least=holm)
    yield line("pairs of 135 decided, one at a time", power.pairwise - power.wrong_pairwise, asked, power)
    yield line("pairs of 135 decided, Holm over each market", power.holm, asked_holm, power)
    yield line("share of wrong pairs", every.wrong_pairwise / (PAIRS * seeds), Must(at_most=0.05), every)
    yield line(
        "share of markets with a wrong pair (Holm)", every.wrong_markets / seeds, Must(at_most=0.05), every
    )
    yield line("pairs decided by the paper's policy, its kernel", every.paper, Must(at_most=0.0), every)
    guaranteed = Must(at_least=80) if rows == 2000 else Must()
    yield line("pairs of 135 decided by the guaranteed policy", power.guaranteed, guaranteed, power)
    yield line("guaranteed verdicts that are wrong", every.wrong_guaranteed, Must(at_most=0.0), every)


def _add(total: Housing, one: Housing) -> None:
    for name, number in vars(one).items():
        setattr(total, name, getattr(total, name) + number)


def _count(pools: HousingPools, rows: int, anchor_rows: int, rng: np.random.Generator) -> Housing:
    """Draw one market and count what each policy decides, and what of it is wrong."""
    shares = np.arange(VENDORS) / VENDORS
    sources = [_draw(pools, rng, rows, share) for share in shares]
    sources.append(pools.anchor[rng.integers(len(pools.anchor), size=anchor_rows)])
    kernel = default_kernel([sources[-1]])
    moments = _moments(sources, kernel)
    reference = reference_named(moments, "anchor")
    true = _true_distances(pools, kernel, shares)
    nearer = true[:, None] < true[None, :]
    asymptotic = AsymptoticPolicy(squared_distances(moments, reference.contrasts, moments.vendor_names))
    alone = pair_matrix(asymptotic, multiplicity="none").better
    together = pair_matrix(asymptotic).better
    guaranteed = policy_named("guaranteed", moments, reference.contrasts, moments.vendor_names)
    i, j = np.triu_indices(VENDORS, 1)
    sure = guaranteed.evidence(i, j, margin=0.0, confidence=0.95)
    wrong_sure = (sure.better & ~nearer[i, j]) | (sure.worse & ~nearer[j, i])
    everything = pair_matrix(guaranteed).better
    return Housing(
        pairwise=int(alone.sum()),
        holm=int(together.sum()),
        guaranteed=int((sure.better | sure.worse).sum()),
        guaranteed_all=int(everything.sum()),
        paper=_paper_decides(sources),
        wrong_pairwise=int((alone & ~nearer).sum()),
        wrong_markets=int((together & ~nearer).any()),
        wrong_guaranteed=int(wrong_sure.sum()) + int((everything & ~nearer).sum()),
    )


def _draw(pools: HousingPools, rng: np.random.Generator, rows: int, share: float) -> Matrix:
    clean = pools.clean[rng.integers(len(pools.clean), size=rows)]
    other = pools.other[rng.integers(len(pools.other), size=rows)]
    chosen: Matrix = np.where(rng.random((rows, 1)) < share, other, clean)
    return chosen


def _moments(sources: list[Matrix], kernel: Kernel) -> Moments:
    names = [f"vendor {k}" for k in range(len(sources) - 1)] + ["anchor"]
    sums = kernel_sums(sources, kernel)
    return moments_from_sums(sums, names=names, kernel=kernel, anchor=len(sources) - 1)


def _paper_decides(sources: list[Matrix]) -> int:
    """Pairs that the printed policy decides with the printed kernel, the sum of bandwidths 1, 2, 5, 10."""
    moments = _moments(sources, GaussianSum([1.0, 2.0, 5.0, 10.0]))
    reference: Reference = reference_named(moments, "anchor")
    policy = policy_named(
        "paper", moments, reference.contrasts, moments.vendor_names, weights=reference.weights
    )
    assert isinstance(policy, PaperPolicy)
    return int(pair_matrix(policy).better.sum())


def _true_distances(pools: HousingPools, kernel: Kernel, shares: Vector) -> Vector:
    """The distance of every vendor's distribution from the anchor's, under this kernel."""
    products = _moments([pools.clean, pools.other, pools.anchor], kernel).gram_biased
    contrasts = np.stack([1.0 - shares, shares, -np.ones_like(shares)], axis=1)
    squared: Vector = np.einsum("ij,ij->i", contrasts @ products, contrasts)
    return np.sqrt(np.maximum(squared, 0.0))
