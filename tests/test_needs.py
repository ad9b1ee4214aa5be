"""What could not be run is told in one line, with workers as without."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.needs import not_run

ROOT = Path(__file__).parents[1]
TESTS = """
import pytest
from tests.needs import needs
A, B = needs("Atlantis", "apt install atlantis", present=False), needs("Python", "is here", present=True)

@pytest.fixture(scope="module")
def server():
    raise AssertionError("not made for tests that do not run")

@A
@pytest.mark.parametrize("number", range(3))
def test_one(server, number): ...

@B
def test_two(): ...

@pytest.mark.skip(reason="another thing")
def test_three(): ...
"""


@pytest.mark.parametrize("workers", [(), ("-n", "2")])
def test_what_is_not_here_is_told_in_one_line(workers: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text("from tests.needs import pytest_terminal_summary")
    (tmp_path / "test_x.py").write_text(TESTS)
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = -q\n")
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *workers]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTEST_ADDOPTS": ""}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
    *_, told, counts = done.stdout.splitlines()
    assert told == "not run here: 3 tests that need Atlantis (apt install atlantis)"
    assert counts.startswith("1 passed, 4 skipped")


def test_where_all_is_here_nothing_is_told() -> None:
    assert not_run(["only on Linux"]) == ""
