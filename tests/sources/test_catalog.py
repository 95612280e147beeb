from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from karat.errors import SourceError
from karat.sources import catalog


@pytest.fixture
def known(monkeypatch, tmp_path):
    """A catalog of one small file, and an empty data folder."""
    content = b"x\n1\n"
    sha256 = hashlib.sha256(content).hexdigest()
    entry = catalog.DataFile("tiny.csv", "a test", "nowhere", len(content), sha256)
    monkeypatch.setattr(catalog, "FILES", (entry,))
    monkeypatch.setenv("KARAT_DATA", str(tmp_path / "data"))
    monkeypatch.delenv("KARAT_DATA_URL", raising=False)
    (tmp_path / "served").mkdir()
    (tmp_path / "served" / "tiny.csv").write_bytes(content)
    return tmp_path


def test_a_file_that_is_there_and_whole_is_found(known):
    folder = known / "data"
    folder.mkdir()
    (folder / "tiny.csv").write_bytes(b"x\n1\n")
    assert catalog.is_here("tiny")
    assert catalog.locate("tiny") == catalog.locate("tiny.csv") == folder / "tiny.csv"


def test_an_absent_file_is_named_with_the_setting_and_its_origin(known):
    assert not catalog.is_here("tiny")
    with pytest.raises(
        SourceError, match=r"tiny\.csv .*is not in .*data.*Set KARAT_DATA .* made from: nowhere"
    ):
        catalog.locate("tiny")


def test_a_changed_file_is_not_used(known):
    (known / "data").mkdir()
    (known / "data" / "tiny.csv").write_bytes(b"x\n2\n")
    with pytest.raises(SourceError, match="SHA-256 differs"):
        catalog.locate("tiny")


def test_an_absent_file_is_fetched_and_checked(known, monkeypatch):
    monkeypatch.setenv("KARAT_DATA_URL", (known / "served").as_uri())
    assert catalog.locate("tiny").read_bytes() == b"x\n1\n"


@pytest.mark.parametrize("served", [b"x\n2\n", b"x\n1\n" + b"9" * 10_000_000])
def test_what_is_fetched_wrong_leaves_nothing_behind(known, monkeypatch, served):
    (known / "served" / "tiny.csv").write_bytes(served)
    monkeypatch.setenv("KARAT_DATA_URL", (known / "served").as_uri())
    with pytest.raises(SourceError, match="another SHA-256"):
        catalog.locate("tiny")
    assert list((known / "data").iterdir()) == []


def test_an_address_that_does_not_answer_says_so(known, monkeypatch):
    monkeypatch.setenv("KARAT_DATA_URL", (known / "gone").as_uri())
    with pytest.raises(SourceError, match="could not be fetched"):
        catalog.locate("tiny")
    assert list((known / "data").iterdir()) == []


def test_unknown_names_meet_the_known_ones():
    with pytest.raises(SourceError, match=r"no data set 'imagenet'.*king_county_raw"):
        catalog.locate("imagenet")


def test_the_default_folder_is_the_user_s_cache(monkeypatch):
    monkeypatch.delenv("KARAT_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
    assert catalog.data_folder() == Path("/somewhere/karat/data")


def test_every_entry_has_a_name_a_size_and_a_checksum():
    assert len({file.name for file in catalog.FILES}) == len(catalog.FILES)
    for file in catalog.FILES:
        assert file.size > 0
        assert len(bytes.fromhex(file.sha256)) == 32


@pytest.mark.data
def test_the_data_folder_holds_what_the_catalog_says():
    for file in catalog.FILES:
        assert catalog.locate(file.name).stat().st_size == file.size
