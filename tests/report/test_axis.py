from __future__ import annotations

import pytest

from karat.report.axis import Axis, nice_step


@pytest.mark.parametrize("length", [1e-7, 0.003, 0.9, 1.0, 7.3, 100.0, 115.4, 3e5])
def test_three_to_six_ticks_stand_on_every_axis(length):
    axis = Axis.reaching([length], percent=0.0)
    assert 3 <= len(axis.ticks) <= 6
    assert axis.ticks[-1][0] <= length * (1 + 1e-9)
    assert axis.ticks[0] == (0.0, "0")


def test_steps_are_round_numbers():
    assert [nice_step(x) for x in (4.9, 5.1, 11.0, 13.0, 26.0)] == [1.0, 2.0, 2.5, 5.0, 10.0]


def test_places_are_percentages_within_the_axis():
    axis = Axis.reaching([0.5, 2.0], percent=0.01)
    assert [axis.place(d) for d in (-1.0, 0.0, 0.5, 2.0, 9.0)] == [0.0, 0.0, 25.0, 100.0, 100.0]


def test_a_market_in_one_point_still_has_an_axis():
    assert Axis.reaching([0.0], percent=0.0).end == 1.0
    assert Axis.reaching([], percent=0.0).end == 1.0
