from __future__ import annotations

from karat.schema import Finding


def test_a_finding_survives_being_saved():
    finding = Finding("missing", "3 cells are missing.", "acme", "price", 3)
    assert Finding.from_dict(finding.to_dict()) == finding
