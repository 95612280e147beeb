"""A source whose rows stay in their files: read in parts, as often as asked, encoded on the way."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from karat.errors import MarketError
from karat.schema import Encoder
from karat.sources import LargeTable
from karat.sources.budget import SETTING
from karat.typing import Rows
from karat.vendors.look import Look, raw_values
from karat.vendors.naming import brought_by, who
from karat.vendors.sample import Hashes, VendorSample
from karat.vendors.sketch import Sketch


@dataclass(frozen=True, eq=False)
class StreamedSample:
    """A name, and how to read its rows.

    some_rows: (q, d), rows drawn at random, for what needs only some; places: (q,), where they stand.
    sketch: hashes of its rows before encoding; keep: which rows count, None where all do.
    digest: SHA-256 of files, encoding and rows that count.
    """

    name: str
    size: int
    table: LargeTable
    encoder: Encoder
    some_rows: Rows
    places: NDArray[np.int64]
    sketch: Sketch
    digest: str
    keep: NDArray[np.bool_] | None = None
    labels: None = None

    @classmethod
    def of(cls, name: str, table: LargeTable, encoder: Encoder, look: Look, sketch: Sketch) -> StreamedSample:
        """A source that has been looked at."""
        content = hashlib.sha256(encoder.digest.encode())
        for file in look.files:
            content.update(file.sha256.encode())
        content.update(f"{look.rows} {sketch.total}".encode())
        rows = encoder.encode(look.sample, vendor=name).rows
        rows.flags.writeable = False
        return cls(name, look.rows, table, encoder, rows, look.places, sketch, content.hexdigest())

    @property
    def width(self) -> int:
        return self.encoder.layout.width

    @property
    def hashes(self) -> Hashes:
        """Of all rows, or of a share of them that is the same for equal rows."""
        return self.sketch.hashes

    @property
    def hash_share(self) -> float:
        return self.sketch.share

    @property
    def rows(self) -> Rows:
        """They are not in memory: what cannot do with parts says so."""
        raise MarketError(
            f"{who(self.name)} is too large to be held in memory ({self.size:,} rows), which this needs.",
            hint=f"Take a random sample of its rows, or raise the setting {SETTING}.",
            vendor=self.name,
        )

    def chunks(self) -> Iterator[Rows]:
        """The encoded rows that count, from the first to the last."""
        names = [field.name for field in self.encoder.fields]
        before = 0
        with brought_by(self.name):  # the files may not be what they were
            for part in self.table.chunks(names):
                values, _ = raw_values(part, names, self.encoder)
                if self.keep is not None:
                    stop = before + len(values)
                    values, before = values[self.keep[before:stop]], stop
                yield self.encoder.rows(values)

    def picked(self, keep: NDArray[np.bool_]) -> StreamedSample:
        """The source with some of its rows; none were picked before."""
        assert self.keep is None
        assert len(keep) == self.size
        still = keep[self.places]
        digest = hashlib.sha256(self.digest.encode() + np.packbits(keep).tobytes()).hexdigest()
        return replace(
            self,
            size=int(keep.sum()),
            some_rows=self.some_rows[still],
            places=self.places[still],
            sketch=replace(self.sketch, hashes=self.sketch.hashes[keep]),
            digest=digest,
            keep=keep,
        )


Source = VendorSample | StreamedSample
"""Rows in memory, or in files."""
