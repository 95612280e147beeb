"""What an appraisal says in words, shared by every way of showing it."""

from __future__ import annotations

from karat.appraisal import Appraisal, VendorValue
from karat.report.numbers import percent, percent_range
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


SHOWN_OF_A_KIND = 2
"""Findings of one kind that are shown in full; the rest are counted."""


def noticed(appraisal: Appraisal) -> list[str]:
    """What was noticed in the data, a few of each kind; the saved appraisal lists all."""
    kinds: dict[str, list[str]] = {}
    for finding in appraisal.findings:
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
    shape = appraisal.identifiability
    if appraisal.moments.anchor is None:
        if appraisal.moments.n_vendors == 2:
            said.append(
                "Cannot tell: two vendors are equally far from their average by construction. "
                "Bring some rows of your own (--anchor), or name a vendor you trust (--trust)."
            )
        elif shape is not None and shape.is_one_direction:
            said.append(
                f"The vendors differ along one direction ({100 * shape.share:.0f} % of their spread): "
                "the data cannot tell which end is better. Twenty rows of your own (--anchor) would."
            )
        else:
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
    floor = appraisal.ruler.noise_floor
    if floor is not None:
        share = appraisal.ruler.share(floor)
        if share is not None and appraisal.reference.name == "anchor":
            said.append(
                f"Two fresh halves of your own rows would lie up to {percent(share)} % apart by chance."
            )
    return said
