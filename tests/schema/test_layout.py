from __future__ import annotations

import pytest

from karat.errors import SchemaError
from karat.schema import Block, Layout


def test_blocks_stand_side_by_side():
    layout = Layout((Block("a", "number", 0, 1), Block("b", "number", 1, 4, weight=2.0)), 4)
    assert layout.names == ("a", "b")
    assert [block.width for block in layout] == [1, 3]
    assert [layout.column_at(i) for i in range(4)] == ["a", "b", "b", "b"]
    assert [0, 1, 2, 3][layout.blocks[1].slice] == [1, 2, 3]
    assert len(layout) == 2


@pytest.mark.parametrize(
    ("blocks", "width"),
    [
        ((Block("a", "number", 0, 1), Block("b", "number", 2, 3)), 3),
        ((Block("a", "number", 0, 2), Block("b", "number", 1, 3)), 3),
        ((Block("a", "number", 0, 0),), 0),
        ((Block("a", "number", 0, 1),), 2),
    ],
)
def test_gaps_overlaps_and_wrong_widths_are_refused(blocks, width):
    with pytest.raises(SchemaError, match="block"):
        Layout(blocks, width)


def test_a_bare_array_has_numbered_columns():
    assert Layout.unnamed(2) == Layout.of(["x0", "x1"])


def test_a_layout_survives_being_saved():
    layout = Layout.of(["a", "b"], kinds=["number", "bool"])
    assert Layout.from_dict(layout.to_dict()) == layout
