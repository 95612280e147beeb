"""This machine against its limits: the engine beside a bare matrix product, and what a market costs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

__all__ = ["as_lines", "run_bench"]


def run_bench(*, quick: bool = False) -> dict[str, Any]:
    """Every figure of `karat bench`; minutes, or with quick about one."""
    from karat.bench.exact import exact_figures
    from karat.bench.scale import approximations, command_figures, machine, peak_megabytes

    return {
        "schema": "karat/bench/1",
        "quick": quick,
        "machine": machine(),
        "exact": exact_figures(quick=quick),
        **approximations(quick=quick),
        "peak_rss_mb": peak_megabytes(quick=quick),
        **command_figures(quick=quick),
    }


def as_lines(figures: Mapping[str, Any]) -> list[str]:
    """One line per figure, its place and its value.

    >>> as_lines({"exact": {"16": {"over_blas": 0.91234}}, "quick": True})
    ['exact.16.over_blas  0.912', 'quick               True']
    """
    found = list(_flat(figures, ""))
    width = max((len(name) for name, _ in found), default=0)
    return [f"{name:{width}}  {_shown(value)}" for name, value in found]


def _flat(figures: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, Any]]:
    for name, value in figures.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


def _shown(value: object) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)
