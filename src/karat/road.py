"""The one road through the rooms: previews in, an appraisal out."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal

import numpy as np

from karat.appraisal import Appraisal
from karat.errors import MarketError, UsageError
from karat.gram import Moments, kernel_sums, moments_from_sums
from karat.gram.checkpoint import checked_place
from karat.gram.choose import choose_method
from karat.gram.exact import PRECISIONS, Precision
from karat.gram.landmarks import landmark_moments
from karat.gram.moments import row_means
from karat.guarantees import check_confidence
from karat.guarantees.asymptotic import squared_distances
from karat.integrity import judged_rows_fitted_on, without_copies
from karat.kernels import Kernel, follows_from_rows, kernel_named
from karat.report.progress import watched
from karat.schema import Finding
from karat.sources.budget import SETTING
from karat.typing import Matrix, Progress, Vector
from karat.values import Reference, reference_named
from karat.values.reference import mixture
from karat.vendors import Market, StreamedSample, VendorSample

Method = Literal["auto", "exact", "landmarks"]
METHODS: tuple[Method, ...] = ("auto", "exact", "landmarks")

EQUAL_SIZE = "equal-size"
"""The paper's reference: the union of equal sub-samples of all vendors. It needs rows, so it is made here."""


def appraise(
    given: Any,
    *,
    anchor: Any = None,
    reference: str | Mapping[str, float] | None = None,
    kernel: str | Kernel = "default",
    confidence: float = 0.95,
    method: Method = "auto",
    precision: Precision = "float32",
    keep_copies: bool = False,
    seed: int = 0,
    workers: int | None = None,
    progress: Progress | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    command: str | None = None,
    **reading: Any,
) -> Appraisal:
    """The value of every vendor, with intervals, from the previews that they show.

    >>> import numpy as np
    >>> draw = np.random.default_rng(0).normal
    >>> market = {"near": draw(0.1, 1, (200, 2)), "far": draw(2, 1, (200, 2))}
    >>> [vendor.name for vendor in appraise(market, anchor=draw(0, 1, (100, 2))).ranking]
    ['near', 'far']

    Args:
        given: a `Market`, or names to arrays (used as they are), data frames or paths.
        anchor: the buyer's own rows, in any of these forms.
        reference: "anchor" (the default with one), "uniform", "leave-one-out", "robust", "equal-size", or
            weights per vendor.
        kernel: a kernel, or its name; bandwidths that are not named follow from the reference's own rows.
        confidence: of the intervals.
        method: "exact" looks at every pair of rows; "landmarks" is linear in the rows, and its error is
            estimated and added to every interval; "auto" is exact where time and memory allow it.
        precision: of the tiles; sums are float64 always.
        keep_copies: count rows that a vendor shows twice, or that are the buyer's own, like any others.
        seed: for sub-sampling; the same seed gives the same bits.
        workers: threads; the result does not depend on it.
        progress: told (done, total) pairs of rows; by default a bar, in a terminal or a notebook.
        checkpoint: a file for partial sums, so that a long run that was stopped goes on where it was; it is
            removed at the end.
        command: what was typed, kept in the saved appraisal.
        **reading: how files and frames are read, as for `Market.read`.
    """
    check_confidence(confidence)
    _check_options(method, precision, workers)
    seed = _checked_seed(seed)
    kept_in = checked_place(checkpoint)
    market = Market.read(given, anchor=anchor, **reading)
    not_apart = judged_rows_fitted_on(market)
    market = replace(market, findings=(*market.findings, *not_apart)) if not_apart else market
    if not keep_copies:
        market = without_copies(market)
    if market.anchor is None and len(market.samples) == 1:
        raise MarketError(
            f"there is one vendor, {market.names[0]!r}, and nothing to hold it against.",
            hint="Pass an anchor, rows of your own that are like what you need: 20 are a start.",
            vendor=market.names[0],
        )
    chosen = kernel if isinstance(kernel, Kernel) else kernel_named(kernel, market.reference_rows)
    centre = market.centre
    if _is_equal_size(reference):
        market = with_equal_size_union(market, seed)
    with watched("comparing rows") if progress is None else nullcontext(progress) as told:
        found = _Run(market, chosen, centre, precision, seed, workers, told, kept_in).moments(method)
    held_against = _reference(found.moments, reference)
    distances = squared_distances(
        found.moments,
        held_against.contrasts,
        found.moments.vendor_names,
        row_means=found.row_means,
    )
    return Appraisal(
        moments=found.moments,
        reference=held_against,
        distances=distances,
        kernel=chosen.to_dict(),
        confidence=confidence,
        findings=market.findings,
        provenance=_provenance(market, seed, found.method, keep_copies, command)
        | {"chosen_from_rows": _chosen_from_rows(market, kernel, is_apart=not not_apart)},
    )


@dataclass(frozen=True)
class _Found:
    """Moments, how they were made, and row means where the moments are of too many sources to hold enough."""

    moments: Moments
    row_means: Sequence[Matrix] | None
    method: dict[str, Any]


