"""What turns an exponent into a kernel value, on vector registers: one function per form of `Profile`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from karat.gram.lanes import SINGLE, Lanes, exp2, log2
from karat.gram.panels import NOBODY
from karat.kernels.profile import Form
from karat.kernels.radial import LOG2_E

RECIPROCAL = 7
"""RATIONAL with alpha = 1: a division takes the place of a logarithm and an exponential."""

Value = Callable[[Lanes, Lanes, Lanes, Sequence[Lanes]], Lanes]
"""(exponent e, half the squared norm of x, that of y, rates) -> kernel value."""


def _left_in(values: Lanes, e: Lanes) -> Lanes:
    """0 for a pair that is to be left out; needed where the form itself is not small there."""
    nobody = NOBODY["float32" if e.number is SINGLE else "float64"]
    return values.where_above(-0.1 * nobody, e)


def _powers_1_4_16(e: Lanes, *_: object) -> Lanes:
    u = exp2(e)
    u2 = u * u
    u4 = u2 * u2
    u8 = u4 * u4
    return u8.times_plus(u8, u4) + u


def _powers_1_4_25_100(e: Lanes, *_: object) -> Lanes:
    u = exp2(e)
    u2 = u * u
    u4 = u2 * u2
    u8 = u4 * u4
    u25 = u8 * u8 * (u8 * u)
    u50 = u25 * u25
    return u50.times_plus(u50, u25) + (u4 + u)


def _at_rates(e: Lanes, x: Lanes, y: Lanes, rates: Sequence[Lanes]) -> Lanes:
    total = exp2(e * rates[0])
    for rate in rates[1:]:
        total = total + exp2(e * rate)
    return total


def _rational(e: Lanes, x: Lanes, y: Lanes, rates: Sequence[Lanes]) -> Lanes:
    """2^(-alpha log2(1 + t)) with t = -e; what 1 + t rounds away is put back, for alpha would multiply it."""
    t = e.at_most(0.0).negative()
    sum_ = t + 1.0
    lost = t - (sum_ - 1.0)
    logarithm = (lost / sum_).times_plus(LOG2_E, log2(sum_))
    return _left_in(exp2(logarithm * (0.0 - rates[0])), e)


def _half_distances(e: Lanes, x: Lanes, y: Lanes, rates: object) -> Lanes:
    lengths = (x + x).root() + (y + y).root()
    return _left_in((lengths - (e * -2.0).root()) * 0.5, e)


VALUES: Mapping[int, Value] = {
    Form.GIVEN: lambda e, *_: _left_in(e, e),
    Form.EXP2: lambda e, *_: exp2(e),
    Form.EXP2_1_4_16: _powers_1_4_16,
    Form.EXP2_1_4_25_100: _powers_1_4_25_100,
    Form.EXP2_RATES: _at_rates,
    Form.RATIONAL: _rational,
    Form.DISTANCE: _half_distances,
    RECIPROCAL: lambda e, *_: 1.0 / (1.0 - e.at_most(0.0)),
}
"""Form -> kernel value. Pairs that are left out get 0."""
