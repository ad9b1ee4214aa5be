"""What an operator does wrong, and what a machine does to an operator: one clear line, a documented exit code, and a
crawl that can be gone on with. Real processes, real signals."""

from __future__ import annotations

import ctypes
import os
import re
import shlex
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from dowse.cli.main import main
from dowse.loopback import LoopbackServer, Web, in_thread
from dowse.model.topic import Topic
from dowse.model.topicfile import topic_to_json
from dowse.store import CrawlStore
from tests.engine.servers import chain

ENVIRONMENT = {**os.environ, "COLUMNS": "200", "NO_COLOR": "1"}
EXIT_CODES = (Path(__file__).parents[2] / "docs" / "cli.md").read_text("utf-8").partition("## Exit codes")[2]
NOWHERE = ["--seed", "http://127.0.0.1:2/", "--workers", "0", "--quiet"]


def start(*arguments: str, root_is_bound: bool = False, **environment: str) -> subprocess.Popen[str]:
    """Run dowse. ``root_is_bound``: permission bits hold for it, even when the tests are run by root."""
    return subprocess.Popen(
        [sys.executable, "-m", "dowse", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env=ENVIRONMENT | environment, preexec_fn=give_up_override if root_is_bound and os.geteuid() == 0 else None,
    )  # fmt: skip


def give_up_override() -> None:
    """Drop CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH from what a program started from here may have."""
    for capability in (1, 2):
        assert ctypes.CDLL(None).prctl(24, capability, 0, 0, 0) == 0


def end(process: subprocess.Popen[str], code: int) -> tuple[str, str]:
    """Wait for its end: the documented exit code, and nothing that looks like a defect."""
    out, err = process.communicate(timeout=100)
    assert process.returncode == code, err
    assert re.search(rf"^\| {code} \|", EXIT_CODES, re.MULTILINE), "the exit code is documented"
    assert "Traceback" not in err
    return out, err


def one_line(process: subprocess.Popen[str], code: int) -> str:
    out, err = end(process, code)
    assert out == ""
    assert err.startswith("dowse: ")
    assert err.count("\n") == 1
    return err.removeprefix("dowse: ").rstrip("\n")


def mistake(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *arguments: str) -> str:
    """What the command says to a mistake it finds before it begins; no process of its own, since there are many."""
    monkeypatch.setattr(sys, "argv", ["dowse", *arguments])
    with pytest.raises(SystemExit) as stop:
        main()
    out, err = capsys.readouterr()
    assert (stop.value.code, out) == (2, "")
    assert err.startswith("dowse: ")
    assert err.count("\n") == 1
    return err.removeprefix("dowse: ").rstrip("\n")


def network(server: LoopbackServer) -> list[str]:
    return ["--resolve", f"*.test={server.address}", "--allow-private", "--delay", "0", "--workers", "0"]


@contextmanager
def slow_web(latency_s: float) -> Iterator[LoopbackServer]:
    """A site that takes its time for each page, so that a signal finds exchanges in flight."""
    site = replace(chain("a.test", 30), latency_s=latency_s)
    with in_thread(Web.of(site)) as server:
        yield server


def begun(server: LoopbackServer, folder: Path, requests: int) -> subprocess.Popen[str]:
    """A crawl that has asked so often, and waits for the answer."""
    process = start("crawl", "solar", "--seed", "http://a.test/0", "--out", str(folder), *network(server))
    while len(server.log) < requests:
        assert process.poll() is None
        time.sleep(0.01)
    return process


def states(folder: Path) -> dict[int, int]:
    with closing(sqlite3.connect(folder / "dowse.sqlite")) as connection:
        return dict(connection.execute("SELECT state, count(*) FROM candidates GROUP BY 1"))


def finishes(server: LoopbackServer, folder: Path) -> None:
    """The crawl goes on, and nothing that was recorded is asked for again."""
    with closing(sqlite3.connect(folder / "dowse.sqlite")) as connection:
        recorded = {url for (url,) in connection.execute("SELECT url FROM pages")}
    asked = len(server.log)
    server.web = Web.of(chain("a.test", 30))  # as quick as it can be
    end(start("crawl", "--resume", str(folder), *network(server)), 0)
    assert not recorded & {hit.url for hit in list(server.log)[asked:]}
    assert states(folder) == {2: 30, 3: 2}


def test_one_signal_waits_for_what_is_in_flight(tmp_path: Path) -> None:
    """SIGTERM as Ctrl-C, which is in test_commands."""
    with slow_web(0.4) as server:
        process = begun(server, tmp_path / "c", 4)
        process.send_signal(signal.SIGTERM)
        out, err = end(process, 130)
        assert "Stopping: waiting for the requests that are open" in err
        assert f"interrupted: go on with: dowse crawl --resume {tmp_path / 'c'}" in out
        assert len(server.answers) == len(server.log), "the answer under way was waited for"
        assert states(tmp_path / "c").get(1) is None, "and its URL is done"
        finishes(server, tmp_path / "c")


def test_a_second_signal_drops_what_is_in_flight(tmp_path: Path) -> None:
    with slow_web(0.2) as server:
        process = begun(server, tmp_path / "c", 4)
        server.web = Web.of(replace(chain("a.test", 30), latency_s=30.0))
        while len(server.log) < 5:
            time.sleep(0.01)
        began = time.monotonic()
        process.send_signal(signal.SIGINT)
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        out, _ = end(process, 130)
        assert time.monotonic() - began < 15, "the answer would have taken 30 seconds, the grace is 20"
        assert "interrupted" in out
        with closing(sqlite3.connect(tmp_path / "c" / "dowse.sqlite")) as connection:
            assert connection.execute("SELECT count(*) FROM pages WHERE outcome = 'failed'").fetchall() == [(0,)]
        finishes(server, tmp_path / "c")


def test_two_crawls_in_one_folder(tmp_path: Path) -> None:
    with slow_web(1.0) as server:  # the first must still go on when the others have started, on however busy a machine
        first = begun(server, tmp_path / "c", 2)
        said = one_line(start("crawl", "--resume", str(tmp_path / "c"), "--quiet", *network(server)), 2)
        assert said.startswith(f"{tmp_path / 'c'} is in use by another crawl (process {first.pid})")
        said = one_line(start("crawl", "solar", "--out", str(tmp_path / "c"), *NOWHERE), 2)
        assert "in use by another crawl" in said
        first.send_signal(signal.SIGINT)
        end(first, 130)


def test_a_folder_that_cannot_be_made(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("mine", "utf-8")
    for out in (tmp_path / "file", tmp_path / "file" / "c", Path("/proc/dowse-crawl")):
        said = mistake(capsys, monkeypatch, "crawl", "solar", "--out", str(out), *NOWHERE)
        assert said.startswith(f"cannot make the folder {out}: ")
        assert said.endswith("Choose another with --out")
    assert (tmp_path / "file").read_text("utf-8") == "mine"


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    folder, bare = tmp_path / "c", tmp_path / "bare"
    bare.mkdir()
    CrawlStore.create(folder, {"topic": topic_to_json(Topic(query="solar"))}, 0.0).close()
    places = (bare, folder, *folder.iterdir())
    modes = {path: path.stat().st_mode for path in places}
    for path in places:
        path.chmod(0o555 if path.is_dir() else 0o444)
    try:
        said = one_line(start("crawl", "solar", "--out", str(bare / "c"), *NOWHERE, root_is_bound=True), 2)
        assert "permission denied. Choose another" in said
        said = one_line(start("crawl", "solar", "--out", str(bare), *NOWHERE, root_is_bound=True), 1)
        assert said == f"cannot start a crawl in {bare}: permission denied"
        said = one_line(start("crawl", "--resume", str(folder), "--quiet", root_is_bound=True), 1)
        assert said.startswith(f"cannot keep records in {folder}: permission denied. What was recorded before is safe")
    finally:
        for path, mode in modes.items():
            path.chmod(mode)
    CrawlStore.open(folder).close()


def test_a_folder_that_may_not_be_read(tmp_path: Path) -> None:
    """All of it, or one of its files; and where there is no room for what is to be written."""
    folder = tmp_path / "c"
    CrawlStore.create(folder, {"topic": topic_to_json(Topic(query="solar"))}, 0.0).close()
    commands = [["why", str(folder), "http://a.test/"], ["export", str(folder)], ["label", str(folder)],
                ["stats", str(folder)], ["report", str(folder)], ["crawl", "--resume", str(folder), "--quiet"],
                ["crawl", "solar", "--cache", str(folder), "--out", str(tmp_path / "d"), *NOWHERE]]  # fmt: skip
    for path in (folder, folder / "dowse.sqlite"):
        mode = path.stat().st_mode
        path.chmod(0)
        try:
            for command in commands:
                process = start(*command, root_is_bound=True)
                said = one_line(process, 1 if "--resume" in command and path != folder else 2)
                assert re.search("permission denied|unable to open|not readable", said), command
        finally:
            path.chmod(mode)
    folder.chmod(0o555)
    try:
        assert "cannot write" in one_line(start("report", str(folder), root_is_bound=True), 2)
    finally:
        folder.chmod(0o755)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "cannot read the topic file: No such file or directory"),
        ("folder", "cannot read the topic file: Is a directory"),
        (b"\x89PNG\r\n\x1a\n\xff\xfe", ":1: is not UTF-8 text"),
        (b"", "is empty; it says nothing to look for"),
        (b'query = "x"\n[seeds]\nurls = ["http://a.test/"\n', ":4: Unclosed array"),
        (b'query = "x"\nquery = "y"\n', ":2: "),
        (b'query = "x"\n\nbudgt = "3p"\n', ":3: budgt: unknown key: did you mean budget?"),
        (b'query = "x"\nbudget = "-3p"\n', ":2: budget: '-3p' is not a budget"),
    ],
)
def test_a_topic_file_that_cannot_be_used(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch,
    content: bytes | str | None, said: str,
) -> None:  # fmt: skip
    topic = tmp_path / "topic.toml"
    if isinstance(content, bytes):
        topic.write_bytes(content)
    elif content is not None:
        topic.mkdir()
    line = mistake(capsys, monkeypatch, "crawl", str(topic), "--out", str(tmp_path / "c"))
    assert line.startswith(str(topic))
    assert said in line
    assert not (tmp_path / "c").exists()


