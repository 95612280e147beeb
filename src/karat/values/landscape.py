"""Where the vendors lie to each other and to the reference, as two-dimensional as a page is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from karat.gram import Moments
from karat.typing import Matrix, Vector
from karat.values.reference import Reference


@dataclass(frozen=True)
class Landscape:
    """A map of the sources by classical multidimensional scaling, with the reference at the origin.

    positions: (n, 2), in units of distance; the first axis is the leading direction, and the farthest source
        lies on its positive side.
    shares: (2,), the part of the spread between sources that lies along each axis.
    """

    names: tuple[str, ...]
    positions: Matrix
    shares: Vector

    @property
    def shown(self) -> float:
        """How much of the spread the map shows, between 0 and 1."""
        return float(self.shares.sum())


def landscape(moments: Moments, reference: Reference) -> Landscape:
    """The best two-dimensional picture of the MMD distances between all sources.

    Torgerson (1952): with C = I - 11'/n, the eigenvectors of C G C times the roots of their eigenvalues have
    the distances of the embeddings. Negative eigenvalues are noise of the unbiased G and are left out. The
    map is linear, so a mixture lies at the weighted mean of its sources. O(n^3).

    >>> import karat
    >>> draw = np.random.default_rng(0).normal
    >>> market = {"a": draw(0, 1, (90, 1)), "b": draw(2, 1, (90, 1))}
    >>> appraisal = karat.appraise(market, anchor=draw(0, 1, (90, 1)))
    >>> landscape(appraisal.moments, appraisal.reference).names
    ('a', 'b', 'anchor')
    """
    gram = moments.gram
    centred = gram - gram.mean(axis=0) - gram.mean(axis=1)[:, None] + gram.mean()
    eigenvalues, vectors = np.linalg.eigh(centred)
    leading = np.argsort(eigenvalues)[::-1][:2]
    lengths = np.maximum(eigenvalues[leading], 0.0)
    positive = float(eigenvalues[eigenvalues > 0.0].sum())
    positions = np.zeros((len(gram), 2))
    positions[:, : len(leading)] = vectors[:, leading] * np.sqrt(lengths)
    positions -= _weights(moments, reference) @ positions
    positions *= _orientation(positions)
    shares = np.zeros(2)
    shares[: len(leading)] = lengths / positive if positive > 0.0 else 0.0
    return Landscape(moments.names, positions, shares)


def _weights(moments: Moments, reference: Reference) -> Vector:
    """The mixture at the origin; where each vendor has its own reference, the equal mixture of all."""
    if reference.weights is not None:
        return reference.weights
    weights = np.zeros(moments.n_sources)
    weights[list(moments.vendors)] = 1.0 / moments.n_vendors
    return weights


def _orientation(positions: Matrix) -> Vector:
    """Signs that put the farthest source of each axis on its positive side: eigenvectors have none."""
    farthest = positions[np.argmax(np.abs(positions), axis=0), [0, 1]]
    signs: Vector = np.where(farthest < 0.0, -1.0, 1.0)
    return signs
