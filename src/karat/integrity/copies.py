"""Rows that are copies: of other rows of the same preview, or of the buyer's own.

Equal rows alone prove nothing: in discrete data independent rows coincide, and honest vendors may draw from
one pool with replacement. So equal rows count against a vendor only in excess of what the other sources show
among themselves, and only where copying can be seen at all: where some column is nearly unique in the other
sources. Where only whole rows are, a vendor's own repetitions may be what its data are like, and stay; rows
that the buyer shows once are not met again by chance.

Where there is excess, one of each stays, and the buyer's own rows do not count as a vendor's: a vendor gains
nothing by showing a row twice, or by showing the buyer what the buyer has shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from karat.schema import Finding
from karat.vendors import Market, Source
from karat.vendors.sample import Hashes

NEARLY_UNIQUE = 0.9
"""A column shows copies if at least this share of its values in the other sources are distinct."""

EXCESS_DEVIATIONS = 4.0
"""Equal pairs beyond the expected ones, in Poisson deviations, before they are called copies."""

LEAST_KEPT = 2
"""A preview is never cut below this many rows: it is then reported only."""

LEFT_OUT = ("replayed", "repeated")
STAYED = ("replayed-kept", "repeated-kept")
"""Kinds of findings: copies that were left out, and copies that stay because too few others would be left, or
because there are too many rows to tell which they are."""


@dataclass(frozen=True)
class _Equal:
    """Hashes of the rows of every source, and how often rows of two sources are equal.

    pairs: (n, n), equal pairs of rows (unordered within a source); rates: the same per pair of rows.
    """

    hashes: tuple[Hashes, ...]
    pairs: NDArray[np.float64]
    rates: NDArray[np.float64]

    @classmethod
    def of(cls, sources: tuple[Source, ...]) -> _Equal:
        hashes = tuple(source.hashes for source in sources)
        sizes = np.array([len(own) for own in hashes], dtype=np.float64)
        counts = _counts_of_repeated(hashes)
        pairs = np.asarray((counts @ counts.T).todense(), dtype=np.float64)
        occurrences = np.asarray(counts.sum(axis=1), dtype=np.float64).ravel()
        np.fill_diagonal(pairs, (np.diag(pairs) - occurrences) / 2.0)
        possible = np.outer(sizes, sizes)
        np.fill_diagonal(possible, np.maximum(sizes * (sizes - 1.0) / 2.0, 1.0))
        return cls(hashes, pairs, pairs / possible)

    @cached_property
    def usual_rates(self) -> NDArray[np.float64]:
        """(n,), the rate of equal pairs that independent draws show where source i is not concerned.

        The larger of two medians: between other sources, and within other sources, because honest draws with
        replacement show both.
        """
        n = len(self.hashes)
        found = np.zeros(n)
        if not self.rates.any():
            return found
        for i in range(n):
            others = np.delete(np.arange(n), i)
            rates = self.rates[np.ix_(others, others)]
            between = rates[np.triu_indices(len(others), k=1)]
            parts = (between, np.diag(rates))
            found[i] = max((float(np.median(part)) for part in parts if len(part)), default=0.0)
        return found

    def usual_rate(self, i: int, j: int) -> float:
        """The rate that independent draws show for sources i and j: also that of i with all but j."""
        across = np.delete(self.rates[i], [i, j])
        return max(float(self.usual_rates[i]), float(np.median(across)) if len(across) else 0.0)

    def has_excess(self, i: int, j: int) -> bool:
        """Whether source i shares more rows with source j (or with itself) than chance explains."""
        if self.pairs[i, j] == 0.0:
            return False
        possible = self.pairs[i, j] / self.rates[i, j]
        expected = self.usual_rate(i, j) * possible
        return _exceeds(self.pairs[i, j], expected)

    def replays(self, i: int, j: int) -> bool:
        """Whether source i shows more of the rows that source j shows once than chance explains."""
        rows, times = np.unique(self.hashes[j], return_counts=True)
        shared = float(np.isin(rows[times == 1], self.hashes[i]).sum())
        expected = self.usual_rate(i, j) * len(self.hashes[i]) * len(self.hashes[j])
        return _exceeds(shared, expected)


def _exceeds(count: float, expected: float) -> bool:
    return bool(count > expected + EXCESS_DEVIATIONS * np.sqrt(expected + 1.0))


def _counts_of_repeated(hashes: Sequence[Hashes]) -> Any:
    """Sparse (n, distinct), how often each source holds each row that occurs more than once in all."""
    from scipy.sparse import csr_array  # a quarter of a second that import karat does not pay

    owners = np.repeat(np.arange(len(hashes)), [len(own) for own in hashes])
    _, which, total = np.unique(np.concatenate(hashes), return_inverse=True, return_counts=True)
    is_repeated = total[which] > 1
    columns = (np.cumsum(total > 1) - 1)[which[is_repeated]]
    ones = np.ones(len(columns), dtype=np.int64)
    return csr_array((ones, (owners[is_repeated], columns)), shape=(len(hashes), int((total > 1).sum())))


def without_copies(market: Market) -> Market:
    """The market with one of each copied row, and a finding for every vendor that this concerns.

    Vendors that show rows of each other are reported and left alone: the rows do not say who copied.
    """
    sources = market.sources
    if len(sources) < 2:
        return market
    equal = _Equal.of(sources)
    if not equal.pairs.any():
        return market
    findings = list(market.findings)
    samples = []
    shows, rows_show = shows_copies(sources), nearly_unique_elsewhere(equal.hashes)
    for i, sample in enumerate(market.samples):
        keep = None
        if shows[i] or rows_show[i]:
            keep = _checked(market, equal, i, findings, by_column=bool(shows[i]))
        samples.append(sample if keep is None or keep.all() else sample.picked(keep))
    findings += _shared(market, equal, shows)
    return replace(market, samples=tuple(samples), findings=tuple(findings))


def judged_rows_fitted_on(market: Market) -> tuple[Finding, ...]:
    """A finding for every source with rows among those to fit on: they were not set aside.

    Some equal rows tell this where a column is nearly unique, elsewhere only equal sets do.
    """
    apart = market.fitted_on
    if apart is None:
        return ()
    unique = any(
        len(np.unique(column)) >= NEARLY_UNIQUE * len(column) for column in np.asarray(apart.some_rows).T
    )
    hashes, found = apart.hashes, []
    for source in market.sources:
        others = source.hashes
        count = round(int(np.isin(hashes, others).sum()) / apart.hash_share)
        if (unique and count > 1) or np.array_equal(np.sort(hashes), np.sort(others)):
            message = (
                f"{count} of {apart.size} rows to fit on are rows of {source.name}, which is judged: "
                "guarantees hold for large samples only."
            )
            found.append(Finding("fitted-on-judged", message, vendor=source.name, count=count))
    return tuple(found)


def shows_copies(sources: Sequence[Source]) -> NDArray[np.bool_]:
    """(n,), whether some column is nearly unique in the other sources, so that equal rows mean copying."""
    rows = [source.some_rows for source in sources]
    sizes = [source.size for source in sources]
    shows = np.zeros(len(sources), dtype=bool)
    for column in range(sources[0].width):
        shows |= nearly_unique_elsewhere([some[:, column] for some in rows], sizes)
        if shows.all():
            break
    return shows


def nearly_unique_elsewhere(
    values: Sequence[NDArray[Any]], sizes: Sequence[int] | None = None
) -> NDArray[np.bool_]:
    """(n,), whether of the values of all sources but the i-th nearly all are distinct.

    sizes: (n,), of the sources that the values are samples of. Both of an equal pair are in a sample of share
    p with chance p^2, so that the share of values in such pairs is 1/p times as large among all of them.
    Values seen more than twice are taken to be frequent: their share is about the same in both.
    """
    counts = np.array([len(own) for own in values])
    totals = counts if sizes is None else np.array(sizes)
    owners = np.repeat(np.arange(len(values)), counts)
    distinct, which, times = np.unique(np.concatenate(values), return_inverse=True, return_counts=True)
    first, last = np.full(len(distinct), len(values)), np.full(len(distinct), -1)
    np.minimum.at(first, which, owners)
    np.maximum.at(last, which, owners)

    def surplus(group: NDArray[np.bool_]) -> NDArray[np.int64]:
        """(n,), how many values of this group all sources but the i-th show beyond the distinct ones."""
        rows = np.bincount(owners[group[which]], minlength=len(values))
        own_alone = np.bincount(first[group & (first == last)], minlength=len(values))
        return np.asarray((rows.sum() - rows) - (int(group.sum()) - own_alone), dtype=np.int64)

    others, all_others = counts.sum() - counts, totals.sum() - totals
    scale = all_others / np.maximum(others, 1)
    lost = surplus(times > 2) + surplus(times <= 2) * scale
    shows: NDArray[np.bool_] = lost <= (1.0 - NEARLY_UNIQUE) * others + 1e-9 * others
    return shows


def _checked(
    market: Market, equal: _Equal, i: int, findings: list[Finding], *, by_column: bool
) -> NDArray[np.bool_] | None:
    """Which rows of vendor i stay, None for all; what was found is added to the findings.

    by_column: a column tells copies from coincidences; else only rows of the buyer's own are left out.
    """
    sample, hashes, anchor = market.samples[i], equal.hashes[i], len(market.samples)
    replayed, repeated = np.zeros(len(hashes), dtype=bool), np.zeros(len(hashes), dtype=bool)
    has_anchor = market.anchor is not None
    if has_anchor and (equal.has_excess(i, anchor) if by_column else equal.replays(i, anchor)):
        replayed = np.isin(hashes, equal.hashes[-1])
    if equal.has_excess(i, i):
        repeated = ~replayed
        repeated[np.unique(hashes, return_index=True)[1]] = False
    keep = ~replayed & ~(repeated & by_column)
    kinds, fate = LEFT_OUT, "they were left out"
    if sample.hash_share < 1.0:
        share = f"one in {1.0 / sample.hash_share:.0f}"
        kinds, fate = STAYED, f"counted by {share} of so many rows, and all of them stay"
    elif keep.sum() < LEAST_KEPT:
        kinds, fate = STAYED, "too few others, so they stay"
    if replayed.any():
        findings.append(_finding(sample, kinds[0], "are rows of your own", replayed, fate))
    if repeated.any():
        unsure = ("repetitions", "no column tells whether they are copies, so they stay")
        kind, fate = (kinds[1], fate) if by_column else unsure
        findings.append(_finding(sample, kind, "repeat other rows of it", repeated, fate))
    return keep if kinds == LEFT_OUT else None


def _finding(sample: Source, kind: str, what: str, which: NDArray[np.bool_], fate: str) -> Finding:
    count = round(int(which.sum()) / sample.hash_share)
    if sample.hash_share < 1.0:
        message = f"about {count:,} of {sample.size:,} rows of {sample.name} {what}: {fate}."
    else:
        first = int(np.flatnonzero(which)[0]) + 1
        message = f"{count} of {sample.size} rows of {sample.name} {what} (row {first} is the first): {fate}."
    return Finding(kind, message, vendor=sample.name, count=count)


def _shared(market: Market, equal: _Equal, shows: NDArray[np.bool_]) -> list[Finding]:
    """Vendors that show each other's rows, in excess of chance."""
    found = []
    for i, first in enumerate(market.samples):
        for j in range(i):
            second = market.samples[j]
            if shows[i] and equal.has_excess(i, j) and equal.has_excess(j, i):
                count = round(int(np.isin(equal.hashes[i], equal.hashes[j]).sum()) / first.hash_share)
                if count < first.size:  # a whole preview shown twice has a finding of its own
                    message = (
                        f"{count} rows of {first.name} are also shown by {second.name}; all of them count."
                    )
                    found.append(Finding("shared", message, vendor=first.name, count=count))
    return found
