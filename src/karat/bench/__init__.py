"""This machine against its limits: how near karat comes to a bare product, and what a user waits for."""

from karat.bench.run import as_lines, run_bench

__all__ = ["as_lines", "run_bench"]
