"""All pairs at once: the matrix of verdicts, the set that contains the best vendor, ranks with intervals."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from karat.decisions.compare import Verdict
from karat.decisions.multiplicity import (
    DRAWS,
    Multiplicity,
    covariance_root,
    holm_one_sided,
    holm_over_pairs,
    max_type,
)
from karat.decisions.policies import AsymptoticPolicy, GuaranteedPolicy, Policy
from karat.errors import DecisionError
from karat.guarantees import Pairs, SquaredDistances, check_confidence
from karat.shown import Shown
from karat.typing import Matrix, Vector


@dataclass(frozen=True)
class PairMatrix(Shown):
    """Every vendor against every other, at one family-wise level.

    better: (n, n), [i, j] whether i is better than j (by more than the margin). With probability at least
        `confidence` none of these claims is wrong.
    gap, lower, upper: (n, n), [i, j] is d_j - d_i with its interval. Intervals are each at the confidence on
        its own, so one may exclude 0 where the matrix, which answers for all pairs, stays undecided.
    p_values: (n, n), adjusted for all pairs; nan where a policy has none.
    """

    names: tuple[str, ...]
    better: NDArray[np.bool_]
    gap: Matrix
    lower: Matrix
    upper: Matrix
    p_values: Matrix
    margin: float
    confidence: float
    policy: str
    multiplicity: str

    def verdict(self, a: str, b: str) -> Verdict:
        """The verdict on one pair."""
        i, j = self.names.index(a), self.names.index(b)
        if self.better[i, j] == self.better[j, i]:
            return "undecided"
        return "better" if self.better[i, j] else "worse"

    @property
    def decided(self) -> int:
        """How many of the n (n - 1) / 2 pairs have a verdict."""
        return int(np.triu(self.better ^ self.better.T, 1).sum())

    def ranks(self) -> tuple[tuple[int, int], ...]:
        """Per vendor the best and the worst rank that the claims leave open; all hold at once.

        If no claim is wrong, the vendors claimed to be better than i are better, and those claimed to be
        worse are worse. Meaningful at margin 0; with a positive margin the ranks are wider and still hold.
        """
        ahead, behind = self.better.sum(axis=0), self.better.sum(axis=1)
        n = len(self.names)
        return tuple((1 + int(a), n - int(b)) for a, b in zip(ahead, behind, strict=True))

    def to_dict(self) -> dict[str, object]:
        """Plain JSON values; numbers that do not exist are null."""
        n = len(self.names)
        return {
            "names": list(self.names),
            "policy": self.policy,
            "multiplicity": self.multiplicity,
            "margin": self.margin,
            "confidence": self.confidence,
            "verdicts": [[_word(self.better, i, j) for j in range(n)] for i in range(n)],
            "gap": _plain(self.gap),
            "lower": _plain(self.lower),
            "upper": _plain(self.upper),
            "p_values": _plain(self.p_values),
            "ranks": [list(rank) for rank in self.ranks()],
        }


def pair_matrix(
    policy: Policy,
    *,
    margin: float = 0.0,
    confidence: float = 0.95,
    multiplicity: Multiplicity = "holm",
    seed: int = 0,
) -> PairMatrix:
    """Compare all pairs so that the chance of any wrong claim is at most 1 - confidence.

    The asymptotic policy adjusts p-values by `multiplicity`; the guaranteed one takes n intervals at
    (1 - confidence) / n, which cover all pairs at once. With a negative margin "i is not worse than j" and
    "j is not worse than i" may both be claimed, and Holm runs over the one-sided questions.
    """
    alpha = 1.0 - check_confidence(confidence)
    n = len(policy.names)
    i, j = np.triu_indices(n, 1)
    if isinstance(policy, GuaranteedPolicy):
        found = policy.from_intervals(i, j, margin=margin, confidence=confidence, family=n)
        back = policy.from_intervals(j, i, margin=margin, confidence=confidence, family=n)
        p, name = np.full((n, n), np.nan), "union bound"
    else:
        found = policy.evidence(i, j, margin=margin, confidence=confidence)
        back = found.reversed()
        if margin < 0.0:
            back = policy.evidence(j, i, margin=margin, confidence=confidence)
        p, name = _adjust(policy, _mirrored(found.p_better, back.p_better, n), margin, multiplicity, seed)
    adjusted = name not in ("none", "union bound")
    claims = p <= alpha if adjusted else _mirrored(found.better, back.better, n).astype(bool)
    np.fill_diagonal(claims, False)
    return PairMatrix(
        names=policy.names,
        better=claims,
        gap=_mirrored(found.gap, back.gap, n),
        lower=_mirrored(found.lower, back.lower, n),
        upper=_mirrored(found.upper, back.upper, n),
        p_values=p,
        margin=float(margin),
        confidence=confidence,
        policy=policy.name,
        multiplicity=name,
    )


def _mirrored(upper: NDArray[np.generic], lower: NDArray[np.generic], n: int) -> Matrix:
    """(n, n) from the values of the pairs i < j and of the same pairs the other way round."""
    square = np.zeros((n, n))
    square[np.triu_indices(n, 1)] = upper
    square.T[np.triu_indices(n, 1)] = lower
    return square


def _adjust(
    policy: Policy, p: Matrix, margin: float, multiplicity: Multiplicity, seed: int
) -> tuple[Matrix, str]:
    if not isinstance(policy, AsymptoticPolicy) or multiplicity == "none":
        return p, "none"
    if multiplicity == "max":
        i, j = np.nonzero(~np.eye(len(p), dtype=bool))
        z = np.full(p.shape, np.nan)
        z[i, j] = Pairs.of(policy.distances, i, j).statistic(margin)
        z[np.isnan(p)] = np.nan
        return max_type(policy.distances, z, margin=margin, seed=seed), "max"
    if multiplicity == "holm one-sided" or margin < 0.0:
        return holm_one_sided(p), "holm one-sided"
    if multiplicity == "holm":
        return holm_over_pairs(p), "holm"
    raise DecisionError(
        f"there is no adjustment {multiplicity!r}.", hint="Choose holm, holm one-sided, max or none."
    )


@dataclass(frozen=True)
class BestSet:
    """Vendors among which the best one is, with the stated confidence; one vendor: it is declared best."""

    names: tuple[str, ...]
    confidence: float
    policy: str

    @property
    def best(self) -> str | None:
        """The best vendor, if only one is left."""
        return self.names[0] if len(self.names) == 1 else None

    def to_dict(self) -> dict[str, object]:
        """Plain JSON values."""
        return {
            "names": list(self.names),
            "best": self.best,
            "confidence": self.confidence,
            "policy": self.policy,
        }


def best_set(policy: Policy, *, confidence: float = 0.95) -> BestSet:
    """The vendors i without any j for which "j is better than i" has a p-value of at most alpha / (n - 1).

    The best vendor is left out only if one of n - 1 true statements about it is rejected at alpha / (n - 1)
    each, so it is in the set with probability at least 1 - alpha, with no further correction. The guaranteed
    policy leaves i out where another interval lies below its own, all n at (1 - confidence) / n.
    """
    alpha = 1.0 - check_confidence(confidence)
    n = len(policy.names)
    if n < 2:
        return BestSet(policy.names, confidence, policy.name)
    j, i = np.nonzero(~np.eye(n, dtype=bool))  # "j is better than i"
    if isinstance(policy, AsymptoticPolicy):
        beaten = policy.p_values(j, i) <= alpha / (n - 1)
    elif isinstance(policy, GuaranteedPolicy):
        beaten = policy.from_intervals(j, i, margin=0.0, confidence=confidence, family=n).better
    else:
        beaten = policy.evidence(j, i, margin=0.0, confidence=1.0 - alpha / (n - 1)).better
    out = np.zeros(n, dtype=bool)
    out[i[beaten]] = True
    names = tuple(name for name, is_out in zip(policy.names, out, strict=True) if not is_out)
    return BestSet(names, confidence, policy.name)


def probability_of_best(distances: SquaredDistances, *, seed: int = 0, draws: int | None = None) -> Vector:
    """(k,), how often each vendor is nearest when the squared distances are drawn from N(estimate, P - V2).

    It is the chance, as the present estimates see it, that the vendor is the best: a posterior under a flat
    prior, or how often it would win if the previews were drawn again around these values. It carries no error
    guarantee; `best_set` does. Draws that tie are shared. nan where a variance is unknown.
    """
    k = len(distances.names)
    if np.isnan(distances.variance).any():
        return np.full(k, np.nan)
    total = draws or (DRAWS if k <= 100 else DRAWS // 10)
    root = covariance_root(distances)
    rng = np.random.default_rng(seed)
    wins = np.zeros(k)
    chunk = max(1, 2_000_000 // k)
    for start in range(0, total, chunk):
        count = min(chunk, total - start)
        theta = distances.squared + rng.standard_normal((count, k)) @ root.T
        first = theta.min(axis=1, keepdims=True)
        nearest = theta <= first + 1e-12 * np.abs(distances.squared).max()  # identical previews tie
        wins += (nearest / nearest.sum(axis=1, keepdims=True)).sum(axis=0)
    return wins / total


def _word(better: NDArray[np.bool_], i: int, j: int) -> str | None:
    if i == j:
        return None
    if better[i, j] == better[j, i]:
        return "undecided"
    return "better" if better[i, j] else "worse"


def _plain(matrix: Matrix) -> list[list[float | None]]:
    return [[float(x) if np.isfinite(x) else None for x in row] for row in matrix]
