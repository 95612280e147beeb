"""A valuation of my own: how far the column means lie from those of the reference."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

import karat
from karat.baselines import Valuation
from karat.baselines.beside import beside
from karat.sources import demo


@dataclass(frozen=True, kw_only=True)
class MeanGap(Valuation):
    name: ClassVar[str] = "mean-gap"
    needs: ClassVar[tuple[str, ...]] = ("reference",)
    converges_to: ClassVar[str] = "minus the distance of the means"
    cost: ClassVar[str] = "O(m d)"
    citation: ClassVar[str] = "every spreadsheet"

    power: float = 2.0  # an option: a field with a default

    def run(self, case):
        target = case.reference.weights @ case.reference.rows
        gaps = [sample.rows.mean(axis=0) - target for sample in case.market.samples]
        return case.values(self, [-np.linalg.norm(gap, ord=self.power) for gap in gaps])


market = karat.Market.read(demo.vendors(), anchor=demo.anchor())
print(karat.value(market, MeanGap()).to_frame().round(3).to_string(index=False))
print("agreement with mmd:", beside(market, ["mmd", MeanGap()]).agreement[0, 1].round(2))
