"""A long crawl of an endless web needs memory for what it knows, and for nothing else (``make soak-memory``)."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import numpy as np
import pytest

from tests.engine.endless import HOSTS, name

MINUTES = float(os.environ.get("DOWSE_SOAK_MINUTES", "60"))
A_URL = 250  # bytes: columns, seen set, queue, pattern counts, what the strategy knows of it
A_PAGE = 400  # bytes: 210 in the duplicate index, the rest for its growing arrays and the strategy
SLACK = 24 << 20  # bytes: a table that just grew, the heap's gaps
WARM_UP = 0.25  # of the time: caches fill, libraries are loaded

TOPIC = """
name = "memory"
query = "perovskite solar cells"
[seeds]
urls = [{seeds}]
[scope.traps]
max_per_host = 0
[politeness]
delay = "0s"
[network]
allow_private = true
concurrency = 50
[network.resolve]
"*.test" = "{address}"
"""


@dataclass(frozen=True, slots=True)
class Sample:
    """The crawl at one moment: bytes resident, URLs known, pages recorded."""

    at: float
    engine: int
    workers: int
    urls: int
    pages: int


def resident(pid: int) -> int:
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:  # it has just ended
        return 0
    return sum(int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith("VmRSS"))


def children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


@contextmanager
def endless_web() -> Iterator[str]:
    command = [sys.executable, "-m", "tests.engine.endless"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        yield server.stdout.readline().strip()
        server.communicate()


def watch(process: subprocess.Popen[bytes], folder: Path, seconds: float) -> list[Sample]:
    """Look at the crawl every few seconds, from outside."""
    begin, samples = time.monotonic(), list[Sample]()
    while (passed := time.monotonic() - begin) < seconds:
        time.sleep(min(5.0, seconds / 60))
        assert process.poll() is None, f"the crawl ended after {passed:.0f} s"
        if not (folder / "dowse.sqlite").exists():
            continue
        with closing(sqlite3.connect(f"file:{folder / 'dowse.sqlite'}?mode=ro", uri=True)) as connection:
            urls = connection.execute("SELECT ifnull(max(id), 0) FROM candidates").fetchone()[0]
            pages = connection.execute("SELECT recorded FROM totals").fetchone()[0]
        workers = sum(map(resident, children(process.pid)))
        samples.append(Sample(passed, resident(process.pid), workers, urls, pages))
    return samples


@pytest.mark.soak
@pytest.mark.timeout(MINUTES * 60 + 300)
def test_memory_grows_with_what_is_known_and_not_with_time(tmp_path: Path) -> None:
    folder, topic = tmp_path / "crawl", tmp_path / "topic.toml"
    with endless_web() as address:
        seeds = ", ".join(f'"http://{host}{name(0)}"' for host in HOSTS)
        topic.write_text(TOPIC.format(seeds=seeds, address=address))
        command = [
            sys.executable,
            "-m",
            "dowse",
            "crawl",
            str(topic),
            "--out",
            str(folder),
            "--workers",
            "2",
            "--quiet",
        ]
        process = subprocess.Popen(command)
        try:
            samples = watch(process, folder, MINUTES * 60)
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(60)
    warm = [sample for sample in samples if sample.at > WARM_UP * MINUTES * 60]
    first, last = warm[0], warm[-1]
    urls, pages = last.urls - first.urls, last.pages - first.pages
    slope = np.polyfit([sample.urls for sample in warm], [sample.engine for sample in warm], 1)[0]
    tenth = max(1, len(warm) // 10)
    early, late = (median(sample.workers for sample in part) for part in (warm[:tenth], warm[-tenth:]))
    report = (
        f"{last.pages} pages, {last.urls} URLs in {last.at / 60:.1f} min; "
        f"after the warm-up {pages} pages, {urls} URLs: "
        f"engine {first.engine >> 20} to {last.engine >> 20} MB, {slope:.0f} bytes a URL; "
        f"workers {early / 2**20:.0f} to {late / 2**20:.0f} MB"
    )
    (tmp_path / "report.txt").write_text(report + "\n")
    assert pages > 100 * MINUTES, report
    assert last.engine - first.engine < A_URL * urls + A_PAGE * pages + SLACK, report
    assert late < 1.1 * early, report
    sys.stderr.write(f"\n{report}\n")
