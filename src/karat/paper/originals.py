"""Readers of the data sets in the form their makers publish.

Where the folder `originals` inside the data folder has these files, they are used in place of the subsets and
stand-ins of the catalog. No pickle is read: CIFAR comes in its binary version.
"""

from __future__ import annotations

import gzip
import math
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from karat.errors import SourceError
from karat.typing import Vector

Bytes = NDArray[np.uint8]

IDX_TYPES = {0x08: ">u1", 0x09: ">i1", 0x0B: ">i2", 0x0C: ">i4", 0x0D: ">f4", 0x0E: ">f8"}
"""The third byte of an IDX file -> numpy's name of the type."""

FLOW = np.dtype(
    [
        ("source", "U39"),
        ("target", "U39"),
        ("source_port", "<f8"),
        ("target_port", "<f8"),
        ("protocol", "U8"),
        ("packets", "<f8"),
        ("bytes", "<f8"),
    ]
)
"""A network flow as TON, UGR'16 and their stand-ins all have it."""


def read_idx(path: Path) -> NDArray[Any]:
    """The array of an IDX file (MNIST, Fashion-MNIST, EMNIST), plain or gzipped.

    Two zero bytes, the type, the number of dimensions, each dimension as a big-endian int32, the values.
    """
    data = _bytes_of(path)
    if len(data) < 4 or data[:2] != b"\0\0" or data[2] not in IDX_TYPES:
        raise SourceError(
            f"{path.name} is no IDX file: it begins with {data[:4]!r}.", hint="Download it again."
        )
    n_dimensions = data[3]
    shape = tuple(int(n) for n in np.frombuffer(data, ">i4", n_dimensions, 4))
    dtype = np.dtype(IDX_TYPES[data[2]])
    start = 4 + 4 * n_dimensions
    if len(data) - start != math.prod(shape) * dtype.itemsize:
        raise SourceError(
            f"{path.name} promises {' x '.join(map(str, shape))} values and has {len(data) - start} bytes.",
            hint="The file is cut short: download it again.",
        )
    values = np.frombuffer(data, dtype, offset=start).reshape(shape)
    return values.astype(dtype.newbyteorder("="))


def read_images(
    images: Path, labels: Path, *, transposed: bool = False, first: int = 0
) -> tuple[Bytes, Bytes]:
    """Images (m, height * width) and their labels, counted from 0.

    transposed: EMNIST stores its images with rows and columns exchanged; first: the smallest label, which is
    1 in EMNIST letters.
    """
    stack, codes = read_idx(images), read_idx(labels)
    if stack.ndim != 3 or codes.shape != (len(stack),):
        raise SourceError(
            f"{images.name} has shape {stack.shape}, {labels.name} {codes.shape}.",
            hint="Give the image file and the label file of the same part.",
        )
    if transposed:
        stack = stack.transpose(0, 2, 1)
    return np.ascontiguousarray(stack).reshape(len(stack), -1).astype(np.uint8), (codes - first).astype(
        np.uint8
    )


def read_cifar_binary(path: Path, *, fine: bool = False) -> tuple[Bytes, Bytes]:
    """Images (m, 3072), channels of a pixel side by side, and labels, from CIFAR's binary version.

    A record is one label byte (CIFAR-10) or a coarse and a fine one (CIFAR-100), then the three channels.
    """
    head = 2 if fine else 1
    data = np.frombuffer(_bytes_of(path), np.uint8)
    if len(data) == 0 or len(data) % (head + 3072):
        raise SourceError(
            f"{path.name} has {len(data)} bytes, no multiple of {head + 3072}.",
            hint="Use the binary version: data_batch_1.bin to test_batch.bin, or train.bin of CIFAR-100.",
        )
    records = data.reshape(-1, head + 3072)
    images = records[:, head:].reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1)
    return np.ascontiguousarray(images).reshape(len(images), -1), records[:, head - 1].copy()


