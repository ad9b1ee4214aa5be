"""``dowse seeds`` and ``dowse crawl --find`` as a user types them, against engines on loopback."""

from __future__ import annotations

import csv
import json
import shlex
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from dowse.cli.main import main
from dowse.loopback import LoopbackServer, Site, Web, in_thread
from dowse.loopback.web import Ask
from dowse.model.topicfile import load_topic
from tests.engine.assembly.engine_answers import ENGINES, HOST, in_json, parameters
from tests.engine.servers import chain

Run = Callable[..., int]


@pytest.fixture(scope="module")
def server() -> Iterator[LoopbackServer]:
    kind = ENGINES["searxng"]

    def answer(ask: Ask) -> object:
        query = parameters(ask)["q"][0]
        if query == "busy":
            return in_json({}, 429, Retry_After="50")
        rows = [(f"http://a.test/{n}", f"{query} {n}", f"about {query}") for n in range(3)]
        return kind.answer(ask, [] if "nothing" in query else [*rows, ("http://b.test/0", "b", "")], False)

    search = Site(HOST, {}, {kind.path: answer, "/api/v1": lambda _: in_json({}, 500)})  # type: ignore[dict-item]
    with in_thread(Web.of(search, chain("a.test", 4), chain("b.test", 2))) as running:
        yield running


@pytest.fixture
def run(
    server: LoopbackServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Run:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))

    def call(line: str, *, at: str = server.address) -> int:
        command = f"dowse {line} --resolve '*={at}' --allow-private --delay 0"
        monkeypatch.setattr(sys, "argv", shlex.split(command))
        with pytest.raises(SystemExit) as end:
            main()
        assert isinstance(end.value.code, int)
        return end.value.code

    return call


ENGINE = f"--engine searxng:http://{HOST} --per-query 4"


