"""The tutorial: appraise the market that ships with karat, and question the answer."""

import karat
from karat.sources import demo

appraisal = karat.appraise(demo.vendors(), anchor=demo.anchor())

for vendor in appraisal.ranking:
    print(f"{vendor.rank}. {vendor.name:10} value {vendor.value:.3f}, {vendor.rows} rows")

best, worst = appraisal.ranking[0], appraisal.ranking[-1]
print(f"{worst.name} is the ruler: 1 % of it moves your data by {appraisal.ruler.percent:.4f}")
print(f"noise: two fresh halves of your own rows lie up to {appraisal.ruler.noise_floor:.3f} apart")
