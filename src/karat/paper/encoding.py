"""From raw rows to the features that vendors are compared by, as the paper describes them.

Every encoder is fitted on anchor pools, which no vendor draws from.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from karat.models.patches import PatchFeatures
from karat.typing import Matrix, Rows, Vector

Encode = Callable[[NDArray[Any]], Rows]
Encoder = Callable[[NDArray[Any], NDArray[Any] | None], tuple[Encode, Encode | None]]
"""The anchor pools of P* and Q in, how to encode the rows of each out."""

N_CENTROIDS = 128
"""Patch features of CIFAR have four times as many columns."""

N_SOURCES, N_TARGETS = 6, 6
"""Addresses with a column of their own; with one for all others this gives the paper's 22 columns."""

PROTOCOLS = ("TCP", "UDP", "ICMP")


def pixels(_: NDArray[Any], __: NDArray[Any] | None) -> tuple[Encode, Encode]:
    """Bytes to [-1, 1], as in the authors' code."""

    def encode(rows: NDArray[Any]) -> Rows:
        return rows.astype(np.float32) / np.float32(127.5) - np.float32(1.0)

    return encode, encode


def patches(clean: NDArray[Any], _: NDArray[Any] | None) -> tuple[Encode, Encode]:
    """k-means features of image patches, learnt on P*'s anchor pool without labels, then frozen."""
    features = PatchFeatures.fit(clean.astype(np.float32) / np.float32(255.0), n_centroids=N_CENTROIDS)

    def encode(rows: NDArray[Any]) -> Rows:
        return features.transform(rows.astype(np.float32) / np.float32(255.0)).astype(np.float32)

    return encode, encode


def as_they_are(_: NDArray[Any], __: NDArray[Any] | None) -> tuple[Encode, Encode]:
    """Features that the paper's authors have made."""

    def encode(rows: NDArray[Any]) -> Rows:
        return rows.astype(np.float32)

    return encode, encode


def cards(clean: NDArray[Any], foreign: NDArray[Any] | None) -> tuple[Encode, Encode | None]:
    """Each set standardised on its own; Q's 30 columns become their first 7 principal components."""
    own = standardiser(clean)
    if foreign is None:
        return own, None
    scale = standardiser(foreign)
    axes = principal_axes(scale(foreign), clean.shape[1])
    return own, lambda rows: (scale(rows) @ axes).astype(np.float32)


def flows(clean: NDArray[Any], _: NDArray[Any] | None) -> tuple[Encode, Encode]:
    """Ports, packets and bytes standardised; one-hot protocol and frequent addresses: 22 columns."""
    sources = _frequent(clean["source"], N_SOURCES)
    targets = _frequent(clean["target"], N_TARGETS)
    scale = standardiser(_numbers(clean))

    def encode(rows: NDArray[Any]) -> Rows:
        return np.column_stack(
            [
                scale(_numbers(rows)),
                one_hot(rows["protocol"], PROTOCOLS),
                one_hot(rows["source"], sources),
                one_hot(rows["target"], targets),
            ]
        ).astype(np.float32)

    return encode, encode


def standardiser(rows: NDArray[Any]) -> Callable[[NDArray[Any]], Matrix]:
    """Columns minus their mean, over their deviation; constant columns are only centred."""
    centre: Vector = rows.mean(axis=0, dtype=np.float64)
    spread: Vector = rows.std(axis=0, dtype=np.float64)
    spread[spread == 0.0] = 1.0
    return lambda new: (new - centre) / spread


def principal_axes(rows: Matrix, count: int) -> Matrix:
    """The directions (d, count) of largest variance; each points to where its largest entry is positive."""
    _, vectors = np.linalg.eigh(np.cov(rows, rowvar=False))
    axes = vectors[:, ::-1][:, :count]
    signs = np.sign(axes[np.abs(axes).argmax(axis=0), np.arange(count)])
    directed: Matrix = axes * signs
    return directed


def one_hot(values: NDArray[Any], known: tuple[str, ...]) -> Matrix:
    """A column per known value and a last one for all others.

    >>> one_hot(np.array(["UDP", "GRE"]), ("TCP", "UDP"))
    array([[0., 1., 0.],
           [0., 0., 1.]])
    """
    columns = [values == name for name in known]
    rest = ~np.any(columns, axis=0)
    return np.column_stack([*columns, rest]).astype(np.float64)


def _frequent(values: NDArray[Any], most: int) -> tuple[str, ...]:
    names, counts = np.unique(values, return_counts=True)
    return tuple(str(name) for name in names[np.argsort(-counts, kind="stable")[:most]])


def _numbers(rows: NDArray[Any]) -> Matrix:
    return np.column_stack([rows[name] for name in ("source_port", "target_port", "packets", "bytes")])


ENCODERS: Mapping[str, Encoder] = {
    "pixels": pixels,
    "patches": patches,
    "as they are": as_they_are,
    "cards": cards,
    "flows": flows,
}
"""name -> encoder; a pair of sets names one."""
