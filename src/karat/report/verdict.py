"""The answer at the top of a page: what to buy, how sure, and what to ask next, in a few sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from karat.appraisal import Appraisal, VendorValue
from karat.decisions import RowsNeeded
from karat.report.board import amount, amounts, ends_of, floor_of, has_shares, level, spoken
from karat.report.naming import Naming, listed, own_rows
from karat.report.numbers import in_words, roughly
from karat.report.printable import printable

MOST_NAMED = 4
"""Vendors that a sentence names; more are counted."""

MOST_TIMES = 50
"""Nobody asks a vendor for so many times the rows of its preview, or brings so many times its own."""


BRING_ROWS = (
    "Bring some rows like those you need (--anchor): twenty are a start. "
    "Or name a vendor that you trust (--trust)."
)


@dataclass(frozen=True)
class Answer:
    """One line, what it rests on, what would tell more, and who may be the best."""

    headline: str
    sentences: tuple[str, ...]
    ask: str | None = None
    candidates: tuple[str, ...] = ()


def whose(appraisal: Appraisal) -> str:
    """What the vendors are held against, inside a sentence."""
    known = {
        "anchor": "your data",
        "uniform": "the average vendor",
        "leave-one-out": "the average vendor",
        "weights": "the mixture you chose",
        "robust": "what most vendors agree on",
        "equal-size": "the union of all previews",
    }
    name = appraisal.reference.name
    return known.get(name, f"the reference {printable(name)}")


def answer(appraisal: Appraisal, names: Naming) -> Answer:
    """What an appraisal says, and no more."""
    if appraisal.moments.n_vendors == 1:
        return _alone(appraisal, names)
    if not appraisal.is_ranked:
        return _cannot_tell(appraisal, names)
    if appraisal.reference.is_biased:
        nearest = names.long[appraisal.ranking[0].name]
        return Answer(
            f"{nearest} is nearest to {whose(appraisal)}.",
            ("These are the paper's biased values; nothing follows about how sure they are.",),
        )
    found = appraisal.best()
    left = [vendor for vendor in appraisal.ranking if vendor.name in found.names]
    out = [vendor for vendor in appraisal.ranking if vendor.name not in found.names]
    said = (
        _about_the_best(left, appraisal, names),
        _about_the_others(out, appraisal, names),
        _about_all(appraisal),
    )
    return Answer(
        _headline(left, len(out), appraisal, names),
        tuple(sentence for sentence in said if sentence),
        ask=_what_to_ask(left, appraisal, names) if len(left) > 1 else None,
        candidates=tuple(vendor.name for vendor in left),
    )


def _alone(appraisal: Appraisal, names: Naming) -> Answer:
    (vendor,) = appraisal.vendors
    ends, floor = ends_of(vendor), floor_of(appraisal)
    name = names.long[vendor.name]
    if ends is None:
        return Answer(
            f"{name} shows too few rows to judge.", ("With one vendor there is no scale to hold it to.",)
        )
    said = [f"Its distance is {amounts(*ends, appraisal)} ({level(appraisal.confidence)})."]
    if floor is not None:
        said.append(f"Two halves of your own rows lie up to {amount(floor, appraisal)} apart by chance.")
    verb = "differs from" if ends[0] > 0.0 else "may differ from"
    if floor is not None and ends[0] == 0.0 and abs(vendor.value) <= floor:
        verb = "cannot be told from"
    ask = "A second vendor would give this number a scale."
    return Answer(f"{name} {verb} {whose(appraisal)}.", tuple(said), ask=ask)


def _cannot_tell(appraisal: Appraisal, names: Naming) -> Answer:
    shape = appraisal.identifiability
    if shape is None:
        return Answer(
            "Two vendors and none of your own data: neither can be called better.",
            ("Each is as far from their average as the other, whatever they hold.",),
            ask=BRING_ROWS,
        )
    order = sorted(shape.names, key=lambda name: float(shape.positions[shape.names.index(name)]))
    ends = names.long[order[0]], names.long[order[-1]]
    return Answer(
        "These previews cannot tell which end of the market is the better one.",
        (
            f"The vendors lie along one line, from {ends[0]} to {ends[1]}, and you could need either end. "
            "The middle only looks best because it is in the middle.",
        ),
        ask=BRING_ROWS,
    )


def _headline(left: Sequence[VendorValue], beaten: int, appraisal: Appraisal, names: Naming) -> str:
    called = [names.long[vendor.name] for vendor in left]
    is_anchored = appraisal.reference.name == "anchor"
    if left[0].low is None:
        return f"{called[0]} looks nearest, but there are too few rows to be sure."
    if len(left) == 1:
        return f"Buy {called[0]}." if is_anchored else f"{called[0]} is nearest to {whose(appraisal)}."
    if beaten == 0:
        return f"These previews cannot tell the {in_words(len(left))} vendors apart."
    if len(left) > MOST_NAMED:
        ruled_out = "one is" if beaten == 1 else f"{in_words(beaten)} are"
        return f"{len(left)} of {len(left) + beaten} vendors may be the best; {ruled_out} ruled out."
    chosen = listed(called, "or")
    return f"Buy {chosen}." if is_anchored else f"{chosen} is nearest to {whose(appraisal)}."


def _about_the_best(left: Sequence[VendorValue], appraisal: Appraisal, names: Naming) -> str:
    far = [ends[1] for vendor in left if (ends := ends_of(vendor)) is not None]
    if not far:
        return ""
    floor, held = floor_of(appraisal), whose(appraisal)
    is_chance = floor is not None and max(far) <= floor
    if len(left) == 1:
        said = f"At {level(appraisal.confidence)} confidence no other vendor is nearer to {held}"
        subject = "it is"
    else:
        said = f"At {level(appraisal.confidence)} confidence the nearest to {held} is among these "
        said += in_words(len(left))
        subject = "each is"
    if is_chance:
        return f"{said}; {subject} no farther from it than two halves of your own rows may be by chance."
    if not has_shares(appraisal) or appraisal.ruler.vendor in {vendor.name for vendor in left}:
        return f"{said}."
    mixed = f"of {names.long[appraisal.ruler.vendor]} mixed in"
    if len(left) == 1 and (ends := ends_of(left[0])) is not None and ends[0] > 0.0:
        return f"{said}; {subject} like {held} with {amounts(*ends, appraisal)} {mixed}."
    return f"{said}; {subject} like {held} with at most {amount(max(far), appraisal)} {mixed}."


def _about_the_others(out: Sequence[VendorValue], appraisal: Appraisal, names: Naming) -> str:
    if not out:
        return ""
    farthest = appraisal.ruler.vendor
    named = [
        f"{names.long[v.name]} ({'the farthest' if v.name == farthest else spoken(v, appraisal)})"
        for v in out[:MOST_NAMED]
    ]
    if len(out) > MOST_NAMED:
        more = len(out) - MOST_NAMED + 1
        named = [*named[:-1], f"{in_words(more)} others farther away"]
    return f"{listed(named)} {'is' if len(out) == 1 else 'are'} ruled out."


def _about_all(appraisal: Appraisal) -> str:
    """The nearest is not always near: said where no interval reaches the noise of the buyer's rows."""
    floor, ends = floor_of(appraisal), [ends_of(vendor) for vendor in appraisal.vendors]
    if floor is None or not all(pair is not None and pair[0] > floor for pair in ends):
        return ""
    return "All vendors differ from your data by more than chance explains."


