"""Make the market that ships with karat, from two real sets of housing data.

    python scripts/make_demo.py [DATA_FOLDER]

DATA_FOLDER holds king_county_raw.parquet and california_housing_raw.parquet; without it, the
setting KARAT_DATA does. The same files come out each time (but for pyarrow's version in them).
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet

from karat.sources import Numbers, Table, catalog, open_table
from karat.sources.demo import FOLDER

SEED = 20150527  # the last day of sales in the King County file

SEATTLE = (47.6062, -122.3321)
LOS_ANGELES = (34.0522, -118.2437)
NEAR_LOS_ANGELES = {"latitude": (33.7, 34.4), "longitude": (-118.7, -117.7)}

DOLLARS_OF_1990 = 236.7 / 130.7
"""Consumer price index (CPI-U, yearly mean) of 2014 over 1990."""

TOP_CODED = 500_001
"""California's values stop here: such blocks are left out."""

KM_PER_DEGREE = 111.2

COLUMNS = ("price", "bedrooms", "age", "centre_km")
Rows = np.ndarray  # (m, 4), in the order of COLUMNS


def king_county() -> Rows:
    """One row per sale of 2014-15: price, bedrooms, age in 2015, kilometres to the centre of Seattle."""
    table = open_table(catalog.locate("king_county_raw"))
    km = distance(numbers(table, "lat"), numbers(table, "long"), SEATTLE)
    return np.column_stack(
        [numbers(table, "price"), numbers(table, "bedrooms"), 2015 - numbers(table, "yr_built"), km]
    )


def los_angeles() -> Rows:
    """One row per census block group of 1990 around Los Angeles, of its average home."""
    table = open_table(catalog.locate("california_housing_raw"))
    keep = numbers(table, "median_house_value") < TOP_CODED
    keep &= np.isfinite(numbers(table, "total_bedrooms"))
    for name, (low, high) in NEAR_LOS_ANGELES.items():
        keep &= (numbers(table, name) > low) & (numbers(table, name) < high)
    price = np.round(numbers(table, "median_house_value") * DOLLARS_OF_1990, -2)
    bedrooms = np.round(numbers(table, "total_bedrooms") / numbers(table, "households"))
    km = distance(numbers(table, "latitude"), numbers(table, "longitude"), LOS_ANGELES)
    return np.column_stack([price, bedrooms, numbers(table, "housing_median_age"), km])[keep]


def numbers(table: Table, name: str) -> np.ndarray:
    """A column of the table, which must hold numbers."""
    column = table.by_name[name]
    assert isinstance(column, Numbers)
    return column.values


def distance(latitude: np.ndarray, longitude: np.ndarray, centre: tuple[float, float]) -> np.ndarray:
    """Kilometres to the centre, on a plane: within 1 % at this size."""
    north = (latitude - centre[0]) * KM_PER_DEGREE
    east = (longitude - centre[1]) * KM_PER_DEGREE * np.cos(np.deg2rad(centre[0]))
    return np.round(np.hypot(north, east), 3)


def with_noise(rows: Rows, rng: np.random.Generator) -> Rows:
    """As if typed in carelessly and placed on the map by guess; whole numbers stay whole."""
    price, bedrooms, age, km = rows.T
    m = len(rows)
    return np.column_stack(
        [
            np.round(price * np.exp(rng.normal(0.0, 0.35, m)), -2),
            np.maximum(0, bedrooms + rng.integers(-1, 2, m)),
            np.maximum(0, age + np.round(rng.normal(0.0, 15.0, m))),
            np.round(np.abs(km + rng.normal(0.0, 5.0, m)), 3),
        ]
    )


def main() -> None:
    """Draw the seven files, every King County row into one of them at most."""
    if len(sys.argv) > 1:
        os.environ[catalog.FOLDER_SETTING] = sys.argv[1]
    rng = np.random.default_rng(SEED)
    king, angeles = king_county(), los_angeles()
    king = king[rng.permutation(len(king))]
    parts = np.split(king, np.cumsum([300, 1500, 800, 400, 700, 1000, 240]))
    own, acme, globex, umbrella, clean, to_blur, to_repeat = parts[:7]
    padding = angeles[rng.choice(len(angeles), 300, replace=False)]
    replayed = own[rng.choice(len(own), 120, replace=False)]
    market = {
        "anchor": own,
        "acme": acme,
        "globex": globex,
        "umbrella": umbrella,
        "initech": rng.permutation(np.vstack([clean, padding])),
        "hooli": with_noise(to_blur, rng),
        "vandelay": rng.permutation(np.vstack([replayed, to_repeat, to_repeat])),
    }
    for name, rows in market.items():
        write(FOLDER / f"{name}.parquet", rows)


def write(path: Path, rows: Rows) -> None:
    """A small Parquet file with page checksums."""
    whole = [column.astype(np.int32) for column in rows[:, :3].T]
    table = pa.table([*whole, rows[:, 3]], names=list(COLUMNS))
    parquet.write_table(table, path, compression="zstd", write_page_checksum=True)
    sys.stdout.write(f"{path.name}: {len(rows)} rows, {path.stat().st_size:,} bytes\n")


if __name__ == "__main__":
    main()
