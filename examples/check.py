"""Can somebody else check my answer? A report says how it was made; `verify` makes it again."""

import tempfile
from pathlib import Path

import karat
from karat.sources import demo
from karat.verification import verify

files = [*demo.vendors().values(), demo.anchor()]
with tempfile.TemporaryDirectory() as folder:
    report = Path(folder) / "report.html"
    karat.appraise(demo.vendors(), anchor=demo.anchor()).to_html(report)
    found = verify(report, files)
    for line in found.checked:
        print("holds:", line)

    page = report.read_text(encoding="utf-8")
    report.write_text(page.replace("ruled out", "recommended"), encoding="utf-8")
    print("differs:", verify(report).difference)
