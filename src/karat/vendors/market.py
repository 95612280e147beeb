"""A market: vendors, the buyer's own rows where there are any, and how both were read.

Everything downstream reads rows from here and nothing else. Arrays are used as they are;
tables (files, data frames) pass through one encoder, fitted on the reference alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from karat.errors import MarketError
from karat.schema import Finding, Layout
from karat.vendors.naming import ANCHOR, check_anchor_name, name_vendors
from karat.vendors.oddities import market_findings
from karat.vendors.sample import VendorSample


@dataclass(frozen=True)
class InputFile:
    """A file that was read: for which vendor, its name without folder, SHA-256, rows."""

    name: str
    path: str
    sha256: str
    rows: int


@dataclass(frozen=True, eq=False)
class Market:
    """Vendors and, where given, an anchor, in one encoding.

    samples: the vendors; anchor: the buyer's own rows, always the last source downstream.
    layout: what the encoded columns mean; encoder: None where arrays were used as they are.
    findings: what a buyer should know about the data; inputs: the files that were read.

    >>> market = Market.read({"acme": [[0.0], [1.0]], "globex": [[5.0], [6.0]]}, anchor=[[0.0], [2.0]])
    >>> market.names, [source.size for source in market.sources]
    (('acme', 'globex'), [2, 2, 2])
    """

    samples: tuple[VendorSample, ...]
    anchor: VendorSample | None
    layout: Layout
    encoder: Any | None = None
    findings: tuple[Finding, ...] = ()
    inputs: tuple[InputFile, ...] = ()

    def __post_init__(self) -> None:
        for source in self.sources:
            if source.width != self.layout.width:
                raise MarketError(
                    f"vendor {source.name!r} has {source.width} columns, "
                    f"{self.sources[0].name!r} has {self.layout.width}.",
                    hint="All sources need the same columns; data frames and files are matched by name.",
                    vendor=source.name,
                )

    @property
    def names(self) -> tuple[str, ...]:
        """The vendors' names, in the order given."""
        return tuple(sample.name for sample in self.samples)

    @property
    def sources(self) -> tuple[VendorSample, ...]:
        """The vendors, then the anchor."""
        return self.samples if self.anchor is None else (*self.samples, self.anchor)

    @property
    def labels_kind(self) -> str | None:
        """`"number"`, `"text"`, or None where some vendor has no labels."""
        labels = [sample.labels for sample in self.samples]
        if any(array is None for array in labels):
            return None
        is_text = any(array.dtype.kind == "U" for array in labels if array is not None)
        return "text" if is_text else "number"

    @classmethod
    def read(
        cls,
        given: Any,
        *,
        anchor: Any = None,
        columns: Sequence[str] | str | None = None,
        drop: Sequence[str] | str | None = None,
        target: str | None = None,
        missing: str = "flag",
        scaling: str = "reference",
    ) -> Market:
        """The market of what was given: a mapping of names to arrays, data frames or paths.

        Args:
            given: the mapping, a list of paths (named by their stems), or a Market, returned as it is.
            anchor: the buyer's own rows, in any of these forms.
            columns: the columns to use.
            drop: the columns to leave out.
            target: the label column, taken out of the features.
            missing: "flag" fills a missing cell at the reference mean and adds a column that says so;
                "drop" leaves such rows out, counted; "error" refuses them.
            scaling: "reference" centres and scales by the reference's mean and deviation; "none" does not.
        """
        if isinstance(given, Market):
            return given
        brought = name_vendors(given)
        return cls.from_arrays(brought, anchor=anchor)

    @classmethod
    def from_arrays(
        cls,
        rows: Mapping[str, Any],
        *,
        anchor: Any = None,
        labels: Mapping[str, Any] | None = None,
        anchor_labels: Any = None,
        layout: Layout | None = None,
    ) -> Market:
        """A market of arrays of shape (m, d), used as they are: no centring, no scaling, no copies of floats.

        Args:
            rows: names to arrays; one dimension is read as one column.
            anchor: the buyer's own rows.
            labels: names to one label per row.
            anchor_labels: the same for the anchor.
            layout: what the columns mean; by default one block per column, x0, x1, ...
        """
        labels = {} if labels is None else labels
        strangers = [name for name in labels if name not in rows]
        if strangers:
            raise MarketError(
                f"labels were given for {strangers[0]!r}, who is no vendor.",
                hint=f"The vendors are {', '.join(map(repr, rows))}.",
                vendor=str(strangers[0]),
            )
        samples = tuple(
            VendorSample.of(name, array, labels=labels.get(name))
            for name, array in name_vendors(rows).items()
        )
        if anchor is not None:
            check_anchor_name(rows)
            own = VendorSample.of(ANCHOR, anchor, labels=anchor_labels)
        else:
            own = None
        return cls(
            samples,
            own,
            layout or Layout.unnamed(samples[0].width),
            findings=market_findings(samples, own),
        )
