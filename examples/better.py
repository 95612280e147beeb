"""Is one vendor better than another? Better, worse, or undecided and what would settle it."""

import karat
from karat.sources import demo

appraisal = karat.appraise(demo.vendors(), anchor=demo.anchor())

for a, b, margin in (("acme", "hooli", None), ("hooli", "initech", "10%"), ("acme", "globex", None)):
    comparison = appraisal.compare(a, b, margin=margin)
    low, high = comparison.interval
    print(f"{a} against {b}: {comparison.verdict}, the gap lies between {low:.3f} and {high:.3f}")
print(comparison.rows_needed.message)
