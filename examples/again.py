"""May I ask again when more rows arrive? Yes, at a level that allows for it."""

import karat
from karat.decisions.looks import Unplanned
from karat.sources import demo

vendors, anchor = demo.vendors(), demo.anchor()
looks = Unplanned(0.95)

for rows in (10, 50, 250):
    market = karat.Market.read(vendors, anchor=anchor)
    shown = {sample.name: sample.rows[:rows] for sample in market.samples}
    looks = looks.at(rows)
    appraisal = karat.appraise(shown, anchor=market.anchor.rows)
    comparison = appraisal.compare("globex", "initech", look=looks.current)
    print(f"{rows} rows: {comparison.verdict} at {looks.current.confidence:.1%}")
