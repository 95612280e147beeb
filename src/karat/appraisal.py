"""What an appraisal is: a frozen answer that can be saved, reopened, and questioned without the data."""

from __future__ import annotations

import json
import math
import os
import secrets
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from karat.decisions import (
    BestSet,
    Comparison,
    Look,
    Margin,
    PairMatrix,
    Policy,
    best_set,
    compare,
    pair_matrix,
    policy_named,
    probability_of_best,
)
from karat.decisions.identify import Identifiability, identifiability
from karat.decisions.multiplicity import Multiplicity
from karat.errors import AppraisalError, DecisionError
from karat.gram import Moments
from karat.guarantees.asymptotic import SquaredDistances, squared_distances
from karat.integrity import STAYED
from karat.schema import Finding
from karat.shown import Shown
from karat.typing import Vector
from karat.values import Reference, Ruler, reference_named, ruler, value
from karat.values.reference import REFERENCES
from karat.values.robust import TIE

SCHEMA = "karat/appraisal/1"

SHARED = ("same-rows", "shared")
"""Findings about rows that are copies of another vendor's."""

VISIBLE_GAP = "5%"
"""Where two vendors look alike, rows are asked for a gap of this size: 5 % of the farthest vendor."""


@dataclass(frozen=True)
class VendorValue:
    """One vendor's line of the leaderboard.

    squared: the unbiased squared distance to the reference; it ranks, and may be slightly negative.
    value: minus the distance, 0 where `squared` is not positive.
    standard_error: of `squared`; low, high: the interval of `value`; None where no interval can be given.
    rank: 1 is the best, equal values share one; None where an order would not speak of quality.
    share: the distance as a percentage of the farthest vendor mixed into the reference.
    """

    name: str
    rows: int
    effective_rows: float
    squared: float
    value: float
    standard_error: float | None
    low: float | None
    high: float | None
    rank: int | None
    share: float | None


