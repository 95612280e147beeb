"""What does a distance mean? In per cent of the farthest vendor, and beside the noise of my own rows."""

import karat
from karat.sources import demo

appraisal = karat.appraise(demo.vendors(), anchor=demo.anchor())
ruler = appraisal.ruler

print(f"unit: my data with 1 % of {ruler.vendor} mixed in lie {ruler.percent:.4f} away")
print(f"noise: two fresh halves of my own rows lie up to {ruler.share(ruler.noise_floor):.0f} % apart")
for vendor in appraisal.ranking:
    nearest, farthest = ruler.share(0.0 - vendor.high), ruler.share(0.0 - vendor.low)
    print(f"{vendor.name}: like my data with {nearest:.0f} to {farthest:.0f} % of {ruler.vendor} mixed in")
