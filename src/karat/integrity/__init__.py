"""Is a preview what it seems? Rows that were shown before count once."""

from karat.integrity.copies import LEFT_OUT, STAYED, judged_rows_fitted_on, without_copies

__all__ = ["LEFT_OUT", "STAYED", "judged_rows_fitted_on", "without_copies"]
