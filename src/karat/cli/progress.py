"""Progress on stderr: a bar with rate and time left in a terminal, silence in a pipe."""

from karat.report.progress import watched as shown

__all__ = ["shown"]
