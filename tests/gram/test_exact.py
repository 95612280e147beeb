"""The engine against slow sums over whole kernel matrices, and the ways of cutting the work."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from karat.errors import AppraisalError, IncompleteSumsError, KernelError
from karat.gram import kernel_sums, moments_from_sums, panels, room, tasks
from karat.gram.checkpoint import Checkpoint
from karat.gram.panels import HEIGHT, Shelf
from karat.kernels import (
    Energy,
    Gaussian,
    GaussianMean,
    GaussianSum,
    Kernel,
    Laplace,
    Linear,
    OnColumns,
    Polynomial,
    Product,
    RationalQuadratic,
    Sum,
)


class Overlap(Kernel):
    """A buyer's own: in how many columns two rows agree; integers and column-major, to be awkward."""

    name, bound = "overlap", 4.0

    def block(self, a, b):
        return np.asfortranarray((a[:, None, :].round() == b[None, :, :].round()).sum(axis=2))

    def diagonal(self, a):
        return np.full(len(a), a.shape[1])


KERNELS = [
    Gaussian(1.3),
    GaussianMean([0.7, 1.4, 2.8]),
    GaussianSum([1.0, 2.0, 5.0, 10.0]),
    GaussianMean([1.0, 1.7]),
    Laplace(2.0),
    RationalQuadratic(1.5),
    RationalQuadratic(1.5, 0.4),
    Energy(),
    Linear(),
    Polynomial(2),
    Polynomial(3),
    Sum([Gaussian(1.0), OnColumns(Laplace(0.5), 0, 2)]),
    Product([OnColumns(Gaussian(1.0), 0, 1), OnColumns(Linear(), 1, 4)]),
    Overlap(),
]

SIZES = (11, 1, 26, 4, 19)


@pytest.fixture
def sources():
    rng = np.random.default_rng(0)
    return [rng.normal(0.3 * j, 1.0 + 0.2 * j, size=(m, 4)) for j, m in enumerate(SIZES)]


@pytest.fixture
def small_tiles(monkeypatch):
    """Strips of two panels in runs of three: many tasks, ragged ends, and sources that share strips."""
    monkeypatch.setattr(tasks, "STRIP", 2)
    monkeypatch.setattr(tasks, "RUN", 3)


def slow_sums(sources, kernel):
    """Row sums and sums of squares from the whole kernel matrix, and what they are relative to."""
    shift = sources[-1].mean(axis=0) if kernel.is_shift_invariant else 0.0
    rows = np.concatenate(sources) - shift
    whole = kernel.block(rows, rows).astype(np.float64)
    np.fill_diagonal(whole, 0.0)
    starts = np.cumsum([0, *map(len, sources)])[:-1]

    def over_sources(values):
        return np.add.reduceat(values, starts, axis=1)

    squares = np.add.reduceat(over_sources(whole**2), starts, axis=0)
    return over_sources(whole), squares, over_sources(np.abs(whole)), kernel.diagonal(rows)


def assert_same(one, other):
    """Bit by bit."""
    for a, b in zip(one.row_sums, other.row_sums, strict=True):
        np.testing.assert_array_equal(a, b)
    np.testing.assert_array_equal(one.squares, other.squares)
    np.testing.assert_array_equal(one.seen, other.seen)
    np.testing.assert_array_equal(one.self_sums, other.self_sums)


def assert_close(one, other, rtol=1e-12):
    for a, b in zip(one.row_sums, other.row_sums, strict=True):
        np.testing.assert_allclose(a, b, rtol=rtol, atol=1e-12)
    np.testing.assert_allclose(one.squares, other.squares, rtol=rtol)
    np.testing.assert_array_equal(one.seen, other.seen)
    np.testing.assert_allclose(one.self_sums, other.self_sums, rtol=rtol)


@pytest.mark.usefixtures("small_tiles")
@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
@pytest.mark.parametrize(("precision", "rtol"), [("float64", 1e-10), ("float32", 2e-6)])
def test_sums_are_those_of_a_slow_loop(sources, kernel, precision, rtol):
    sums = kernel_sums(sources, kernel, precision=precision)
    row_sums, squares, sizes, diagonal = slow_sums(sources, kernel)
    error = np.abs(np.concatenate(sums.row_sums) - row_sums)
    assert (error <= rtol * np.maximum(sizes, sizes.mean())).all()
    np.testing.assert_allclose(sums.squares, squares, rtol=rtol)
    starts = np.cumsum([0, *SIZES])[:-1]
    np.testing.assert_allclose(sums.self_sums, np.add.reduceat(diagonal, starts), rtol=1e-12)
    np.testing.assert_array_equal(sums.seen, np.outer(SIZES, SIZES) - np.diag(SIZES))


