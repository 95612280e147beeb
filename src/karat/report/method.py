"""How an appraisal was made, in words and hashes: enough to compute it again, and to know when not to."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from karat.appraisal import Appraisal
from karat.report.board import has_shares, level
from karat.report.naming import Naming, own_rows
from karat.report.numbers import count
from karat.report.printable import printable
from karat.vendors.naming import ANCHOR


@dataclass(frozen=True)
class Source:
    """Where the rows of one source came from."""

    name: str
    file: str
    rows: str
    sha256: str


def method(appraisal: Appraisal) -> tuple[tuple[str, str], ...]:
    """Term and explanation, one pair per choice that the numbers depend on."""
    provenance = appraisal.provenance
    exactness = provenance.get("method", {})
    said = [
        ("Value", "minus the maximum mean discrepancy (MMD) to the reference; 0 is the best."),
        ("Reference", _reference(appraisal)),
        ("Kernel", kernel_words(appraisal.kernel)),
        ("Columns", _columns(provenance)),
        ("Estimate", _estimate(exactness, "biased" if appraisal.reference.is_biased else "unbiased")),
        (
            "Intervals",
            "none: the values are biased, as the paper defines them."
            if appraisal.reference.is_biased
            else f"{level(appraisal.confidence)} score intervals, by Student's t, honest near zero too.",
        ),
    ]
    if has_shares(appraisal):
        farthest = printable(appraisal.ruler.vendor, 40)
        mixed = f"1 % is the MMD that 1 % of {farthest}, the farthest vendor, makes when mixed in"
        said.append(("Scale", f"{mixed}: {appraisal.ruler.percent:.3g}."))
    return tuple(said)


def _estimate(made: Mapping[str, Any], kind: str) -> str:
    """Which estimate it is, and how its inner products were computed."""
    if made.get("name") == "landmarks":
        return (
            f"{kind}, from {made['landmarks']} landmarks in time linear in the rows; the standard error "
            "that this adds is part of every interval."
        )
    return f"{kind}, over all pairs of rows, products in {made.get('precision', 'float64')}, sums in float64."


def assumptions(appraisal: Appraisal) -> tuple[str, ...]:
    """What must hold for the intervals and verdicts to keep their promise."""
    has_own = own_rows(appraisal) is not None
    said = [
        "Rows of a preview are independent draws of what the vendor would deliver.",
        f"Previews of vendors are independent of each other{' and of your rows' if has_own else ''}.",
    ]
    if has_own:
        said.append("Your rows are drawn like the data that you need.")
    if appraisal.reference.chosen_from_data:
        said.append("The reference was chosen from these rows; intervals are for the reference as chosen.")
    return tuple(said)


def sources(appraisal: Appraisal, names: Naming) -> tuple[Source, ...]:
    """The files that were read with their checksums, or the rows' own where arrays were given."""
    inputs = appraisal.provenance.get("inputs", ())
    if inputs:
        return tuple(
            Source(
                names.long.get(one["name"], printable(one["name"])),
                printable(one["path"]),
                count(one["rows"]),
                printable(one["sha256"], 64),
            )
            for one in inputs
        )
    digests = appraisal.provenance.get("digests", {})
    sizes = dict(zip(appraisal.moments.names, appraisal.moments.sizes.tolist(), strict=True))
    return tuple(
        Source(names.long[name], "rows in memory", count(sizes[name]), printable(str(digest), 64))
        for name, digest in digests.items()
        if name in names.long
    )


def files(appraisal: Appraisal) -> tuple[str, ...]:
    """The files that a check needs, as words of a command line; none where arrays were given."""
    names = [printable(str(one["path"])) for one in appraisal.provenance.get("inputs", ())]
    return tuple(shlex.quote(name) for name in names)


def versions(appraisal: Appraisal) -> str:
    """The software, and the seed."""
    provenance = appraisal.provenance
    said = [f"{name} {printable(str(number), 30)}" for name, number in provenance.get("versions", {}).items()]
    return ", ".join([*said, f"seed {provenance.get('seed')}"])


KERNELS = {
    "gaussian": "a Gaussian",
    "gaussian-mean": "the mean of Gaussians",
    "gaussian-sum": "the sum of Gaussians",
    "laplace": "the exponential of the Manhattan distance",
    "rational-quadratic": "the rational quadratic kernel",
    "energy": "the energy kernel",
    "linear": "the inner product",
    "polynomial": "a polynomial of the inner product",
}


def kernel_words(kernel: Mapping[str, Any]) -> str:
    """The kernel in a line.

    >>> kernel_words({"name": "gaussian-mean", "parameters": {"bandwidths": [0.51234, 1.0]}, "bound": 1.0})
    'the mean of Gaussians; bandwidths 0.5123, 1; never above 1.'
    """
    said = [KERNELS.get(str(kernel["name"]), printable(str(kernel["name"])))]
    said += [f"{printable(str(name), 30)} {_numbers(given)}" for name, given in kernel["parameters"].items()]
    bound = kernel.get("bound")
    said.append("unbounded" if bound is None else f"never above {bound:.4g}")
    return "; ".join(said) + "."


def _numbers(given: Any) -> str:
    if isinstance(given, (int, float)):
        return f"{given:.4g}"
    if isinstance(given, list) and all(isinstance(number, (int, float)) for number in given):
        return ", ".join(f"{number:.4g}" for number in given)
    return printable(str(given), 60)


def _reference(appraisal: Appraisal) -> str:
    moments = appraisal.moments
    known = {
        "anchor": "your own rows" if moments.anchor is None else f"your own {count(moments.sizes[-1])} rows",
        "uniform": "the mixture of all vendors with equal weights",
        "leave-one-out": "for each vendor, the mixture of the others with equal weights",
        "robust": "the core of the vendors that more than half of them agree on",
        "weights": "a mixture of vendors with weights that you chose",
        "equal-size": "the union of equally large random parts of all previews, as in the paper",
    }
    return known.get(appraisal.reference.name, printable(appraisal.reference.name)) + "."


def _columns(provenance: Mapping[str, Any]) -> str:
    layout = provenance.get("layout", ())
    shown = ", ".join(printable(str(block["name"]), 24) for block in layout[:12])
    more = f" and {count(len(layout) - 12)} more" if len(layout) > 12 else ""
    encoder = provenance.get("encoder")
    if encoder is None:
        how = "used as they were given"
    elif encoder.get("scaling") == "none":
        how = "not scaled"
    else:
        who = "your rows" if tuple(encoder.get("reference", ())) == (ANCHOR,) else "the reference"
        how = f"centred and scaled by {who}, clipped where beyond them"
    return f"{count(len(layout))} ({shown}{more}), {how}."