def test_a_topic_file_that_may_not_be_read(tmp_path: Path) -> None:
    topic = tmp_path / "topic.toml"
    topic.write_text('query = "x"', "utf-8")
    topic.chmod(0)
    line = one_line(start("crawl", str(topic), root_is_bound=True), 2)
    assert line == f"{topic}: cannot read the topic file: Permission denied"


@pytest.mark.parametrize(
    ("budget", "said"),
    [
        ("0p", "leaves nothing to spend"),
        ("0s", "leaves nothing to spend"),
        ("-5p", "is not a budget"),
        ("", "is empty"),
        ("1p,,2r", "is not a budget"),
        ("lots", "is not a budget"),
        ("inf", "is not a budget"),
        ("1e9p", "is not a budget"),
        ("99999999999999999999p", "pages must be a whole number from 1 to 9007199254740992, not"),
        ("0.5p", "is not a whole number of pages"),
        ("1p,2p", "limits pages twice"),
        ("5M", "may mean megabytes or minutes"),
        ("3x", "has an unknown unit"),
    ],
)
def test_an_impossible_budget(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, budget: str, said: str
) -> None:
    arguments = ["crawl", "solar", "--out", str(tmp_path / "c"), "--budget", budget, *NOWHERE]
    line = mistake(capsys, monkeypatch, *arguments)
    assert line.startswith("--budget: ")
    assert said in line
    assert not (tmp_path / "c").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--cache", "nowhere"], "cache: {}/nowhere holds no crawl (there is no dowse.sqlite in it)"),
        (["--cache", "garbage"], "cache: {}/garbage/dowse.sqlite cannot be read: file is not a database"),
        (["--cache", "c"], "cache: {}/c is the crawl's own folder: name one of an earlier crawl"),
        (["--cache", "./x/../c"], "cache: {}/x/../c is the crawl's own folder: name one of an earlier crawl"),
        (["--cache", "nowhere", "--cache-age", "0"], "cache: {}/nowhere holds no crawl"),
        (["--cache-age", "a week"], "--cache-age: 'a week' is not a length of time"),
        (["--cache-age", "-1"], "--cache-age: '-1' is not a length of time"),
    ],
)
def test_an_impossible_cache(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, arguments: list[str], said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "garbage").mkdir()
    (tmp_path / "x").mkdir()
    (tmp_path / "garbage" / "dowse.sqlite").write_bytes(b"mine" * 1000)
    line = mistake(capsys, monkeypatch, "crawl", "solar", "--out", "c", *arguments, *NOWHERE)
    assert line.startswith(said.format(tmp_path))
    assert not (tmp_path / "c").exists()


