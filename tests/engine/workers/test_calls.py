from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from dowse.engine.workers.calls import processes
from dowse.model.errors import DowseError, UserError
from tests.lab.compare.webs import write_labelled


def complain(kind: str) -> None:
    raise UserError("change it") if kind == "user" else ZeroDivisionError(kind)


def test_calls_are_answered_by_other_processes() -> None:
    with processes(2, died="dead") as pool:
        futures = [pool.submit(pow, 2, number) for number in range(10)]
        assert [future.result() for future in futures] == [2**number for number in range(10)]
        assert 1 <= len({pool.submit(os.getpid).result() for _ in range(8)} - {os.getpid()}) <= 2


def test_what_they_raise_is_raised_here() -> None:
    with processes(1, died="dead") as pool:
        with pytest.raises(UserError, match="change it"):
            pool.submit(complain, "user").result()
        with pytest.raises(ZeroDivisionError) as raised:
            pool.submit(complain, "defect").result()
        assert "in complain" in raised.value.__notes__[0], "where it lies"
        assert pool.submit(pow, 2, 3).result() == 8


def test_one_that_dies_is_told() -> None:
    with processes(1, died="a process died") as pool:
        died = pool.submit(os.kill, pool.submit(os.getpid).result(), signal.SIGKILL)
        with pytest.raises(DowseError, match="a process died"):
            died.result()


def test_leaving_the_block_ends_what_is_under_way() -> None:
    began = time.monotonic()
    with processes(2, died="dead") as pool:
        pid = pool.submit(os.getpid).result()
        futures = [pool.submit(time.sleep, 60) for _ in range(4)]
    assert time.monotonic() - began < 20
    assert all(future.cancelled() or future.exception() for future in futures)
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_a_script_needs_no_guard(tmp_path: Path) -> None:
    """Opening a corpus starts processes; those do not run the user's script again."""
    corpus = write_labelled(tmp_path / "c", pages=300)
    script = tmp_path / "script.py"
    script.write_text(
        "from dowse.lab.corpus import open_corpus\nprint('here')\n"
        f"print(len(open_corpus({str(corpus)!r}, jobs=2)))\n"
    )  # fmt: skip
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False, timeout=60)
    assert (done.stdout, done.stderr) == ("here\n300\n", "")
