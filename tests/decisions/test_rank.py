from __future__ import annotations

import json

import numpy as np
import pytest

from karat.decisions import (
    AsymptoticPolicy,
    GuaranteedPolicy,
    PaperPolicy,
    best_set,
    compare,
    pair_matrix,
    probability_of_best,
)
from karat.errors import DecisionError
from made_distances import made_distances, made_finite

CLEAR = made_distances([0.01, 0.03, 0.05, 0.0502])


def test_clear_pairs_are_decided_and_close_ones_are_not() -> None:
    matrix = pair_matrix(AsymptoticPolicy(CLEAR))
    assert matrix.verdict("v0", "v1") == "better"
    assert matrix.verdict("v2", "v0") == "worse"
    assert matrix.verdict("v2", "v3") == "undecided"
    assert matrix.decided == 5
    assert matrix.multiplicity == "holm"


def test_ranks_leave_open_what_the_pairs_leave_open() -> None:
    assert pair_matrix(AsymptoticPolicy(CLEAR)).ranks() == ((1, 1), (2, 2), (3, 4), (3, 4))


def test_no_vendor_is_better_than_itself_and_no_pair_is_claimed_both_ways() -> None:
    rng = np.random.default_rng(0)
    matrix = pair_matrix(AsymptoticPolicy(made_distances(list(rng.uniform(0, 0.02, 12)))))
    assert not matrix.better.diagonal().any()
    assert not (matrix.better & matrix.better.T).any()


@pytest.mark.parametrize("multiplicity", ["holm", "holm one-sided", "max", "none"])
def test_many_questions_are_answered_more_cautiously_than_one(multiplicity: str) -> None:
    rng = np.random.default_rng(1)
    policy = AsymptoticPolicy(made_distances(list(rng.uniform(0.01, 0.02, 10))))
    matrix = pair_matrix(policy, multiplicity=multiplicity)  # type: ignore[arg-type]
    alone = sum(
        compare(policy, policy.names[i], policy.names[j]).is_decided for i in range(10) for j in range(i)
    )
    assert matrix.decided == alone if multiplicity == "none" else matrix.decided < alone


def test_the_cells_hold_the_gap_and_interval_of_the_pair_alone() -> None:
    policy = AsymptoticPolicy(CLEAR)
    matrix, alone = pair_matrix(policy, margin=0.01), compare(policy, "v1", "v0", margin=0.01)
    assert matrix.gap[1, 0] == alone.gap
    assert (matrix.lower[1, 0], matrix.upper[1, 0]) == alone.interval


def test_margins_widen_ranks() -> None:
    tight = pair_matrix(AsymptoticPolicy(CLEAR), margin=0.05)
    assert tight.verdict("v0", "v1") == "better"
    assert tight.verdict("v1", "v2") == "undecided"
    assert tight.ranks() == ((1, 1), (2, 4), (2, 4), (2, 4))


def test_with_a_negative_margin_each_of_two_close_vendors_may_be_not_worse() -> None:
    matrix = pair_matrix(AsymptoticPolicy(CLEAR), margin=-0.03)
    assert matrix.better[2, 3]
    assert matrix.better[3, 2]
    assert matrix.multiplicity == "holm one-sided"


def test_vendors_with_too_few_rows_stay_undecided_and_do_not_count() -> None:
    distances = made_distances([0.01, 0.05, 0.1])
    few = type(distances)(**{**vars(distances), "fewest": np.array([500.0, 500.0, 5.0])})
    matrix = pair_matrix(AsymptoticPolicy(few))
    assert matrix.verdict("v0", "v1") == "better"
    assert matrix.verdict("v0", "v2") == "undecided"
    assert np.isnan(matrix.p_values[0, 2])
    assert best_set(AsymptoticPolicy(few)).names == ("v0", "v2")


def test_guaranteed_matrices_hold_for_all_pairs_at_once() -> None:
    policy = GuaranteedPolicy(made_finite([0.02, 0.3, 0.31]))
    matrix = pair_matrix(policy)
    found = policy.finite.intervals(0.95, family=3)
    assert matrix.lower[0, 1] == pytest.approx(found.lower[1] - found.upper[0])
    assert matrix.verdict("v0", "v1") == "better"
    assert matrix.verdict("v1", "v2") == "undecided"
    assert matrix.multiplicity == "union bound"
    assert best_set(policy).names == ("v0",)


