"""How do I hand the answer on? As a page, a table, or data; and a saved appraisal answers later questions."""

import tempfile
from pathlib import Path

import karat
from karat.sources import demo

appraisal = karat.appraise(demo.vendors(), anchor=demo.anchor())
print(appraisal.to_frame()[["name", "rows", "value", "low", "high"]].round(2).to_string(index=False))

with tempfile.TemporaryDirectory() as folder:
    page, saved = Path(folder) / "report.html", Path(folder) / "appraisal.json"
    appraisal.to_html(page)  # for people
    appraisal.save(saved)  # for programs
    for path in (page, saved):
        again = karat.load(path)  # either will do, and no data are needed
        print(path.name, again.compare("acme", "hooli").verdict, again.best().names)