def test_no_seed_can_be_reached(tmp_path: Path) -> None:
    topic = tmp_path / "topic.toml"
    topic.write_text(
        'query = "x"\nworkers = 0\n[seeds]\nurls = ["http://127.0.0.1:2/"]\n[politeness]\ndelay = 0\n'
        "[limits]\nretry_wait = 0.05\n[network]\nallow_private = true\n",
        "utf-8",
    )
    said = one_line(start("crawl", str(topic), "--out", str(tmp_path / "c"), "--quiet"), 1)
    assert said.startswith("no page was fetched: http://127.0.0.1:2/: robots.txt unreachable: connect: ")
    with in_thread(Web.of(chain("a.test", 3))) as server:
        more = ["--seed", "http://a.test/0", *network(server)]
        out, _ = end(start("crawl", "--resume", str(tmp_path / "c"), *more), 0)
    assert "3 fetched" in out, "it goes on with a seed that can be reached"


def test_seeds_with_garbage_lines_and_the_largest_budget_there_is(tmp_path: Path) -> None:
    """Bad lines are told and passed over; the largest numbers are just large."""
    seeds, huge = tmp_path / "seeds.txt", 2**53
    seeds.write_bytes(b"\x00\xff\xfe binary\nhttp://a.test/0\nnot a url\nhttp://[\njavascript:alert(1)\n\n# why\n")
    with in_thread(Web.of(chain("a.test", 3))) as server:
        budget = ["--budget", f"{huge}p,1048576TiB,366d,{huge}r"]
        arguments = ["--seed", str(seeds), "--out", str(tmp_path / "c"), *budget, *network(server)]
        out, err = end(start("crawl", "solar", *arguments), 0)
    assert "3 fetched" in out
    assert [line.partition(": line ")[2][:1] for line in err.splitlines() if str(seeds) in line] == ["1", "3", "4", "5"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "there is no seed to start from: {}: there is nothing in it"),
        (b"\x00\xff\nnope nope\n", "there is no seed to start from: {}: line 1: "),
        (None, "--seed: there is no file '{}'"),
    ],
)
def test_seeds_that_are_none(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    content: bytes | None,
    said: str,
) -> None:
    seeds = tmp_path / "seeds.txt"
    if content is not None:
        seeds.write_bytes(content)
    line = mistake(capsys, monkeypatch, "crawl", "solar", "--seed", str(seeds), "--out", str(tmp_path / "c"))
    assert line.startswith(said.format(seeds))
    assert not (tmp_path / "c").exists()


