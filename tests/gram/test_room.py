"""Large sums live in a file: memory is let go, numbers are not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from karat.gram import room


def resident_mb():
    lines = Path("/proc/self/status").read_text().splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1024.0


def test_small_matrices_stay_in_memory_and_letting_go_leaves_them_alone():
    matrix = room.zeros((3, 2))
    matrix += 1.0
    room.let_go(matrix)
    assert not isinstance(matrix, np.memmap)
    assert matrix.sum() == 6.0


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is read from /proc")
def test_a_matrix_in_a_file_keeps_its_numbers_and_gives_its_memory_back(monkeypatch):
    monkeypatch.setattr(room, "MOST_BYTES", 1000)
    matrix = room.zeros((1000, 8000))  # 64 MB
    matrix += np.arange(8000.0)
    held = resident_mb()
    room.let_go(matrix[:, 10:20].T)
    assert resident_mb() < held - 50.0
    np.testing.assert_array_equal(matrix[999], np.arange(8000.0))
