from __future__ import annotations

import json

import numpy as np
import pytest

from karat.decisions import (
    AsymptoticPolicy,
    Comparison,
    GuaranteedPolicy,
    Mixture,
    PaperPolicy,
    PlannedMaximum,
    Unplanned,
    compare,
)
from karat.errors import DecisionError
from made_distances import made_distances, made_finite


def asked(squared: list[float], **options: object) -> Comparison:
    made = {
        key: options.pop(key)
        for key in ("noise", "second_order", "rows", "anchor", "degrees")
        if key in options
    }
    return compare(AsymptoticPolicy(made_distances(squared, **made)), "v0", "v1", **options)  # type: ignore[arg-type]


def test_the_nearer_vendor_is_better_and_the_gap_is_positive() -> None:
    answer = asked([0.01, 0.04])
    assert answer.verdict == "better"
    assert answer.better == "v0"
    assert answer.gap == pytest.approx(0.1)
    assert answer.interval is not None
    assert 0.0 < answer.interval[0] < 0.1 < answer.interval[1]
    assert answer.p_value is not None
    assert answer.p_value < 1e-6
    assert answer.rows_needed is None


def test_asked_the_other_way_round_the_answer_turns_round() -> None:
    there = asked([0.01, 0.04])
    back = compare(AsymptoticPolicy(made_distances([0.01, 0.04])), "v1", "v0")
    assert back.verdict == "worse"
    assert back.better == "v0"
    assert back.gap == -there.gap
    assert back.p_value == there.p_value
    assert back.interval is not None
    assert there.interval is not None
    assert back.interval == pytest.approx((-there.interval[1], -there.interval[0]))


def test_undecided_comes_with_the_rows_that_would_decide() -> None:
    answer = asked([0.01, 0.012])
    assert answer.verdict == "undecided"
    assert answer.better is None
    needed = answer.rows_needed
    assert needed is not None
    assert needed.kind == "present gap"
    assert needed.rows is not None
    assert all(rows > 500 for rows in needed.rows.values())
    assert "this is decided 80 % of the time" in needed.message


def test_the_rows_asked_for_do_decide() -> None:
    """With noise that falls as 1 / rows the same gap gives Z = z_0.975 + z_0.8 at the rows asked for."""
    answer = asked([0.01, 0.012])
    assert answer.rows_needed is not None
    assert answer.rows_needed.rows is not None
    factor = answer.rows_needed.rows["v0"] / 500.0
    z = 0.002 / (np.sqrt(2e-6 / factor))
    assert z == pytest.approx(1.959964 + 0.841621, rel=2e-3)


def test_without_a_visible_difference_rows_are_for_a_gap_that_is_named() -> None:
    answer = asked([0.01, 0.0101], visible_gap=0.02)
    assert answer.rows_needed is not None
    assert answer.rows_needed.kind == "no visible difference"
    assert answer.rows_needed.gap == 0.02
    assert "no difference visible; to see a gap of 0.02 takes" in answer.rows_needed.message
    smaller = asked([0.01, 0.0101], visible_gap=0.01).rows_needed
    assert smaller is not None
    assert smaller.rows is not None
    assert answer.rows_needed.rows is not None
    assert smaller.rows["v0"] > answer.rows_needed.rows["v0"]


@pytest.mark.parametrize("farther", [-0.0005, 0.000001])
def test_noise_below_zero_is_no_gap_that_rows_would_show(farther: float) -> None:
    """Estimates more than a standard error apart, of distances that are both 0 within noise."""
    needed = asked([-0.0025, farther], visible_gap=0.02).rows_needed
    assert needed is not None
    assert (needed.kind, needed.gap) == ("no visible difference", 0.02)


def test_an_anchor_that_is_too_noisy_alone_is_named() -> None:
    answer = asked([0.01, 0.012], anchor=0.9)
    assert answer.rows_needed is not None
    assert answer.rows_needed.anchor_rows is not None
    assert "rows of your own" in answer.rows_needed.message


def test_a_margin_asks_for_a_lead() -> None:
    assert asked([0.01, 0.04], margin=0.05).verdict == "better"
    assert asked([0.01, 0.04], margin=0.0999).verdict == "undecided"
    assert asked([0.04, 0.01], margin=0.05).verdict == "worse"


def test_inside_the_margin_no_rows_will_make_either_better() -> None:
    needed = asked([0.01, 0.011], margin=0.05).rows_needed
    assert needed is not None
    assert needed.kind == "inside the margin"
    assert needed.rows is None


