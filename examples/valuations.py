"""What do other valuations say? The same market valued in several ways."""

import karat
from karat.baselines.beside import beside
from karat.sources import demo

market = karat.Market.read(demo.vendors(), anchor=demo.anchor())
table = beside(market, ["mmd", "mmd2", "energy"])
for column in table.columns:
    best = max(zip(column.scores, column.names, strict=True))
    print(f"{column.valuation}: best is {best[1]}")
print(table.agreement.round(2))
