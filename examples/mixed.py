"""My columns are not all numbers: encode them on my own rows, and hand karat arrays."""

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import karat

draw = np.random.default_rng(0)


def homes(rows, flats):
    kind = np.where(draw.random(rows) < flats, "flat", "house")
    return pd.DataFrame({"area": draw.normal(120, 30, rows), "kind": kind})


mine = homes(100, flats=0.3)
market = {"acme": homes(400, flats=0.3), "globex": homes(400, flats=0.7)}

encoder = make_column_transformer(
    (StandardScaler(), ["area"]),
    (OneHotEncoder(handle_unknown="ignore", sparse_output=False), ["kind"]),
)
encoder.fit(mine)  # on my own rows alone, so that no vendor can move another vendor's value
appraisal = karat.appraise(
    {name: encoder.transform(rows) for name, rows in market.items()}, anchor=encoder.transform(mine)
)
print([(vendor.name, round(vendor.value, 3)) for vendor in appraisal.ranking])
print(appraisal.compare("acme", "globex").verdict)