def test_seeds_are_shown_and_who_found_them(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(f'seeds "solar cells" {ENGINE}') == 0
    told = capsys.readouterr()
    assert told.err.splitlines()[0] == f"asking searxng:{HOST}: 1 query"
    lines = told.out.splitlines()
    assert lines[0] == "4 seeds, with 1 request"
    assert lines[1:4] == ["http://a.test/0", f"    solar cells 0  (searxng:{HOST} 1)", "    about solar cells"]


def test_they_go_to_every_kind_of_file(run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = ("f.jsonl", "f.csv", "f.txt", "f.toml", "f.sqlite")
    assert run(f"seeds 'solar' {ENGINE} {' '.join(f'--to {name}' for name in names)}") == 0
    rows = [json.loads(line) for line in (tmp_path / "f.jsonl").read_text().splitlines()]
    assert [row["url"] for row in rows] == (tmp_path / "f.txt").read_text().split()
    assert rows[0]["finds"][0]["engine"] == f"searxng:{HOST}"
    with (tmp_path / "f.csv").open(newline="") as stream:
        assert [row["url"] for row in csv.DictReader(stream)] == [row["url"] for row in rows]
    topic = load_topic(tmp_path / "f.toml")
    assert (topic.query, list(topic.seeds.urls)) == ("solar", [row["url"] for row in rows])
    assert run(f"seeds 'solar' {ENGINE} --to f.sqlite") == 0, "rows are replaced, not doubled"
    with closing(sqlite3.connect(tmp_path / "f.sqlite")) as records:
        assert records.execute("SELECT count(*), count(DISTINCT url) FROM found").fetchall() == [(4, 4)]
    assert "written to the table found of f.sqlite" in capsys.readouterr().out
    assert run(f"seeds 'solar' {ENGINE} --to f.txt") == 2
    assert "f.txt already exists" in capsys.readouterr().err
    assert run(f"seeds 'solar' {ENGINE} --to f.txt --force") == 0


def test_what_was_found_is_a_seed_list_and_an_engine(run: Run, tmp_path: Path) -> None:
    assert run(f"seeds 'solar' {ENGINE} --to f.csv --to g.jsonl") == 0
    assert run("crawl solar --seed f.csv -b 2p -q -o one --workers 0") == 0
    assert run("seeds other --engine file:g.jsonl --to h.jsonl") == 0
    titles = [json.loads(line)["title"] for line in (tmp_path / "h.jsonl").read_text().splitlines()]
    assert {"solar 0", "solar 1", "solar 2"} <= set(titles)


def test_many_queries_and_their_sites(run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "objects.txt").write_text('perovskite\n# comment\n\n"tandem cell"\nnothing\n')
    assert run(f"seeds --queries objects.txt --count-sites {ENGINE} --to sites.csv") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:3] == [
        "2 sites, with 3 requests",
        f"a.test: 2 queries, 3 pages, by searxng:{HOST}: http://a.test/0",
        f"b.test: 2 queries, 1 page, by searxng:{HOST}: http://b.test/0",
    ]
    with (tmp_path / "sites.csv").open(newline="") as stream:
        assert [(row["site"], row["queries"]) for row in csv.DictReader(stream)] == [("a.test", "2"), ("b.test", "2")]
    assert run(f"seeds --queries objects.txt --count-sites {ENGINE} --json") == 0
    assert [json.loads(line)["pages"] for line in capsys.readouterr().out.splitlines()] == [3, 1]
    assert run(f"seeds --queries objects.txt --count-sites {ENGINE} --to topic.toml") == 2
    assert "a topic file takes seeds, not site counts" in capsys.readouterr().err


def test_a_topic_file_says_whom_to_ask(run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "list.txt").write_text("http://b.test/0\n")
    (tmp_path / "topic.toml").write_text(
        f'query = "solar"\n[find]\nengines = ["searxng:http://{HOST}", "file:list.txt"]\nqueries = ["wind OR sun"]\n'
        "seeds = 2\nper_query = 4\n"
    )
    assert run("seeds topic.toml --json") == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert len(rows) == 2
    assert run("crawl topic.toml -b 2p -o c --workers 0") == 0
    told = capsys.readouterr().err
    assert f"asking searxng:{HOST}, file:list.txt for seeds" in told
    assert "seeds found: 2 of 4" in told


def test_a_sentence_is_enough(run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No seed, no engine: those that need no key are asked, and it says which."""
    assert run('crawl "solar cells" -o c', at="127.0.0.1:9") == 2
    told = capsys.readouterr().err.splitlines()
    assert told[0] == "no seeds are given: asking mediawiki:en.wikipedia.org, marginalia, hackernews for seeds"
    assert told[1].startswith("dowse: no seed was found: mediawiki:en.wikipedia.org, marginalia, hackernews: connect")
    assert len(told) == 2
    assert not (tmp_path / "c").exists()
    assert run(f'crawl "solar cells" {ENGINE} --find -b 3p -o c --workers 0') == 0
    assert "seeds found: 4" in capsys.readouterr().err
    assert run("crawl --resume c -b 4p --find") == 2
    assert "leave out --find" in capsys.readouterr().err


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_what_was_found_before_an_interrupt_is_not_lost(
    server: LoopbackServer, tmp_path: Path, number: signal.Signals
) -> None:
    code, told = _interrupted(server, tmp_path, number, "seeds --query solar --query busy --to f.jsonl")
    assert code == 128 + number
    assert told[-1] == "dowse: interrupted: this is what was found by then"
    assert len((tmp_path / "f.jsonl").read_text().splitlines()) == 4


def test_a_crawl_that_is_interrupted_while_engines_are_asked_leaves_nothing(
    server: LoopbackServer, tmp_path: Path
) -> None:
    code, told = _interrupted(server, tmp_path, signal.SIGINT, "crawl solar --query busy -o c")
    assert (code, told[-1]) == (130, "dowse: interrupted before the crawl began")
    assert not (tmp_path / "c").exists()


def _interrupted(server: LoopbackServer, folder: Path, number: signal.Signals, line: str) -> tuple[int, list[str]]:
    """Run a command until an engine is asked what it is too busy for; its exit code and what it said then."""
    asked = sum("q=busy" in hit.target for hit in server.log)
    command = f"{line} {ENGINE} --resolve *={server.address} --allow-private --delay 0"
    with subprocess.Popen(
        [sys.executable, "-m", "dowse", *shlex.split(command)], cwd=folder, stderr=subprocess.PIPE, text=True,
        stdout=subprocess.DEVNULL, start_new_session=True,
    ) as running:  # fmt: skip
        while running.poll() is None and sum("q=busy" in hit.target for hit in server.log) == asked:
            time.sleep(0.02)
        running.send_signal(number)
        _, told = running.communicate(timeout=30)
    return running.returncode, told.splitlines()


def test_export_has_the_seeds(run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(f'crawl "solar cells" {ENGINE} -b 1p -o c -q --workers 0') == 0
    capsys.readouterr()

    def export(line: str) -> int:
        sys.argv = shlex.split(f"dowse export c {line}")
        with pytest.raises(SystemExit) as end:
            main()
        return int(end.value.code or 0)

    assert export("--seeds") == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [row["finds"][0]["rank"] for row in rows] == [1, 2, 3, 4]
    assert export("--seeds -o seeds.csv") == 0
    assert (tmp_path / "seeds.csv").read_text().startswith("id,url,title,snippet,score,nearness,finds\n")
    assert export("--seeds --relevant") == 2
    assert export("--seeds --to md") == 2


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("seeds", "what is to be found?"),
        ("seeds x --engine nope", "there is no search engine 'nope'"),
        ("seeds x --engine 'No Pe'", '--engine: "No Pe" is not an engine'),
        ("seeds x --engine brave", "brave needs a key: set DOWSE_BRAVE_KEY in the environment"),
        ("seeds x --engine searxng", "searxng has no address of its own"),
        (f"seeds nothing {ENGINE}", "dowse: nothing was found: try other words or engines"),
        (f"seeds x --engine hackernews:http://{HOST}", f"dowse: nothing was found: hackernews:{HOST}: http 500"),
        (f"seeds x {ENGINE} --to where", "'where' does not tell what to write"),
        (f"seeds x {ENGINE} --to .", ". is a folder without a crawl"),
        (f"seeds x {ENGINE} --per-query 0", "--per-query: must be a whole number from 1 to 10000"),
        ("seeds --queries gone.txt", "cannot read the queries"),
        ("crawl x --engine local:gone -o c", "cannot read the folder"),
        ("crawl --predicate 'words > 3' --engine mediawiki", "there are no seeds"),
    ],
)
def test_mistakes_are_one_line(run: Run, capsys: pytest.CaptureFixture[str], line: str, message: str) -> None:
    assert run(line) == 2
    told = capsys.readouterr().err.splitlines()
    assert message in told[-1]
    assert not any("Traceback" in each for each in told)
