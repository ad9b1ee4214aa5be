from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from dowse.model.errors import FolderBusy
from dowse.store.lock import FolderLock

HOLD = (
    "import sys; from pathlib import Path; from dowse.store.lock import FolderLock;"
    "lock = FolderLock(Path(sys.argv[1])); print('held', flush=True); sys.stdin.read()"
)


def holder(path: Path) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def test_a_second_process_is_told_who_holds_it_and_a_kill_frees_it(tmp_path: Path) -> None:
    path = tmp_path / "dowse.lock"
    with holder(path) as process:
        with pytest.raises(FolderBusy, match=rf"process {process.pid}\b"):
            FolderLock(path)
        process.kill()
        process.wait()
    assert path.read_text() == f"{process.pid}\n"  # a stale file is no obstacle
    lock = FolderLock(path)
    assert path.read_text() == f"{os.getpid()}\n"
    lock.release()


def test_one_process_cannot_hold_it_twice_but_one_after_the_other(tmp_path: Path) -> None:
    lock = FolderLock(tmp_path / "lock")
    with pytest.raises(FolderBusy, match=f"process {os.getpid()}"):
        FolderLock(tmp_path / "lock")
    lock.release()
    lock.release()
    FolderLock(tmp_path / "lock").release()


def test_a_forked_child_does_not_hold_it(tmp_path: Path) -> None:
    """The parent dies, its forked worker lives on: the folder is free."""
    script = HOLD.replace("sys.stdin.read()", "").replace("print('held', flush=True);", "import os, time;")
    script += "\nif os.fork() == 0: print(os.getpid(), flush=True); time.sleep(30)\nelse: os.kill(os.getpid(), 9)"
    with subprocess.Popen(
        [sys.executable, "-c", script, str(tmp_path / "lock")], stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        try:
            assert parent.wait() == -9
            deadline = time.monotonic() + 5
            while True:
                try:
                    FolderLock(tmp_path / "lock").release()
                    break
                except FolderBusy:
                    assert time.monotonic() < deadline, "the child holds the lock"
                    time.sleep(0.01)
        finally:
            os.kill(child, 9)
