"""Is one vendor better than another? Better, worse, or undecided and what would settle it."""

import karat
from karat.sources import demo

appraisal = karat.appraise(demo.vendors(), anchor=demo.anchor())

print(appraisal.compare("acme", "hooli").verdict)
honest = appraisal.compare("acme", "globex")
print(honest.verdict, honest.rows_needed)
print(appraisal.compare("hooli", "initech", margin="10%").verdict)
