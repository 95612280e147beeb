"""One source of rows with a name: a vendor's preview, or the buyer's own anchor."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from karat.errors import MarketError
from karat.typing import Rows
from karat.vendors.arrays import read_only, rows_from
from karat.vendors.naming import who

Hashes = NDArray[np.uint64]

LEAST_ROWS = 2
"""An unbiased squared distance needs two rows: no row may meet itself."""


@dataclass(frozen=True, eq=False)
class VendorSample:
    """A name and its rows.

    rows: (m, d), float64 or float32 as given, C-contiguous, read-only, finite.
    labels: (m,) numbers or text, or None.
    digest: SHA-256 of the content; two samples with the same rows in the same order share it.
    raw_hashes: (m,), of the rows as they were brought, where these were encoded since.

    >>> VendorSample.of("acme", [[1.0, 2.0], [3.0, 4.0]]).size
    2
    """

    name: str
    rows: Rows
    labels: NDArray[Any] | None = None
    digest: str = field(default="")
    raw_hashes: Hashes | None = None

    def __post_init__(self) -> None:
        if not self.digest:
            object.__setattr__(self, "digest", content_digest(self.rows, self.labels))

    @classmethod
    def of(cls, name: str, rows: Any, *, labels: Any = None) -> VendorSample:
        """A sample from any array-like, checked at the door."""
        checked = rows_from(rows, vendor=name)
        check_size(len(checked), vendor=name)
        return cls(name, checked, None if labels is None else labels_from(labels, len(checked), vendor=name))

    @property
    def size(self) -> int:
        """How many rows there are."""
        return len(self.rows)

    @property
    def some_rows(self) -> Rows:
        """Rows for what needs only some of them: all."""
        return self.rows

    @cached_property
    def hashes(self) -> Hashes:
        """(m,), equal for equal rows."""
        if self.raw_hashes is not None:
            return self.raw_hashes
        from karat.vendors.hashes import row_hashes  # numba, which import karat does not pay

        return row_hashes(self.rows)

    @property
    def hash_share(self) -> float:
        """Of the rows, that `hashes` are of."""
        return 1.0

    def picked(self, keep: NDArray[np.bool_]) -> VendorSample:
        """The sample with some of its rows."""
        rows = self.rows[keep]
        rows.flags.writeable = False
        labels = None if self.labels is None else self.labels[keep]
        hashes = None if self.raw_hashes is None else self.raw_hashes[keep]
        return replace(self, rows=rows, labels=labels, digest="", raw_hashes=hashes)

    @property
    def width(self) -> int:
        """How many columns there are."""
        return int(self.rows.shape[1])


def check_size(rows: int, *, vendor: str) -> None:
    """Refuse a preview that is too small to be compared with anything."""
    if rows < LEAST_ROWS:
        count = "no rows" if rows == 0 else "one row"
        raise MarketError(
            f"{who(vendor)} shows {count}.",
            hint=f"A preview needs at least {LEAST_ROWS} rows; ask for more, or leave the vendor out.",
            vendor=vendor,
        )


def labels_from(given: Any, rows: int, *, vendor: str) -> NDArray[Any]:
    """One label per row: numbers as float64, or text."""
    labels = np.asarray(given)
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels[:, 0]
    if labels.shape != (rows,):
        raise MarketError(
            f"{who(vendor)} has labels of shape {labels.shape} for {rows} rows.",
            hint="Give one label per row.",
            vendor=vendor,
        )
    if labels.dtype.kind in "biuf":
        labels = labels.astype(np.float64)
        if not np.isfinite(labels).all():
            row = int(np.flatnonzero(~np.isfinite(labels))[0]) + 1
            raise MarketError(
                f"{who(vendor)} has the label {labels[row - 1]} in row {row} (counting from 1).",
                hint="Leave out rows without a label.",
                vendor=vendor,
                row=row,
            )
    elif labels.dtype.kind != "U":
        raise MarketError(
            f"{who(vendor)} has labels of type {labels.dtype}.",
            hint="Labels are numbers or text: labels.astype(float) or labels.astype(str).",
            vendor=vendor,
        )
    return read_only(np.array(labels))


def content_digest(rows: Rows, labels: NDArray[Any] | None = None) -> str:
    """SHA-256 over type, shape and bytes; about a second per GB."""
    digest = hashlib.sha256()
    for array in (rows,) if labels is None else (rows, labels):
        digest.update(f"{array.dtype.str}{array.shape}".encode())
        digest.update(np.ascontiguousarray(array).view(np.uint8).data)
    return digest.hexdigest()
