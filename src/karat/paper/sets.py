"""The paper's data sets by name: originals where they are at hand, else subsets and stand-ins."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from karat.paper import originals
from karat.sources.catalog import data_folder, locate


@dataclass(frozen=True, eq=False)
class DataSet:
    """Raw rows and labels; what was used in place of the paper's set, where that was not to be had.

    rows: (m, d) numbers, or (m,) flows; labels: (m,); classes: names of the classes, None for numbers.
    """

    name: str
    rows: NDArray[Any]
    labels: NDArray[Any]
    classes: tuple[str, ...] | None
    stands_in: str | None = None


def data_set(name: str) -> DataSet:
    """A data set of the paper by its short name."""
    return SETS[name]()


def original(*names: str) -> list[Path] | None:
    """The files of these names in the folder of originals, or None unless all are there."""
    paths = [data_folder() / "originals" / name for name in names]
    return paths if all(path.is_file() for path in paths) else None


def _digits(labels: NDArray[Any]) -> tuple[str, ...]:
    return tuple(map(str, range(int(labels.max()) + 1)))


def _mnist() -> DataSet:
    with np.load(locate("mnist")) as data:
        rows = np.concatenate([data["x_train"], data["x_test"]]).reshape(-1, 784)
        labels = np.concatenate([data["y_train"], data["y_test"]])
    return DataSet("mnist", rows, labels, _digits(labels))


def _letters() -> DataSet:
    found = original("emnist-letters-train-images-idx3-ubyte.gz", "emnist-letters-train-labels-idx1-ubyte.gz")
    if found:
        rows, labels = originals.read_images(*found, transposed=True, first=1)
        return DataSet("emnist", rows, labels, _digits(labels))
    with np.load(locate("nist_az_letters")) as data:
        rows, labels = data["x"].reshape(len(data["x"]), -1), data["y"]
    note = "EMNIST letters: 5,934 handwritten capitals from NIST SD19 (the same origin) stand in"
    return DataSet("emnist", rows, labels, _digits(labels), note)


def _fashion() -> DataSet:
    folder = "fashion-mnist/"  # MNIST's own files have the same names
    found = original(folder + "train-images-idx3-ubyte.gz", folder + "train-labels-idx1-ubyte.gz")
    if found:
        rows, labels = originals.read_images(*found)
        return DataSet("famnist", rows, labels, _digits(labels))
    with np.load(locate("fashion_mnist")) as data:
        rows, labels = data["x"].reshape(len(data["x"]), -1), data["y"]
    return DataSet(
        "famnist", rows, labels, _digits(labels), "FaMNIST: a class-balanced 20,000 of its 70,000 images"
    )


def _cifar10() -> DataSet:
    found = original(*(f"data_batch_{i}.bin" for i in range(1, 6)), "test_batch.bin")
    if found:
        parts = [originals.read_cifar_binary(path) for path in found]
        rows, labels = (np.concatenate(side) for side in zip(*parts, strict=True))
        return DataSet("cifar10", rows, labels, _digits(labels))
    with np.load(locate("cifar10")) as data:
        rows = np.concatenate([data["x_train"], data["x_test"]]).reshape(-1, 3072)
        labels = np.concatenate([data["y_train"], data["y_test"]])
    return DataSet(
        "cifar10", rows, labels, _digits(labels), "CIFAR10: a class-balanced 12,000 of its 60,000 images"
    )


def _cifar100() -> DataSet:
    found = original("train.bin")
    if found:
        rows, labels = originals.read_cifar_binary(found[0], fine=True)
        return DataSet("cifar100", rows, labels, _digits(labels))
    with np.load(locate("cifar100")) as data:
        rows, labels = data["x_train"].reshape(-1, 3072), data["y_train"]
    return DataSet(
        "cifar100", rows, labels, _digits(labels), "CIFAR100: a class-balanced 8,000 of its 60,000 images"
    )


def _credit7() -> DataSet:
    found = original("card_transdata.csv")
    if found:
        rows, labels = originals.read_card_transdata(found[0])
        return DataSet("credit7", rows, labels, ("honest", "fraud"))
    table = _parquet("credit7", (*originals.CARD_COLUMNS, "fraud"))
    rows = np.column_stack([table[name].astype(np.float64) for name in originals.CARD_COLUMNS])
    note = "Credit7: the first 24,999 of its 1,000,000 rows"
    return DataSet("credit7", rows, table["fraud"].astype(np.uint8), ("honest", "fraud"), note)


def _credit31() -> DataSet:
    found = original("creditcard.csv")
    if found:
        rows, labels = originals.read_creditcard(found[0])
        return DataSet("credit31", rows, labels, ("honest", "fraud"))
    names = ("Time", *(f"V{i}" for i in range(1, 29)), "Amount")
    table = _parquet("credit31", (*names, "Class"))
    rows = np.column_stack([table[name].astype(np.float64) for name in names])
    note = "Credit31: 16,558 of its 284,807 rows, with all 492 frauds"
    return DataSet("credit31", rows, table["Class"].astype(np.uint8), ("honest", "fraud"), note)


def _ton() -> DataSet:
    found = original("Train_Test_Network.csv")
    if found:
        flows, kinds = originals.read_ton_iot(found[0])
        return _flows("ton", flows, kinds, None)
    table = _parquet(
        "nf_bot_iot_v2",
        (
            *("IPV4_SRC_ADDR", "IPV4_DST_ADDR", "L4_SRC_PORT", "L4_DST_PORT", "PROTOCOL"),
            *("IN_PKTS", "OUT_PKTS", "IN_BYTES", "OUT_BYTES", "Attack"),
        ),
    )
    numbers = {6: "TCP", 17: "UDP", 1: "ICMP"}
    flows = originals.flows_of(
        source=table["IPV4_SRC_ADDR"],
        target=table["IPV4_DST_ADDR"],
        source_port=table["L4_SRC_PORT"],
        target_port=table["L4_DST_PORT"],
        protocol=np.array([numbers.get(int(p), "other") for p in table["PROTOCOL"]]),
        packets=table["IN_PKTS"].astype(np.float64) + table["OUT_PKTS"],
        total_bytes=table["IN_BYTES"].astype(np.float64) + table["OUT_BYTES"],
    )
    note = "TON: NF-BoT-IoT-v2, netflows of the same laboratory with 5 classes, stands in"
    return _flows("ton", flows, table["Attack"].astype("U"), note)


def _ugr16() -> DataSet:
    found = original("uniq_march.week3.csv")
    if found:
        flows, kinds = originals.read_ugr16(found[0])
        return _flows("ugr16", flows, kinds, None)
    table = _parquet("ugr16_small", ("srcip", "dstip", "srcport", "dstport", "proto", "pkt", "byt", "type"))
    flows = originals.flows_of(
        source=table["srcip"],
        target=table["dstip"],
        source_port=table["srcport"],
        target_port=table["dstport"],
        protocol=np.char.upper(table["proto"].astype("U8")),
        packets=table["pkt"],
        total_bytes=table["byt"],
    )
    return _flows(
        "ugr16", flows, table["type"].astype("U"), "UGR16: 1,000 real flows, no more were to be had"
    )


def _flows(name: str, flows: NDArray[Any], kinds: NDArray[Any], note: str | None) -> DataSet:
    classes, codes = np.unique(kinds, return_inverse=True)
    return DataSet(name, flows, codes.astype(np.uint8), tuple(map(str, classes)), note)


def _features(name: str, prefix: str) -> Callable[[], DataSet]:
    def load() -> DataSet:
        with np.load(locate("regression_features")) as data:
            return DataSet(name, data[f"{prefix}_x"], data[f"{prefix}_y"].astype(np.float64), None)

    return load


def _parquet(name: str, columns: tuple[str, ...]) -> dict[str, NDArray[Any]]:
    from pyarrow import parquet

    table = parquet.read_table(locate(name), columns=list(columns))
    return {column: table.column(column).to_numpy() for column in columns}


SETS: Mapping[str, Callable[[], DataSet]] = {
    "mnist": _mnist,
    "emnist": _letters,
    "famnist": _fashion,
    "cifar10": _cifar10,
    "cifar100": _cifar100,
    "credit7": _credit7,
    "credit31": _credit31,
    "ton": _ton,
    "ugr16": _ugr16,
    "calih": _features("calih", "CaliH"),
    "kingh": _features("kingh", "KingH"),
    "census15": _features("census15", "Census15"),
    "census17": _features("census17", "Census17"),
}
"""short name -> how it is loaded."""
