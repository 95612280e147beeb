"""A market: vendors, the buyer's own rows where there are any, and how both were read.

Everything downstream reads rows from here and nothing else. Arrays are used as they are;
tables (files, data frames) pass through one encoder, fitted on the reference alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from karat.errors import MarketError
from karat.schema import Encoder, Finding, Layout
from karat.shown import Shown
from karat.sources import is_large, is_tabular
from karat.typing import Progress, Rows, Vector
from karat.vendors.large import read_large
from karat.vendors.naming import ANCHOR, check_anchor_name, name_vendors, who
from karat.vendors.oddities import market_findings
from karat.vendors.reading import ReadOptions, read_whole
from karat.vendors.sample import VendorSample
from karat.vendors.streamed import Source, StreamedSample

FIT = "rows to fit on"
"""What messages call the rows that encoder and kernel are fitted on."""

MOST_CENTRED = 1000
"""Rows of each source that the centre is found from."""


@dataclass(frozen=True)
class InputFile:
    """A file that was read: for which vendor, its name without folder, SHA-256, rows."""

    name: str
    path: str
    sha256: str
    rows: int


@dataclass(frozen=True, eq=False)
class Market(Shown):
    """Vendors and, where given, an anchor, in one encoding.

    samples: the vendors; anchor: the buyer's own rows, always the last source downstream.
    layout: what the encoded columns mean; encoder: None where arrays were used as they are.
    fitted_on: rows that encoder and kernel are fitted on and nothing else, so that guarantees hold.
    findings: what a buyer should know about the data; inputs: the files that were read.

    >>> market = Market.read({"acme": [[0.0], [1.0]], "globex": [[5.0], [6.0]]}, anchor=[[0.0], [2.0]])
    >>> market.names, [source.size for source in market.sources]
    (('acme', 'globex'), [2, 2, 2])
    """

    samples: tuple[Source, ...]
    anchor: Source | None
    layout: Layout
    encoder: Encoder | None = None
    findings: tuple[Finding, ...] = ()
    inputs: tuple[InputFile, ...] = ()
    fitted_on: Source | None = None

    def __post_init__(self) -> None:
        others = () if self.fitted_on is None else (self.fitted_on,)
        for source in (*self.sources, *others):
            if source.width != self.layout.width:
                raise MarketError(
                    f"{who(source.name)} has {source.width} columns, "
                    f"{self.sources[0].name!r} has {self.layout.width}.",
                    hint="All sources need the same columns; data frames and files are matched by name.",
                    vendor=source.name,
                )

    @property
    def names(self) -> tuple[str, ...]:
        """The vendors' names, in the order given."""
        return tuple(sample.name for sample in self.samples)

    @property
    def sources(self) -> tuple[Source, ...]:
        """The vendors, then the anchor."""
        return self.samples if self.anchor is None else (*self.samples, self.anchor)

    @property
    def is_streamed(self) -> bool:
        """Whether the rows stay in their files, because they do not fit in memory."""
        return any(isinstance(source, StreamedSample) for source in self.sources)

    @property
    def reference_rows(self) -> list[Rows]:
        """The rows that bandwidths follow from: those set aside, the anchor's, or all vendors'."""
        own = self.fitted_on if self.fitted_on is not None else self.anchor
        return [source.some_rows for source in (self.samples if own is None else (own,))]

    @property
    def centre(self) -> Vector:
        """(d,), a row in the middle of the reference's, that products are taken around.

        Medians of at most a thousand rows each, every vendor counting the same where there is no anchor:
        around a mean, a single cell of 1e20 would leave nothing of all other rows.
        """
        medians = [np.median(rows[:: -(-len(rows) // MOST_CENTRED)], axis=0) for rows in self.reference_rows]
        centre: Vector = np.median(medians, axis=0).astype(np.float64)
        return centre

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
        fit_on: Any = None,
        columns: Sequence[str] | str | None = None,
        drop: Sequence[str] | str | None = None,
        target: str | None = None,
        missing: str = "flag",
        scaling: str = "reference",
        progress: Progress | None = None,
    ) -> Market:
        """The market of what was given: a mapping of names to arrays, data frames or paths.

        Files with more cells than the setting KARAT_MAX_CELLS (50 million in one source, four times as many
        in all) stay where they are and are read in parts, as often as needed.

        Args:
            given: the mapping, a list of paths (named by their stems), or a Market, returned as it is.
            anchor: the buyer's own rows, in any of these forms.
            fit_on: more rows of the buyer's own, to fit scales and kernel on and for nothing else; what is
                fitted on the rows judged makes a guarantee hold for large samples only.
            columns: the columns to use.
            drop: the columns to leave out.
            target: the label column, taken out of the features.
            missing: "flag" fills a missing cell at the reference mean and adds a column that says so;
                "drop" leaves such rows out, counted; "error" refuses them.
            scaling: "reference" centres and scales by the reference's mean and deviation; "none" does not.
            progress: told of the cells of large files while these are looked at.
        """
        options = ReadOptions.of(columns, drop, target, missing, scaling)
        if isinstance(given, Market):
            _refuse_options(options, (anchor, fit_on), "a market that was read already")
            return given
        vendors = name_vendors(given)
        if anchor is not None:
            check_anchor_name(vendors)
        sources = vendors if anchor is None else {**vendors, ANCHOR: anchor}
        if fit_on is not None:
            sources = {**sources, FIT: fit_on}
        is_named = {name: is_tabular(brought) for name, brought in sources.items()}
        if all(is_named.values()):
            return _market_of_tables(sources, options, has_anchor=anchor is not None, progress=progress)
        if any(is_named.values()):
            _refuse_mixture(is_named)
        _refuse_options(options, (), "arrays, which are used as they are")
        market = cls.from_arrays(vendors, anchor=anchor)
        return market if fit_on is None else replace(market, fitted_on=VendorSample.of(FIT, fit_on))

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
        rows = name_vendors(rows)
        strangers = [name for name in labels if name not in rows]
        if strangers:
            raise MarketError(
                f"labels were given for {strangers[0]!r}, who is no vendor.",
                hint=f"The vendors are {', '.join(map(repr, rows))}.",
                vendor=str(strangers[0]),
            )
        samples = tuple(VendorSample.of(name, array, labels=labels.get(name)) for name, array in rows.items())
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


def _market_of_tables(
    brought: Mapping[str, Any], options: ReadOptions, *, has_anchor: bool, progress: Progress | None
) -> Market:
    fitted = FIT if FIT in brought else ANCHOR if has_anchor else None
    if is_large(brought.values()):
        read = read_large(brought, options, fitted_on=fitted, progress=progress)
    else:
        read = read_whole(brought, options, fitted_on=fitted)
    inputs = tuple(
        InputFile(name, file.path, file.sha256, file.rows)
        for name, files in read.files.items()
        for file in files
    )
    sources = [*read.samples]
    fitted_on = sources.pop() if FIT in brought else None
    anchor = sources.pop() if has_anchor else None
    findings = (*read.findings, *market_findings(sources, anchor))
    return Market(tuple(sources), anchor, read.encoder.layout, read.encoder, findings, inputs, fitted_on)


def _refuse_options(options: ReadOptions, sources: Sequence[Any], what: str) -> None:
    if any(source is not None for source in sources) or options != ReadOptions.of():
        raise MarketError(
            f"reading options (anchor, columns, drop, target, missing, scaling) were given for {what}.",
            hint="Choose columns before, or give data frames or files, whose columns have names.",
        )


def _refuse_mixture(is_named: Mapping[str, bool]) -> None:
    bare = next(name for name, has_names in is_named.items() if not has_names)
    named = next(name for name, has_names in is_named.items() if has_names)
    raise MarketError(
        f"{bare!r} is a bare array, {named!r} has named columns.",
        hint="Give all sources in one way: name the array's columns with a data frame, "
        "or pass arrays throughout, which are used as they are.",
        vendor=bare,
    )
