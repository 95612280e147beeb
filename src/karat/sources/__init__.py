"""Files and data frames become tables; nothing is known here of vendors."""

from karat.sources.large import LargeTable
from karat.sources.opening import cells_in, is_large, is_tabular, open_large, open_table
from karat.sources.table import Note, Numbers, SourceFile, Table, Text, Unreadable

__all__ = [
    "LargeTable",
    "Note",
    "Numbers",
    "SourceFile",
    "Table",
    "Text",
    "Unreadable",
    "cells_in",
    "is_large",
    "is_tabular",
    "open_large",
    "open_table",
]
