"""The whole hostile web in one crawl, with the commands a user pastes."""

from __future__ import annotations

import itertools
import json
import os
import re
import shlex
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from dowse.loopback.hostile import TRIALS
from dowse.loopback.hostile.honest import PAGES
from dowse.model.topicfile import load_topic
from dowse.model.url import split

ROOT = Path(__file__).parents[2]
ASKED = [trial for trial in TRIALS if not trial.names]
MOST_BYTES = 500_000_000
MOST_SECONDS = 100.0  # some 22 s where nothing else runs, most of it two timeouts of 10 s


def command(report: str, line: str) -> list[str]:
    """A ``dowse ...`` line as a process that also reports its memory."""
    program, *arguments = shlex.split(line)
    assert program == "dowse"
    return [sys.executable, "-m", "tests.loopback.measured", report, *arguments]


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "200", "NO_COLOR": "1"}


@contextmanager
def served(folder: Path) -> Iterator[list[str]]:
    """``dowse hostile serve`` in this folder; the commands that it prints. Ctrl-C ends it."""
    line = command("server.json", "dowse hostile serve")
    with subprocess.Popen(line, cwd=folder, env=environment(), stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        said = ""
        try:
            while "Ctrl-C" not in said:
                part = server.stdout.readline()
                assert part, "the server ended early"
                said += part
            assert [trial.name for trial in TRIALS if f"\n{trial.name} " not in said] == []
            yield re.findall(r"^  (dowse .*)$", said, re.MULTILINE)
        finally:
            server.send_signal(signal.SIGINT)
            server.stdout.read()
    assert server.returncode == 0


def kinds(reasons: list[str]) -> Counter[str]:
    """How often each kind of reason: what stands in front of the particulars."""
    return Counter(re.split("[:,]", reason)[0] for reason in reasons)


@pytest.mark.timeout(300)
def test_one_crawl_of_everything(tmp_path: Path) -> None:
    with served(tmp_path) as (crawl, check):
        started = time.monotonic()
        done = subprocess.run(command("crawl.json", crawl), cwd=tmp_path, env=environment(), capture_output=True)
        took = time.monotonic() - started
        assert done.returncode == 0, done.stderr.decode()
    assert b"empty: no URL is left to fetch" in done.stdout, "it ends by itself"
    assert b"Traceback" not in done.stderr
    assert took < MOST_SECONDS

    checked = subprocess.run(command("check.json", check), cwd=tmp_path, env=environment(), capture_output=True)
    told = checked.stdout.decode()
    assert checked.returncode == 0, told
    assert f"{len(ASKED)} of {len(ASKED)} trials ended as expected; 1 not asked." in told

    peaks = json.loads((tmp_path / "crawl.json").read_text())
    assert max(peaks.values()) < MOST_BYTES
    server = json.loads((tmp_path / "server.json").read_text())
    assert server["own"] < MOST_BYTES / 2, "the server never holds what it sends"

    with closing(sqlite3.connect(tmp_path / "hostile-crawl" / "dowse.sqlite")) as records:
        nothing_but_the_expected_failed(records)
        timeout_s = load_topic(tmp_path / "hostile.toml").limits.timeout_s
        the_honest_host_was_not_held_up(records, max(timeout_s, took / 3))  # of a busy machine everybody has less
        assert records.execute("SELECT detail FROM events WHERE kind = 'loop held'").fetchall() == []


def nothing_but_the_expected_failed(records: sqlite3.Connection) -> None:
    ends = [end for trial in ASKED for end in trial.ends if end.outcome in ("failed", "refused")]
    ended = records.execute("SELECT url, reason FROM candidate_states WHERE state IN ('failed', 'refused')").fetchall()
    [crowd] = [trial for trial in ASKED if trial.name == "robots-wildcards"]
    found = [(url, reason) for url, reason in ended if (split(url).host, reason) != (crowd.host, "robots")]
    assert len(ended) - len(found) == dict(crowd.refusals)["robots"]
    assert {url for url, _ in found} == {end.url for end in ends}
    assert kinds([reason for _, reason in found]) == kinds([end.reason for end in ends])
    assert records.execute("SELECT count(*) FROM candidate_states WHERE state IN ('waiting', 'leased')").fetchone() == (
        0,
    )


def the_honest_host_was_not_held_up(records: sqlite3.Connection, most_s: float) -> None:
    """It has one page after the other, and between two of them was never a wait as long as one for a silent server."""
    rows = records.execute(
        "SELECT julianday(fetched_at) * 86400 FROM pages WHERE url LIKE 'http://honest.test/%' AND outcome = 'fetched'"
        " ORDER BY fetched_at"
    ).fetchall()
    times = [at for (at,) in rows]
    assert len(times) == PAGES
    assert max(later - earlier for earlier, later in itertools.pairwise(times)) < most_s