def _what_to_ask(left: Sequence[VendorValue], appraisal: Appraisal, names: Naming) -> str:
    """The rows that would tell the nearest from the next, where a difference shows at all."""
    first, second = left[0], left[1]
    if first.low is None or second.low is None:
        return "Ten rows of every source are the least to say how sure this is."
    needed = appraisal.compare(first.name, second.name).rows_needed
    pair = f"{names.long[first.name]} and {names.long[second.name]}"
    if needed is None or needed.kind == "unknown":
        return "More rows are needed before anything can be told."
    gap = amount(needed.gap, appraisal)
    asked = _asked(needed, (first, second), appraisal, names)
    if needed.kind == "no visible difference":
        if asked is None:
            return f"{pair} show no difference, and no reasonable number of rows would: choose by price."
        return f"{pair} show no difference. To see one of {gap}, ask for {asked}."
    if asked is None:
        return f"No reasonable number of rows would tell {pair} apart: choose by price."
    return f"To tell {pair} apart, ask for {asked}: enough if their gap is {gap}."


def _asked(
    needed: RowsNeeded, vendors: Sequence[VendorValue], appraisal: Appraisal, names: Naming
) -> str | None:
    """What to ask whom for; None where it is more than anyone would send, or the buyer could bring."""
    if needed.rows is None:
        return None
    more = [(vendor, needed.rows[vendor.name] - vendor.rows) for vendor in vendors]
    if any(rows > MOST_TIMES * vendor.rows for vendor, rows in more):
        return None
    if (needed.anchor_rows or 0) > MOST_TIMES * (own_rows(appraisal) or 0):
        return None
    asked = [f"{roughly(rows)} more rows of {names.long[vendor.name]}" for vendor, rows in more if rows > 0]
    if needed.anchor_rows:
        asked.append(f"{roughly(needed.anchor_rows)} rows of your own in all")
    return listed(asked) if asked else None


def scale_note(appraisal: Appraisal, names: Naming) -> str:
    """What a percentage on the page means."""
    if not has_shares(appraisal):
        return f"Distances are maximum mean discrepancies (MMD); 0 is {whose(appraisal)}."
    farthest = names.short[appraisal.ruler.vendor]
    return f"A distance of 10 % is that of {whose(appraisal)} with 10 % of {farthest} mixed in."