@dataclass(frozen=True)
class _Run:
    """What both ways to moments need."""

    market: Market
    kernel: Kernel
    centre: Vector
    precision: Precision
    seed: int
    workers: int | None
    progress: Progress | None
    checkpoint: Path | None

    @property
    def names(self) -> list[str]:
        return [source.name for source in self.market.sources]

    @property
    def anchor(self) -> int | None:
        return None if self.market.anchor is None else len(self.market.samples)

    def moments(self, method: Method) -> _Found:
        """By the method asked for; "auto" leaves its reason behind."""
        sizes = [source.size for source in self.market.sources]
        is_held = not self.market.is_streamed
        choice = choose_method(sizes, self.market.layout.width, self.kernel, in_memory=is_held)
        if method == "exact" and not is_held:
            raise UsageError(
                f"the exact method needs all rows in memory: {choice.reason}.",
                hint=f"Use --method landmarks, which reads them in parts, or raise the setting {SETTING}.",
            )
        if method == "exact" or (method == "auto" and choice.method == "exact"):
            return self.exactly()
        found = self.by_landmarks()
        return replace(found, method=found.method | {"reason": choice.reason}) if method == "auto" else found

    def exactly(self) -> _Found:
        """Every pair of rows."""
        sums = kernel_sums(
            [source.rows for source in self.market.sources],
            self.kernel,
            centre=self.centre,
            precision=self.precision,
            workers=self.workers,
            progress=self.progress,
            checkpoint=self.checkpoint,
        )
        moments = moments_from_sums(sums, names=self.names, kernel=self.kernel, anchor=self.anchor)
        means = row_means(sums) if moments.covariance is None else None
        return _Found(moments, means, {"name": "exact", "precision": self.precision})

    def by_landmarks(self) -> _Found:
        """Linear in the rows."""
        sources = self.market.sources
        found = landmark_moments(
            [source if isinstance(source, StreamedSample) else source.rows for source in sources],
            self.kernel,
            names=self.names,
            anchor=self.anchor,
            centre=self.centre,
            seed=self.seed,
            workers=self.workers,
            progress=self.progress,
            checkpoint=self.checkpoint,
        )
        means = found.row_means if found.moments.covariance is None else None
        error = found.moments.approximation
        largest = None if error is None else float(np.nanmax(error))
        method = {
            "name": "landmarks",
            "precision": self.precision,
            "landmarks": found.landmarks,
            "rank": found.rank,
            "error": largest,
        }
        return _Found(found.moments, means, method)


def with_equal_size_union(market: Market, seed: int) -> Market:
    """The market with the paper's D_U as its anchor: of each vendor as many rows as the smallest has."""
    if len(market.samples) < 2:
        raise MarketError(
            "the reference 'equal-size' is a union of vendors, and there is only one.",
            hint="Pass an anchor and leave the reference out.",
        )
    fewest = min(sample.size for sample in market.samples)
    draws = np.random.default_rng(seed).spawn(len(market.samples))
    parts = [
        sample.rows[np.sort(draw.permutation(sample.size)[:fewest])]
        for sample, draw in zip(market.samples, draws, strict=True)
    ]
    union = VendorSample("union of equal sub-samples", np.concatenate(parts, dtype=np.float64))
    if market.anchor is None:
        return replace(market, anchor=union)
    unused = Finding(
        "anchor-unused", "your own rows set scales and kernel; distances are to the union of the vendors."
    )
    return replace(market, anchor=union, findings=(*market.findings, unused))


def _check_options(method: object, precision: object, workers: object) -> None:
    """Raise for what no computation can be done with, before any file is read."""
    if method not in METHODS:
        raise UsageError(f"the method {method!r} is unknown.", hint=f"Choose from {', '.join(METHODS)}.")
    if precision not in PRECISIONS:
        raise UsageError(
            f"the precision {precision!r} is unknown.", hint=f"Choose from {', '.join(PRECISIONS)}."
        )
    if workers is not None and (not isinstance(workers, int) or workers < 1):
        raise UsageError(
            f"{workers!r} threads are asked for.", hint="Give 1 or more, or leave it out for one per core."
        )


def _checked_seed(seed: object) -> int:
    """A whole number, as it is saved: a generator could not be."""
    if isinstance(seed, (int, np.integer)) and 0 <= seed < 2**32:
        return int(seed)
    raise UsageError(f"the seed is {seed!r}.", hint="Give a whole number from 0 to 4294967295.")


def _is_equal_size(reference: object) -> bool:
    return isinstance(reference, str) and reference == EQUAL_SIZE


def _reference(moments: Moments, reference: str | Mapping[str, float] | None) -> Reference:
    if not _is_equal_size(reference):
        return reference_named(moments, reference)
    return replace(
        mixture(EQUAL_SIZE, moments, np.eye(moments.n_sources)[moments.n_sources - 1]), is_biased=True
    )


def _chosen_from_rows(market: Market, kernel: str | Kernel, *, is_apart: bool) -> list[str]:
    """What was fitted to rows that are judged too; a guarantee that ignores this would not be one.

    is_apart: whether the rows to fit on, where there are any, are not among those judged.
    """
    chosen: list[str] = []
    if market.fitted_on is not None and is_apart:
        return chosen
    if isinstance(kernel, str) and follows_from_rows(kernel):
        chosen.append("the kernel's bandwidths")
    if market.encoder is not None and market.encoder.scaling != "none":
        chosen.append("the columns' scales")
    return chosen


def _provenance(
    market: Market, seed: int, method: dict[str, Any], keep_copies: bool, command: str | None
) -> dict[str, Any]:
    encoder = market.encoder
    return {
        "method": method,
        "keep_copies": keep_copies,
        "seed": seed,
        "command": command,
        "versions": {
            "karat": version("karat"),
            "python": platform.python_version(),
            "numpy": version("numpy"),
            "numba": version("numba"),
        },
        "byte_order": sys.byteorder,
        "inputs": [
            {"name": one.name, "path": one.path, "sha256": one.sha256, "rows": one.rows}
            for one in market.inputs
        ],
        "in_parts": market.is_streamed,
        "digests": {source.name: source.digest for source in market.sources},
        "encoder": None if encoder is None else encoder.to_dict(),
        "layout": [
            {"name": b.name, "kind": b.kind, "start": b.start, "stop": b.stop, "weight": b.weight}
            for b in market.layout.blocks
        ],
    }
