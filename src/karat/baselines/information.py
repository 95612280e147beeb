"""Information gain: how much a vendor's rows would tell about a model's parameters, without their labels."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from threadpoolctl import threadpool_limits

from karat.baselines.base import Case, Valuation
from karat.baselines.labels import Labels
from karat.baselines.reference import drawn_rows
from karat.baselines.standard import standardised
from karat.errors import ValuationError
from karat.kernels.bandwidth import evenly_spaced
from karat.kernels.distances import squared_row_distances
from karat.typing import Matrix, Vector
from karat.values import Values

MOST_EXACT_ROWS = 3_000
"""Up to so many rows the determinant of the Gaussian process is exact: 70 MB and some seconds at 3,000."""

LANDMARKS = 1_000
"""Beyond, the kernel is projected on so many rows, a lower bound, close for smooth kernels."""

JITTER = 1e-10
"""Added to the diagonal of the landmarks' kernel, relative to it, before its Cholesky factor is taken."""


@dataclass(frozen=True, kw_only=True)
class InformationGain(Valuation):
    """The mutual information between a model's parameters and the answers at a vendor's rows.

        linear  1/2 log det(I + (prior / noise) X'X)        Bayesian linear regression, prior N(0, prior I)
        gp      1/2 log det(I + (amplitude / noise) K)       Gaussian process, K = exp(-|x - x'|^2 / (2 l^2))

    Rows are standardised over all vendors. The process has its three hyper-parameters from the marginal
    likelihood of at most fit_rows rows of all vendors, as many from each: labels enter there and nowhere
    else, and fitting once for all keeps values comparable. Classes are fitted as indicators. Beyond 3,000
    rows its kernel is projected on 1,000 rows of all vendors; `details["is_exact"]` says so.
    It grows with the rows and with their spread: under contamination it often orders the wrong way round.
    """

    name: ClassVar[str] = "information-gain"
    needs: ClassVar[tuple[str, ...]] = ()
    converges_to: ClassVar[str] = "(d/2) log m for the linear model: it grows with m"
    cost: ClassVar[str] = "linear O(m d^2) per vendor; gp O(m^3) to 3,000 rows, then O(m 1000^2), and one fit"
    citation: ClassVar[str] = "Sim et al. 2020"

    model: Literal["linear", "gp"] = "linear"
    prior: float = 1.0
    noise: float = 1.0
    fit_rows: int = 600

    @property
    def required(self) -> tuple[str, ...]:
        """The Gaussian process learns its hyper-parameters from labels."""
        return ("labels",) if self.model == "gp" else ()

    def run(self, case: Case) -> Values:
        parts = standardised(case.market.samples)
        if self.model == "linear":
            scores = [linear_gain(rows, self.prior / self.noise) for rows in parts]
            return case.values(self, scores, model=self.model, prior=self.prior, noise=self.noise)
        process = self._fitted(case, parts)
        landmarks = _landmarks(parts)
        scores = []
        for i, rows in enumerate(parts):
            is_exact = len(rows) <= MOST_EXACT_ROWS
            scores.append(process.gain(rows) if is_exact else process.least_gain(rows, landmarks))
            case.tell(i + 1, len(parts))
        return case.values(
            self,
            scores,
            model=self.model,
            lengthscale=process.lengthscale,
            amplitude=process.amplitude,
            noise=process.noise,
            is_exact=all(len(rows) <= MOST_EXACT_ROWS for rows in parts),
        )

    def _fitted(self, case: Case, parts: Sequence[Matrix]) -> Process:
        assert case.labels is not None
        samples = case.market.samples
        each = max(2, min(min(sample.size for sample in samples), self.fit_rows // len(samples)))
        picked = [drawn_rows(sample, each, case.seed) for sample in samples]
        rows = np.concatenate([part[pick] for part, pick in zip(parts, picked, strict=True)])
        labels = [one[pick] for one, pick in zip(case.labels.arrays, picked, strict=False)]
        targets = targets_of(np.concatenate(labels), case.labels)
        if targets.shape[1] == 0:
            raise ValuationError(
                f"the valuation {self.name!r} fits its process to {len(rows)} rows drawn from all vendors, "
                "and all of them have one label.",
                hint="Draw more with fit_rows, or take model='linear', which reads no labels.",
            )
        return fit_process(rows, targets)


def linear_gain(rows: Matrix, ratio: float) -> float:
    """1/2 log det(I + ratio X'X): of the two equal determinants, (m, m) and (d, d), the smaller is taken.

    >>> round(linear_gain(np.array([[1.0], [1.0]]), ratio=1.0), 6) == round(0.5 * math.log(3.0), 6)
    True
    """
    inner = rows.T @ rows if rows.shape[1] <= len(rows) else rows @ rows.T
    return _half_log_det(np.eye(len(inner)) + ratio * inner)


@dataclass(frozen=True)
class Process:
    """A Gaussian process with kernel amplitude * exp(-|x - x'|^2 / (2 lengthscale^2)) and noise variance."""

    lengthscale: float
    amplitude: float
    noise: float

    def kernel(self, x: Matrix, y: Matrix) -> Matrix:
        values: Matrix = self.amplitude * np.exp(
            squared_row_distances(x, y) / (-2.0 * self.lengthscale * self.lengthscale)
        )
        return values

    def gain(self, rows: Matrix) -> float:
        """1/2 log det(I + K / noise) by Cholesky in float64; O(m^3)."""
        inner = self.kernel(rows, rows) / self.noise
        inner.flat[:: len(rows) + 1] += 1.0
        return _half_log_det(inner)

    def least_gain(self, rows: Matrix, landmarks: Matrix) -> float:
        """The gain with K projected on p landmarks, from a (p, p) determinant; never above `gain`; O(m p^2).

        With K_pp = LL' and Z = K_mp L'^-1, ZZ' <= K, and log det(I + ZZ' / noise) = log det(I + Z'Z / noise).
        """
        from scipy.linalg import cholesky, solve_triangular

        own = self.kernel(landmarks, landmarks)
        own.flat[:: len(landmarks) + 1] += JITTER * self.amplitude * len(landmarks)
        factor = cholesky(own, lower=True)
        projected = np.zeros((len(landmarks), len(landmarks)))
        for start in range(0, len(rows), LANDMARKS):
            z = solve_triangular(factor, self.kernel(landmarks, rows[start : start + LANDMARKS]), lower=True)
            projected += z @ z.T
        return _half_log_det(np.eye(len(landmarks)) + projected / self.noise)


def fit_process(rows: Matrix, targets: Matrix) -> Process:
    """The hyper-parameters that make the targets (m, t) most likely, shared by all t; by scikit-learn."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel

    start = math.sqrt(rows.shape[1])
    kernel = ConstantKernel(1.0, (1e-2, 1e3)) * RBF(start, (1e-2 * start, 1e2 * start))
    model = GaussianProcessRegressor(kernel + WhiteKernel(0.5, (1e-3, 1e1)), alpha=0.0)
    with warnings.catch_warnings(), threadpool_limits(limits=1):
        # A parameter at its bound is a fit like any other here; matrices this small are for one thread.
        warnings.simplefilter("ignore", ConvergenceWarning)
        fitted = model.fit(rows, targets).kernel_
    return Process(
        float(fitted.k1.k2.length_scale), float(fitted.k1.k1.constant_value), float(fitted.k2.noise_level)
    )


def targets_of(labels: Vector, kind: Labels) -> Matrix:
    """Numbers, or one indicator per class, centred and scaled to variance one; constant ones are left out."""
    columns = labels[:, None] if kind.kind == "numbers" else np.eye(kind.n_classes)[labels]
    columns = columns[:, columns.std(axis=0) > 0.0]
    standard: Matrix = (columns - columns.mean(axis=0)) / columns.std(axis=0)
    return standard


def _landmarks(parts: Sequence[Matrix]) -> Matrix:
    each = max(1, LANDMARKS // len(parts))
    return np.concatenate([np.asarray(evenly_spaced(rows, each), dtype=np.float64) for rows in parts])


def _half_log_det(matrix: Matrix) -> float:
    """Half the log determinant of a positive definite matrix: the logs of its Cholesky diagonal, summed."""
    return float(np.log(np.diag(np.linalg.cholesky(matrix))).sum())