def test_a_mistake_leaves_no_folder_that_refuses_the_corrected_command(
    tmp_path: Path,
) -> None:
    folder = str(tmp_path / "c")
    wrong = start("crawl", "solar", "--seed", "http://a.test:25/", "--out", folder, "--quiet")
    assert "refused by port" in one_line(wrong, 1)
    with slow_web(0.0) as server:
        end(start("crawl", "solar", "--seed", "http://a.test/0", "--out", folder, "-b", "2p", *network(server)), 0)


@pytest.mark.parametrize("place", ["none.xml", "."])
def test_a_sitemap_that_is_no_file_is_told_like_a_seed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    monkeypatch.chdir(tmp_path)
    line = mistake(capsys, monkeypatch, "crawl", "solar", "--sitemap", place, "--out", "c")
    assert "there is no file" in line or "is a directory" in line
    assert not (tmp_path / "c").exists()


def test_the_next_commands_can_be_pasted(tmp_path: Path) -> None:
    """However long and odd the folder's name, and however narrow the terminal."""
    folder = tmp_path / ("a long name " * 8).strip()
    with slow_web(0.0) as server:
        arguments = ["--seed", "http://a.test/0", "--out", str(folder), "-b", "2p", *network(server)]
        out, _ = end(start("crawl", "solar", *arguments, COLUMNS="60"), 0)
    lines = [line.partition("dowse ")[2] for line in out.splitlines() if "dowse " in line]
    assert f"report {shlex.quote(str(folder))}" in lines
    assert f"export {shlex.quote(str(folder))} -o pages.csv" in lines
