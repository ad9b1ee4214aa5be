"""Forked workers, in programs of their own: a test's process has threads, and is not forked."""

from __future__ import annotations

import json
import os
import pickle
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import pytest

from dowse.engine.workers.job import Call
from dowse.engine.workers.start import ENDS_GROUP, fork_workers, start_afresh
from dowse.engine.workers.wire import frame, framed, pack_call

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="workers are forked on Linux only")
ROOT = Path(__file__).parents[3]
PROGRAM = """
import asyncio, json, sys, time
from dowse.engine.workers.start import fork_workers
from dowse.engine.workers.process_pool import ProcessPool
from tests.engine.steps import job, misbehave

async def crawl(prepared):
    pool = ProcessPool(misbehave, 2, 20.0, prepared=prepared)
    await pool.start()
    first = sorted(worker.process.pid for worker in pool._workers)
    works = await asyncio.gather(*(pool.run(job(url)) for url in ("a", "die", "b", "c")))
    print(json.dumps([first, [work.error for work in works], pool.died]), flush=True)
    time.sleep(SLEEP)
    await pool.close()

prepared = fork_workers(3)
print(json.dumps([one.process.pid for one in prepared]), flush=True)
asyncio.run(crawl(prepared))
for one in prepared:
    one.end()
"""


def program(sleep_s: float) -> subprocess.Popen[str]:
    code = textwrap.dedent(PROGRAM).replace("SLEEP", str(sleep_s))
    return subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, cwd=ROOT)


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_forked_workers_do_the_work_and_one_that_dies_is_replaced() -> None:
    process = program(0)
    out, _ = process.communicate(timeout=60)
    forked, (first, answers, died) = map(json.loads, out.splitlines())
    assert process.returncode == 0
    assert len(forked) == 3
    assert set(first) < set(forked), "two were wanted"
    assert answers == ["a", "the worker died twice", "b", "c"]
    assert died == 2
    assert not any(map(alive, forked)), "nobody is left, wanted or not"


def test_no_forked_worker_outlives_the_engine() -> None:
    process = program(60)
    assert process.stdout is not None
    forked = json.loads(process.stdout.readline())
    process.stdout.readline()
    os.kill(process.pid, signal.SIGKILL)
    process.wait(30)
    process.stdout.close()
    deadline = time.monotonic() + 20
    while any(map(alive, forked)):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_a_process_with_threads_is_not_forked() -> None:
    done = threading.Event()
    thread = threading.Thread(target=done.wait)
    thread.start()
    try:
        assert fork_workers(2) == []
    finally:
        done.set()
        thread.join()


def test_a_worker_can_be_ended_twice() -> None:
    worker = start_afresh()
    worker.end()
    worker.end()
    assert not alive(worker.process.pid)


def test_a_worker_in_the_middle_of_work_ends_when_nobody_waits_for_it() -> None:
    worker = start_afresh()
    worker.sock.sendall(frame(pickle.dumps(None)) + b"".join(framed(*pack_call(Call(time.sleep, (60,))))))
    assert worker.sock.recv(100) == frame(b""), "it is ready, and goes on to the call"
    worker.sock.close()
    assert isinstance(worker.process, subprocess.Popen)
    assert worker.process.wait(20) == 0


def test_signals_to_the_group_do_not_reach_a_worker_that_is_still_loading() -> None:
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    worker = start_afresh()
    for number in ENDS_GROUP:
        os.kill(worker.process.pid, number)
    worker.sock.sendall(frame(pickle.dumps(None)))
    assert worker.sock.recv(100) == frame(b"")
    worker.end()
    assert signal.pthread_sigmask(signal.SIG_BLOCK, ()) == blocked, "here they come as before"
