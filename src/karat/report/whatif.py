"""What the what-if panel starts from: who may be mixed, ready-made mixtures, levels of confidence."""

from __future__ import annotations

from dataclasses import dataclass

from karat.appraisal import Appraisal
from karat.report.naming import Naming

LEVELS = (0.5, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.999)
"""Stops of the confidence slider; the appraisal's own joins them."""

MOST_SLIDERS = 31
"""Sources that get a slider, the buyer's own and the nearest first."""

PRESETS = {
    "anchor": "your data",
    "uniform": "all vendors equally",
    "robust": "the core of most vendors",
    "weights": "the mixture you chose",
    "equal-size": "the union of all previews",
}


@dataclass(frozen=True)
class Slider:
    """One source of the mixture. index: its place among all sources."""

    index: int
    name: str


@dataclass(frozen=True)
class WhatIf:
    """The controls. presets: names of saved references and what their buttons say."""

    sliders: tuple[Slider, ...]
    presets: tuple[tuple[str, str], ...]
    levels: tuple[float, ...]
    level: int
    sources_left_out: int


def what_if(appraisal: Appraisal, names: Naming) -> WhatIf | None:
    """The controls of an appraisal.

    None where there are no two sources to mix, and where the reference shares rows with the vendors: no
    interval follows from it, in the browser as little as elsewhere.
    """
    moments = appraisal.moments
    if moments.n_sources < 2 or appraisal.reference.is_biased:
        return None
    index = {name: i for i, name in enumerate(moments.names)}
    order = [index[vendor.name] for vendor in appraisal.ranking]
    if moments.anchor is not None:
        order.insert(0, moments.anchor)
    saved = appraisal.to_dict()["references"]
    levels = tuple(sorted({*LEVELS, appraisal.confidence}))
    return WhatIf(
        sliders=tuple(Slider(i, names.short[moments.names[i]]) for i in order[:MOST_SLIDERS]),
        presets=tuple((name, said) for name, said in PRESETS.items() if name in saved),
        levels=levels,
        level=levels.index(appraisal.confidence),
        sources_left_out=max(len(order) - MOST_SLIDERS, 0),
    )