def test_sums_over_full_tiles_are_those_of_a_slow_loop():
    rng = np.random.default_rng(1)
    sources = [rng.normal(0.2 * j, 1.0, size=(m, 5)) for j, m in enumerate((1500, 300, 400))]
    kernel = GaussianMean([1.0, 2.0, 4.0])
    sums = kernel_sums(sources, kernel)
    row_sums, squares, _, _ = slow_sums(sources, kernel)
    np.testing.assert_allclose(np.concatenate(sums.row_sums), row_sums, rtol=2e-6)
    np.testing.assert_allclose(sums.squares, squares, rtol=2e-6)


@given(sizes=st.lists(st.integers(1, 50), min_size=1, max_size=12))
def test_a_shelf_holds_every_row_once_and_never_mixes_sources_in_a_panel(sizes):
    shelf = Shelf.of(sizes)
    assert all(shelf.rows_of(j).stop - shelf.rows_of(j).start == size for j, size in enumerate(sizes))
    owners = np.full(HEIGHT * len(shelf), -1)
    for j in range(len(sizes)):
        assert (owners[shelf.rows_of(j)] == -1).all()
        owners[shelf.rows_of(j)] = j
    for panel, owner in enumerate(shelf.owners):
        rows = owners[shelf.rows(panel, panel + 1)]
        assert set(rows.tolist()) <= {owner, -1}
        assert (rows == owner).sum() == shelf.filled[panel] >= 1
        assert (rows[: shelf.filled[panel]] == owner).all()


@given(
    sizes=st.lists(st.integers(1, 60), min_size=1, max_size=8),
    known=st.integers(0, 8),
    strip=st.integers(1, 10),
    run=st.integers(1, 4),
)
def test_tasks_meet_every_pair_of_panels_with_a_new_source_exactly_once(sizes, known, strip, run):
    known, shelf = min(known, len(sizes)), Shelf.of(sizes)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tasks, "RUN", run)
        patch.setattr(tasks, "FLUSH", 1)
        patch.setattr(tasks, "STRIP", strip)
        work = tasks.cut_into_tasks(shelf, known=known)
    met = np.zeros((len(shelf), len(shelf)), dtype=int)
    for task in work:
        assert 1 <= task.x_stop - task.x_start <= strip
        assert 1 <= task.y_stop - task.y_start <= run
        assert set(shelf.owners[task.x_start : task.x_stop]) <= set(range(len(sizes))[task.x_sources])
        assert set(shelf.owners[task.y_start : task.y_stop]) <= set(range(len(sizes))[task.y_sources])
        for p in range(task.x_start, task.x_stop):
            partners = np.arange(max(task.y_start, p), task.y_stop)
            met[p, partners] += 1
            met[partners[partners != p], p] += 1
    old = shelf.owners < known
    np.testing.assert_array_equal(met, ~np.logical_and.outer(old, old))


@pytest.mark.parametrize("kernel", [GaussianMean([1.0, 2.0]), Laplace(1.0), Polynomial(2)], ids=repr)
@pytest.mark.parametrize("strip", [1, 2, 5, 64])
def test_the_size_of_strips_only_moves_rounding(sources, kernel, strip, monkeypatch):
    whole = kernel_sums(sources, kernel, precision="float64")
    monkeypatch.setattr(tasks, "STRIP", strip)
    assert_close(kernel_sums(sources, kernel, precision="float64"), whole)


@pytest.mark.usefixtures("small_tiles")
@pytest.mark.parametrize("kernel", [Gaussian(1.0), Laplace(1.0), Overlap()], ids=repr)
def test_the_number_of_workers_never_changes_a_bit(sources, kernel):
    one = kernel_sums(sources, kernel, workers=1)
    for workers in (2, 4):
        assert_same(kernel_sums(sources, kernel, workers=workers), one)