@pytest.mark.parametrize("squared", [[-0.01, -0.002], [-0.001, -0.02], [-0.01, 0.0004], [0.0, 0.0]])
def test_distances_that_may_be_wider_apart_than_the_margin_are_not_called_inside_it(
    squared: list[float],
) -> None:
    """Neither distance reaches the margin, but both may: its square is a tenth of a standard error."""
    answer = asked(squared, margin=0.03, noise=0.01, second_order=1e-4, visible_gap=0.05)
    assert answer.interval is not None
    assert answer.interval[1] > 0.03
    assert answer.rows_needed is not None
    assert answer.rows_needed.kind == "no visible difference"
    assert answer.rows_needed.gap == pytest.approx(0.08)


def test_a_negative_margin_asks_for_not_worse_by_more() -> None:
    assert asked([0.0121, 0.01], margin=-0.05).verdict == "better"
    assert asked([0.04, 0.01], margin=-0.05).verdict == "worse"
    assert asked([0.0225, 0.01], margin=-0.05).verdict == "undecided"
    needed = asked([0.0200, 0.01], margin=-0.05, confidence=0.999).rows_needed
    assert needed is not None
    assert needed.rows is not None


@pytest.mark.parametrize("squared", [[-0.002, 0.001], [0.0, 0.0], [0.0101, 0.01]])
@pytest.mark.parametrize("visible_gap", [0.03, 0.02])
def test_rows_that_show_a_vendor_not_worse_are_for_no_gap_at_all_or_a_smaller_one(
    squared: list[float], visible_gap: float
) -> None:
    answer = asked(squared, margin=-0.03, noise=0.01, second_order=1e-4, visible_gap=visible_gap)
    needed = answer.rows_needed
    assert needed is not None
    assert needed.kind == "no visible difference"
    assert needed.gap == pytest.approx(visible_gap - 0.03)
    assert needed.rows is not None
    assert all(rows > 500 for rows in needed.rows.values())
    assert ("if there is none" if visible_gap == 0.03 else "if the gap is -0.01") in needed.message


def test_the_verdict_agrees_with_the_interval_and_the_p_value() -> None:
    for theta in np.linspace(0.01, 0.016, 25):
        answer = asked([0.01, float(theta)], margin=0.01)
        assert answer.interval is not None
        assert (answer.verdict == "better") == (answer.interval[0] > 0.01)
        assert answer.p_value is not None
        assert answer.is_decided == (answer.p_value <= 0.05)


def test_too_few_rows_are_undecided_with_the_reason() -> None:
    answer = asked([0.01, 0.04], rows=7.0)
    assert answer.verdict == "undecided"
    assert answer.interval is None
    assert answer.p_value is None
    assert "7 rows" in str(answer.reason)


def test_few_degrees_of_freedom_make_claims_harder() -> None:
    assert asked([0.01, 0.0131], degrees=1e9).is_decided
    assert not asked([0.01, 0.0131], degrees=9.0).is_decided


def test_a_decided_pair_says_how_far_its_reference_may_be_off() -> None:
    answer = asked([0.01, 0.04], margin=0.02)
    assert answer.interval is not None
    assert answer.break_even_bias == pytest.approx((answer.interval[0] - 0.02) / 2.0)
    turned = asked([0.04, 0.01], margin=0.02)
    assert turned.verdict == "worse"
    assert turned.break_even_bias == pytest.approx(answer.break_even_bias)


def test_a_look_sets_the_level_and_is_kept_with_the_answer() -> None:
    rule = PlannedMaximum(0.95).at(0.25)
    answer = asked([0.01, 0.04], look=rule.current)
    assert answer.confidence == rule.current.confidence > 0.99999
    assert answer.look == rule.current


@pytest.mark.parametrize("rule", [PlannedMaximum(0.95), Mixture(0.95)], ids=lambda rule: rule.name)
def test_levels_that_do_not_add_up_are_for_the_asymptotic_policy_alone(
    rule: PlannedMaximum | Mixture,
) -> None:
    """A hundred looks spend more than alpha between them: a union bound does not hold."""
    finite = made_finite([0.05, 0.4])
    looks = rule
    for k in range(1, 101):
        looks = looks.at(k / 100)  # type: ignore[assignment]
    assert sum(1.0 - look.confidence for look in looks.looks) > 0.05
    for policy in (GuaranteedPolicy(finite), PaperPolicy(finite, np.full(2, 500.0), 500.0)):
        with pytest.raises(DecisionError, match=rf"'{rule.name}'.*'{policy.name}'.*Unplanned"):
            compare(policy, "v0", "v1", look=looks.current)
        assert compare(policy, "v0", "v1", look=Unplanned(0.95).at(1.0).current).look is not None


