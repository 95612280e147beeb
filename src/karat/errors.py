"""Every exception that karat raises on purpose: what is wrong, where, and what to do."""

from __future__ import annotations


class KaratError(ValueError):
    """Base of everything raised on purpose.

    problem: what is wrong, with the value received.
    hint: what to do about it.
    vendor, column, row: where, as far as it is known; rows count from 1 as in a spreadsheet's data.
    """

    def __init__(
        self,
        problem: str,
        *,
        hint: str,
        vendor: str | None = None,
        column: str | None = None,
        row: int | None = None,
    ) -> None:
        super().__init__(f"{problem} {hint}")
        self.problem, self.hint = problem, hint
        self.vendor, self.column, self.row = vendor, column, row

    def to_dict(self) -> dict[str, object]:
        """The error as data, for `--json` and for services."""
        where = {"vendor": self.vendor, "column": self.column, "row": self.row}
        return {"error": self.problem, "hint": self.hint} | {k: v for k, v in where.items() if v is not None}


class SourceError(KaratError):
    """A file, folder or data frame that cannot be read as a table."""

    def of(self, vendor: str) -> SourceError:
        """The same, said with the name of the vendor that brought it."""
        return SourceError(
            f"{vendor!r}: {self.problem}", hint=self.hint, vendor=vendor, column=self.column, row=self.row
        )


class SchemaError(KaratError):
    """Columns that do not fit: missing, unknown, not numbers, not finite."""


class MarketError(KaratError):
    """Vendors or an anchor that cannot form a market."""


class KernelError(KaratError):
    """A kernel that is unknown, or whose parameters or columns do not fit."""


class IncompleteSumsError(KaratError):
    """Kernel sums were asked for moments before every pair of rows was seen."""


class WeightsError(KaratError):
    """Reference weights that are negative, do not sum to one, or name nobody."""


class UnknownReferenceError(KaratError):
    """A reference that this market does not offer."""


class GuaranteeError(KaratError):
    """A guarantee was asked for where none can be given."""


class DecisionError(KaratError):
    """A question whose level, margin or vendors make no sense."""


class ValuationError(KaratError):
    """A valuation that this market, or this machine, cannot compute."""


class MissingExtraError(KaratError):
    """An optional dependency is needed and absent."""


class AppraisalError(KaratError):
    """A saved appraisal that cannot be read or does not match."""


class UsageError(KaratError):
    """A command line that asks for something that does not exist."""
