"""The matrix of pairs on a page: who is nearer than whom, with the error rate of all answers together."""

from __future__ import annotations

from dataclasses import dataclass

from karat.appraisal import Appraisal
from karat.decisions import AsymptoticPolicy, PairMatrix, pair_matrix
from karat.report.board import MOST_IN_MATRIX, has_shares, level
from karat.report.naming import Naming
from karat.report.numbers import count, distance, signed, typeset

GLYPHS = {"better": "▲", "worse": "▼", "undecided": "≈"}

VERBS = {"better": "is nearer than", "worse": "is farther than", "undecided": "cannot be told from"}


@dataclass(frozen=True)
class Cell:
    """What the row's vendor is against the column's: verdict, gap, and the whole answer as a sentence."""

    verdict: str
    glyph: str
    gap: str
    sentence: str


@dataclass(frozen=True)
class MatrixRow:
    """One vendor against all others; None on the diagonal."""

    place: str
    name: str
    cells: tuple[Cell | None, ...]


@dataclass(frozen=True)
class Matrix:
    """Rows nearest first; the columns are in the same order. risk: of any wrong verdict in the table."""

    rows: tuple[MatrixRow, ...]
    vendors: int
    risk: str
    decided: int
    pairs: int
    unit: str


def all_pairs(appraisal: Appraisal) -> PairMatrix | None:
    """Verdicts on all pairs of the nearest vendors; None where no order speaks of quality.

    Beyond `MOST_IN_MATRIX` vendors the rows that judge also chose whom to judge, so each pair is decided at
    the level over the number of all pairs, which holds for whatever is picked.
    """
    if appraisal.moments.n_vendors < 2 or not appraisal.is_ranked or appraisal.reference.is_biased:
        return None
    vendors = appraisal.moments.n_vendors
    if vendors <= MOST_IN_MATRIX:
        return appraisal.matrix()
    nearest = [vendor.name for vendor in appraisal.ranking[:MOST_IN_MATRIX]]
    policy = AsymptoticPolicy(appraisal.distances.select(nearest))
    single = (1.0 - appraisal.confidence) / (vendors * (vendors - 1) / 2)
    return pair_matrix(policy, confidence=1.0 - single, multiplicity="none")


def matrix(appraisal: Appraisal, found: PairMatrix | None, names: Naming) -> Matrix | None:
    """The matrix as the page shows it."""
    if found is None:
        return None
    order = [found.names.index(vendor.name) for vendor in appraisal.ranking[: len(found.names)]]
    size = len(order)
    rows = tuple(
        MatrixRow(
            str(place + 1),
            names.short[found.names[i]],
            tuple(None if i == j else _cell(i, j, found, appraisal, names) for j in order),
        )
        for place, i in enumerate(order)
    )
    return Matrix(
        rows,
        vendors=appraisal.moments.n_vendors,
        risk=level(round(1.0 - appraisal.confidence, 12)),
        decided=found.decided,
        pairs=size * (size - 1) // 2,
        unit="in per cent of the scale" if has_shares(appraisal) else "in MMD",
    )


def _cell(i: int, j: int, found: PairMatrix, appraisal: Appraisal, names: Naming) -> Cell:
    me, other = found.names[i], found.names[j]
    verdict = found.verdict(me, other)
    shown = gap(float(found.gap[i, j]), appraisal)
    said = f"{names.long[me]} {VERBS[verdict]} {names.long[other]}: gap {shown}"
    if found.lower[i, j] == found.lower[i, j]:
        ends = gap(float(found.lower[i, j]), appraisal), gap(float(found.upper[i, j]), appraisal)
        said += f", interval {ends[0]} to {ends[1]}"
    p = min(found.p_values[i, j], found.p_values[j, i])
    if p == p:
        said += f"; p {p_value(p)} among all pairs"
    needed = _needed(i, j, found, appraisal) if verdict == "undecided" else None
    said += "." if needed is None else f". {needed}"
    return Cell(verdict, GLYPHS[verdict], shown, said)


def _needed(i: int, j: int, found: PairMatrix, appraisal: Appraisal) -> str | None:
    """What would settle the pair, at the level that it has among all pairs of the table."""
    pairs = len(found.names) * (len(found.names) - 1) / 2
    single = 1.0 - (1.0 - found.confidence) / (1.0 if found.multiplicity == "none" else pairs)
    needed = appraisal.compare(found.names[i], found.names[j], confidence=single).rows_needed
    if needed is None or needed.rows is None or needed.kind != "present gap":
        return "No difference is visible in these rows."
    if needed.anchor_rows:
        return f"Deciding it takes {count(needed.anchor_rows)} rows of your own."
    return f"Deciding it takes about {count(sum(needed.rows.values()))} rows of the two together."


def gap(size: float, appraisal: Appraisal) -> str:
    """A gap in ruler units with its sign, positive where the row's vendor is nearer."""
    if not has_shares(appraisal):
        return ("+" if size > 0.0 else "") + typeset(distance(size))
    return signed(appraisal.ruler.share(size) or 0.0)


def p_value(p: float) -> str:
    """A p-value in few digits.

    >>> p_value(0.03456), p_value(1e-9), p_value(1.0)
    ('0.035', 'below 0.001', '1')
    """
    return "below 0.001" if p < 0.001 else f"{p:.2g}"