def test_every_answer_is_plain_json() -> None:
    answers = [
        asked([0.01, 0.04]),
        asked([0.01, 0.0101]),
        asked([0.01, 0.04], rows=7.0),
        compare(GuaranteedPolicy(made_finite([0.1, 0.12])), "v0", "v1"),
    ]
    for answer in answers:
        plain = json.loads(json.dumps(answer.to_dict(), allow_nan=False))
        assert plain["verdict"] == answer.verdict
        assert plain["assumptions"]


@pytest.mark.parametrize(
    ("a", "b", "options", "words"),
    [
        ("v0", "nobody", {}, r"no vendor 'nobody'.*It knows v0, v1"),
        ("v0", "v0", {}, r"compared with itself.*two different"),
        ("v0", "v1", {"confidence": 1.0}, r"confidence is 1\.0.*0\.95"),
        ("v0", "v1", {"confidence": 95}, r"confidence is 95.*0\.95"),
        ("v0", "v1", {"margin": float("nan")}, r"margin is nan"),
        ("v0", "v1", {"power": 0.0}, r"power is 0\.0"),
    ],
)
def test_questions_that_make_no_sense_say_so(a: str, b: str, options: dict[str, float], words: str) -> None:
    with pytest.raises(DecisionError, match=words):
        compare(AsymptoticPolicy(made_distances([0.01, 0.012])), a, b, **options)  # type: ignore[arg-type]


def test_guaranteed_answers_need_intervals_that_stand_apart() -> None:
    policy = GuaranteedPolicy(made_finite([0.05, 0.4]))
    answer = compare(policy, "v0", "v1")
    assert answer.verdict == "better"
    assert answer.p_value is None
    assert answer.interval is not None
    found = policy.finite.intervals(0.95, family=2)
    assert answer.interval[0] == pytest.approx(found.lower[1] - found.upper[0])
    assert compare(policy, "v1", "v0").verdict == "worse"
    close = compare(GuaranteedPolicy(made_finite([0.05, 0.1])), "v0", "v1")
    assert close.verdict == "undecided"
    assert close.rows_needed is not None
    assert close.rows_needed.rows is not None
    assert close.rows_needed.rows["v0"] > 2000


@pytest.mark.parametrize("policy", [GuaranteedPolicy, lambda f: PaperPolicy(f, np.full(2, 2e6), 2e6)])
@pytest.mark.parametrize(
    ("margin", "verdicts"),
    [(0.2, ("better", "worse")), (0.4, ("undecided", "undecided")), (-0.2, ("better", "worse"))],
)
def test_an_interval_decides_by_the_margin_in_either_direction(policy, margin, verdicts) -> None:  # type: ignore[no-untyped-def]
    """Gap 0.3, known within 0.02: a lead of 0.2 is shown both ways, one of 0.4 is not."""
    made = policy(made_finite([0.1, 0.4], rows=2e6))
    assert (
        compare(made, "v0", "v1", margin=margin).verdict,
        compare(made, "v1", "v0", margin=margin).verdict,
    ) == verdicts
    equal = policy(made_finite([0.1, 0.1], rows=2e6))
    assert compare(equal, "v0", "v1", margin=margin).verdict == ("better" if margin < 0.0 else "undecided")


def test_a_reference_that_may_be_off_costs_twice_its_bias() -> None:
    finite = made_finite([0.05, 0.4])
    plain = compare(GuaranteedPolicy(finite), "v0", "v1")
    assert plain.break_even_bias is not None
    assert compare(
        GuaranteedPolicy(finite, reference_bias=plain.break_even_bias * 0.99), "v0", "v1"
    ).is_decided
    assert not compare(
        GuaranteedPolicy(finite, reference_bias=plain.break_even_bias * 1.01), "v0", "v1"
    ).is_decided


def test_a_guarantee_whose_kernel_was_chosen_from_the_rows_says_it_is_asymptotic() -> None:
    finite = made_finite([0.05, 0.4])
    assert GuaranteedPolicy(finite).holds == "at every sample size"
    chosen = GuaranteedPolicy(finite, chosen=("bandwidth",))
    assert compare(chosen, "v0", "v1").holds == "for large samples: bandwidth chosen from the rows judged"


def test_the_papers_policy_decides_nothing_where_the_others_do() -> None:
    finite = made_finite([0.05, 0.4], rows=500.0)
    paper = PaperPolicy(finite, np.full(2, 500.0), 500.0)
    answer = compare(paper, "v0", "v1")
    assert answer.verdict == "undecided"
    assert answer.rows_needed is None
    assert compare(GuaranteedPolicy(finite), "v0", "v1").verdict == "better"
    assert answer.interval is not None
    assert "printed" in answer.holds
