"""What the columns of an encoded row mean: a list of blocks, as plain data.

Kernels weigh blocks, explanations name them; neither needs to know the encoder.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from karat.errors import SchemaError


@dataclass(frozen=True)
class Block:
    """Neighbouring encoded columns that belong together.

    name: the raw column (or the array's "x0"); kind: "number", "time", "bool" or "missing";
    start, stop: its place in a row, as in row[start:stop]; weight: its say in kernels that read it.
    """

    name: str
    kind: str
    start: int
    stop: int
    weight: float = 1.0

    @property
    def width(self) -> int:
        return self.stop - self.start

    @property
    def slice(self) -> slice:
        return slice(self.start, self.stop)

    def to_dict(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "kind": self.kind,
            "start": self.start,
            "stop": self.stop,
            "weight": self.weight,
        }


@dataclass(frozen=True)
class Layout:
    """Blocks side by side, without gaps, from 0 to `width`.

    >>> Layout.of(["rooms", "age"]).blocks[1]
    Block(name='age', kind='number', start=1, stop=2, weight=1.0)
    """

    blocks: tuple[Block, ...]
    width: int

    def __post_init__(self) -> None:
        end = 0
        for block in self.blocks:
            if block.start != end or block.stop <= block.start:
                raise SchemaError(
                    f"the block of column {block.name!r} covers {block.start}..{block.stop}, "
                    f"but the block before it ends at {end}.",
                    hint="Blocks stand side by side, without gaps, and hold at least one column.",
                    column=block.name,
                )
            end = block.stop
        if end != self.width:
            raise SchemaError(
                f"the blocks cover {end} columns, the layout says {self.width}.",
                hint="Give a layout whose last block ends at its width.",
            )

    @classmethod
    def of(cls, names: Sequence[str], *, kinds: Sequence[str] | None = None) -> Layout:
        """One block of one column per name."""
        kinds = ["number"] * len(names) if kinds is None else kinds
        pairs = zip(names, kinds, strict=True)
        blocks = tuple(Block(name, kind, i, i + 1) for i, (name, kind) in enumerate(pairs))
        return cls(blocks, len(blocks))

    @classmethod
    def unnamed(cls, width: int) -> Layout:
        """The layout of a bare array: columns x0, x1, ..."""
        return cls.of([f"x{i}" for i in range(width)])

    def __iter__(self) -> Iterator[Block]:
        return iter(self.blocks)

    def __len__(self) -> int:
        return len(self.blocks)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(block.name for block in self.blocks)

    def column_at(self, index: int) -> str:
        """The name of the block that holds encoded column `index`.

        >>> Layout.unnamed(3).column_at(2)
        'x2'
        """
        return next(block.name for block in self.blocks if block.start <= index < block.stop)

    def to_dict(self) -> dict[str, Any]:
        return {"width": self.width, "blocks": [block.to_dict() for block in self.blocks]}

    @classmethod
    def from_dict(cls, saved: dict[str, Any]) -> Layout:
        return cls(tuple(Block(**block) for block in saved["blocks"]), int(saved["width"]))
