"""Is a preview what it seems? Rows that were shown before count once."""

from karat.integrity.copies import without_copies

__all__ = ["without_copies"]
