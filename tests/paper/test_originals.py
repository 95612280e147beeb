from __future__ import annotations

import gzip
import struct

import numpy as np
import pytest

from karat.errors import SourceError
from karat.paper import originals
from karat.paper.sets import data_set


def idx(values):
    """An IDX file of unsigned bytes."""
    head = bytes([0, 0, 8, values.ndim]) + struct.pack(f">{values.ndim}I", *values.shape)
    return head + values.astype(np.uint8).tobytes()


@pytest.fixture
def images():
    return np.arange(2 * 3 * 3, dtype=np.uint8).reshape(2, 3, 3)


def test_idx_files_are_read_plain_and_gzipped(tmp_path, images):
    (tmp_path / "plain").write_bytes(idx(images))
    (tmp_path / "zipped.gz").write_bytes(gzip.compress(idx(images)))
    for name in ("plain", "zipped.gz"):
        np.testing.assert_array_equal(originals.read_idx(tmp_path / name), images)


def test_emnist_images_are_turned_upright_and_labels_begin_at_0(tmp_path, images):
    (tmp_path / "images").write_bytes(idx(images))
    (tmp_path / "labels").write_bytes(idx(np.array([1, 26])))
    rows, labels = originals.read_images(tmp_path / "images", tmp_path / "labels", transposed=True, first=1)
    np.testing.assert_array_equal(rows[0].reshape(3, 3), images[0].T)
    assert labels.tolist() == [0, 25]


@pytest.mark.parametrize("content", [b"", b"\x89PNG....", idx(np.zeros((2, 2)))[:-1], b"\x1f\x8b broken"])
def test_what_is_no_idx_file_is_refused(tmp_path, content):
    (tmp_path / "bad").write_bytes(content)
    with pytest.raises(SourceError, match="bad"):
        originals.read_idx(tmp_path / "bad")


def test_image_and_label_files_must_belong_together(tmp_path, images):
    (tmp_path / "images").write_bytes(idx(images))
    (tmp_path / "labels").write_bytes(idx(np.array([1, 2, 3])))
    with pytest.raises(SourceError, match="same part"):
        originals.read_images(tmp_path / "images", tmp_path / "labels")


@pytest.mark.parametrize("fine", [False, True])
def test_cifar_records_become_images_with_the_channels_of_a_pixel_side_by_side(tmp_path, fine):
    planes = np.arange(3072, dtype=np.int64).reshape(3, 32, 32) % 251
    record = bytes([4, 7] if fine else [7]) + planes.astype(np.uint8).tobytes()
    (tmp_path / "batch.bin").write_bytes(record * 2)
    rows, labels = originals.read_cifar_binary(tmp_path / "batch.bin", fine=fine)
    np.testing.assert_array_equal(rows[1].reshape(32, 32, 3), planes.transpose(1, 2, 0))
    assert labels.tolist() == [7, 7]
    (tmp_path / "batch.bin").write_bytes(record[:-1])
    with pytest.raises(SourceError, match="binary version"):
        originals.read_cifar_binary(tmp_path / "batch.bin", fine=fine)


def test_ton_iot_flows_add_up_both_directions(tmp_path):
    (tmp_path / "ton.csv").write_text(
        "src_ip,src_port,dst_ip,dst_port,proto,src_bytes,dst_bytes,src_pkts,dst_pkts,label,type\n"
        "10.0.0.1,1000,10.0.0.2,80,tcp,100,-,3,4,1,ddos\n"
        "10.0.0.3,53,10.0.0.2,0x35,udp,7,8,1,1,0,normal\n"
    )
    flows, kinds = originals.read_ton_iot(tmp_path / "ton.csv")
    assert flows["bytes"].tolist() == [100.0, 15.0]
    assert flows["packets"].tolist() == [7.0, 2.0]
    assert flows["protocol"].tolist() == ["TCP", "UDP"]
    assert flows["target_port"].tolist() == [80.0, 53.0]
    assert kinds.tolist() == ["ddos", "normal"]


def test_ugr16_is_read_without_a_header(tmp_path):
    line = "2016-03-18 10:47:52,1.5,1.2.3.4,5.6.7.8,53,4000,UDP,.A....,0,0,2,120,background\n"
    (tmp_path / "week.csv").write_text(line * 2)
    flows, kinds = originals.read_ugr16(tmp_path / "week.csv")
    assert (flows["source"][0], flows["bytes"][1], kinds[0]) == ("1.2.3.4", 120.0, "background")


def test_card_files_are_read_by_column_name(tmp_path):
    names = [*originals.CARD_COLUMNS, "fraud"]
    (tmp_path / "card_transdata.csv").write_text(",".join(names[::-1]) + "\n1.0,8,7,6,5,4,3,2\n")
    rows, labels = originals.read_card_transdata(tmp_path / "card_transdata.csv")
    assert rows.tolist() == [[2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]]
    assert labels.tolist() == [1]
    names = ["Time", *(f"V{i}" for i in range(1, 29)), "Amount", "Class"]
    (tmp_path / "creditcard.csv").write_text(",".join(names) + "\n" + ",".join(map(str, range(30))) + ",1\n")
    rows, labels = originals.read_creditcard(tmp_path / "creditcard.csv")
    assert rows[0].tolist() == list(map(float, range(30)))
    assert labels.tolist() == [1]


def test_a_lacking_column_is_named(tmp_path):
    (tmp_path / "card.csv").write_text("fraud\n1\n")
    with pytest.raises(SourceError, match="distance_from_home"):
        originals.read_card_transdata(tmp_path / "card.csv")


def test_originals_take_the_place_of_stand_ins(tmp_path, monkeypatch, images):
    monkeypatch.setenv("KARAT_DATA", str(tmp_path))
    folder = tmp_path / "originals"
    folder.mkdir()
    big = np.zeros((4, 28, 28), dtype=np.uint8)
    (folder / "emnist-letters-train-images-idx3-ubyte.gz").write_bytes(gzip.compress(idx(big)))
    (folder / "emnist-letters-train-labels-idx1-ubyte.gz").write_bytes(gzip.compress(idx(np.arange(1, 5))))
    found = data_set("emnist")
    assert found.stands_in is None
    assert found.rows.shape == (4, 784)
