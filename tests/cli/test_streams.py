"""A stdout that is full, closed, or in another encoding ends in a message or an answer, never a traceback."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

import karat


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    draw = np.random.default_rng(0).normal
    path = tmp_path_factory.mktemp("saved") / "appraisal.json"
    market = {"a": draw(0.0, 1.0, (40, 2)), "b": draw(1.0, 1.0, (40, 2))}
    karat.appraise(market, anchor=draw(0.0, 1.0, (40, 2))).save(path)
    return path


def karat_compare(saved, shell="", **environment):
    """`karat compare a b` in a process of its own, with what a shell adds to it."""
    run = "from karat.cli.main import main; main()"
    command = f'"{sys.executable}" -c "{run}" compare a b --from "{saved}" {shell}'
    return subprocess.run(
        ["/bin/sh", "-c", command], capture_output=True, env=os.environ | environment, check=False, timeout=60
    )


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")  # noqa: PTH110
def test_a_full_disk_is_told_as_one(saved):
    done = karat_compare(saved, shell="> /dev/full")
    assert done.returncode == 1
    assert done.stderr.decode().startswith("karat: a file cannot be read or written: No space left")
    assert b"Traceback" not in done.stderr
    assert b"Exception" not in done.stderr


@pytest.mark.skipif(os.name != "posix", reason="a shell's way to close a stream")
@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-"])
def test_a_closed_stream_changes_no_exit_code(saved, closed):
    assert karat_compare(saved, shell=closed).returncode in (0, 3)
    assert b"Traceback" not in karat_compare(saved, shell=closed).stderr


@pytest.mark.skipif(os.name != "posix", reason="a shell's pipe")
def test_a_reader_that_leaves_early_is_no_error(saved):
    assert karat_compare(saved, shell="| true").stderr == b""


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252", "cp437"])
def test_characters_that_the_terminal_lacks_are_replaced(tmp_path, encoding):
    done = subprocess.run(
        [sys.executable, "-c", "from karat.cli.main import main; main()", "demo"],
        capture_output=True,
        env=os.environ | {"PYTHONIOENCODING": encoding},
        cwd=tmp_path,
        check=False,
        timeout=120,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert "acme" in done.stdout.decode(encoding)
    assert "?" not in done.stdout.decode(encoding)
