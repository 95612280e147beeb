"""Moments in time linear in the rows: projections on landmarks, corrected by what they miss.

Two passes over every source. The first counts and draws: some rows become landmarks, as many from each
source, some are kept to be compared. The second adds up k(z, x) over all rows x, for every landmark z; that
gives the projection of each mean embedding (Williams and Seeger 2001). The projections miss a part, always of
the same sign; residuals between the kept rows estimate that part without bias, and their scatter is the
standard error of the result (`residual`). Where all rows are kept, the result is the exact one.

Cost N p d multiply-adds for N rows and p landmarks. Memory: landmarks, kept rows and a few pieces of rows.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from karat.errors import UsageError
from karat.gram.checkpoint import Checkpoint, fingerprint
from karat.gram.moments import MOST_SOURCES_WITH_COVARIANCE, Moments
from karat.gram.nystroem import Landmarks, ProjectedRowMeans
from karat.gram.panels import self_sum
from karat.gram.residual import Compared, compare
from karat.gram.stream import PIECE_ROWS, Drawn, RowStream, as_stream, draw_rows, pieces, shares, stacked
from karat.gram.workers import in_order
from karat.kernels import Kernel
from karat.typing import Matrix, Progress, Rows, Vector

MOST_LANDMARKS = 2048
FEWEST_LANDMARKS = 64

MOST_COMPARED = 12_000
"""Rows of all sources together that are compared in pairs: 144 million kernel values, a second or two."""

FEWEST_COMPARED = 4_000
MOST_KEPT_CELLS = 32_000_000
"""Cells of the rows that are kept of more than 64 sources, 256 MB: their scatter gives standard errors."""

MOST_COMPARED_OF_ONE = 1_000
FEWEST_COMPARED_OF_ONE = 8

TOLERANCE = 0.05
"""Default standard error, in units of the sampling error that the sources' own rows leave."""

TRIAL_SOURCES, TRIAL_ROWS = 6, 200
"""Sources and rows of each on which a number of landmarks is tried."""


@dataclass(frozen=True)
class Approximated:
    """Moments from landmarks, and how they came about.

    moments.approximation holds the standard error of each entry of the gram matrix.
    landmarks: how many; rank: directions they span; compared: rows of each source that were compared.
    row_means: per source (q_j, n), the row means of some of its rows: what the moments of more than 64
        sources do not hold, and then only good for products `means @ contrasts`.
    """

    moments: Moments
    landmarks: int
    rank: int
    compared: tuple[int, ...]
    row_means: Sequence[Matrix]


def landmark_moments(
    sources: Sequence[Rows | RowStream],
    kernel: Kernel,
    *,
    names: Sequence[str],
    anchor: int | None,
    landmarks: int | None = None,
    tolerance: float | None = None,
    centre: Vector | None = None,
    seed: int = 0,
    workers: int | None = None,
    progress: Progress | None = None,
    checkpoint: Path | None = None,
) -> Approximated:
    """Moments of the sources, approximately; arrays and streams give the same bits.

    Args:
        sources: rows, or streams of rows.
        kernel: any kernel.
        names: of the sources.
        anchor: the index of the buyer's own rows.
        landmarks: how many; by default as many as the tolerance needs, at most 2,048.
        tolerance: standard error asked for, of every entry of the gram matrix; by default a twentieth
            of the largest sampling error.
        centre: subtracted from every row, where the kernel allows it; by default the mean of the last source.
        seed: of the draws.
        workers: threads; the result does not depend on it.
        progress: told (done, total) pairs of rows and landmarks.
        checkpoint: a file that partial sums are kept in, so that a run that was stopped goes on from there.
    """
    streams = [as_stream(source) for source in sources]
    with threadpool_limits(1, user_api="blas"):  # our own threads are at work; more would only wait
        drawn = _draw(streams, landmarks, seed, workers, with_mean=centre is None)
        if centre is None:
            assert drawn[-1].mean is not None
            centre = drawn[-1].mean
        shift = centre if kernel.is_shift_invariant else np.zeros_like(centre)
        kept = _kept_rows(drawn)
        chosen = _choose_landmarks(drawn, kept, kernel, shift, landmarks, tolerance, workers)
        features = _features(chosen, kept)
        compared = compare(kept, features, kernel, shift, workers=workers)
        sizes = np.array([source.size for source in drawn], dtype=np.float64)
        content = [getattr(stream, "digest", "") for stream in streams]  # of all rows, where it is known
        key = fingerprint(kernel.digest, seed, sizes, content, chosen.projection, *kept)
        sums = _SecondPass(streams, sizes, kernel, chosen, shift, Checkpoint(checkpoint, key))
        sums.run(workers, progress)
        return _assembled(sums, features, compared, names, anchor, kernel, [one.draws[1] for one in drawn])