def read_ton_iot(path: Path) -> tuple[NDArray[Any], NDArray[Any]]:
    """Flows and attack types of TON_IoT's Train_Test_Network.csv; packets and bytes of both directions."""
    table = csv_columns(
        path,
        (
            "src_ip",
            "dst_ip",
            "src_port",
            "dst_port",
            "proto",
            "src_pkts",
            "dst_pkts",
            "src_bytes",
            "dst_bytes",
            "type",
        ),
    )
    flows = flows_of(
        source=table["src_ip"],
        target=table["dst_ip"],
        source_port=table["src_port"],
        target_port=table["dst_port"],
        protocol=np.char.upper(table["proto"].astype("U8")),
        packets=_number(table["src_pkts"]) + _number(table["dst_pkts"]),
        total_bytes=_number(table["src_bytes"]) + _number(table["dst_bytes"]),
    )
    return flows, table["type"].astype("U")


UGR16_COLUMNS = ("te", "td", "sa", "da", "sp", "dp", "pr", "flg", "fwd", "stos", "pkt", "byt", "label")
"""UGR'16 files have no header."""


def read_ugr16(path: Path) -> tuple[NDArray[Any], NDArray[Any]]:
    """Flows and labels of a UGR'16 week, as published: no header, 13 columns."""
    table = csv_columns(path, UGR16_COLUMNS, header=False)
    flows = flows_of(
        source=table["sa"],
        target=table["da"],
        source_port=table["sp"],
        target_port=table["dp"],
        protocol=np.char.upper(table["pr"].astype("U8")),
        packets=table["pkt"],
        total_bytes=table["byt"],
    )
    return flows, table["label"].astype("U")


def read_creditcard(path: Path) -> tuple[Vector, NDArray[Any]]:
    """The 30 features (Time, V1..V28, Amount) and fraud labels of creditcard.csv."""
    names = ("Time", *(f"V{i}" for i in range(1, 29)), "Amount")
    table = csv_columns(path, (*names, "Class"))
    return np.column_stack([_number(table[name]) for name in names]), _number(table["Class"]).astype(np.uint8)


CARD_COLUMNS = (
    "distance_from_home",
    "distance_from_last_transaction",
    "ratio_to_median_purchase_price",
    "repeat_retailer",
    "used_chip",
    "used_pin_number",
    "online_order",
)


def read_card_transdata(path: Path) -> tuple[Vector, NDArray[Any]]:
    """The seven features and fraud labels of card_transdata.csv."""
    table = csv_columns(path, (*CARD_COLUMNS, "fraud"))
    rows = np.column_stack([_number(table[name]) for name in CARD_COLUMNS])
    return rows, _number(table["fraud"]).astype(np.uint8)


def flows_of(
    *,
    source: NDArray[Any],
    target: NDArray[Any],
    source_port: NDArray[Any],
    target_port: NDArray[Any],
    protocol: NDArray[Any],
    packets: NDArray[Any],
    total_bytes: NDArray[Any],
) -> NDArray[Any]:
    """Columns as one array of flows."""
    flows = np.zeros(len(source), dtype=FLOW)
    flows["source"], flows["target"], flows["protocol"] = source, target, protocol
    flows["source_port"], flows["target_port"] = _number(source_port), _number(target_port)
    flows["packets"], flows["bytes"] = _number(packets), _number(total_bytes)
    return flows


def csv_columns(path: Path, columns: tuple[str, ...], *, header: bool = True) -> dict[str, NDArray[Any]]:
    """These columns of a CSV file; without a header they are all of its columns, in order."""
    import pyarrow as pa
    from pyarrow import csv

    reading = csv.ReadOptions() if header else csv.ReadOptions(column_names=list(columns))
    try:
        table = csv.read_csv(path, read_options=reading)
        return {name: table.column(name).to_numpy() for name in columns}
    except KeyError as lacking:
        raise SourceError(
            f"{path.name} has no column {lacking.args[0]!r}.", hint=f"It needs {', '.join(columns)}."
        ) from lacking
    except (pa.ArrowInvalid, OSError) as problem:
        raise SourceError(
            f"{path.name} cannot be read: {str(problem)[:200].rstrip('.')}.", hint="Download it again."
        ) from problem


def _number(values: NDArray[Any]) -> Vector:
    """Numbers as float64; what is no number ("-") is 0."""
    if values.dtype.kind in "biuf":
        return np.nan_to_num(values.astype(np.float64))
    return np.array([_number_or_zero(str(value)) for value in values])


def _number_or_zero(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0


def _bytes_of(path: Path) -> bytes:
    try:
        data = path.read_bytes()
        return gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
    except (OSError, EOFError) as problem:
        raise SourceError(f"{path.name} cannot be read: {problem}.", hint="Download it again.") from problem
