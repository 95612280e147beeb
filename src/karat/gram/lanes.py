"""Arithmetic on vector registers, written as Python and compiled to LLVM.

A `Lanes` is a handful of vectors of 16 numbers. `a * b` on them writes one instruction per vector into the
function under construction. All vectors of a handful move in step, so that the long dependent chain of one
exponential is interleaved with its neighbours' and the units never wait. LLVM splits 16 lanes into what the
machine has: one AVX-512 register of float32, two of AVX2, four of NEON.

Every operation is spelled out and none may be reordered, so that no compiler's mood changes a bit.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from llvmlite import ir

from karat.gram.panels import HEIGHT

LANES = HEIGHT
"""Numbers in a vector: one column of a panel."""


@dataclass(frozen=True)
class Number:
    """What differs between the two precisions.

    zero_exponent: 2 to this power has a pattern of zeros.
    exp2: coefficients of a polynomial for 2^f on [-1/2, 1/2]; the first is 1.
    log2_terms: how many terms of the logarithm's series reach the rounding.
    """

    scalar: ir.Type
    integer: ir.Type
    suffix: str
    code: tuple[str, str]
    fraction_bits: int
    zero_exponent: int
    exp2: tuple[float, ...]
    log2_terms: int

    @cached_property
    def vector(self) -> ir.Type:
        return ir.VectorType(self.scalar, LANES)

    @cached_property
    def bits(self) -> ir.Type:
        return ir.VectorType(self.integer, LANES)

    @property
    def bytes(self) -> int:
        return struct.calcsize(self.code[0])

    def bits_of(self, value: float) -> int:
        """The value's pattern as a whole number."""
        return int(struct.unpack(self.code[1], struct.pack(self.code[0], value))[0])


SINGLE = Number(
    ir.FloatType(),
    ir.IntType(32),
    f"v{LANES}f32",
    ("<f", "<i"),
    fraction_bits=23,
    zero_exponent=-127,
    # Least relative error, rounding included, with the constant held at 1: 1.44e-7.
    exp2=(1.0, 0.693147004, 0.240222365, 0.0555072576, 0.00967173744, 0.00132613268),
    log2_terms=4,
)
DOUBLE = Number(
    ir.DoubleType(),
    ir.IntType(64),
    f"v{LANES}f64",
    ("<d", "<q"),
    fraction_bits=52,
    zero_exponent=-1023,
    exp2=tuple(math.log(2.0) ** k / math.factorial(k) for k in range(13)),
    log2_terms=10,
)