def test_the_guaranteed_best_set_rests_on_all_intervals_at_once() -> None:
    """A gap that two intervals alone would settle is not enough among three."""
    down, up = made_finite([0.0, 0.0, 0.0]).radii(0.95, family=2)
    apart = 0.02 + float(up[0] + down[1]) * 1.001
    policy = GuaranteedPolicy(made_finite([0.02, apart, apart]))
    assert compare(policy, "v0", "v1").verdict == "better"
    assert best_set(policy).names == ("v0", "v1", "v2")
    assert best_set(policy, confidence=1.0 - 1.5 * 0.05).names == ("v0",)


def test_the_papers_matrix_is_its_pairs_one_by_one() -> None:
    finite = made_finite([0.02, 0.9, 0.9], rows=20_000)
    matrix = pair_matrix(PaperPolicy(finite, np.full(3, 20_000.0), 20_000.0))
    assert matrix.verdict("v0", "v1") == "better"
    assert matrix.multiplicity == "none"


def test_matrices_are_plain_json() -> None:
    for policy in (AsymptoticPolicy(CLEAR), GuaranteedPolicy(made_finite([0.1, 0.2]))):
        plain = json.loads(json.dumps(pair_matrix(policy).to_dict(), allow_nan=False))
        assert plain["verdicts"][0][0] is None
        json.dumps(best_set(policy).to_dict(), allow_nan=False)


def test_the_best_set_has_one_member_where_one_is_clearly_best() -> None:
    found = best_set(AsymptoticPolicy(CLEAR))
    assert found.names == ("v0",)
    assert found.best == "v0"
    close = best_set(AsymptoticPolicy(made_distances([0.01, 0.0101, 0.05])))
    assert close.names == ("v0", "v1")
    assert close.best is None


def test_the_best_set_contains_the_best_as_often_as_it_says() -> None:
    """Five equal vendors with an anchor in common: each is a best one, and v0 stands for all."""
    rng = np.random.default_rng(0)
    root = np.hstack([np.full((5, 1), 1e-3), np.eye(5) * 1e-3])
    covariance, out, runs = root @ root.T, 0, 1500
    for _ in range(runs):
        theta = 0.01 + rng.normal(size=6) @ root.T
        found = best_set(AsymptoticPolicy(made_distances(list(theta), covariance=covariance)))
        out += "v0" not in found.names
    assert 0.01 <= out / runs <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / runs)


def test_the_probability_of_being_best_is_a_half_for_two_equal_vendors_and_normal_for_two() -> None:
    equal = probability_of_best(made_distances([0.01, 0.01]))
    np.testing.assert_allclose(equal, [0.5, 0.5], atol=0.006)
    apart = probability_of_best(made_distances([0.01, 0.012]))
    assert apart[0] == pytest.approx(0.9214, abs=0.004)  # Phi(2 / sqrt 2)
    assert apart.sum() == pytest.approx(1.0)


def test_identical_previews_share_the_probability() -> None:
    same = made_distances([0.01, 0.01, 0.5], covariance=np.full((3, 3), 1e-6))
    np.testing.assert_allclose(probability_of_best(same), [0.5, 0.5, 0.0], atol=1e-12)


def test_the_same_seed_gives_the_same_probability() -> None:
    distances = made_distances([0.01, 0.011, 0.012])
    np.testing.assert_array_equal(
        probability_of_best(distances, seed=4), probability_of_best(distances, seed=4)
    )


def test_unknown_adjustments_and_levels_are_refused() -> None:
    with pytest.raises(DecisionError, match="no adjustment 'bonferroni'"):
        pair_matrix(AsymptoticPolicy(CLEAR), multiplicity="bonferroni")  # type: ignore[arg-type]
    with pytest.raises(DecisionError, match="confidence"):
        pair_matrix(AsymptoticPolicy(CLEAR), confidence=0.0)
    with pytest.raises(DecisionError, match="confidence"):
        best_set(AsymptoticPolicy(CLEAR), confidence=2.0)


@pytest.mark.slow
def test_a_thousand_vendors_are_compared_in_seconds() -> None:
    rng = np.random.default_rng(0)
    root = rng.normal(size=(1000, 5)) * 1e-3
    distances = made_distances(
        list(rng.uniform(0, 0.1, 1000)), covariance=root @ root.T + 1e-7 * np.eye(1000)
    )
    matrix = pair_matrix(AsymptoticPolicy(distances))
    assert matrix.decided > 300_000
