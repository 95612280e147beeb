"""How many more rows should I ask for? As many as would show a gap that I care about."""

import karat
from karat.sources import demo

appraisal = karat.appraise(demo.vendors(), anchor=demo.anchor())

for gap in ("30%", "20%", "10%"):
    needed = appraisal.compare("globex", "umbrella", visible_gap=gap).rows_needed
    print(f"{gap}: {needed.message}")
