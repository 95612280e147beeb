"""How a kernel value follows from an inner product or a distance, as plain data.

A kernel that has a profile can be summed by the fused tile pass: rows are shifted and scaled once, so that
a tile of inner products turns into exponents without further arithmetic. With z = row_scale * (x - centre),

    exponent(x, y) = z_x . z_y - |z_x|^2 / 2 - |z_y|^2 / 2  =  -|z_x - z_y|^2 / 2   (never positive).

`form` says what is done with the exponent; a kernel without a profile is summed from its own blocks.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum


class Form(IntEnum):
    """What turns an entry e of a tile into a kernel value; see `Profile`."""

    GIVEN = 0
    """k = e: the tile already holds kernel values, or plain inner products."""
    EXP2 = 1
    """k = 2^e: one Gaussian, or Laplace on a tile of distances."""
    EXP2_1_4_16 = 2
    """k = u + u^4 + u^16 with u = 2^e: bandwidths s, s/2, s/4 from one exponential."""
    EXP2_1_4_25_100 = 3
    """k = u + u^4 + u^25 + u^100 with u = 2^e: bandwidths 10, 5, 2, 1 from one exponential."""
    EXP2_RATES = 4
    """k = sum over r of 2^(rates[r] * e)."""
    RATIONAL = 5
    """k = (1 - e)^(-rates[0])."""
    DISTANCE = 6
    """k = (|z_x| + |z_y| - |z_x - z_y|) / 2: the kernel whose MMD^2 is half the energy distance."""


class Fill(IntEnum):
    """What a tile holds before its form is applied."""

    PRODUCT = 0
    """Inner products of scaled rows, less half their squared norms where `norms` is set."""
    MANHATTAN = 1
    """Minus the sum of absolute differences of scaled rows."""


LADDERS = {
    (1.0,): Form.EXP2,
    (1.0, 4.0, 16.0): Form.EXP2_1_4_16,
    (1.0, 4.0, 25.0, 100.0): Form.EXP2_1_4_25_100,
}
"""Sums of Gaussians whose exponents are integer multiples of the widest one: one exponential serves all."""


@dataclass(frozen=True)
class Profile:
    """A kernel as the tile pass sees it.

    row_scale: rows are multiplied by it once, before any product.
    scale: the sum over the form's terms is multiplied by it at the very end.
    """

    form: Form
    row_scale: float = 1.0
    scale: float = 1.0
    fill: Fill = Fill.PRODUCT
    norms: bool = True
    rates: tuple[float, ...] = ()
