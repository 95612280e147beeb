"""Who is closest to what I need? Data frames, arrays or paths; an interval on every value."""

import numpy as np
import pandas as pd

import karat

draw = np.random.default_rng(0)


def homes(rows, shift=0.0):
    return pd.DataFrame({"area": draw.normal(120 + shift, 30, rows), "age": draw.gamma(2, 15, rows)})


appraisal = karat.appraise({"acme": homes(400), "globex": homes(500, shift=20)}, anchor=homes(100))
for vendor in appraisal.ranking:
    print(f"{vendor.name}: {vendor.value:.3f} ({vendor.low:.3f} to {vendor.high:.3f})")
