"""The matrix of pairs on a page: who is nearer than whom, with the error rate of all answers together."""

from __future__ import annotations

from dataclasses import dataclass

from karat.appraisal import Appraisal
from karat.decisions import AsymptoticPolicy, PairMatrix, RowsNeeded, pair_matrix, rows_needed
from karat.report.board import MOST_IN_MATRIX, has_shares, level
from karat.report.naming import Naming, listed
from karat.report.numbers import distance, roughly, signed, typeset
from karat.report.printable import printable

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
    scale = appraisal.ruler.percent if has_shares(appraisal) else None
    needed = _needed(appraisal, found)
    rows = tuple(
        MatrixRow(
            str(place + 1),
            names.short[found.names[i]],
            tuple(None if i == j else _cell(i, j, found, names, scale, needed) for j in order),
        )
        for place, i in enumerate(order)
    )
    return Matrix(
        rows,
        vendors=appraisal.moments.n_vendors,
        risk=level(round(1.0 - appraisal.confidence, 12)),
        decided=found.decided,
        pairs=size * (size - 1) // 2,
        unit="in MMD" if scale is None else "in per cent of the scale",
    )


def _cell(
    i: int,
    j: int,
    found: PairMatrix,
    names: Naming,
    scale: float | None,
    needed: dict[tuple[int, int], str],
) -> Cell:
    me, other = found.names[i], found.names[j]
    verdict = found.verdict(me, other)
    shown = gap(float(found.gap[i, j]), scale)
    said = f"{names.long[me]} {VERBS[verdict]} {names.long[other]}: gap {shown}"
    if found.lower[i, j] == found.lower[i, j]:
        said += f", interval {gap(float(found.lower[i, j]), scale)} to {gap(float(found.upper[i, j]), scale)}"
    p = min(found.p_values[i, j], found.p_values[j, i])
    if p == p:
        said += f"; adjusted p {p_value(p)}"
    said = " ".join([f"{said}.", needed.get((min(i, j), max(i, j)), "")])
    return Cell(verdict, GLYPHS[verdict], shown, said.strip())


def _needed(appraisal: Appraisal, found: PairMatrix) -> dict[tuple[int, int], str]:
    """What would settle each undecided pair, at the level that it has among all pairs of the table."""
    pairs = len(found.names) * (len(found.names) - 1) / 2
    single = 1.0 - (1.0 - found.confidence) / (1.0 if found.multiplicity == "none" else pairs)
    policy = AsymptoticPolicy(appraisal.distances.select(found.names))
    undecided = [
        (i, j)
        for j, other in enumerate(found.names)
        for i, me in enumerate(found.names[:j])
        if found.verdict(me, other) == "undecided"
    ]
    return {
        (i, j): _told(rows_needed(policy, i, j, margin=found.margin, confidence=single)) for i, j in undecided
    }


def _told(needed: RowsNeeded | None) -> str:
    if needed is None or needed.rows is None or needed.kind != "present gap":
        return "No difference is visible in these rows."
    asked = [f"{roughly(rows)} rows of {printable(name, 40)}" for name, rows in needed.rows.items()]
    if needed.anchor_rows:
        asked.append(f"{roughly(needed.anchor_rows)} of your own")
    return f"Deciding it takes about {listed(asked)}."


def gap(size: float, scale: float | None) -> str:
    """A gap in ruler units with its sign, positive where the row's vendor is nearer."""
    if scale is None:
        return ("+" if size > 0.0 else "") + typeset(distance(size))
    return signed(size / scale)


def p_value(p: float) -> str:
    """A p-value in few digits.

    >>> p_value(0.03456), p_value(1e-9), p_value(1.0)
    ('0.035', 'below 0.001', '1')
    """
    return "below 0.001" if p < 0.001 else f"{p:.2g}"