class Lanes:
    """A handful of vectors, and the arithmetic that kernels need."""

    def __init__(self, builder: Any, number: Number, vectors: Sequence[Any]) -> None:
        self.builder, self.number, self.vectors = builder, number, list(vectors)

    def _with(self, vectors: Sequence[Any]) -> Lanes:
        return Lanes(self.builder, self.number, vectors)

    def constant(self, value: float) -> Lanes:
        """The same number in every lane of every vector."""
        vector = ir.Constant(self.number.vector, [float(value)] * LANES)
        return self._with([vector] * len(self.vectors))

    def _zip(self, operation: Callable[..., Any], *others: Lanes | float) -> Lanes:
        columns = [o if isinstance(o, Lanes) else self.constant(o) for o in others]
        vectors = zip(self.vectors, *(column.vectors for column in columns), strict=True)
        return self._with([operation(*arguments) for arguments in vectors])

    def __add__(self, other: Lanes | float) -> Lanes:
        return self._zip(self.builder.fadd, other)

    def __sub__(self, other: Lanes | float) -> Lanes:
        return self._zip(self.builder.fsub, other)

    def __mul__(self, other: Lanes | float) -> Lanes:
        return self._zip(self.builder.fmul, other)

    def __truediv__(self, other: Lanes | float) -> Lanes:
        return self._zip(self.builder.fdiv, other)

    def __rsub__(self, other: float) -> Lanes:
        return self.constant(other) - self

    def __rtruediv__(self, other: float) -> Lanes:
        return self.constant(other) / self

    def times_plus(self, factor: Lanes | float, summand: Lanes | float) -> Lanes:
        """The product plus the summand, rounded once."""
        return self._call("fma", factor, summand)

    def at_least(self, other: float) -> Lanes:
        """The larger of the two."""
        return self._call("maxnum", other)

    def at_most(self, other: float) -> Lanes:
        """The smaller of the two."""
        return self._call("minnum", other)

    def root(self) -> Lanes:
        """The square root; of negative numbers, that of 0."""
        return self.at_least(0.0)._call("sqrt")

    def negative(self) -> Lanes:
        """The numbers with their signs turned."""
        return self._zip(self.builder.fneg)

    def size(self) -> Lanes:
        """The absolute value."""
        return self._call("fabs")

    def where_above(self, edge: float, exponent: Lanes) -> Lanes:
        """These numbers where the exponent exceeds the edge, and 0 elsewhere."""

        def choose(number: Any, e: Any, limit: Any, zero: Any) -> Any:
            return self.builder.select(self.builder.fcmp_ordered(">", e, limit), number, zero)

        return self._zip(choose, exponent, edge, 0.0)

    def bits(self) -> list[Any]:
        """The vectors as whole numbers with the same bit patterns."""
        return [self.builder.bitcast(vector, self.number.bits) for vector in self.vectors]

    def from_bits(self, patterns: Sequence[Any]) -> Lanes:
        """The inverse of `bits`."""
        return self._with([self.builder.bitcast(bits, self.number.vector) for bits in patterns])

    def whole(self, value: int) -> Any:
        """A whole number in every lane, for arithmetic on bits."""
        return ir.Constant(self.number.bits, [value] * LANES)

    def _call(self, name: str, *others: Lanes | float) -> Lanes:
        """LLVM's vector operation of that name."""
        module, full = self.builder.module, f"llvm.{name}.{self.number.suffix}"
        function = module.globals.get(full)
        if function is None:
            vector = self.number.vector
            function = ir.Function(module, ir.FunctionType(vector, [vector] * (1 + len(others))), full)
        return self._zip(lambda *vectors: self.builder.call(function, vectors), *others)


def exp2(e: Lanes) -> Lanes:
    """2^e for e <= 0, down to the least normal number, and exactly 0 soon after; 1 above 0.

    Adding 1.5 * 2^fraction_bits rounds e to a whole number w and leaves it in the lowest bits. 2^(e - w) is a
    polynomial; adding w to the bits of its exponent multiplies it by 2^w, and turns 1 into 0 where w is the
    zero exponent.
    """
    number, builder = e.number, e.builder
    rounder = 1.5 * 2.0**number.fraction_bits
    clipped = e.at_most(0.0).at_least(float(number.zero_exponent))
    shifted = clipped + rounder
    f = clipped - (shifted - rounder)
    p = f.constant(number.exp2[-1])
    for coefficient in reversed(number.exp2[:-1]):
        p = p.times_plus(f, coefficient)
    places = e.whole(number.fraction_bits)
    powers = [builder.shl(bits, places) for bits in shifted.bits()]
    return p.from_bits([builder.add(bits, power) for bits, power in zip(p.bits(), powers, strict=True)])


def log2(x: Lanes) -> Lanes:
    """The binary logarithm of normal numbers above 0.

    x = 2^w m with m in [1/sqrt 2, sqrt 2), and with s = (m - 1)/(m + 1),
    log2 m = 2 / ln 2 (s + s^3 / 3 + s^5 / 5 + ...).
    """
    number, builder = x.number, x.builder
    one, least = number.bits_of(1.0), number.bits_of(math.sqrt(0.5))
    places, fraction = x.whole(number.fraction_bits), x.whole((1 << number.fraction_bits) - 1)
    powers, patterns = [], []
    for bits in x.bits():
        moved = builder.add(bits, x.whole(one - least))
        power = builder.sub(builder.lshr(moved, places), x.whole(one >> number.fraction_bits))
        powers.append(builder.sitofp(power, number.vector))
        patterns.append(builder.add(builder.and_(moved, fraction), x.whole(least)))
    m, scale = x.from_bits(patterns), 2.0 / math.log(2.0)
    s = (m - 1.0) / (m + 1.0)
    square = s * s
    p = s.constant(scale / (2 * number.log2_terms - 1))
    for k in range(number.log2_terms - 2, -1, -1):
        p = p.times_plus(square, scale / (2 * k + 1))
    return p.times_plus(s, Lanes(builder, number, powers))
