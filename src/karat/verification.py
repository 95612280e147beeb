"""Is a saved appraisal what it says: do its numbers follow from its moments, and its moments from the data?

Three checks, each stricter than the one before: the values follow from the embedded moments; the page shows
what its appraisal says; and, where the files are given, they are the very files and give the same moments.
The first difference is named, and ends the work.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from karat.appraisal import Appraisal
from karat.errors import AppraisalError, UsageError
from karat.guarantees.asymptotic import squared_distances
from karat.kernels.named import kernel_from_dict
from karat.report.html import report
from karat.road import appraise
from karat.saved import from_dict, read_saved
from karat.sources.budget import SETTING
from karat.typing import Progress, Vector
from karat.vendors import Market
from karat.vendors.market import FIT
from karat.vendors.naming import ANCHOR

FOLLOWS = 1e-9
"""Relative difference that rounding may make between values and the moments that they follow from."""

SAME_SUMS = {"float64": 1e-10, "float32": 2e-6}
"""The same for kernel means computed again, by the precision of the tiles."""


MOMENTS = (
    "sizes",
    "effective_sizes",
    "gram",
    "gram_biased",
    "self_mean",
    "interaction",
    "covariance",
    "approximation",
)
"""What is compared, in this order: a later one differs where an earlier one does."""

OF_MOMENTS = ("sizes", "fewest", "squared", "biased", "approximation")
OF_ROWS = ("plug_in", "degrees")
"""Parts of distances that are saved beside the moments of many sources: what follows from those moments, and
what only the rows tell."""


@dataclass(frozen=True)
class Verification:
    """What was checked, in order, and the first difference that was found; None where there is none."""

    checked: tuple[str, ...]
    difference: str | None

    @property
    def holds(self) -> bool:
        return self.difference is None

    def to_dict(self) -> dict[str, object]:
        return {"holds": self.holds, "checked": list(self.checked), "difference": self.difference}


class _DifferenceFoundError(Exception):
    """The first difference, on its way out."""


def verify(path: Path, files: Sequence[str | Path] = (), *, progress: Progress | None = None) -> Verification:
    """Check a saved appraisal or report, against the data where the files are given."""
    checked: list[str] = []
    try:
        saved = read_saved(path)
        appraisal = from_dict(saved)
        checked.append(_values_follow(saved, appraisal))
        if path.suffix.lower() in (".html", ".htm"):
            checked.append(_page_shows(path, appraisal))
        if files:
            sources = _the_very_files(appraisal, files)
            checked.append(f"{sum(map(len, sources.values()))} files are the ones that were read")
            _moments_follow(appraisal, _again(appraisal, sources, progress))
            checked.append("the data give the same encoding, moments and values")
    except _DifferenceFoundError as difference:
        return Verification(tuple(checked), str(difference))
    return Verification(tuple(checked), None)


def _values_follow(saved: Mapping[str, Any], appraisal: Appraisal) -> str:
    """The numbers are computed again; what they are computed from must itself follow from the moments."""
    is_whole = appraisal.moments.covariance is not None
    if not is_whole:
        _distances_follow(appraisal)
    for told, found in zip(saved["vendors"], appraisal.vendors, strict=False):
        for field, expected in asdict(found).items():
            if not _is_close(told.get(field), expected):
                raise _DifferenceFoundError(
                    f"{field} of {found.name} is {told.get(field)!r} in the file, {expected!r} by its moments"
                )
    if len(saved["vendors"]) != len(appraisal.vendors):
        raise _DifferenceFoundError(
            f"{len(saved['vendors'])} vendors are listed, {len(appraisal.vendors)} have moments"
        )
    for field, expected in appraisal.ruler.to_dict().items():
        if not _is_close(saved["ruler"].get(field), expected):
            raise _DifferenceFoundError(
                f"{field} of the ruler is {saved['ruler'].get(field)!r} in the file, "
                f"{expected!r} by its moments"
            )
    if is_whole:
        return "the values, intervals and ranks follow from the embedded moments"
    return "the values and ranks follow from the embedded moments, the intervals from saved errors"


def _distances_follow(appraisal: Appraisal) -> None:
    """Moments of many sources keep no covariance; the distances saved beside them might be others."""
    moments, told = appraisal.moments, appraisal.distances
    found = squared_distances(moments, appraisal.reference.contrasts, moments.vendor_names)
    if told.names != found.names:
        raise _DifferenceFoundError("the distances are of other vendors than the moments")
    _refuse_difference(OF_MOMENTS, told, found, found.names, FOLLOWS, by="its moments")


def _is_close(told: object, expected: object) -> bool:
    if isinstance(told, float) and isinstance(expected, float):
        return bool(np.isclose(told, expected, rtol=FOLLOWS, atol=1e-15))
    return told == expected


def _page_shows(path: Path, appraisal: Appraisal) -> str:
    """The page is written again from its appraisal; by the same version it must be the same text."""
    writer, here = appraisal.provenance.get("versions", {}).get("karat"), version("karat")
    if writer != here:
        return f"the page was written by karat {writer}; this is {here}, so its text was not compared"
    told, expected = path.read_text(encoding="utf-8").splitlines(), report(appraisal).splitlines()
    for number, (line, right) in enumerate(zip(told, expected, strict=False), start=1):
        if line != right:
            raise _DifferenceFoundError(
                f"line {number} of the page is not what its appraisal says: {line.strip()[:80]!r}"
            )
    if len(told) != len(expected):
        raise _DifferenceFoundError(
            f"the page has {len(told)} lines, and its appraisal makes {len(expected)}"
        )
    return "the page shows what its appraisal says, word for word"


def _the_very_files(appraisal: Appraisal, files: Sequence[str | Path]) -> dict[str, list[Path]]:
    """For each source the files that it was read from, found by name and content."""
    inputs = appraisal.provenance.get("inputs", ())
    if not inputs:
        raise UsageError(
            "this appraisal was made of rows in memory, not of files.",
            hint="Verify it without files, or appraise files.",
        )
    given: dict[str, list[Path]] = {}
    for path in _expanded(files):
        given.setdefault(path.name, []).append(path)
    sources: dict[str, list[Path]] = {}
    for one in inputs:
        candidates = given.get(one["path"], [])
        if not candidates:
            raise UsageError(
                f"the file {one['path']!r} of {one['name']!r} was not given.",
                hint="Name all files that were appraised, the anchor's too; folders will do.",
                vendor=one["name"],
            )
        hashes = {path: _sha256(path) for path in candidates}
        found = [path for path, digest in hashes.items() if digest == one["sha256"]]
        if not found:
            raise _DifferenceFoundError(
                f"{one['path']} of {one['name']} is another file now: its SHA-256 is "
                f"{hashes[candidates[0]]}, it was {one['sha256']}"
            )
        sources.setdefault(one["name"], []).append(found[0])
    return sources


def _expanded(files: Sequence[str | Path]) -> Iterable[Path]:
    for name in files:
        path = Path(name)
        if path.is_dir():
            yield from sorted(inside for inside in path.iterdir() if inside.is_file())
        else:
            yield path


def _sha256(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise AppraisalError(
            f"{str(path)!r} cannot be read: {error.strerror}.", hint="Check the path."
        ) from error


def _again(appraisal: Appraisal, sources: dict[str, list[Path]], progress: Progress | None) -> Appraisal:
    """The appraisal made again, with the same choices."""
    provenance = appraisal.provenance
    encoder = provenance["encoder"]
    brought: dict[str, Any] = {
        name: paths[0] if len(paths) == 1 else [*map(str, paths)] for name, paths in sources.items()
    }
    anchor, fit_on = brought.pop(ANCHOR, None), brought.pop(FIT, None)
    market = Market.read(
        brought,
        anchor=anchor,
        fit_on=fit_on,
        columns=[field["name"] for field in encoder["fields"]],
        target=encoder["target"],
        missing=encoder["missing"],
        scaling=encoder["scaling"],
    )
    _refuse_other_reading(provenance.get("in_parts", market.is_streamed), market.is_streamed)
    return appraise(
        market,
        reference=_reference(appraisal),
        kernel=kernel_from_dict(appraisal.kernel),
        confidence=appraisal.confidence,
        method=provenance["method"]["name"],
        precision=provenance["method"]["precision"],
        keep_copies=provenance.get("keep_copies", False),
        seed=provenance["seed"],
        progress=progress,
    )


def _refuse_other_reading(was_in_parts: bool, is_in_parts: bool) -> None:
    """Rows in memory and rows in files have digests of their own, and can be compared exactly or not."""
    if was_in_parts and not is_in_parts:
        raise UsageError(
            "these files were read in parts when they were appraised, and would be held in memory now.",
            hint=f"Set {SETTING} to fewer cells (rows times columns) than the largest source has.",
        )
    if is_in_parts and not was_in_parts:
        raise UsageError(
            "these files were held in memory when they were appraised, and would be read in parts now.",
            hint=f"Set {SETTING} to more cells (rows times columns) than the largest source has.",
        )


def _reference(appraisal: Appraisal) -> str | dict[str, float]:
    weights = appraisal.reference.weights
    if appraisal.reference.name != "weights" or weights is None:
        return appraisal.reference.name
    return dict(zip(appraisal.moments.names, weights.tolist(), strict=True))


def _moments_follow(told: Appraisal, again: Appraisal) -> None:
    """Encoding, encoded rows, moments, values: the first that differs is the cause of all that follow."""
    _same_encoder(told.provenance["encoder"], again.provenance["encoder"])
    for name, digest in again.provenance["digests"].items():
        if told.provenance["digests"].get(name) != digest:
            raise _DifferenceFoundError(
                f"the encoded rows of {name} are others than those that were appraised"
            )
    slack = SAME_SUMS[told.provenance["method"]["precision"]]
    _refuse_difference(MOMENTS, told.moments, again.moments, told.moments.names, slack, by="the data")
    if told.moments.covariance is None:
        vendors = told.moments.vendor_names
        _refuse_difference(OF_ROWS, told.distances, again.distances, vendors, slack, by="the data")
    for one, other in zip(told.vendors, again.vendors, strict=True):
        if (one.rank, one.name) != (other.rank, other.name):
            raise _DifferenceFoundError(
                f"the rank of {one.name} is {one.rank} in the file, and {other.rank} by the data"
            )


def _refuse_difference(
    fields: Iterable[str], told: object, found: object, names: Sequence[str], slack: float, *, by: str
) -> None:
    """Raise for the first field of arrays over these sources that is another one in the file."""
    for field in fields:
        theirs, ours = getattr(told, field), getattr(found, field)
        if ours is None or theirs is None:
            continue
        at = _first_difference(ours, theirs, slack)
        if at is not None:
            where = " and ".join(names[i] for i in dict.fromkeys(at))
            raise _DifferenceFoundError(
                f"{field} of {where} is {theirs[at]:.12g} in the file, and {ours[at]:.12g} by {by}"
            )


def _same_encoder(told: Mapping[str, Any], again: Mapping[str, Any]) -> None:
    plain = json.loads(json.dumps(again))
    for one, other in zip(told["fields"], plain["fields"], strict=False):
        if one != other:
            raise _DifferenceFoundError(f"column {one['name']} is encoded in another way than by these files")


def _first_difference(ours: Vector, theirs: Vector, slack: float) -> tuple[int, ...] | None:
    size = float(np.nanmax(np.abs(ours))) or 1.0
    differs = ~np.isclose(ours, theirs, rtol=slack, atol=slack * size, equal_nan=True)
    return tuple(int(i) for i in np.argwhere(differs)[0]) if differs.any() else None
