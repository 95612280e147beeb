"""What an appraisal says in words, shared by every way of showing it."""

from __future__ import annotations

from karat.appraisal import Appraisal, VendorValue
from karat.decisions import Comparison
from karat.integrity import LEFT_OUT, STAYED
from karat.report.naming import own_rows
from karat.report.numbers import distance, percent, percent_range
from karat.report.printable import printable


def mixed_in(vendor: VendorValue, appraisal: Appraisal) -> str | None:
    """The distance of a vendor in ruler units: "3-5 % of initech"; None where there is no ruler."""
    ruler = appraisal.ruler
    if vendor.share is None:
        return None
    if vendor.low is None or vendor.high is None:
        amount = percent(vendor.share)
    else:
        ends = ruler.share(-vendor.high), ruler.share(-vendor.low)
        amount = percent_range(ends[0] or 0.0, ends[1] or 0.0)
    return f"{amount} %"


def unit(appraisal: Appraisal) -> str:
    """What a percentage is a percentage of."""
    vendor = printable(appraisal.ruler.vendor, 30)
    base = "your data" if appraisal.reference.name == "anchor" else "the reference"
    return f"like {base} with so much of {vendor} mixed in"


def compared(comparison: Comparison) -> list[str]:
    """A comparison in sentences: the verdict, the gap, and what would settle it."""
    a, b = printable(comparison.a, 40), printable(comparison.b, 40)
    level = f"{100 * comparison.confidence:g} %"
    beyond = _beyond(comparison.margin)
    said = [
        {
            "better": f"{a} is better than {b}{beyond} ({level}).",
            "worse": f"{a} is worse than {b}{beyond} ({level}).",
            "undecided": f"Undecided: {a} and {b} cannot be told apart{beyond} ({level}).",
        }[comparison.verdict]
    ]
    nearer, sign = (a, 1.0) if comparison.gap >= 0.0 else (b, -1.0)
    gap = f"{nearer} is nearer by {distance(abs(comparison.gap))}"
    if comparison.interval is not None:
        low, high = sorted(sign * end for end in comparison.interval)
        gap += f"; the gap lies between {distance(low)} and {distance(high)}"
    said.append(f"{gap}.")
    if comparison.reason:
        said.append(f"Nothing can be claimed: {comparison.reason}.")
    if comparison.rows_needed is not None:
        message = printable(comparison.rows_needed.message, 300)
        said.append(f"{message[0].upper()}{message[1:]}.")
    said.append(f"Policy: {comparison.policy}; it holds {comparison.holds}.")
    if comparison.look is not None:
        look = comparison.look
        said.append(
            f"Look {look.number} by the rule {look.rule!r}: decided at {100.0 * look.confidence:.4g} %, so "
            f"that all looks so far err with a chance of at most {100.0 * look.spent:.2g} %."
        )
    return said


def _beyond(margin: float) -> str:
    if margin == 0.0:
        return ""
    return f" by more than {distance(margin)}" if margin > 0.0 else f", allowing {distance(-margin)}"


SHOWN_OF_A_KIND = 2
"""Findings of one kind that are shown in full; the rest are counted."""


def noticed(appraisal: Appraisal) -> list[str]:
    """What was noticed in the data, copies first, a few of each kind; the saved appraisal lists all."""
    kinds: dict[str, list[str]] = {}
    for finding in sorted(appraisal.findings, key=lambda one: _urgency(one.kind)):
        kinds.setdefault(finding.kind, []).append(printable(finding.message, 300))
    said = []
    for messages in kinds.values():
        said += messages[:SHOWN_OF_A_KIND]
        more = len(messages) - SHOWN_OF_A_KIND
        if more > 0:
            said.append(f"... and {more} more like this (all are in the saved appraisal).")
    return said


def caveats(appraisal: Appraisal) -> list[str]:
    """What a reader must know before believing the order."""
    said = []
    if own_rows(appraisal) is None and appraisal.is_ranked and appraisal.reference.name != "weights":
        said.append("Without rows of your own this says who is typical, not who is good.")
    if appraisal.reference.name == "robust":
        said.append(
            "Assumed: more than half of the vendors are close to what you need, and the others do not all "
            "deviate in the same way."
        )
    if appraisal.reference.chosen_from_data:
        said.append("Intervals are for the distance to the reference as chosen from these very rows.")
    if appraisal.reference.is_biased:
        said.append("Biased values, as the paper defines them; no intervals, the reference shares rows.")
    if reason := appraisal.provenance.get("method", {}).get("reason"):
        said.append(f"Computed from landmarks, with their error in every interval: {reason}.")
    return said


def chance(appraisal: Appraisal) -> str | None:
    """How far the buyer's own rows lie apart by chance, in ruler units; None where that says nothing."""
    floor = appraisal.ruler.noise_floor
    share = None if floor is None else appraisal.ruler.share(floor)
    if share is None or appraisal.reference.name != "anchor":
        return None
    return f"Two fresh halves of your own rows would lie up to {percent(share)} % apart by chance."


SERIOUS = ("anchor-rows", *STAYED, *LEFT_OUT, "repetitions", "same-rows", "shared")
"""Kinds of findings that say something about a vendor, not about a column."""

TECHNICAL = ("no-checksums",)
"""Kinds of findings that say something about a file, and nothing about what is in it."""


def _urgency(kind: str) -> int:
    return 0 if kind in SERIOUS else 2 if kind in TECHNICAL else 1


def warnings(appraisal: Appraisal) -> list[str]:
    """Findings that a buyer should read before the order: rows that are copies."""
    return [printable(one.message, 300) for one in appraisal.findings if one.kind in SERIOUS]
