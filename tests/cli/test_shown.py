"""What pages, servers and records say goes to a terminal as text: nothing is obeyed, nothing turns a line around."""

from __future__ import annotations

import io
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from rich.console import Console

from dowse.cli.live import LiveDisplay
from dowse.loopback import LoopbackServer, Resource, Site, Web, in_thread
from tests.cli.labelled import said
from tests.judge.made import BIRDS, texts

EVIL = "\x1b]0;owned\x07\x1b[2J\x9b31m\u202egpj.exe\u2066\u200f\u061c\r\nrelevant: score 1.000"
FORBIDDEN = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
SOURCES = Path(__file__).parents[2] / "src" / "dowse" / "cli"
QUERY = "bird nest feather wing"


def hostile_web() -> Web:
    """Titles, headings, anchors, headers and reasons with everything in them."""
    prose = texts(BIRDS, 3, seed=5)
    odd = EVIL.replace("\r\n", " ")
    body = f"<title>{EVIL}</title><h2>{EVIL}</h2><p>{prose[0]} {EVIL}</p>"
    links = f"<a href='/two{odd}'>{EVIL}</a><a href='/gone'>{EVIL}</a><a href='/type'>x</a><a href='/away'>y</a>"
    latin = "\x9b2J\x85".encode("latin-1").decode("latin-1")
    return Web.of(
        Site(
            "a.test",
            {
                "/": Resource(f"<html>{body}{links}</html>".encode()),
                "/two" + odd: Resource(f"<html>{body}<p>{prose[1]}</html>".encode()),
                "/type": Resource(b"x", content_type=f"text/x{latin}-odd"),
                "/away": Resource(b"", status=302, headers=(("Location", f"http://b.test/{latin}"),)),
            },
        ),
        Site("b.test", {"/robots.txt": Resource(f"User-agent: *\nCrawl-delay: 99999\n# {EVIL}".encode())}),
    )


@pytest.fixture(scope="module")
def server() -> Iterator[LoopbackServer]:
    with in_thread(hostile_web()) as running:
        yield running


def network(server: LoopbackServer) -> list[str]:
    return ["--resolve", f"*.test={server.address}", "--allow-private"]


TOPIC = """query = "bird nest feather wing"
workers = 0
[judge]
threshold = 0.05
[politeness]
delay = "0s"
max_delay = "0.05s"
"""


def crawl(server: LoopbackServer, folder: Path, *more: str) -> list[str]:
    topic = folder.with_name("topic.toml")
    topic.write_text(TOPIC, "utf-8")
    return ["crawl", str(topic), "--seed", "http://a.test/", *network(server), "--budget", "6p, 20r",
            "--out", str(folder), *more]  # fmt: skip


@pytest.fixture
def folder(server: LoopbackServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """A crawl of that web, into whose records somebody wrote more of the kind."""
    for more in ((), ("--json",), ("--quiet",)):
        harmless(*said(capsys, *crawl(server, tmp_path / f"crawl{''.join(more)}", *more)))
    folder = tmp_path / "crawl"
    with closing(sqlite3.connect(folder / "dowse.sqlite", isolation_level=None)) as records:
        for sql in (
            "UPDATE pages SET title = ?1, reason = ?1, content_type = ?1, language = ?1, cached_from = ?1",
            "UPDATE candidates SET reason = ?1 WHERE state <> 0",
            "UPDATE pages SET final_url = 'http://a.test/' || ?1",
            "UPDATE links SET anchor = ?1",
            "UPDATE decisions SET strategy = ?1",
            "UPDATE runs SET stop_reason = ?1",
            "UPDATE sites SET robots_status = ?1, closed = ?1",
            "INSERT INTO events VALUES (NULL, '2026-01-01T00:00:00.000000Z', ?1, ?1)",
            "INSERT INTO refusals VALUES (?1, 3)",
        ):
            records.execute(sql, (EVIL,))
    return folder


def harmless(*texts: str) -> None:
    for text in texts:
        assert not FORBIDDEN.search(text), FORBIDDEN.sub(lambda match: f"<<{match[0]!r}>>", text)[-3000:]
        assert "\nrelevant: score 1.000" not in text, "nobody adds a line of his own"


def test_commands_that_look_at_a_crawl(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for url in ("http://a.test/", "http://a.test/gone", "http://a.test/type", "http://a.test/away", f"http://x/{EVIL}"):
        out, err = said(capsys, "why", str(folder), url)
        harmless(out, err)
    harmless(*said(capsys, "report", str(folder)))
    harmless((folder / "report.html").read_text("utf-8"))
    harmless(*said(capsys, "export", str(folder)))
    harmless(*said(capsys, "label", str(folder), answers="s\nq\n"))
    harmless(*said(capsys, "stats", str(folder)))
    harmless(*said(capsys, "lab", "info", str(folder), "--jobs", "1"))
    harmless(*said(capsys, "lab", "info", str(folder), "--json"))


def test_commands_that_look_at_a_page(
    server: LoopbackServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for command in ("judge", "blocks"):
        for more in ((), ("--json",)):
            harmless(*said(capsys, command, "http://a.test/", "--topic", QUERY, *network(server), *more))


def test_mistakes_that_quote(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in (
        ["why", str(tmp_path / EVIL), "http://a.test/"],
        ["crawl", QUERY, "--seed", EVIL, "--budget", EVIL],
        ["crawl", QUERY, "--scope", EVIL, "--seed", "http://a.test/"],
        ["export", str(tmp_path), "--to", EVIL],
        ["judge", EVIL, "--topic", QUERY],
        [EVIL],
    ):
        _, err = said(capsys, *arguments, code=2)
        harmless(err)
        assert err.count("\n") == 1


def test_a_running_crawl_in_a_terminal() -> None:
    screen = io.StringIO()
    display = LiveDisplay(Console(file=screen, force_terminal=True, width=200))
    display.open(EVIL)
    display.say(EVIL)
    display.close()
    said = screen.getvalue()
    assert "owned" in said
    for part in ("\x1b]0", "\x07", "\x1b[2J", "\x9b", "\u202e", "\u2066"):
        assert part not in said


def test_there_is_one_way_to_the_terminal() -> None:
    """``cli/terminal.py``; the others print tables of text that was made fit, or a line of their own."""
    loose = {
        path.name for path in SOURCES.glob("*.py") if re.search(r"typer\.(?:secho|echo)\(", path.read_text("utf-8"))
    }
    assert loose == {"terminal.py"}
