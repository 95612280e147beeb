"""References: what every vendor is held against, as contrasts on the sources.

A contrast is a row of weights that sums to zero; vendor i against a reference w is e_i - w, and its squared
distance is c' G c. A reference is therefore a small matrix, and nothing here looks at rows of data.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from karat.errors import MarketError, UnknownReferenceError, WeightsError
from karat.gram import Moments
from karat.typing import Matrix, Vector
from karat.values.robust import robust_weights


@dataclass(frozen=True)
class Reference:
    """What the vendors are valued against.

    contrasts: (vendors, sources), row i is vendor i minus its reference; rows sum to zero.
    weights: (sources,), the mixture that all vendors share; None where each has its own (leave-one-out).
    chosen_from_data: the weights depend on the rows judged, so intervals are for the reference as chosen.
    is_biased: values are the paper's biased ones, of a reference that shares rows with the vendors; no
        intervals follow from them.
    """

    name: str
    contrasts: Matrix
    weights: Vector | None
    chosen_from_data: bool = False
    is_biased: bool = False

    @property
    def target(self) -> str:
        """What an interval of a value is an interval of."""
        if self.chosen_from_data:
            return "distance to the reference as chosen from these rows"
        return "distance to the reference"


def mixture(name: str, moments: Moments, weights: Vector, *, chosen_from_data: bool = False) -> Reference:
    """The reference that is a mixture of sources: contrasts e_i - w."""
    contrasts = np.eye(moments.n_sources)[list(moments.vendors)] - weights
    return Reference(name, contrasts, weights, chosen_from_data)


def anchor(moments: Moments) -> Reference:
    """The buyer's own rows."""
    if moments.anchor is None:
        raise UnknownReferenceError(
            "the reference 'anchor' needs rows of the buyer's own, and this market has none.",
            hint="Pass an anchor (20 rows are a start), or choose the reference 'uniform' or 'robust'.",
        )
    return mixture("anchor", moments, np.eye(moments.n_sources)[moments.anchor])


def uniform(moments: Moments) -> Reference:
    """The mixture of all vendors with equal weights: the paper's choice where there is no anchor."""
    _check_several(moments, "uniform")
    return mixture(
        "uniform", moments, _on_vendors(moments, np.full(moments.n_vendors, 1.0 / moments.n_vendors))
    )


def leave_one_out(moments: Moments) -> Reference:
    """Each vendor against the equal mixture of all the others.

    It rescales the distances to the uniform mixture by n / (n - 1), the same for all, and so is not another
    opinion.
    """
    _check_several(moments, "leave-one-out")
    shared = uniform(moments)
    factor = moments.n_vendors / (moments.n_vendors - 1)
    return Reference("leave-one-out", shared.contrasts * factor, None)


def robust(moments: Moments) -> Reference:
    """The core of the smallest ball that holds more than half of the vendors; see `karat.values.robust`."""
    if moments.n_vendors < 5:
        raise UnknownReferenceError(
            f"the reference 'robust' needs at least 5 vendors, this market has {moments.n_vendors}.",
            hint="Pass an anchor, or choose the reference 'uniform'.",
        )
    weights = robust_weights(moments)
    return mixture("robust", moments, _on_vendors(moments, weights), chosen_from_data=True)


def weighted(moments: Moments, weights: Mapping[str, float]) -> Reference:
    """A mixture with the buyer's own weights; vendors that are not named get none."""
    unknown = [name for name in weights if name not in moments.names]
    if unknown:
        raise WeightsError(
            f"the weights name {unknown[0]!r}, which is not in this market.",
            hint=f"The vendors are {', '.join(moments.vendor_names)}.",
        )
    vector = np.array([_as_share(name, weights.get(name, 0.0)) for name in moments.names])
    check_weights(vector, moments.names)
    return mixture("weights", moments, vector)


def _as_share(name: str, weight: object) -> float:
    """The weight as a number."""
    if isinstance(weight, (int, float, np.number)):
        return float(weight)
    raise WeightsError(
        f"the mixture weight of {name!r} is {weight!r}, which is no number.",
        hint="Weights are shares of the reference: leave a vendor out with 0.",
        vendor=name,
    )


def check_weights(weights: Vector, names: tuple[str, ...]) -> None:
    """Raise unless the weights are shares: finite, not negative, sum to one."""
    worst = int(np.argmin(np.where(np.isfinite(weights), weights, -np.inf)))
    if not weights[worst] >= 0.0:
        raise WeightsError(
            f"the mixture weight of {names[worst]!r} is {weights[worst]:.3g}, not a share between 0 and 1.",
            hint="Weights are shares of the reference: leave a vendor out with 0.",
            vendor=names[worst],
        )
    total = math.fsum(weights)
    if not math.isclose(total, 1.0, rel_tol=1e-9):
        raise WeightsError(
            f"the mixture weights of {len(names)} sources sum to {total:.6g}, not 1.",
            hint="Divide them by their sum, or leave the weights out for equal shares.",
        )


REFERENCES: Mapping[str, tuple[Callable[[Moments], Reference], str]] = {
    "anchor": (anchor, "the buyer's own rows"),
    "uniform": (uniform, "all vendors in equal shares"),
    "leave-one-out": (leave_one_out, "for each vendor, the others in equal shares"),
    "robust": (robust, "the core of the vendors that more than half of them agree on"),
}
"""name -> (how it is made from moments, one line for people)."""


def reference_named(moments: Moments, choice: object) -> Reference:
    """The reference by name or weights; by default the anchor where there is one, else uniform."""
    if choice is None:
        choice = "anchor" if moments.anchor is not None else "uniform"
    if isinstance(choice, Mapping):
        return weighted(moments, choice)
    known = REFERENCES.get(choice) if isinstance(choice, str) else None
    if known is None:
        raise UnknownReferenceError(
            f"there is no reference called {choice!r}.",
            hint=f"Choose from {', '.join(REFERENCES)}, or pass weights per vendor.",
        )
    return known[0](moments)


def _check_several(moments: Moments, name: str) -> None:
    if moments.n_vendors < 2:
        raise MarketError(
            f"the reference {name!r} compares vendors with each other, and there is only "
            f"{moments.vendor_names[0]!r}.",
            hint="Pass an anchor: some rows of your own, 20 are a start.",
            vendor=moments.vendor_names[0],
        )


def _on_vendors(moments: Moments, weights: Vector) -> Vector:
    """Weights of vendors as weights of all sources, with nothing on the anchor."""
    spread = np.zeros(moments.n_sources)
    spread[list(moments.vendors)] = weights
    return spread
