"""What if I needed a mixture? Other references from a saved appraisal, without any data."""

import tempfile
from pathlib import Path

import karat
from karat.sources import demo

with tempfile.TemporaryDirectory() as folder:
    saved = Path(folder) / "appraisal.json"
    karat.appraise(demo.vendors(), anchor=demo.anchor()).save(saved)
    again = karat.load(saved)

mixture = again.what_if({"acme": 0.5, "initech": 0.5})
print([vendor.name for vendor in mixture.ranking])
print([vendor.name for vendor in again.against("robust").ranking])
