from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import pytest

from karat.report.axis import Axis
from karat.report.figures import (
    NARROW,
    WIDE,
    Spot,
    _box,
    _labels,
    _ring_boxes,
    _touch,
    _View,
    axis_labels,
    interval_bar,
    market_map,
)
from karat.report.printable import printable
from markets import HOSTILE

KINDS = {"svg", "circle", "line", "text", "title", "path"}
AXIS = Axis.reaching([1.0], percent=0.01)


def elements(svg, kind):
    return [e for e in ET.fromstring(str(svg)).iter() if e.tag == kind]


def test_a_bar_spans_its_interval_and_dots_its_estimate():
    bar = interval_bar(AXIS, 0.3, (0.25, 0.5), floor=0.2, label="acme: 25-50 %")
    floor, interval = elements(bar, "rect")
    assert (floor.get("width"), interval.get("x"), interval.get("width")) == ("20.0%", "25.0%", "25.0%")
    assert elements(bar, "circle")[0].get("cx") == "30.0%"
    assert elements(bar, "title")[0].text == "acme: 25-50 %"


def test_a_bar_without_interval_is_a_dot():
    bar = interval_bar(AXIS, 0.3, None, floor=None, label="acme")
    assert elements(bar, "rect") == []
    assert len(elements(bar, "circle")) == 1


@pytest.mark.parametrize("name", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_names_leave_figures_well_formed(name):
    shown = printable(name)
    bar = interval_bar(AXIS, 0.3, (0.2, 0.4), floor=None, label=shown)
    assert elements(bar, "title")[0].text == shown
    spots = [Spot("reference", "", "reference"), Spot(shown, shown, "vendor")]
    drawn = market_map([(0.0, 0.0), (0.5, 0.1)], spots, rings=AXIS, floor=None, label=shown)
    assert {e.tag for e in ET.fromstring(str(drawn)).iter()} <= KINDS


def test_figures_carry_no_style_of_their_own():
    drawn = market_map([(0.0, 0.0)], [Spot("a", "a", "vendor")], rings=AXIS, floor=0.1, label="map")
    assert not re.search(r'style=|fill="|stroke="', str(drawn))


def test_the_map_keeps_proportions():
    """A point one unit right and one unit up of another lies as many pixels right as up, at every width."""
    spots = [Spot(name, name, "vendor") for name in "abc"]
    drawn = market_map([(0.0, 0.0), (0.3, 0.0), (0.0, 0.3)], spots, rings=AXIS, floor=None, label="map")
    c, b, a = [  # later spots are drawn first
        (float(e.get("cx")[:-1]), float(e.get("cy")[:-1]))
        for e in elements(drawn, "circle")
        if e.get("class") == "spot vendor"
    ]
    assert (b[0] - a[0]) * 1.75 == pytest.approx(a[1] - c[1], rel=1e-4)


def test_labels_touch_neither_dots_nor_each_other():
    spots = [Spot(f"vendor {i}", "", "vendor") for i in range(12)]
    places = [(20.0 + 3.0 * (i % 4), 30.0 + 4.0 * (i // 4)) for i in range(12)]
    for width in (WIDE, NARROW):
        labels = _labels(spots, places, width)
        points = [(x * width / 100, y * width / 175) for x, y in places]
        boxes = [_box(points[i], labels[i], len(spots[i].name) * 7.8) for i in labels]
        assert 0 < len(boxes) < 12
        assert not any(_touch(a, b) for i, a in enumerate(boxes) for b in boxes[:i])


def test_names_keep_clear_of_the_distances_at_the_rings():
    """A vendor on the leading direction, just where a ring crosses it."""
    view = _View.of([(0.0, 0.0), (0.99, 0.0), (0.5, 0.4)])
    marks = [(0.25, "25 %"), (0.5, "50 %"), (0.75, "75 %")]
    spots = [Spot("reference", "", "reference"), Spot("vendor", "", "vendor")]
    places = [view.place(0.0, 0.0), view.place(0.24, 0.0)]
    for width in (WIDE, NARROW):
        texts = _ring_boxes(view, marks, width)
        labels = _labels(spots, places, width, texts)
        points = [(x * width / 100, y * width / 175) for x, y in places]
        boxes = [_box(points[i], labels[i], len(spots[i].name) * 7.8) for i in labels]
        assert len(texts) == 3
        assert not any(_touch(box, text) for box in boxes for text in texts)
        blind = _labels(spots, places, width)
        assert any(_touch(_box(points[1], blind[1], 6 * 7.8), text) for text in texts)


def test_a_distance_that_does_not_fit_a_phone_is_shown_on_a_desk_only():
    spots = [Spot("a", "", "vendor"), Spot("b", "", "vendor")]
    drawn = market_map([(0.0, 0.0), (1.0, 0.0)], spots, rings=AXIS, floor=None, label="map")
    looks = {e.text: e.get("class") for e in elements(drawn, "text") if "ring-text" in e.get("class")}
    assert looks["40 %"] == "ring-text"
    assert looks["100 %"] == "ring-text wide"


def test_no_number_stands_beyond_the_end_of_the_axis():
    labels = elements(axis_labels(Axis.reaching([1.01], percent=0.01)), "text")
    assert [label.get("text-anchor") for label in labels] == ["start", *["middle"] * (len(labels) - 2), "end"]
    labels = elements(axis_labels(Axis.reaching([1.2], percent=0.01)), "text")
    assert labels[-1].text == "100 %"
    assert labels[-1].get("text-anchor") == "middle"
