"""From previews to an appraisal, and back from a saved file."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import karat
import karat.kernels
from karat.decisions.nearest_blend import nearest_blend
from karat.errors import (
    AppraisalError,
    DecisionError,
    KernelError,
    MarketError,
    UnknownReferenceError,
    UsageError,
    WeightsError,
)


def contaminated(rng, share, rows, width=3):
    """Rows of N(0, I), a share of them moved to N(2, I)."""
    moved = rng.random((rows, 1)) < share
    return rng.normal(size=(rows, width)) + 2.0 * moved


@pytest.fixture(scope="module")
def rng():
    return np.random.default_rng(0)


@pytest.fixture(scope="module")
def vendors():
    rng = np.random.default_rng(1)
    return {f"v{i}": contaminated(rng, i / 5, 300) for i in range(5)}


@pytest.fixture(scope="module")
def anchor():
    return np.random.default_rng(2).normal(size=(150, 3))


@pytest.fixture(scope="module")
def appraisal(vendors, anchor):
    return karat.appraise(vendors, anchor=anchor)


def test_vendors_are_ranked_by_their_contamination(appraisal):
    assert [vendor.name for vendor in appraisal.ranking] == ["v0", "v1", "v2", "v3", "v4"]
    assert [vendor.rank for vendor in appraisal.vendors] == [1, 2, 3, 4, 5]


def test_every_value_lies_in_its_interval_and_has_a_standard_error(appraisal):
    for vendor in appraisal.vendors:
        assert vendor.low <= vendor.value <= vendor.high <= 0.0
        assert vendor.standard_error > 0.0


def test_the_appraisal_needs_no_look_at_names(vendors, anchor, appraisal):
    renamed = {f"other {name}": rows for name, rows in reversed(vendors.items())}
    again = {v.name: v.squared for v in karat.appraise(renamed, anchor=anchor).vendors}
    for vendor in appraisal.vendors:
        assert again[f"other {vendor.name}"] == pytest.approx(vendor.squared, rel=1e-5, abs=1e-8)


def test_with_an_anchor_no_vendor_moves_another_vendors_value(vendors, anchor, appraisal):
    spoilt = vendors | {"v4": np.full((50, 3), 1e6)}
    kernel = karat.appraise(spoilt, anchor=anchor).kernel
    assert kernel == appraisal.kernel
    after = karat.appraise(spoilt, anchor=anchor)
    np.testing.assert_allclose(after.squared[:4], appraisal.squared[:4], atol=1e-6)


@pytest.mark.parametrize("shift", [1e9, -3e7])
def test_shifting_a_column_of_everybody_moves_nothing(vendors, anchor, appraisal, shift):
    moved = {name: rows + np.array([0.0, shift, 0.0]) for name, rows in vendors.items()}
    again = karat.appraise(moved, anchor=anchor + np.array([0.0, shift, 0.0]))
    np.testing.assert_allclose(again.squared, appraisal.squared, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize(("cell", "precision"), [(1e9, "float32"), (1e15, "float32"), (1e20, "float64")])
def test_one_cell_far_out_in_the_anchor_moves_values_no_more_than_one_row_may(
    vendors, anchor, appraisal, cell, precision
):
    """Neither the bandwidth nor the centre follows it: one row of 150 moves a distance by 2/150 at most."""
    spoilt = anchor.copy()
    spoilt[7, 1] = cell
    after = karat.appraise(vendors, anchor=spoilt, precision=precision)
    np.testing.assert_allclose(after.kernel["parameters"]["bandwidths"][1], 2.4, rtol=0.1)
    np.testing.assert_allclose(
        [vendor.value for vendor in after.vendors], [v.value for v in appraisal.vendors], atol=2.0 / 150.0
    )


def test_the_same_call_gives_the_same_bits_whatever_the_workers(vendors, anchor, appraisal):
    again = karat.appraise(vendors, anchor=anchor, workers=1)
    assert again.to_json() == appraisal.to_json()


def test_a_saved_appraisal_answers_in_a_process_that_has_no_data(appraisal, tmp_path):
    path = tmp_path / "appraisal.json"
    appraisal.save(path)
    program = (
        "import karat, json, sys\n"
        f"a = karat.load({str(path)!r})\n"
        "print(json.dumps([[v.name, v.squared, v.low, v.high] for v in a.against('uniform').vendors]))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    expected = [[v.name, v.squared, v.low, v.high] for v in appraisal.against("uniform").vendors]
    assert json.loads(done.stdout) == expected
    assert karat.load(path).to_json() == appraisal.to_json()


def test_the_saved_appraisal_is_complete_and_has_no_number_that_json_lacks(appraisal):
    saved = json.loads(appraisal.to_json(), parse_constant=pytest.fail)
    assert saved["schema"] == "karat/appraisal/1"
    assert {"vendors", "moments", "kernel", "ruler", "references", "findings", "provenance"} <= saved.keys()
    assert saved["kernel"]["bound"] == 1.0
    assert set(saved["references"]) >= {"anchor", "uniform", "robust"}


def test_more_than_64_vendors_keep_their_intervals_in_the_saved_file(tmp_path):
    rng = np.random.default_rng(3)
    many = {f"v{i}": rng.normal(i / 100, 1.0, (12, 2)) for i in range(66)}
    appraisal = karat.appraise(many, anchor=rng.normal(size=(20, 2)))
    assert appraisal.moments.covariance is None
    appraisal.save(tmp_path / "a.json")
    assert karat.load(tmp_path / "a.json").vendors == appraisal.vendors


@pytest.mark.parametrize("content", ["", "{}", "[1]", '{"schema": "karat/appraisal/1"}', "\x00"])
def test_a_file_that_is_no_appraisal_is_refused_with_a_remedy(tmp_path, content):
    path = tmp_path / "broken.json"
    path.write_text(content)
    with pytest.raises(AppraisalError) as caught:
        karat.load(path)
    assert caught.value.hint


def test_a_damaged_array_is_refused(appraisal, tmp_path):
    saved = appraisal.to_dict()
    saved["moments"]["gram"]["float64"] = "AAAA"
    path = tmp_path / "damaged.json"
    path.write_text(json.dumps(saved))
    with pytest.raises(AppraisalError, match="damaged"):
        karat.load(path)


def test_saving_into_a_folder_that_is_not_there_says_so(appraisal, tmp_path):
    with pytest.raises(AppraisalError, match="cannot be written"):
        appraisal.save(tmp_path / "nowhere" / "a.json")


def test_one_vendor_without_an_anchor_is_asked_for_one(vendors):
    with pytest.raises(MarketError, match=r"'v0'.*Pass an anchor"):
        karat.appraise({"v0": vendors["v0"]})


def test_one_vendor_with_an_anchor_has_a_value(vendors, anchor):
    assert karat.appraise({"v1": vendors["v1"]}, anchor=anchor).vendors[0].squared > 0.0


def test_two_vendors_without_an_anchor_have_one_value_and_no_rank(vendors):
    appraisal = karat.appraise({"v0": vendors["v0"], "v4": vendors["v4"]})
    first, second = appraisal.vendors
    assert first.squared == pytest.approx(second.squared, rel=1e-9)
    assert first.rank is second.rank is None
    assert appraisal.heading.startswith("cannot tell")


def test_without_an_anchor_a_market_on_a_line_has_an_order_but_no_ranks(vendors):
    appraisal = karat.appraise(vendors)
    assert appraisal.identifiability.is_one_direction
    assert not appraisal.is_ranked
    assert "not quality" in appraisal.heading
    positions = appraisal.identifiability.positions
    assert (np.diff(positions) > 0).all() or (np.diff(positions) < 0).all()


def test_equal_vendors_share_a_rank(anchor, vendors):
    appraisal = karat.appraise({"a": vendors["v1"], "b": vendors["v1"], "c": vendors["v4"]}, anchor=anchor)
    assert [vendor.rank for vendor in appraisal.vendors] == [1, 1, 3]
    assert any(finding.kind for finding in appraisal.findings)


def test_an_anchor_identical_to_a_vendor_gives_a_finite_value_and_a_finding(vendors, anchor):
    appraisal = karat.appraise({"copy": anchor, "v1": vendors["v1"]}, anchor=anchor)
    copy = appraisal.vendors[0]
    assert np.isfinite([copy.squared, copy.value]).all()
    assert any(finding.vendor == "copy" for finding in appraisal.findings)


def test_the_nearest_blend_is_far_from_the_anchor_where_every_vendor_is_contaminated(anchor):
    """Five vendors, each 40 % contaminated: the best value must not look good."""
    rng = np.random.default_rng(4)
    bad = {f"v{i}": contaminated(rng, 0.4, 400) for i in range(5)}
    appraisal = karat.appraise(bad, anchor=anchor)
    best = max(vendor.value for vendor in appraisal.vendors)
    blend = nearest_blend(appraisal.moments)
    assert best < -0.2
    assert blend.distance > 0.2
    assert "anchored" not in appraisal.to_dict()["references"]


def test_the_nearest_blend_solves_its_quadratic_program(appraisal):
    """At the optimum no vendor with a share has a steeper slope than any other: the optimality conditions."""
    blend = nearest_blend(appraisal.moments)
    gram = appraisal.moments.gram_biased
    slope = gram[:5, :5] @ blend.shares - gram[:5, 5]
    assert blend.shares.sum() == pytest.approx(1.0)
    assert (blend.shares >= 0.0).all()
    held = slope[blend.shares > 1e-9]
    assert held.max() - slope.min() < 1e-9


def test_the_papers_equal_size_union_gives_the_biased_values_of_a_slow_loop(vendors):
    sizes = [60, 45, 50]
    rows = {f"v{i}": vendors[f"v{i}"][:m] for i, m in enumerate(sizes)}
    appraisal = karat.appraise(
        rows, reference="equal-size", kernel="gaussian:1.5", precision="float64", seed=7
    )
    union = np.concatenate(
        [
            r[np.sort(g.permutation(len(r))[:45])]
            for r, g in zip(rows.values(), np.random.default_rng(7).spawn(3), strict=True)
        ]
    )

    def mean_kernel(a, b):
        return np.mean([[np.exp(-((x - y) ** 2).sum() / 4.5) for y in b] for x in a])

    for vendor in appraisal.vendors:
        mine = rows[vendor.name]
        expected = mean_kernel(mine, mine) - 2 * mean_kernel(mine, union) + mean_kernel(union, union)
        assert vendor.squared == pytest.approx(expected, rel=1e-9)
        assert vendor.standard_error is None


def test_what_if_the_reference_were_a_mixture(appraisal):
    answer = appraisal.what_if({"v0": 0.5, "v4": 0.5})
    assert answer.reference.weights.tolist() == [0.5, 0.0, 0.0, 0.0, 0.5, 0.0]
    assert answer.is_ranked


@pytest.mark.parametrize("confidence", [0.0, 1.0, 1.0 - 2.0**-53, -1.0, 95, float("nan"), None, "0.95"])
def test_a_confidence_that_is_none_is_refused(vendors, anchor, confidence):
    with pytest.raises(DecisionError, match="between 0 and 1"):
        karat.appraise(vendors, anchor=anchor, confidence=confidence)


def test_an_unknown_kernel_lists_the_known_ones(vendors, anchor):
    with pytest.raises(KernelError, match=r"'cosine'.*default, paper"):
        karat.appraise(vendors, anchor=anchor, kernel="cosine")


def test_a_kernel_of_ones_own_runs_the_whole_road(vendors, anchor):
    class Steps(karat.kernels.Kernel):
        name, bound = "steps", 1.0

        def block(self, a, b):
            return (np.floor(a)[:, None, :] == np.floor(b)[None, :, :]).mean(axis=2).astype(float)

        def diagonal(self, a):
            return np.ones(len(a))

    ranking = karat.appraise(vendors, anchor=anchor, kernel=Steps()).ranking
    assert [vendor.name for vendor in ranking] == ["v0", "v1", "v2", "v3", "v4"]


def test_progress_reaches_its_total(vendors, anchor):
    seen = []
    karat.appraise(vendors, anchor=anchor, progress=lambda done, total: seen.append((done, total)))
    assert seen[-1][0] == seen[-1][1] > 0


def test_with_rows_set_aside_to_fit_on_a_guarantee_holds_at_every_size(vendors, anchor):
    held = karat.appraise(vendors, anchor=anchor)
    apart = karat.appraise(vendors, anchor=anchor[:100], fit_on=anchor[100:])
    assert "large samples" in held.compare("v0", "v4", policy="guaranteed").holds
    assert apart.compare("v0", "v4", policy="guaranteed").holds == "at every sample size"
    assert apart.moments.sizes[-1] == 100


def test_rows_to_fit_on_set_the_scales_of_tables_and_are_not_judged(vendors, anchor):
    frames = {name: pd.DataFrame(rows, columns=list("abc")) for name, rows in vendors.items()}
    own = pd.DataFrame(anchor, columns=list("abc"))
    market = karat.Market.read(frames, anchor=own[:100], fit_on=own[100:] * 10.0)
    assert market.anchor.size == 100
    assert market.names == tuple(vendors)
    np.testing.assert_allclose(market.fitted_on.rows.std(axis=0), 1.0)
    assert market.anchor.rows.std() < 0.2


def test_a_fixed_kernel_on_arrays_needs_no_rows_set_aside(vendors, anchor):
    appraisal = karat.appraise(vendors, anchor=anchor, kernel="gaussian:1.5")
    assert appraisal.compare("v0", "v4", policy="guaranteed").holds == "at every sample size"


def test_landmarks_give_the_exact_values_within_the_error_that_they_state(vendors, anchor, appraisal):
    by_landmarks = karat.appraise(vendors, anchor=anchor, method="landmarks")
    stated = by_landmarks.distances.approximation
    assert (np.abs(by_landmarks.squared - appraisal.squared) <= 5.0 * stated + 1e-6).all()
    assert by_landmarks.provenance["method"]["name"] == "landmarks"
    assert by_landmarks.compare("v0", "v4").verdict == "better"


@pytest.mark.parametrize("seed", [-1, 1.5, "7", None, 2**32, np.random.default_rng(0)], ids=repr)
@pytest.mark.parametrize("way", [{}, {"reference": "equal-size"}, {"method": "landmarks"}], ids=repr)
def test_a_seed_that_cannot_be_saved_is_refused(vendors, anchor, seed, way):
    with pytest.raises(UsageError, match=r"the seed is .* whole number"):
        karat.appraise(vendors, anchor=anchor, seed=seed, **way)


def test_a_seed_may_be_numpys(vendors):
    one, other = (karat.appraise(vendors, reference="equal-size", seed=s) for s in (3, np.int64(3)))
    assert one.to_json() == other.to_json()


def test_an_unknown_precision_is_refused(vendors, anchor):
    with pytest.raises(UsageError, match=r"'float16'.*float32, float64"):
        karat.appraise(vendors, anchor=anchor, precision="float16")


@pytest.mark.parametrize("kernel", [None, 3, karat.kernels.Gaussian, lambda x, y: 0.0])
def test_what_is_no_kernel_is_told_so(vendors, anchor, kernel):
    with pytest.raises(KernelError, match="neither a kernel nor the name of one"):
        karat.appraise(vendors, anchor=anchor, kernel=kernel)


@pytest.mark.parametrize("reference", [3, ["anchor"], np.full(5, 0.2)], ids=repr)
def test_what_is_no_reference_is_told_so(vendors, anchor, reference):
    with pytest.raises(UnknownReferenceError, match=r"no reference called .*pass weights per vendor"):
        karat.appraise(vendors, anchor=anchor, reference=reference)


@pytest.mark.parametrize("weight", ["much", "1.0", None])
def test_a_weight_that_is_no_number_names_its_vendor(vendors, anchor, weight):
    with pytest.raises(WeightsError, match=r"'v0' is .*no number"):
        karat.appraise(vendors, anchor=anchor, reference={"v0": weight})


def test_an_unknown_method_is_refused(vendors, anchor):
    with pytest.raises(UsageError, match="'magic'"):
        karat.appraise(vendors, anchor=anchor, method="magic")


@pytest.mark.parametrize("workers", [0, -3, 2.5, "2"])
def test_a_number_of_threads_that_is_none_is_refused(vendors, anchor, workers):
    with pytest.raises(UsageError, match="threads"):
        karat.appraise(vendors, anchor=anchor, workers=workers)


@pytest.mark.parametrize("shared", ["the anchor's", "some of the anchor's", "a vendor's", "few kinds of"])
def test_rows_to_fit_on_that_are_judged_make_no_guarantee(vendors, anchor, shared):
    fit_on = {"the anchor's": anchor, "some of the anchor's": anchor[:50], "a vendor's": vendors["v2"]}.get(
        shared
    )
    if fit_on is None:
        vendors = {name: np.round(rows) for name, rows in vendors.items()}
        fit_on = anchor = np.round(anchor)
    found = karat.appraise(vendors, anchor=anchor, fit_on=fit_on)
    assert "large samples" in found.compare("v0", "v4", policy="guaranteed").holds
    (finding,) = (one for one in found.findings if one.kind == "fitted-on-judged")
    assert finding.vendor == ("v2" if shared == "a vendor's" else "anchor")


def test_rows_set_aside_may_equal_judged_ones_by_chance(vendors, anchor):
    vendors = {name: np.round(rows) for name, rows in vendors.items()}
    found = karat.appraise(vendors, anchor=np.round(anchor[:100]), fit_on=np.round(anchor[100:]))
    assert found.compare("v0", "v4", policy="guaranteed").holds == "at every sample size"


def test_a_bar_is_drawn_where_somebody_watches_and_the_callers_own_progress_instead_of_it(monkeypatch):
    from contextlib import contextmanager

    told, own = [], []

    @contextmanager
    def drawn(what):
        yield lambda done, total: told.append(what)

    monkeypatch.setattr("karat.road.watched", drawn)
    rows = np.random.default_rng(0).normal(size=(30, 2))
    karat.appraise({"a": rows, "b": rows + 1.0}, anchor=rows[:20])
    assert set(told) == {"comparing rows"}
    told.clear()
    karat.appraise({"a": rows, "b": rows + 1.0}, anchor=rows[:20], progress=lambda *step: own.append(step))
    assert own
    assert not told


def test_an_anchor_that_the_reference_leaves_aside_is_said_to_be():
    rows = np.random.default_rng(0).normal(size=(30, 2))
    vendors = {"a": rows, "b": rows + 1.0}
    kinds = [f.kind for f in karat.appraise(vendors, anchor=rows[:20] * 2.0, reference="equal-size").findings]
    assert "anchor-unused" in kinds
    assert "anchor-unused" not in [f.kind for f in karat.appraise(vendors, reference="equal-size").findings]


def test_copies_that_were_left_out_spoil_no_guarantee_even_where_they_were_half_of_the_rows():
    draw = np.random.default_rng(0).normal
    half, anchor, apart = draw(size=(60, 2)), draw(size=(80, 2)), draw(size=(80, 2))
    vendors = {"half": np.concatenate([half, half]), "far": draw(4.0, 1.0, (200, 2)), "c": draw(size=(90, 2))}
    appraisal = karat.appraise(vendors, anchor=anchor, fit_on=apart, kernel="gaussian:1.0")
    assert appraisal.vendors[0].rows == 60
    assert appraisal.policy("guaranteed").reason(0, 1) is None