@pytest.mark.usefixtures("small_tiles")
def test_the_size_of_chunks_never_changes_a_bit(sources, monkeypatch):
    whole = kernel_sums(sources, Energy())
    monkeypatch.setattr(panels, "CHUNK_BYTES", 100)
    chunked = kernel_sums(sources, Energy())
    np.testing.assert_allclose(chunked.self_sums, whole.self_sums, rtol=1e-15)
    for a, b in zip(chunked.row_sums, whole.row_sums, strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.usefixtures("small_tiles")
def test_equal_sources_have_equal_sums_to_the_last_bit(sources):
    """Wherever they stand on one side of a third."""
    twin = sources[2]
    sums = kernel_sums([twin, *sources[:2], twin, sources[3]], GaussianMean([1.0, 2.0]))
    np.testing.assert_array_equal(sums.row_sums[4][:, 0], sums.row_sums[4][:, 3])
    np.testing.assert_array_equal(sums.row_sums[0][:, 4], sums.row_sums[3][:, 4])
    np.testing.assert_array_equal(sums.row_sums[0][:, 0], sums.row_sums[3][:, 3])


def test_rows_that_arrive_in_pieces_sum_like_rows_at_once(sources):
    pieces = [np.concatenate(np.array_split(rows, 3)) for rows in sources]
    assert_same(kernel_sums(pieces, Gaussian(1.0)), kernel_sums(sources, Gaussian(1.0)))


def test_float32_and_column_major_rows_are_taken_as_they_are(sources):
    rounded = [rows.astype(np.float32) for rows in sources]
    expected = kernel_sums([rows.astype(np.float64) for rows in rounded], Gaussian(1.0), precision="float64")
    assert_close(kernel_sums(rounded, Gaussian(1.0), precision="float64"), expected, rtol=1e-6)
    awkward = [np.asfortranarray(rows) for rows in sources]
    assert_close(kernel_sums(awkward, Gaussian(1.0)), kernel_sums(sources, Gaussian(1.0)), rtol=1e-6)


@pytest.mark.usefixtures("small_tiles")
@pytest.mark.parametrize("of", [1, 2, 3, 1000])
def test_parts_of_the_work_add_up_to_the_whole(sources, of):
    kernel = GaussianMean([1.0, 3.0])
    parts = [kernel_sums(sources, kernel, share=(k, of), precision="float64") for k in range(min(of, 60))]
    assert_close(sum(parts[1:], parts[0]), kernel_sums(sources, kernel, precision="float64"))


@pytest.mark.usefixtures("small_tiles")
@pytest.mark.parametrize("kernel", [Gaussian(1.0), Energy(), Linear(), Polynomial(2), Laplace(1.0)], ids=repr)
@pytest.mark.parametrize("old", [1, 3, 4])
def test_adding_vendors_to_known_sums_is_starting_over(sources, kernel, old):
    """The centre of the known sums is kept: energy and linear kernels would not add up around another."""
    known = kernel_sums(sources[:old], kernel, precision="float64")
    added = kernel_sums(sources, kernel, known=known, precision="float64")
    from_scratch = kernel_sums(sources, kernel, centre=known.centre, precision="float64")
    assert_close(added, from_scratch)
    parts = [kernel_sums(sources, kernel, known=known, share=(k, 3), precision="float64") for k in range(3)]
    assert_close(parts[0] + parts[1] + parts[2], from_scratch)


@pytest.mark.usefixtures("small_tiles")
def test_adding_a_vendor_computes_its_own_pairs_only(sources):
    seen = []

    class Counting(Overlap):
        def block(self, a, b):
            seen.append(len(a) * len(b))
            return super().block(a, b)

    known = kernel_sums(sources[:-1], Counting(), workers=1)
    seen.clear()
    kernel_sums(sources, Counting(), known=known, workers=1)
    new, old = SIZES[-1], sum(SIZES[:-1])
    assert HEIGHT < new < 2 * HEIGHT  # one strip of two panels
    assert sum(seen) == new * old + new * new


def test_a_vendor_can_be_added_before_the_anchor(sources):
    """The anchor is known, so it comes first in the sums; reordering puts it last again."""
    kernel = Gaussian(1.0)
    *vendors, new, anchor = sources
    centre = anchor.mean(axis=0)
    known = kernel_sums([*vendors, anchor], kernel, centre=centre)
    added = kernel_sums([*vendors, anchor, new], kernel, known=known)
    expected = kernel_sums([*vendors, new, anchor], kernel, centre=centre)
    assert_close(added.of_sources([0, 1, 2, 4, 3]), expected, rtol=1e-6)


def test_known_sums_of_other_rows_are_refused(sources):
    known = kernel_sums(sources[:2], Gaussian(1.0))
    with pytest.raises(
        IncompleteSumsError, match=r"known sums are over 11, 1 rows, .* 1, 26, 4, 19.*append new"
    ):
        kernel_sums(sources[1:], Gaussian(1.0), known=known)
    with pytest.raises(IncompleteSumsError, match="different centres"):
        kernel_sums(sources, Gaussian(1.0), known=known, centre=np.zeros(4))


@pytest.mark.usefixtures("small_tiles")
def test_moments_refuse_sums_that_miss_pairs_or_count_them_twice(sources):
    kernel, names = Gaussian(1.0), list("abcde")
    half = kernel_sums(sources, kernel, share=(0, 2))
    with pytest.raises(IncompleteSumsError, match=r"pairs of rows of '.' and '.', .* were seen.*each once"):
        moments_from_sums(half, names=names, kernel=kernel, anchor=None)
    whole = kernel_sums(sources, kernel)
    with pytest.raises(IncompleteSumsError, match=r"of 110 pairs of rows of 'a' and 'a', 220 were seen"):
        moments_from_sums(whole + whole, names=names, kernel=kernel, anchor=None)


@pytest.mark.usefixtures("small_tiles")
def test_progress_rises_to_the_total(sources):
    calls = []
    kernel_sums(sources, Gaussian(1.0), progress=lambda done, total: calls.append((done, total)))
    done, totals = zip(*calls, strict=True)
    assert len(calls) > 3
    assert list(done) == sorted(set(done))
    assert done[-1] == totals[0] == totals[-1]


class Killed(Exception):  # noqa: N818
    """As if the process had been stopped."""


@pytest.mark.usefixtures("small_tiles")
@pytest.mark.parametrize("share", [(0, 1), (1, 2)])
def test_a_run_that_was_killed_goes_on_where_it_stopped(sources, share, tmp_path, monkeypatch):
    whole, path, calls = kernel_sums(sources, Gaussian(1.0), share=share), tmp_path / "partial", []
    monkeypatch.setattr(Checkpoint, "save_now_and_then", lambda self, state: self.save(state()))

    def stop_soon(done, total):
        calls.append(done)
        if len(calls) == 2:
            raise Killed

    with pytest.raises(Killed):
        kernel_sums(sources, Gaussian(1.0), share=share, progress=stop_soon, checkpoint=path)
    again = []
    found = kernel_sums(
        sources, Gaussian(1.0), share=share, progress=lambda done, _: again.append(done), checkpoint=path
    )
    assert_same(found, whole)
    assert min(again) > max(calls)
    assert not path.exists()


def test_a_checkpoint_of_other_rows_is_refused(sources, tmp_path, monkeypatch):
    path = tmp_path / "partial"
    monkeypatch.setattr(Checkpoint, "save_now_and_then", lambda self, state: self.save(state()))
    monkeypatch.setattr(Checkpoint, "remove", lambda self: None)
    kernel_sums(sources, Gaussian(1.0), checkpoint=path)
    with pytest.raises(AppraisalError, match="other rows, another kernel"):
        kernel_sums([rows + 1.0 for rows in sources], Gaussian(1.0), checkpoint=path)
    with pytest.raises(AppraisalError, match="other rows, another kernel"):
        kernel_sums(sources, Gaussian(2.0), checkpoint=path)


def test_row_sums_beyond_the_budget_live_in_a_file_and_are_the_same(sources, monkeypatch):
    whole = kernel_sums(sources, Gaussian(1.0))
    monkeypatch.setattr(room, "MOST_BYTES", 100)
    found = kernel_sums(sources, Gaussian(1.0))
    assert_same(found, whole)
    assert all(isinstance(rows.base, np.memmap) or isinstance(rows, np.memmap) for rows in found.row_sums)


def test_sources_are_left_untouched(sources):
    before = [rows.copy() for rows in sources]
    for rows in sources:
        rows.flags.writeable = False
    for kernel in KERNELS:
        kernel_sums(sources, kernel)
    for rows, old in zip(sources, before, strict=True):
        np.testing.assert_array_equal(rows, old)


@pytest.mark.parametrize("precision", ["float32", "float64"])
@pytest.mark.parametrize(
    "kernel", [GaussianMean([1.0, 2.0, 4.0]), RationalQuadratic(1.0), Laplace(1.5)], ids=repr
)
@pytest.mark.parametrize("distance", [1e2, 1e4, 1e9])
def test_a_vendor_in_other_units_keeps_its_own_inner_products(distance, kernel, precision):
    """Far from the centre a float32 tile would round every exponent within the vendor away."""
    rng = np.random.default_rng(2)
    rows = np.round(rng.normal(size=(3, 60, 2)) * 64.0) / 64.0  # exact beside 1e9
    sources = [rows[0], rows[1] + distance, rows[2]]
    sums = kernel_sums(sources, kernel, precision=precision)
    own = kernel.block(rows[1], rows[1]).sum(axis=1) - 1.0
    np.testing.assert_allclose(sums.row_sums[1][:, 1], own, rtol=2e-6)
    near = kernel.block(rows[0], rows[2]).sum(axis=1)
    np.testing.assert_allclose(sums.row_sums[0][:, 2], near, rtol=2e-6)


@pytest.mark.parametrize("kernel", [Gaussian(1.0), Energy(), Linear(), Laplace(1.0)], ids=repr)
def test_rows_too_large_for_float32_are_refused_with_a_remedy(kernel):
    sources = [np.array([[0.0], [1e25]]), np.array([[0.0], [1.0]])]
    with pytest.raises(KernelError, match=r"too large for float32 sums.*ask for precision float64"):
        kernel_sums([1e20 * rows for rows in sources], kernel)


def test_a_kernel_of_ones_own_that_answers_in_the_wrong_shape_is_told_so(sources):
    class Careless(Overlap):
        def block(self, a, b):
            return np.ones(len(a))

    with pytest.raises(KernelError, match=r"block of shape \(61,\) for 61 and 61 rows"):
        kernel_sums(sources, Careless())


def test_a_kernel_whose_values_are_not_finite_is_told_so(sources):
    class Bottomless(Overlap):
        def block(self, a, b):
            return np.full((len(a), len(b)), np.nan)

    with pytest.raises(KernelError, match="values that are not finite"):
        kernel_sums(sources, Bottomless())


@pytest.mark.parametrize("kernel", [Polynomial(80, 10.0), Polynomial(1, 1e75)], ids=repr)
def test_sums_whose_variances_would_overflow_are_refused(kernel, sources):
    with pytest.raises(KernelError, match="rows are too large"):
        kernel_sums(sources, kernel)


@pytest.mark.parametrize(
    "kernel",
    [GaussianMean([0.01, 1.0]), GaussianMean([0.001, 0.01, 1.0]), RationalQuadratic(0.01, 1e4)],
    ids=repr,
)
def test_a_narrow_bandwidth_beside_a_wide_one_is_as_right_as_alone(kernel):
    """Rows in tight clusters: the wide exponents are some 1e-7 off, and the narrow ones 10,000 times that."""
    rng = np.random.default_rng(0)
    centres = 1.5 * rng.normal(size=(6, 4))
    sources = [centres[rng.integers(6, size=300)] + 0.01 * rng.normal(size=(300, 4)) for _ in range(2)]
    single, double = (kernel_sums(sources, kernel, precision=p) for p in ("float32", "float64"))
    assert_close(single, double, rtol=2e-6)


def test_memory_stays_at_a_few_tiles(monkeypatch):
    """No (N, N) matrix is ever built: the largest array is a strip against a strip."""
    largest = []

    class Watching(Overlap):
        def block(self, a, b):
            largest.append(len(a) * len(b))
            return super().block(a, b)

    monkeypatch.setattr(tasks, "STRIP", 1)
    rng = np.random.default_rng(3)
    kernel_sums([rng.normal(size=(m, 2)) for m in (100, 40, 3, 3)], Watching())
    assert max(largest) <= 16 * 16


@pytest.mark.usefixtures("small_tiles")
@pytest.mark.parametrize("precision", ["float32", "float64"])
@pytest.mark.parametrize("old", [1, 2, 3])
def test_vendors_in_other_units_can_be_known_or_new(old, precision):
    """Far rows meet one another in a pass of their own, which has to leave known pairs out as well."""
    rng = np.random.default_rng(4)
    sources = [
        rng.normal(at, 1.0, size=(m, 3)) for at, m in ((0.0, 30), (1e5, 21), (1e5, 40), (-1e5, 5), (0, 9))
    ]
    sources[0][::7] += 1e5
    kernel, centre = GaussianMean([1.0, 2.0, 4.0]), np.zeros(3)
    known = kernel_sums(sources[:old], kernel, centre=centre, precision=precision)
    added = kernel_sums(sources, kernel, known=known, precision=precision)
    whole = slow_matrix(sources, kernel)
    np.testing.assert_allclose(np.concatenate(added.row_sums), whole, rtol=2e-6, atol=1e-30)
    sizes = [len(rows) for rows in sources]
    np.testing.assert_array_equal(added.seen, np.outer(sizes, sizes) - np.diag(sizes))
    parts = [kernel_sums(sources, kernel, known=known, share=(k, 3), precision=precision) for k in range(3)]
    assert_close(parts[0] + parts[1] + parts[2], added)


def slow_matrix(sources, kernel):
    """Row sums from differences of rows, which do not cancel wherever the rows are."""
    rows = np.concatenate(sources)
    squared = ((rows[:, None, :] - rows[None, :, :]) ** 2).sum(axis=2)
    values = np.mean([np.exp(-squared / (2.0 * s * s)) for s in kernel.bandwidths], axis=0)
    np.fill_diagonal(values, 0.0)
    return np.add.reduceat(values, np.cumsum([0, *map(len, sources)])[:-1], axis=1)
