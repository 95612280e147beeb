"""Does a vendor show me rows that are my own, or the same rows twice? They are found, told, and left out."""

import karat
from karat.sources import demo

honest = karat.appraise(demo.vendors(), anchor=demo.anchor())
for finding in honest.findings:
    print(finding.message)

fooled = karat.appraise(demo.vendors(), anchor=demo.anchor(), keep_copies=True)
for what, answer in (("without its copies", honest), ("with them", fooled)):
    (vandelay,) = [vendor for vendor in answer.vendors if vendor.name == "vandelay"]
    print(f"vandelay {what}: {vandelay.rows} rows, value from {vandelay.low:.3f} to 0")
