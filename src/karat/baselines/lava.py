"""LAVA: the cost of moving labelled rows onto those of the reference, labels as far apart as their rows."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from karat.baselines.base import Case, Valuation, rows_of
from karat.baselines.reference import drawn_rows
from karat.baselines.transport import (
    Ground,
    Transport,
    entropic_transport,
    entropy,
    exact_transport,
    self_transport,
    sinkhorn_divergence,
)
from karat.baselines.transport.entropic import MARGINAL_ERROR
from karat.baselines.transport.ground import uniform
from karat.kernels.bandwidth import evenly_spaced
from karat.typing import Matrix, Vector
from karat.values import Values

CLASS_ROWS = 300
"""Rows of a class that its distance to other classes is measured on."""


COST_ERROR = 3e-3
"""Mass that may be misplaced where the cost alone is asked for: it errs by less than 1e-4 of itself then,
though potentials err by up to a tenth of their spread (measured on four sets of 1,000 and 10,000 rows)."""


@dataclass(frozen=True, eq=False)
class LabelledRows:
    """Rows (m, d) and their classes as codes (m,); a number to regress on is a column of `rows` instead."""

    rows: Matrix
    codes: NDArray[np.intp] | None

    @staticmethod
    def pooled(parts: list[LabelledRows]) -> LabelledRows:
        """One below the other."""
        codes = [part.codes for part in parts if part.codes is not None]
        return LabelledRows(
            np.concatenate([part.rows for part in parts]), np.concatenate(codes) if codes else None
        )


@dataclass(frozen=True, kw_only=True)
class Lava(Valuation):
    """Minus what a vendor's rows add to the transport cost onto the reference, features and labels together.

    The cost of moving (x, s) onto (y, t) is |x - y|^2 / 2 + label_weight * W(s, t), where W(s, t) is the
    optimal cost, under |x - y|^2 / 2, of moving the rows of class s in the one set onto those of class t in
    the other: at most 300 rows of each class, solved exactly, so that W is 0 between equal sets. (As in the
    authors' code on plain rows; where rows pass an embedder first, theirs is label_weight=0.5.) For a
    regression target W(s, t) = lambda (s - t)^2 / 2 with lambda such that, within the reference, target and
    features cost the same on average.

    form: "pooled" transports the union of all vendors once. With f the potential of its N rows, the
        calibrated gradient f_k - sum_{j != k} f_j / (N - 1) says how the cost changes as row k weighs more;
        a vendor's value is minus the mean over its rows. It is relative: values average to about 0.
        "distance" transports each vendor alone, v_i = -OT(D_i, reference): 0 for the reference itself.
    transport: "entropic" adds regularisation * mean cost * KL, and in the distance form takes the debiased
        Sinkhorn divergence; "exact" solves the linear program.
    most_rows: of every vendor, and of the reference, that are used; more are drawn from by the seed.

    A vendor may lack classes. Without an anchor the reference is the union of the vendors with its own
    labels; the pooled form then holds the union against itself and sees only how isolated a row is.
    """

    name: ClassVar[str] = "lava"
    needs: ClassVar[tuple[str, ...]] = ("reference", "labels", "ot")
    converges_to: ClassVar[str] = (
        "-(mean calibrated gradient of OT(union, reference)), or -OT(P_i, reference)"
    )
    least: ClassVar[Mapping[str, float]] = {"label_weight": 0.0, "most_rows": 2}
    cost: ClassVar[str] = (
        "entropic O(N m d) per round, memory O(N + m); exact about O(N m (N + m)) in practice"
    )
    citation: ClassVar[str] = "Just et al. 2023"

    form: Literal["pooled", "distance"] = "pooled"
    transport: Literal["entropic", "exact"] = "entropic"
    regularisation: float = 0.05
    label_weight: float = 1.0
    most_rows: int = 10_000

    def run(self, case: Case) -> Values:
        vendors, reference = self._sets(case)
        own = self._ground(reference, reference)
        epsilon = entropy(own, *_weights(reference, reference), self.regularisation)
        if self.form == "pooled":
            return self._pooled(case, vendors, reference, epsilon)
        return self._distances(case, vendors, reference, epsilon)

    def _pooled(
        self, case: Case, vendors: list[LabelledRows], reference: LabelledRows, epsilon: float
    ) -> Values:
        pool = LabelledRows.pooled(vendors)
        solved = self._solve(pool, reference, epsilon)
        gradients = calibrated_gradients(solved.source)
        ends = np.cumsum([len(vendor.rows) for vendor in vendors])
        scores = [-part.mean() for part in np.split(gradients, ends[:-1])]
        return case.values(
            self,
            scores,
            reference=case.reference.name,
            form=self.form,
            transport=self.transport,
            rows=[len(pool.rows), len(reference.rows)],
            rounds=solved.rounds,
            is_converged=solved.is_converged,
        )

    def _distances(
        self, case: Case, vendors: list[LabelledRows], reference: LabelledRows, epsilon: float
    ) -> Values:
        is_entropic = self.transport == "entropic"
        own = self._solve_self(reference, epsilon) if is_entropic else None
        scores, is_converged = [], True
        for i, vendor in enumerate(vendors):
            solved = self._solve(vendor, reference, epsilon, tolerance=COST_ERROR)
            distance = solved.cost
            if own is not None:
                distance = sinkhorn_divergence(solved, self._solve_self(vendor, epsilon), own)
            is_converged &= solved.is_converged
            scores.append(-max(distance, 0.0))
            case.tell(i + 1, len(vendors))
        return case.values(
            self,
            scores,
            reference=case.reference.name,
            form=self.form,
            transport=self.transport,
            rows=[len(reference.rows)],
            is_converged=is_converged,
        )

    def _solve(
        self, x: LabelledRows, y: LabelledRows, epsilon: float, *, tolerance: float = MARGINAL_ERROR
    ) -> Transport:
        ground, weights = self._ground(x, y), _weights(x, y)
        if self.transport == "exact":
            return exact_transport(ground, *weights)
        return entropic_transport(ground, *weights, epsilon, tolerance=tolerance)

    def _solve_self(self, x: LabelledRows, epsilon: float) -> Transport:
        return self_transport(self._ground(x, x), uniform(len(x.rows)), epsilon)

    def _ground(self, x: LabelledRows, y: LabelledRows) -> Ground:
        ground = Ground.between(x.rows, y.rows)
        if x.codes is None or y.codes is None:
            return ground
        return ground.with_labels(x.codes, y.codes, self.label_weight * class_distances(x, y))

    def _sets(self, case: Case) -> tuple[list[LabelledRows], LabelledRows]:
        """Every vendor's rows, and the reference's, with labels as codes or as one more column."""
        assert case.labels is not None
        picked = [drawn_rows(sample, self.most_rows, case.seed) for sample in case.market.samples]
        rows = [rows_of(sample)[pick] for sample, pick in zip(case.market.samples, picked, strict=True)]
        labels = [one[pick] for one, pick in zip(case.labels.arrays, picked, strict=False)]
        drawn = case.reference.drawn(self.most_rows, case.seed)
        drawn_labels = case.reference_labels[drawn.index]
        if case.labels.kind == "classes":
            vendors = [LabelledRows(x, codes) for x, codes in zip(rows, labels, strict=True)]
            return vendors, LabelledRows(drawn.rows, drawn_labels)
        scale = self._target_scale(drawn.rows, drawn_labels)
        vendors = [
            LabelledRows(np.column_stack([x, scale * target]), None)
            for x, target in zip(rows, labels, strict=True)
        ]
        return vendors, LabelledRows(np.column_stack([drawn.rows, scale * drawn_labels]), None)

    def _target_scale(self, rows: Matrix, target: Vector) -> float:
        """What to multiply a target by, so that it costs as much as all features do within the reference."""
        spread, share = float(target.var()), uniform(len(rows))
        features = Ground.between(rows, rows).mean(share, share)
        is_flat = spread <= 0.0 or features <= 0.0
        return math.sqrt(self.label_weight * (1.0 if is_flat else features / spread))


def calibrated_gradients(potential: Vector) -> Vector:
    """How the cost changes as one row weighs more and all others less: f_k - sum_{j != k} f_j / (N - 1).

    They sum to zero, and do not change when a constant is added to f (Just et al. 2023).

    >>> calibrated_gradients(np.array([3.0, 0.0, 0.0]))
    array([ 3. , -1.5, -1.5])
    """
    n = len(potential)
    gradients: Vector = (potential * n - potential.sum()) / (n - 1)
    return gradients


def class_distances(x: LabelledRows, y: LabelledRows) -> Matrix:
    """W[s, t]: the optimal cost of moving the rows of class s in x onto those of class t in y.

    Each class shows at most `CLASS_ROWS` rows, chosen by their content, so equal sets show equal rows. An
    entry whose class is absent on its side is 0 and never read. Within one set, x is y, W is symmetric with
    zeros on its diagonal, and half of it is solved.
    """
    shown = [_rows_of_classes(x), _rows_of_classes(y)]
    n_classes = max(max(classes) for classes in shown) + 1
    distances = np.zeros((n_classes, n_classes))
    for s, first in shown[0].items():
        for t, second in shown[1].items():
            if x is y and t <= s:
                distances[s, t] = distances[t, s]
                continue
            weights = uniform(len(first)), uniform(len(second))
            distances[s, t] = exact_transport(Ground.between(first, second), *weights).cost
    return distances


def _rows_of_classes(labelled: LabelledRows) -> dict[int, Matrix]:
    codes = labelled.codes
    assert codes is not None
    return {
        int(code): np.asarray(evenly_spaced(labelled.rows[codes == code], CLASS_ROWS), dtype=np.float64)
        for code in np.unique(codes)
    }


def _weights(x: LabelledRows, y: LabelledRows) -> tuple[Vector, Vector]:
    return uniform(len(x.rows)), uniform(len(y.rows))