@dataclass(frozen=True, eq=False)
class Appraisal(Shown):
    """The values of a market's vendors, with everything needed to question them.

    provenance: seed, versions, command, inputs, encoder, layout, method: enough to compute it again.
    """

    moments: Moments
    reference: Reference
    distances: SquaredDistances
    kernel: Mapping[str, Any]
    confidence: float
    findings: tuple[Finding, ...]
    provenance: Mapping[str, Any]

    @property
    def vendors(self) -> tuple[VendorValue, ...]:
        """One line per vendor, in the order of the market."""
        squared = self.squared
        errors, intervals = self._errors()
        ranks = self._ranks() if self.is_ranked else [None] * len(squared)
        values = value(squared)
        mark = self.ruler
        sources = self.moments.vendors
        return tuple(
            VendorValue(
                name=name,
                rows=int(self.moments.sizes[sources[i]]),
                effective_rows=float(self.moments.effective_sizes[sources[i]]),
                squared=float(squared[i]),
                value=float(values[i]),
                standard_error=errors[i],
                low=intervals[i][0],
                high=intervals[i][1],
                rank=ranks[i],
                share=mark.share(abs(float(values[i]))),
            )
            for i, name in enumerate(self.moments.vendor_names)
        )

    @property
    def squared(self) -> Vector:
        """The squared distance that ranks each vendor: unbiased, or the paper's where it was asked for."""
        return self.distances.biased if self.reference.is_biased else self.distances.squared

    @property
    def ruler(self) -> Ruler:
        """What the distances mean."""
        return ruler(self._independent, self.squared)

    @property
    def _independent(self) -> Moments:
        """The moments of sources that are independent draws: a union of the vendors' rows is none."""
        return self.moments.of_vendors() if self.reference.is_biased else self.moments

    @property
    def ranking(self) -> tuple[VendorValue, ...]:
        """The vendors, best first."""
        return tuple(sorted(self.vendors, key=lambda vendor: vendor.squared))

    @property
    def identifiability(self) -> Identifiability | None:
        """How the vendors lie to each other; None with fewer than three."""
        return identifiability(self.moments) if self.moments.n_vendors >= 3 else None

    @property
    def is_ranked(self) -> bool:
        """Whether the order speaks of quality: there is an anchor, or a reference that the buyer chose."""
        if self.reference.name in ("anchor", "weights"):
            return True
        shape = self.identifiability
        return shape is not None and not shape.is_one_direction

    @property
    def heading(self) -> str:
        """What the values are closeness to, in words that promise nothing more."""
        if self.reference.name == "anchor":
            return "closeness to your own data"
        if self.reference.name == "weights":
            return "closeness to the mixture you chose"
        if self.moments.n_vendors == 2:
            return "cannot tell: without your own rows, two vendors are equally far from their average"
        if self.reference.name == "robust":
            return "closeness to what most vendors agree on, not quality"
        return "closeness to the average vendor, not quality"

    def against(self, reference: str | Mapping[str, float]) -> Appraisal:
        """The same market held against another reference; milliseconds, no data."""
        moments = self._independent
        chosen = reference_named(moments, reference)
        distances = squared_distances(moments, chosen.contrasts, moments.vendor_names)
        return replace(self, moments=moments, reference=chosen, distances=distances)

    def what_if(self, weights: Mapping[str, float]) -> Appraisal:
        """The values if the reference were this mixture of vendors; names left out get nothing."""
        return self.against(weights)

    def policy(self, name: str = "asymptotic") -> Policy:
        """The rule that decisions of this appraisal are made by: "asymptotic", "guaranteed" or "paper"."""
        if self.reference.is_biased:
            raise DecisionError(
                f"the reference {self.reference.name!r} shares rows with vendors: nothing can be decided.",
                hint="Appraise with the reference 'uniform', which estimates the same mixture from all rows.",
            )
        return policy_named(
            name,
            self.moments,
            self.reference.contrasts,
            self.moments.vendor_names,
            distances=self.distances,
            weights=self.reference.weights,
            chosen_from_data=self.reference.chosen_from_data,
            chosen=tuple(self.provenance.get("chosen_from_rows", ())),
            copies=self._copies(),
        )

    def _copies(self) -> dict[str, str]:
        """Vendors whose distance rests on rows that are copies of each other, with the finding that says so.

        Rows of a vendor that are the buyer's own, or that repeat and could not be left out, spoil its own
        distance. Rows that two vendors share spoil every distance to a mixture of vendors.
        """
        own = {name: said for name in self.moments.vendor_names if (said := self._copied(name)) is not None}
        weights = self.reference.weights
        on_vendors = weights is None or bool(weights[list(self.moments.vendors)].any())
        shared = next((f.message for f in self.findings if f.kind in SHARED), None)
        if shared is None or not on_vendors:
            return own
        return dict.fromkeys(self.moments.vendor_names, shared) | own

    def _copied(self, name: str) -> str | None:
        """What was found about a vendor whose copied rows stayed."""
        kinds = ("anchor-rows", *STAYED)
        return next((f.message for f in self.findings if f.vendor == name and f.kind in kinds), None)

    def margin(self, margin: str | float | None) -> float:
        """A margin in MMD; "5%" is what 5 % of the farthest vendor mixed in would make."""
        return Margin.parse(margin, percent=self.ruler.percent).mmd

    def compare(
        self,
        a: str,
        b: str,
        *,
        margin: str | float | None = None,
        confidence: float | None = None,
        policy: str = "asymptotic",
        power: float = 0.8,
        visible_gap: str | float = VISIBLE_GAP,
        look: Look | None = None,
    ) -> Comparison:
        """Is a better than b, by more than the margin? Better, worse, or undecided with what would settle it.

        margin: in MMD, or per cent of the ruler ("5%"); negative for "not worse by more than".
        power: the chance with which the rows asked for would decide. visible_gap: the gap beyond the margin
        that rows are asked for where none is visible.
        """
        return compare(
            self.policy(policy),
            a,
            b,
            margin=self.margin(margin),
            confidence=self.confidence if confidence is None else confidence,
            power=power,
            visible_gap=self._visible(visible_gap),
            look=look,
        )

    def _visible(self, gap: str | float) -> float | None:
        """The gap to ask rows for; the policy's own choice in a market without a ruler."""
        if gap == VISIBLE_GAP and not self.ruler.percent > 0.0:
            return None
        return self.margin(gap) or None

    def matrix(
        self,
        *,
        margin: str | float | None = None,
        confidence: float | None = None,
        policy: str = "asymptotic",
        multiplicity: Multiplicity = "holm",
    ) -> PairMatrix:
        """Every vendor against every other; none of the claims is wrong, at the confidence."""
        return pair_matrix(
            self.policy(policy),
            margin=self.margin(margin),
            confidence=self.confidence if confidence is None else confidence,
            multiplicity=multiplicity,
        )

    def best(self, *, confidence: float | None = None, policy: str = "asymptotic") -> BestSet:
        """The vendors among which the best one is, at the confidence."""
        return best_set(self.policy(policy), confidence=self.confidence if confidence is None else confidence)

    def probability_of_best(self) -> dict[str, float | None]:
        """How often each vendor comes out nearest if the estimates are redrawn; no guarantee, see `best`."""
        chances = probability_of_best(self.distances)
        return dict(zip(self.moments.vendor_names, map(_finite, chances.tolist()), strict=True))

    def to_dict(self) -> dict[str, Any]:
        """The whole appraisal as plain JSON values."""
        shape = self.identifiability
        return {
            "schema": SCHEMA,
            "heading": self.heading,
            "confidence": self.confidence,
            "vendors": [asdict(vendor) for vendor in self.vendors],
            "reference": {
                "name": self.reference.name,
                "target": self.reference.target,
                "chosen_from_data": self.reference.chosen_from_data,
                "is_biased": self.reference.is_biased,
                "weights": None if self.reference.weights is None else self.reference.weights.tolist(),
            },
            "references": self._named_references(),
            "ruler": self.ruler.to_dict(),
            "identifiability": None if shape is None else shape.to_dict(),
            "kernel": dict(self.kernel),
            "findings": [finding.to_dict() for finding in self.findings],
            "provenance": dict(self.provenance),
            "moments": self.moments.to_dict(),
            "distances": self.distances.to_dict() if self.moments.covariance is None else None,
        }

    def to_json(self, *, indent: int | None = None) -> str:
        """The whole appraisal as JSON; strings are plain ASCII, numbers are finite."""
        return json.dumps(self.to_dict(), indent=indent, allow_nan=False)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the JSON whole or not at all: to a temporary file beside it, then renamed."""
        write_whole(Path(path), self.to_json())

    def _errors(self) -> tuple[list[float | None], list[tuple[float | None, float | None]]]:
        count = self.moments.n_vendors
        if self.reference.is_biased:
            return [None] * count, [(None, None)] * count
        errors = [_finite(e) for e in self.distances.standard_errors]
        intervals = self.distances.intervals(self.confidence)
        pairs = [intervals.pair(i) for i in range(count)]
        return errors, [(None, None) if pair is None else (0.0 - pair[1], 0.0 - pair[0]) for pair in pairs]

    def _ranks(self) -> list[int]:
        """Ranks by clipped squared distance; values that differ by rounding only share the best rank."""
        clipped = np.maximum(self.squared, 0.0)
        slack = TIE * float(np.abs(self.moments.gram).max())
        return [1 + int((clipped < mine - slack).sum()) for mine in clipped]

    def _named_references(self) -> dict[str, list[float]]:
        found = {self.reference.name: self.reference.weights}
        for name in REFERENCES:
            if name == "anchor" and self.reference.is_biased:  # the last source is a union, nobody's anchor
                continue
            try:
                found.setdefault(name, reference_named(self.moments, name).weights)
            except ValueError:  # a reference that this market does not offer
                continue
        return {name: weights.tolist() for name, weights in found.items() if weights is not None}


def _finite(number: float) -> float | None:
    return float(number) if math.isfinite(number) else None


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file so that a reader sees the old content or the new, never half of it; text is UTF-8."""
    draft = path.with_name(f".karat-{secrets.token_hex(8)}")
    try:
        with draft.open("xb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
        draft.replace(path)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise AppraisalError(
            f"{str(path)!r} cannot be written: {error.strerror}.",
            hint="Choose a folder that exists, with room and the right to write.",
        ) from error
