"""Pools: every set is split once, by the hash of each row's content, into test, anchor and vendor pool.

P* and Q *are* the uniform distributions on their vendor pools, and vendors draw from them with replacement;
so what is true of a vendor is known exactly. The test pool is seen by the ground truth alone, the anchor pool
gives validation rows, anchors and every scaling. Equal rows have equal hashes and never part.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from karat.paper import encoding
from karat.paper.pairs import PairOfSets
from karat.paper.sets import DataSet, data_set

TEST_SHARE, ANCHOR_SHARE = 0.2, 0.2

QUICK_ROWS = 30_000
"""Of a larger set, this many rows (those with the smallest hashes) are used at quick scale."""


@dataclass(frozen=True, eq=False)
class Part:
    """Rows with labels: one pool."""

    rows: NDArray[Any]
    labels: NDArray[Any]

    @property
    def size(self) -> int:
        return len(self.rows)

    def take(self, picked: NDArray[Any]) -> Part:
        return Part(self.rows[picked], self.labels[picked])


@dataclass(frozen=True, eq=False)
class Pools:
    """The three pools of one set."""

    name: str
    test: Part
    anchor: Part
    vendor: Part
    classes: tuple[str, ...] | None
    stands_in: str | None

    @property
    def sizes(self) -> dict[str, int]:
        return {"test": self.test.size, "anchor": self.anchor.size, "vendor": self.vendor.size}


@dataclass(frozen=True, eq=False)
class PairPools:
    """The encoded pools of P* and, where there is one, of Q."""

    clean: Pools
    foreign: Pools | None

    @property
    def n_classes(self) -> int | None:
        return None if self.clean.classes is None else len(self.clean.classes)

    @property
    def notes(self) -> list[str]:
        """What stands in for the paper's sets."""
        both = (self.clean,) if self.foreign is None else (self.clean, self.foreign)
        return [pools.stands_in for pools in both if pools.stands_in]


def row_hashes(rows: NDArray[Any]) -> NDArray[np.uint64]:
    """Two 64-bit hashes per row, (m, 2), from the bytes of its content."""
    flat = np.ascontiguousarray(rows)
    flat = flat.view(np.uint8).reshape(len(flat), -1)
    digests = b"".join(hashlib.blake2b(row.tobytes(), digest_size=16).digest() for row in flat)
    return np.frombuffer(digests, dtype="<u8").reshape(-1, 2)


def split(found: DataSet, most: int | None) -> Pools:
    """The pools of a set, after keeping at most so many rows."""
    hashes = row_hashes(found.rows)
    kept = np.arange(len(hashes))
    if most is not None and len(kept) > most:
        kept = np.sort(np.argsort(hashes[:, 1], kind="stable")[:most])
    place = hashes[kept, 0] / 2.0**64
    whole = Part(found.rows[kept], found.labels[kept])
    in_test, in_anchor = place < TEST_SHARE, (place >= TEST_SHARE) & (place < TEST_SHARE + ANCHOR_SHARE)
    return Pools(
        found.name,
        whole.take(in_test),
        whole.take(in_anchor),
        whole.take(~in_test & ~in_anchor),
        found.classes,
        found.stands_in,
    )


@lru_cache(maxsize=2)
def pair_pools(pair: PairOfSets, most: int | None) -> PairPools:
    """The pools of a pair, encoded side by side; the encoder is fitted on anchor pools alone."""
    clean = split(data_set(pair.clean), most)
    foreign = None if pair.foreign is None else split(data_set(pair.foreign), most)
    encode = encoding.ENCODERS[pair.encoding]
    own, others = encode(clean.anchor.rows, None if foreign is None else foreign.anchor.rows)
    return PairPools(
        _encoded(clean, own),
        None if foreign is None or others is None else _encoded(foreign, others),
    )


def _encoded(pools: Pools, encode: encoding.Encode) -> Pools:
    def part(raw: Part) -> Part:
        return Part(np.ascontiguousarray(encode(raw.rows)), raw.labels)

    return replace(pools, test=part(pools.test), anchor=part(pools.anchor), vendor=part(pools.vendor))
