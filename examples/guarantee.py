"""I want a guarantee that holds at every sample size, not only for large samples."""

import pandas as pd

import karat
from karat.sources import demo

# Scales and kernel are chosen on rows that are then set aside: else they would depend on the rows judged.
own = pd.read_parquet(demo.anchor())
vendors = {name: demo.vendors()[name] for name in ("acme", "globex", "initech")}
appraisal = karat.appraise(vendors, anchor=own[50:], fit_on=own[:50])

for policy in ("asymptotic", "guaranteed"):
    comparison = appraisal.compare("acme", "initech", policy=policy)
    print(f"{policy}: {comparison.verdict}; it holds {comparison.holds}")
print(comparison.rows_needed.message)
