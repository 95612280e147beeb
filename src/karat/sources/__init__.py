"""Files and data frames become tables; nothing is known here of vendors."""

from karat.sources.opening import is_tabular, open_table
from karat.sources.table import Note, Numbers, SourceFile, Table, Text, Unreadable

__all__ = ["Note", "Numbers", "SourceFile", "Table", "Text", "Unreadable", "is_tabular", "open_table"]
