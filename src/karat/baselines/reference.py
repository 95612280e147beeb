"""The rows that vendors are held against: the anchor's, or those of all vendors in equal shares (D_U)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from karat.errors import UnknownReferenceError, ValuationError
from karat.typing import Matrix, Vector
from karat.values import REFERENCES
from karat.vendors import Market, Source


@dataclass(frozen=True, eq=False)
class ReferenceRows:
    """Rows to compare with, source by source.

    name: "anchor", or "uniform" for the union of the vendors with equal weight (the paper's D_U).
    sources: the anchor alone, or all vendors; every source has the same total weight, whatever its size.
    """

    name: str
    sources: tuple[Source, ...]

    @property
    def rows(self) -> Matrix:
        """All rows, one source below the other, float64."""
        return np.concatenate([source.rows for source in self.sources]).astype(np.float64, copy=False)

    @property
    def labels(self) -> NDArray[Any] | None:
        """One label per row, or None where a source has none."""
        parts = [source.labels for source in self.sources if source.labels is not None]
        return np.concatenate(parts) if len(parts) == len(self.sources) else None

    @property
    def weights(self) -> Vector:
        """One weight per row, summing to one: equal shares for the sources."""
        share = 1.0 / len(self.sources)
        return np.concatenate([np.full(source.size, share / source.size) for source in self.sources])

    @property
    def size(self) -> int:
        return sum(source.size for source in self.sources)

    def without(self, sample: Source) -> ReferenceRows:
        """The same without one vendor's own rows: for methods that a row equal to itself would lead astray.

        The others stand in an order of their content, so that the order of the vendors does not matter.
        """
        others = sorted((source for source in self.sources if source is not sample), key=lambda s: s.digest)
        if len(others) == len(self.sources):
            return self
        return ReferenceRows("others", tuple(others))

    def drawn(self, most: int, seed: int) -> Drawn:
        """At most so many rows that count alike: as many from every source, drawn without replacement.

        Where sources have equal sizes that fit, all rows, in order. This is the paper's D_U, with a cap.
        """
        each = max(1, min(min(source.size for source in self.sources), most // len(self.sources)))
        picked = [drawn_rows(source, each, seed) for source in self.sources]
        offsets = np.concatenate([[0], np.cumsum([source.size for source in self.sources])[:-1]])
        index = np.concatenate([offset + pick for offset, pick in zip(offsets, picked, strict=True)])
        labels = self.labels
        return Drawn(self.rows[index], None if labels is None else labels[index], index)


@dataclass(frozen=True, eq=False)
class Drawn:
    """Rows drawn from a reference, their labels where it has them, and their places among all its rows."""

    rows: Matrix
    labels: NDArray[Any] | None
    index: NDArray[np.intp]


def reference_rows(market: Market, choice: str | Mapping[str, float] | None = None) -> ReferenceRows:
    """The reference by name; by default the anchor where there is one, else the union of the vendors."""
    if isinstance(choice, Mapping):
        choice = "weights"
    if choice is None:
        choice = "anchor" if market.anchor is not None else "uniform"
    if choice == "uniform":
        return ReferenceRows("uniform", market.samples)
    if choice != "anchor":
        raise ValuationError(
            f"this valuation compares rows and has no reference called {choice!r}.",
            hint="Choose 'anchor' or 'uniform'; others are for mmd, mmd2, energy and coalition-mmd.",
        )
    if market.anchor is None:
        raise ValuationError(
            "the reference 'anchor' needs rows of the buyer's own, and this market has none.",
            hint="Pass anchor=... (--anchor FILE; 20 rows are a start), or choose the reference 'uniform'.",
        )
    return ReferenceRows("anchor", (market.anchor,))


def check_contrasts(name: str, choice: str | Mapping[str, float] | None, *, shared: bool) -> None:
    """Raise for a reference that a valuation which works from contrasts cannot have.

    shared: one reference for all vendors is needed.
    """
    if isinstance(choice, str) and choice not in REFERENCES:
        raise UnknownReferenceError(
            f"the valuation {name!r} has no reference called {choice!r}.",
            hint=f"Choose from {', '.join(REFERENCES)}, or weights per vendor.",
        )
    if shared and choice == "leave-one-out":
        raise ValuationError(
            f"the valuation {name!r} needs one reference for all, not {choice!r}.",
            hint="Choose 'anchor', 'uniform', 'robust', or weights.",
        )


def drawn_rows(sample: Source, most: int, seed: int) -> NDArray[np.intp]:
    """Which rows of a sample to use: all, or `most` drawn without replacement, in order.

    The draw follows the seed and the content, not the name or the place among the vendors.
    """
    if sample.size <= most:
        return np.arange(sample.size)
    return np.sort(generator(seed, sample).choice(sample.size, size=most, replace=False))


def generator(seed: int, sample: Source) -> np.random.Generator:
    """Random numbers for one source: the same whoever it is called and wherever it stands."""
    return np.random.default_rng([seed, int(sample.digest[:16], 16)])
