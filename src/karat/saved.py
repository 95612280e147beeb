"""Saved appraisals, reopened: from JSON, or from a report that embeds it, with no data at hand.

What could not have been saved is refused with a remedy; `karat.verification` says whether it is true.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from karat.appraisal import SCHEMA, Appraisal
from karat.errors import AppraisalError, KaratError
from karat.gram import Moments
from karat.guarantees import check_confidence
from karat.guarantees.asymptotic import SquaredDistances, squared_distances
from karat.schema import Finding
from karat.values import Reference, reference_named
from karat.values.reference import mixture


def load(path: str | os.PathLike[str]) -> Appraisal:
    """Reopen a saved appraisal, from JSON or from a report that embeds it; no data are needed."""
    return from_dict(read_saved(Path(path)))


LEAST_ROWS = 2
"""No source has fewer."""

SHAPES = {
    "sizes": 1,
    "effective_sizes": 1,
    "self_mean": 1,
    "gram": 2,
    "gram_biased": 2,
    "interaction": 2,
    "approximation": 2,
    "covariance": 3,
}
"""The arrays of moments, and how often the number of sources stands in their shape."""

UNCHANGED = "Use an unchanged copy of the file, or appraise the previews again."

EMBEDDED = '<script type="application/json" id="karat-appraisal">'
"""How a report carries its appraisal."""


def read_saved(path: Path) -> dict[str, Any]:
    """The JSON of a saved appraisal or report, checked for its schema."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not text"
        raise AppraisalError(
            f"{str(path)!r} cannot be read as a saved appraisal: {reason}.",
            hint="Run `karat appraise` first, or name the file with --from.",
        ) from error
    if EMBEDDED in text:
        text = text.split(EMBEDDED, 1)[1].split("</script>", 1)[0]
    try:
        saved = json.loads(text)
    except (json.JSONDecodeError, RecursionError) as error:
        where = f"no JSON at line {error.lineno}" if isinstance(error, ValueError) else "nested too deep"
        raise AppraisalError(
            f"{str(path)!r} is not a saved appraisal: {where}.",
            hint="Use a file written by `karat appraise` (.json) or a report (.html).",
        ) from error
    found = saved.get("schema") if isinstance(saved, dict) else None
    if found != SCHEMA:
        raise AppraisalError(
            f"{str(path)!r} has the schema {found!r}; this karat reads {SCHEMA!r}.",
            hint="Appraise the previews again with this version.",
        )
    assert isinstance(saved, dict)
    return saved


def from_dict(saved: Mapping[str, Any]) -> Appraisal:
    """The inverse of `Appraisal.to_dict`; raises where the moments could not have been saved."""
    try:
        moments = Moments.from_dict(saved["moments"])
        _refuse_damaged(moments)
        reference = _reference(moments, saved["reference"])
        if saved["distances"] is None:
            distances = squared_distances(moments, reference.contrasts, moments.vendor_names)
        else:
            distances = SquaredDistances.from_dict(saved["distances"])
        return Appraisal(
            moments=moments,
            reference=reference,
            distances=distances,
            kernel=dict(saved["kernel"]),
            confidence=check_confidence(saved["confidence"]),
            findings=tuple(Finding.from_dict(one) for one in saved["findings"]),
            provenance=dict(saved["provenance"]),
        )
    except KaratError:
        raise
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError) as error:
        raise AppraisalError(f"the saved appraisal lacks or garbles {error}.", hint=UNCHANGED) from error


def _refuse_damaged(moments: Moments) -> None:
    """Raise where names, shapes or numbers are none that karat saves; `verify` says whether they are true."""
    n, names = moments.n_sources, moments.names
    damaged = [part for part in SHAPES if not _could_be_saved(getattr(moments, part), part, n)]
    if not all(isinstance(name, str) for name in names) or len(set(names)) < n:
        damaged.append("names")
    if moments.anchor is not None and moments.anchor not in range(n):
        damaged.append("anchor")
    if not moments.bound > 0.0:
        damaged.append("bound")
    if "sizes" not in damaged and not (moments.sizes >= LEAST_ROWS).all():
        damaged.append("sizes")
    if damaged:
        raise AppraisalError(f"the saved appraisal lacks or garbles {', '.join(damaged)}.", hint=UNCHANGED)


def _could_be_saved(array: NDArray[np.float64] | None, part: str, n: int) -> bool:
    if array is None:
        return part in ("covariance", "approximation")
    is_right = array.shape == (n,) * SHAPES[part] and not bool(np.isinf(array).any())
    return is_right and (part == "interaction" or not bool(np.isnan(array).any()))


def _reference(moments: Moments, saved: Mapping[str, Any]) -> Reference:
    """The reference with the very weights that were saved."""
    if saved["weights"] is None:
        return reference_named(moments, str(saved["name"]))
    weights = np.array(saved["weights"], dtype=np.float64)
    is_mixture = weights.shape == (moments.n_sources,) and bool((weights >= 0.0).all())
    if not is_mixture or not np.isclose(weights.sum(), 1.0):
        raise AppraisalError("the saved appraisal lacks or garbles weights.", hint=UNCHANGED)
    again = mixture(str(saved["name"]), moments, weights, chosen_from_data=bool(saved["chosen_from_data"]))
    return replace(again, is_biased=bool(saved.get("is_biased", False)))
