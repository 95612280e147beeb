"""The picture of the figures: well formed, with every point where it belongs."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest

from karat.bench.roofline import roofline_svg, series_of


@pytest.fixture
def figures():
    def row(ns, bare, sklearn=20.0):
        return {
            "ns_per_pair": ns,
            "ns_per_pair_paper": ns,
            "product_ns_per_pair": bare,
            "sklearn_over_exact": sklearn,
        }

    return {"exact": {"1024": row(9.4, 9.2), "64": row(0.7, 0.8), "16": row(0.27, 0.3)}}


def test_rates_are_columns_over_nanoseconds(figures):
    engine, product, sklearn = series_of(figures)
    assert engine.rates[1024.0] == pytest.approx(1024 / 9.4)
    assert product.rates[16.0] == pytest.approx(16 / 0.3)
    assert sklearn.rates[64.0] == pytest.approx(64 / 14.0)


def test_the_picture_is_well_formed_and_has_a_dot_per_figure(figures):
    root = ET.fromstring(roofline_svg(figures))
    circles = [node for node in root.iter() if node.tag.endswith("circle")]
    assert len(circles) == 9
    heights = {node.get("class"): [] for node in circles}
    for node in circles:
        heights[node.get("class")].append(float(node.get("cy")))
        assert 0.0 < float(node.get("cx")) < 640.0
        assert 0.0 < float(node.get("cy")) < 400.0
    assert max(heights["engine"]) < min(heights["sklearn"])  # higher up is faster
    words = [node.text for node in root.iter() if node.tag.endswith("text")]
    assert {"columns", "karat, everything", "bare product", "scikit-learn"} <= set(words)


def test_what_was_not_measured_is_not_drawn(figures):
    for row in figures["exact"].values():
        row["sklearn_over_exact"] = None
    assert "scikit-learn" not in roofline_svg(figures)
