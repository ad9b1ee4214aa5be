"""Comparisons that are interrupted: real processes, real signals. One line, the exit code, and nobody left behind."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from dowse.lab.corpus import open_corpus
from tests.cli.test_operator import ENVIRONMENT, end
from tests.lab.compare.webs import write_labelled

ENDLESS = ["--all-labels", "--min-pages", "20", "--examples", "4", "--seed-sets", "300", "--budget", "1000r"]
MARK = "DOWSE_TEST_MARK"
SAID = "dowse: interrupted: finished runs are kept: run the same command to go on\n"


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus that needs not be parsed any more."""
    folder = write_labelled(tmp_path_factory.mktemp("web"))
    open_corpus(folder, jobs=1)
    return folder


@pytest.fixture
def corpus(opened: Path, tmp_path: Path) -> Path:
    shutil.copytree(opened, tmp_path / "corpus", ignore=shutil.ignore_patterns("runs"))
    return tmp_path / "corpus"


def wait_for(condition: Callable[[], bool], timeout_s: float = 60.0) -> None:
    until = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < until, "it took too long"
        time.sleep(0.02)


def marked(mark: str) -> set[int]:
    """Every process that descends from what was started with this mark, whoever its parent is now."""
    found = set()
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            with suppress(OSError):
                if mark.encode() in (entry / "environ").read_bytes():
                    found.add(int(entry.name))
    return found


class Comparison:
    """A comparison without end, by two processes, in a session of its own."""

    def __init__(self, corpus: Path, *arguments: str) -> None:
        self.mark = uuid.uuid4().hex
        self.runs = corpus / ".dowse-lab" / "runs"
        command = [sys.executable, "-m", "dowse", "lab", "compare", str(corpus), *ENDLESS, *arguments]
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
            env={**ENVIRONMENT, MARK: self.mark},
        )  # fmt: skip

    def others(self) -> set[int]:
        return marked(self.mark) - {self.process.pid}

    def begun(self, others: int) -> bool:
        assert self.process.poll() is None, self.process.communicate()
        return len(self.others()) == others and len(list(self.runs.glob("*.json"))) >= 3

    def said(self, code: int) -> str:
        out, err = end(self.process, code)
        assert out == ""
        wait_for(lambda: not marked(self.mark), 5.0)
        assert all(json.loads(path.read_text("utf-8"))["result"] for path in self.runs.glob("*.json"))
        return err


@contextmanager
def comparing(corpus: Path, *arguments: str, others: int = 2) -> Iterator[Comparison]:
    """A comparison that has kept some runs."""
    comparison = Comparison(corpus, *arguments)
    try:
        wait_for(lambda: comparison.begun(others))
        yield comparison
    finally:
        for pid in marked(comparison.mark):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        comparison.process.communicate()


@pytest.mark.parametrize("to", ["process", "group"])
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_it_with_one_line_and_nobody_left(corpus: Path, to: str, number: int, code: int) -> None:
    with comparing(corpus, "--jobs", "2") as comparison:
        began = time.monotonic()
        if to == "group":
            os.killpg(comparison.process.pid, number)
        else:
            os.kill(comparison.process.pid, number)
        said = comparison.said(code)
        assert time.monotonic() - began < 20
    assert said == SAID
    assert len(list((corpus / ".dowse-lab" / "runs").glob("*.json"))) >= 3


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_so_it_does_in_one_process(corpus: Path, number: int, code: int) -> None:
    with comparing(corpus, "--jobs", "1", others=0) as comparison:
        os.kill(comparison.process.pid, number)
        assert comparison.said(code) == SAID


def test_a_process_that_dies_is_told(corpus: Path) -> None:
    with comparing(corpus, "--jobs", "2") as comparison:
        os.kill(min(comparison.others()), signal.SIGKILL)
        assert comparison.said(1) == (
            "dowse: a process died while it ran a topic: try --jobs 1; what was run is kept\n"
        )  # fmt: skip


def test_nobody_outlives_a_comparison_that_was_killed(corpus: Path) -> None:
    with comparing(corpus, "--jobs", "2") as comparison:
        comparison.process.kill()
        wait_for(lambda: not comparison.others(), 10.0)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_while_a_corpus_is_read_leaves_no_litter(tmp_path: Path, number: int) -> None:
    """The signal comes when the first processes are about to start."""
    corpus = write_labelled(tmp_path / "c", pages=1000)
    comparison = Comparison(corpus, "--jobs", "2")
    try:
        wait_for(lambda: bool(comparison.others()))
        os.killpg(comparison.process.pid, number)
        said = comparison.said(128 + number).splitlines()
    finally:
        comparison.process.kill()
        comparison.process.communicate()
    assert [line for line in said if "(once" not in line] == [SAID.rstrip()]
    assert [path.name.partition("-")[0] for path in (corpus / ".dowse-lab").iterdir()] == ["index"]
