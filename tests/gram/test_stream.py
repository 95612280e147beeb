"""Rows in chunks: the same pieces, draws and bits however they arrive, and after a kill."""

from __future__ import annotations

import numpy as np
import pytest

from karat.errors import AppraisalError, MarketError
from karat.gram.checkpoint import Checkpoint, checked_place, fingerprint
from karat.gram.stream import FromArrayFile, FromReader, InMemory, draw_rows, pieces
from karat.gram.workers import in_order
from karat.sources.draws import mixed


def chunked(rows, *cuts):
    return FromReader(lambda: iter(np.split(rows, cuts)))


@pytest.fixture
def rows():
    return np.random.default_rng(0).normal(size=(5000, 3))


@pytest.mark.parametrize("cuts", [(), (1,), (1024, 2048), (7, 8, 9, 4000), (0, 0, 4999)])
def test_pieces_do_not_depend_on_the_chunks(rows, cuts):
    found = list(pieces(chunked(rows, *cuts), 1000))
    assert [len(piece) for piece in found] == [1000] * 5
    np.testing.assert_array_equal(np.concatenate(found), rows)


@pytest.mark.parametrize("cuts", [(), (1,), (999, 1001, 1024)])
def test_draws_do_not_depend_on_the_chunks_nor_on_whether_rows_are_in_memory(rows, cuts):
    known = draw_rows(InMemory(rows), (40, 0, 700), seed=3, with_mean=True)
    found = draw_rows(chunked(rows, *cuts), (40, 0, 700), seed=3, with_mean=True)
    assert found.size == known.size == 5000
    np.testing.assert_allclose(found.mean, rows.mean(axis=0), rtol=1e-12)
    for one, other in zip(found.draws, known.draws, strict=True):
        np.testing.assert_array_equal(one.reshape(-1, 3), other)


def test_draws_are_without_replacement_and_all_rows_where_there_are_few(rows):
    few = rows[:30]
    (drawn,) = draw_rows(chunked(few, 4), (100,), seed=0).draws
    assert len(drawn) == 30
    np.testing.assert_array_equal(np.sort(drawn, axis=0), np.sort(few, axis=0))


def test_every_row_is_drawn_equally_often_and_draws_are_independent():
    places = np.arange(50.0)[:, None]
    first, both = np.zeros(50), 0
    for seed in range(2000):
        one, other = draw_rows(InMemory(places), (10, 10), seed=seed).draws
        first[one[:, 0].astype(int)] += 1
        both += len(np.intersect1d(one, other))
    assert np.abs(first - 400.0).max() < 4.5 * np.sqrt(400.0 * 0.8)
    assert both / 2000 == pytest.approx(2.0, abs=0.12)


def test_a_source_without_rows_is_refused():
    with pytest.raises(MarketError, match="no rows"):
        draw_rows(chunked(np.zeros((0, 2))), (3,), seed=0)


def test_an_array_file_is_read_in_chunks_and_encoded(tmp_path):
    path = tmp_path / "rows.npy"
    np.save(path, np.arange(20, dtype=np.uint8).reshape(10, 2))
    stream = FromArrayFile(path, encode=lambda part: part / 255.0, chunk_rows=4)
    assert [len(chunk) for chunk in stream.chunks()] == [4, 4, 2]
    np.testing.assert_allclose(np.concatenate(list(stream.chunks())), np.arange(20).reshape(10, 2) / 255.0)


def test_results_come_in_the_order_of_the_work_for_any_number_of_workers():
    for workers in (1, 2, 5):
        assert list(in_order(lambda x: -x, range(50), workers)) == [-x for x in range(50)]


def test_an_error_in_a_worker_reaches_the_caller():
    with pytest.raises(ZeroDivisionError):
        list(in_order(lambda x: 1 // x, [1, 1, 0, 1], 2))


def test_a_checkpoint_gives_back_what_was_saved_bit_for_bit(tmp_path):
    key = fingerprint("rows", 3, np.arange(4.0))
    checkpoint = Checkpoint(tmp_path / "partial", key)
    assert checkpoint.load() is None
    state = {"sums": np.random.default_rng(1).normal(size=(3, 2)), "done": np.array(7)}
    checkpoint.save(state)
    again = Checkpoint(tmp_path / "partial", key).load()
    np.testing.assert_array_equal(again["sums"], state["sums"])
    assert int(again["done"]) == 7
    assert [path.name for path in tmp_path.iterdir()] == ["partial"]
    checkpoint.remove()
    assert not list(tmp_path.iterdir())


def test_a_checkpoint_of_another_computation_or_a_broken_one_is_refused(tmp_path):
    path = tmp_path / "partial"
    Checkpoint(path, "one").save({"done": np.array(1)})
    with pytest.raises(AppraisalError, match=r"'partial' is of other rows.*another file"):
        Checkpoint(path, "two").load()
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(AppraisalError, match=r"partial' cannot be read: damaged.*another file"):
        Checkpoint(path, "one").load()


@pytest.mark.parametrize("content", [b"", b"a,b\n1,2\n", b"\x93NUMPY"])
def test_a_file_that_is_no_checkpoint_is_left_as_it_is(tmp_path, content):
    path = tmp_path / "mine.csv"
    path.write_bytes(content)
    with pytest.raises(AppraisalError, match=r"damaged, or no checkpoint\. Name another file"):
        Checkpoint(path, "one").load()
    assert path.read_bytes() == content


def test_an_array_is_no_checkpoint(tmp_path):
    np.save(tmp_path / "rows.npy", np.ones(3))
    with pytest.raises(AppraisalError, match="damaged, or no checkpoint"):
        Checkpoint(tmp_path / "rows.npy", "one").load()


def test_without_a_path_nothing_is_kept():
    checkpoint = Checkpoint(None, "key")
    checkpoint.save_now_and_then(lambda: pytest.fail("nothing to save"))
    assert checkpoint.load() is None
    checkpoint.remove()


def test_equal_numbers_have_equal_fingerprints_and_others_do_not():
    ones = np.ones((2, 3))
    assert fingerprint(ones) == fingerprint(np.ones((2, 3)))
    assert len({fingerprint(ones), fingerprint(ones.T), fingerprint(ones, 1), fingerprint(0 * ones)}) == 4


def test_the_hash_of_places_is_the_published_one():
    """Splitmix64 from the seed 0."""
    state = np.array([0], dtype=np.uint64)
    assert int(mixed(state)[0]) == 0xE220A8397B1DCDAF


def test_where_no_checkpoint_can_stand_is_said_at_once(tmp_path):
    assert checked_place(None) is None
    assert checked_place(tmp_path / "partial") == tmp_path / "partial"
    for place in (tmp_path, tmp_path / "absent" / "partial"):
        with pytest.raises(AppraisalError, match=r"is a folder|is in a folder that is not there"):
            checked_place(place)


def test_a_checkpoint_that_cannot_be_written_is_named_and_the_last_one_stays(tmp_path, monkeypatch):
    checkpoint = Checkpoint(tmp_path / "partial", "one")
    checkpoint.save({"done": np.array(1)})

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("karat.gram.checkpoint.np.savez", full)
    with pytest.raises(AppraisalError, match=r"partial' cannot be written: No space left on device"):
        checkpoint.save({"done": np.array(2)})
    assert [path.name for path in tmp_path.iterdir()] == ["partial"]
    assert checkpoint.load()["done"] == 1