def _draw(
    streams: Sequence[RowStream],
    landmarks: int | None,
    seed: int,
    workers: int | None,
    *,
    with_mean: bool,
) -> list[Drawn]:
    """Landmarks in the first sample of each source, rows to be compared in the second."""
    n = len(streams)
    if landmarks is not None and landmarks < 1:
        raise UsageError(f"{landmarks} landmarks were asked for.", hint="Ask for at least one, or for none.")
    wanted = shares(max(landmarks or MOST_LANDMARKS, n), n)

    def draw(j: int, most: int) -> Drawn:
        return draw_rows(
            streams[j], (wanted[j], most), seed=seed * (n + 1) + j, with_mean=with_mean and j == n - 1
        )

    first = draw(0, MOST_COMPARED_OF_ONE)  # tells how wide rows are
    most = _most_kept(n, first.draws[0].shape[1])
    return [first, *in_order(lambda j: draw(j, most), range(1, n), workers)]


def _most_kept(sources: int, width: int) -> int:
    """Rows that are kept of each source: to be compared, and of many sources also for their scatter."""
    most = MOST_COMPARED // sources
    if sources > MOST_SOURCES_WITH_COVARIANCE:
        most = max(most, MOST_KEPT_CELLS // (sources * width))
    return min(MOST_COMPARED_OF_ONE, max(FEWEST_COMPARED_OF_ONE, most))


def _kept_rows(drawn: Sequence[Drawn]) -> list[Rows]:
    """The rows to be compared: as many as make that about as costly as a pass over all rows."""
    total = math.sqrt(256.0 * sum(source.size for source in drawn))
    share = int(min(max(total, FEWEST_COMPARED), MOST_COMPARED)) // len(drawn)
    share = max(FEWEST_COMPARED_OF_ONE, share)
    return [source.draws[1][:share] for source in drawn]


def _choose_landmarks(
    drawn: Sequence[Drawn],
    kept: Sequence[Rows],
    kernel: Kernel,
    shift: Vector,
    asked: int | None,
    tolerance: float | None,
    workers: int | None,
) -> Landmarks:
    """The landmarks asked for, or the fewest, doubling, whose predicted error is within the tolerance."""

    def first(count: int) -> Landmarks:
        parts = [
            source.draws[0][:share] for source, share in zip(drawn, shares(count, len(drawn)), strict=True)
        ]
        return Landmarks(kernel, stacked(parts), shift)

    if asked is not None:
        return first(max(asked, len(drawn)))
    tried = np.unique(np.linspace(0, len(drawn) - 1, TRIAL_SOURCES).astype(int))
    trial = [kept[j][:TRIAL_ROWS] for j in tried]
    counts = np.array([len(kept[j]) for j in tried], dtype=np.float64)
    sizes = np.array([drawn[j].size for j in tried], dtype=np.float64)
    p = max(FEWEST_LANDMARKS, len(drawn))
    while True:
        found = first(p)
        residual = compare(trial, _features(found, trial), kernel, shift, workers=workers)
        asked_for = tolerance or TOLERANCE * residual.sampling_errors(sizes).max()
        if 2 * p > MOST_LANDMARKS or residual.predicted_errors(counts).max() <= asked_for:
            return found
        p *= 2


def _features(landmarks: Landmarks, sources: Sequence[Rows]) -> list[Matrix]:
    """The features of several sources' rows; small sources together, because small products are slow."""
    rows = stacked(sources)
    parts = [landmarks.features(rows[at : at + PIECE_ROWS]) for at in range(0, len(rows), PIECE_ROWS)]
    return split_like(np.concatenate(parts), sources)


def split_like(rows: Matrix, sources: Sequence[Any]) -> list[Matrix]:
    """Rows that stand one below the other, cut into as many for each source as it has."""
    return np.split(rows, np.cumsum([len(source) for source in sources])[:-1])


class _SecondPass:
    """Sums of kernel values with the landmarks, and of k(x, x), over all rows of every source."""

    def __init__(
        self,
        streams: Sequence[RowStream],
        sizes: Vector,
        kernel: Kernel,
        landmarks: Landmarks,
        shift: Vector,
        checkpoint: Checkpoint,
    ) -> None:
        self.streams, self.sizes, self.kernel = streams, sizes, kernel
        self.landmarks, self.shift, self.checkpoint = landmarks, shift, checkpoint
        self.value_sums = np.zeros((len(streams), landmarks.size))
        self.self_sums = np.zeros(len(streams))
        self.done = 0
        saved = checkpoint.load()
        if saved is not None:
            self.value_sums, self.self_sums = saved["value_sums"], saved["self_sums"]
            self.done = int(saved["done"])

    def run(self, workers: int | None, progress: Progress | None) -> None:
        """Read every source once, except what a checkpoint has already."""
        total = float(self.sizes.sum()) * self.landmarks.size
        for j, rows, values, own in in_order(self._piece, self._left(), workers):
            self.value_sums[j] += values
            self.self_sums[j] += own
            self.done += 1
            self.checkpoint.save_now_and_then(self._state)
            if progress is not None:
                progress(self._rows_done(j, rows) * self.landmarks.size, total)
        self.checkpoint.remove()

    def _left(self) -> Iterator[tuple[int, int, Rows]]:
        """(source, first row, piece) from where the checkpoint stopped."""
        before = 0
        for j, (stream, size) in enumerate(zip(self.streams, self.sizes, strict=True)):
            count = math.ceil(size / PIECE_ROWS)
            if before + count > self.done:
                for k, piece in enumerate(pieces(stream)):
                    if before + k >= self.done:
                        yield j, k * PIECE_ROWS, piece
            before += count

    def _piece(self, work: tuple[int, int, Rows]) -> tuple[int, int, Vector, float]:
        j, first, piece = work
        own = self_sum(piece, self.kernel, self.shift)
        return j, first + len(piece), self.landmarks.value_sums(piece), own

    def _rows_done(self, j: int, rows: int) -> float:
        return float(self.sizes[:j].sum()) + rows

    def _state(self) -> dict[str, Any]:
        return {"value_sums": self.value_sums, "self_sums": self.self_sums, "done": np.array(self.done)}


def _assembled(
    sums: _SecondPass,
    features: Sequence[Matrix],
    compared: Compared,
    names: Sequence[str],
    anchor: int | None,
    kernel: Kernel,
    kept: Sequence[Rows],
) -> Approximated:
    """Moments from mean features, the compared rows' features and their residuals."""
    sizes, n = sums.sizes, len(names)
    means = (sums.value_sums / sizes[:, None]) @ sums.landmarks.projection  # (n, r)
    projected = split_like(np.concatenate(features) @ means.T, features)
    norms = [np.einsum("ij,ij->i", phi, phi) for phi in features]  # |phi(x)|^2 of the compared rows
    gram = means @ means.T
    own = np.array([float(norm.mean()) for norm in norms])
    np.fill_diagonal(gram, (sizes * np.diag(gram) - own) / (sizes - 1.0))
    gram = gram + compared.means
    self_mean = sums.self_sums / sizes
    row_means: list[Any] = []
    for j, (rows, norm) in enumerate(zip(projected, norms, strict=True)):
        rows[:, j] = (sizes[j] * rows[:, j] - norm) / (sizes[j] - 1.0)  # a row does not meet itself
        row_means.append(rows + compared.row_means[j])
    moments = Moments(
        names=tuple(names),
        anchor=anchor,
        sizes=sizes,
        effective_sizes=sizes.copy(),
        bound=kernel.bound,
        nonnegative=False,
        gram=gram,
        gram_biased=_biased(gram, self_mean, sizes),
        self_mean=self_mean,
        covariance=_covariances(row_means, compared, sizes) if n <= MOST_SOURCES_WITH_COVARIANCE else None,
        interaction=compared.kernel_interaction,
        approximation=compared.standard_errors(sizes),
    )
    counts = tuple(int(q) for q in compared.sizes)
    if n > MOST_SOURCES_WITH_COVARIANCE:
        onto = sums.landmarks.projection @ means.T  # (p, n)
        row_means = [
            ProjectedRowMeans(sums.landmarks, rows, onto, source=j, size=sizes[j], itself=float(own[j]))
            for j, rows in enumerate(kept)
        ]
    return Approximated(moments, sums.landmarks.size, sums.landmarks.rank, counts, tuple(row_means))


def _biased(gram: Matrix, self_mean: Vector, sizes: Vector) -> Matrix:
    """The V-form, lifted on its diagonal where the approximation has made it indefinite."""
    biased = gram.copy()
    np.fill_diagonal(biased, (np.diag(gram) * (sizes - 1.0) + self_mean) / sizes)
    lowest = float(np.linalg.eigvalsh(biased)[0])
    return biased + max(0.0, -lowest) * np.eye(len(gram))


def _covariances(row_means: Sequence[Matrix], compared: Compared, sizes: Vector) -> Any:
    """Per source the covariance of its row means, as if these were over all rows of the others.

    Residual row means are over q_l of the m_l rows of source l, which adds interaction / q_l to their
    variance where the full row means would have interaction / m_l.
    """
    interaction = np.nan_to_num(np.maximum(compared.interaction, 0.0))
    excess = interaction * (1.0 / compared.sizes - 1.0 / sizes)[None, :]
    found = []
    for j, rows in enumerate(row_means):
        covariance = np.atleast_2d(np.cov(rows, rowvar=False, ddof=1)) - np.diag(excess[j])
        found.append(_positive_part(covariance))
    return np.stack(found)


def _positive_part(matrix: Matrix) -> Matrix:
    """The nearest positive semidefinite matrix."""
    eigenvalues, directions = np.linalg.eigh(matrix)
    if eigenvalues[0] >= 0.0:
        return matrix
    positive: Matrix = (directions * np.maximum(eigenvalues, 0.0)) @ directions.T
    return positive
