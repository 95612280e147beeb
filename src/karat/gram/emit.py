"""One block in vector instructions: 16 rows of a panel against 16 of another, from columns to kernel values.

The inner products of a block grow in registers while a loop runs over the columns, and are turned into kernel
values there; what is done with these is the caller's business.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from llvmlite import binding, ir

from karat.gram import forms, lanes, panels
from karat.gram.forms import VALUES
from karat.gram.lanes import LANES, Lanes, Number
from karat.kernels.profile import Fill

DIFFERENCES = 2
"""A fill beside those of `Fill`: -|x - y|^2 / 2 from differences, where rows are so far out that products
cancel. Rows are scaled by sqrt(1/2) for it."""

HAS_WIDE_REGISTERS = bool(binding.get_host_cpu_features().get("avx512f", False))
"""32 registers of 16 float32: the sums of a whole block of 16 x 16 stay inside."""

SINGLE_ROWS = 16 if HAS_WIDE_REGISTERS else 4
DOUBLE_ROWS = 8 if HAS_WIDE_REGISTERS else 2
"""Rows of a block that are worked on at a time, in float32 and float64: as many as registers hold."""

IN_STEP = 4
"""Rows whose values are computed in step: enough to hide the latency of an exponential, few enough to fit."""

INDEX = ir.IntType(64)


@dataclass(frozen=True)
class Recipe:
    """What a block is compiled for: the form, how many rates it has, how products grow, rows at a time."""

    form: int
    terms: int
    fill: int
    rows: int


class Pen:
    """Writes vector loads and stores at the builder's place."""

    def __init__(self, builder: Any, number: Number) -> None:
        self.builder, self.number = builder, number

    def lanes(self, *vectors: Any) -> Lanes:
        return Lanes(self.builder, self.number, vectors)

    def at(self, base: Any, offset: Any) -> Any:
        """The address so many numbers after the base."""
        return self.builder.gep(base, [INDEX(offset) if isinstance(offset, int) else offset])

    def read(self, address: Any) -> Any:
        vector = self.builder.load(self.builder.bitcast(address, self.number.vector.as_pointer()))
        vector.align = self.number.bytes
        return vector

    def write(self, vector: Any, address: Any) -> None:
        store = self.builder.store(vector, self.builder.bitcast(address, self.number.vector.as_pointer()))
        store.align = self.number.bytes

    def spread(self, address: Any) -> Any:
        """One number in all lanes."""
        nothing, first = ir.Constant(self.number.vector, ir.Undefined), ir.IntType(32)(0)
        single = self.builder.insert_element(nothing, self.builder.load(address), first)
        zeros = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
        return self.builder.shuffle_vector(single, nothing, zeros)


def _grow(fill: int, own: Lanes, other: Lanes, so_far: Lanes) -> Lanes:
    """One column's part of an inner product, or of minus a distance."""
    if fill == Fill.PRODUCT:
        return own.times_plus(other, so_far)
    difference = own - other
    if fill == Fill.MANHATTAN:
        return so_far - difference.size()
    return difference.negative().times_plus(difference, so_far)


def _products(pen: Pen, recipe: Recipe, x: Any, y: Any, depth: Any, start: Any) -> list[Any]:
    """One vector per row of x, over the 16 rows of y; a loop over the columns with all sums in registers."""
    builder, rows = pen.builder, recipe.rows
    before, loop, after = builder.block, builder.append_basic_block(), builder.append_basic_block()
    first = [pen.read(pen.at(start, r * LANES)) for r in range(rows)]
    builder.branch(loop)
    builder.position_at_end(loop)
    column = builder.phi(INDEX)
    sums = [builder.phi(pen.number.vector) for _ in range(rows)]
    offset = builder.mul(column, INDEX(LANES))
    other, own = pen.lanes(pen.read(pen.at(y, offset))), pen.at(x, offset)
    grown = [
        _grow(recipe.fill, pen.lanes(pen.spread(pen.at(own, r))), other, pen.lanes(sums[r])).vectors[0]
        for r in range(rows)
    ]
    following = builder.add(column, INDEX(1))
    for phi, begin, later in zip([column, *sums], [INDEX(0), *first], [following, *grown], strict=True):
        phi.add_incoming(begin, before)
        phi.add_incoming(later, loop)
    builder.cbranch(builder.icmp_unsigned("<", following, depth), loop, after)
    builder.position_at_end(after)
    return grown


def kernel_vectors(
    pen: Pen, recipe: Recipe, x: Any, y: Any, depth: Any, start: Any, x_norms: Any, y_norms: Any, rates: Any
) -> Iterator[Any]:
    """Per row of x a vector of its kernel values with the 16 rows of y; all places are addresses."""
    products = _products(pen, recipe, x, y, depth, start)
    norms = pen.read(y_norms)
    speeds = [pen.spread(pen.at(rates, t)) for t in range(recipe.terms)]
    step = min(IN_STEP, recipe.rows)
    for first in range(0, recipe.rows, step):
        a = pen.lanes(*(pen.spread(pen.at(x_norms, first + r)) for r in range(step)))
        b = pen.lanes(*[norms] * step)
        e = pen.lanes(*products[first : first + step]) - (a + b)  # so k(x, y) = k(y, x) in every bit
        k = VALUES[recipe.form](e, a, b, [pen.lanes(*[speed] * step) for speed in speeds])
        yield from k.vectors


@cache
def edition() -> str:
    """A checksum of what compiled code is made from; on disk it is filed under it.

    Numba itself looks at the file of the compiled function alone, and would go on using code that was made by
    other lanes and forms.
    """
    files = (__file__, forms.__file__, lanes.__file__, panels.__file__)
    texts = (Path(str(file)).read_bytes() for file in files)
    return f"{zlib.crc32(b''.join(texts)):08x}"
