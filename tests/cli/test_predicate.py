"""Predicates on the command line, as a user types them."""

from __future__ import annotations

import html
import json
import re
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from dowse.cli.main import main
from dowse.loopback import LoopbackServer, Site, Web, in_thread
from tests.engine.servers import page
from tests.judge.predicate.made import write_made

PAGE = """<html lang=en><title>Ice hockey tonight</title><meta property="og:type" content="article">
<p>Hockey is played on ice; the hockey league has a hockey stick in its emblem, and a <a href=/x>puck</a>.</p>"""


def dowse(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0
) -> tuple[str, str]:
    monkeypatch.setattr(sys, "argv", ["dowse", *arguments])
    with pytest.raises(SystemExit) as end:
        main()
    told = capsys.readouterr()
    assert end.value.code == code, told.err
    return told.out, told.err


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "page.html").write_text(PAGE)
    return tmp_path


def test_judge_prints_the_parts_as_a_tree(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    expression = 'word("hockey") >= 3 and (language == "de" or not object("Event")) and links > 1'
    out, _ = dowse(monkeypatch, capsys, "judge", "page.html", "--predicate", expression)
    lines = out.splitlines()
    assert lines[0] == "Ice hockey tonight"
    assert re.fullmatch(r"not relevant: predicate 0\.4967, threshold 0\.5000", lines[1])
    assert [line.rstrip() for line in lines[3:]] == [
        "  did not hold  and",
        '  held            word("hockey") >= 3  (4)',
        "  held            or",
        '  did not hold      language == "de"  (en)',
        "  held              not",
        '  did not hold        object("Event")',
        "  did not hold    links > 1  (1)",
    ]
    out, _ = dowse(monkeypatch, capsys, "judge", "page.html", "--predicate", expression, "--json")
    told = json.loads(out)
    assert (told["relevant"], told["method"]) == (False, "predicate")
    assert told["parts"][1] == {"text": 'word("hockey") >= 3', "held": True, "degree": 1 - 3 / 8, "value": 4.0,
                                "depth": 1}  # fmt: skip


def test_judge_with_a_topic_and_its_own_predicate(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "t.toml").write_text('query = "ice hockey"\npredicate = \'similarity > 0.3 and title("hockey")\'\n'
                                 "[judge]\nlanguage = \"english\"\n")  # fmt: skip
    out, _ = dowse(monkeypatch, capsys, "judge", "page.html", "--topic", "t.toml")
    assert "\nrelevant: predicate" in out
    assert re.search(r"held +similarity > 0\.3  \(0\.\d+\)", out)
    out, _ = dowse(monkeypatch, capsys, "judge", "page.html", "--topic", "t.toml", "--predicate", 'object("Article")')
    assert re.search(r'^  held +object\("Article"\)$', out, re.MULTILINE)
    (here / "t.toml").write_text('query = "ice"\n[judge]\nthreshold = 0.9')
    out, _ = dowse(monkeypatch, capsys, "judge", "page.html", "--topic", "t.toml", "--predicate", "words > 3")
    assert "\nrelevant: predicate" in out, "what the flag says counts in place of the file's threshold"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["judge", "page.html"], "Give --topic, --predicate or both"),
        (
            ["judge", "page.html", "--predicate", "wrod('x')"],
            "dowse: --predicate: column 1, at wrod('x'): unknown name",
        ),
        (["judge", "gone.html", "--predicate", "words >"], "--predicate: column 8: something is missing at the end"),
        (["judge", "page.html", "--predicate", "(" * 10_000], "at most 4,000 characters"),
        (["judge", "page.html", "--topic", "t.toml"], "t.toml:3: predicate: column 5, at wrod('x')"),
        (["crawl", "t.toml", "--seed", "http://a.test/"], "t.toml:3: predicate: column 5, at wrod('x')"),
        (["crawl", "--predicate", "words > 3"], "no seeds"),
        (
            ["crawl", "--resume", "x", "--predicate", "words > 3"],
            "keeps what the crawl began with: leave out --predicate",
        ),
        (["crawl", "--resume", "x", "--language", "german"], "leave out --language"),
        (["crawl", "x", "--language", "klingon"], "--language: must be none, arabic, armenian,"),
        (["judge", "page.html", "--predicate", "category('eis')"], "column 1, at category('eis'): the language of"),
        (["crawl", "x", "--category", "sports"], "--category: write NAME=FILE, not 'sports'"),
        (["crawl", "x", "--category", "sports=gone.json"], '--category: sports: there is no file "gone.json"'),
        (["crawl", "x", "--category", "eis=eis.category.json"], "--category: the predicate names no category 'eis'"),
        (
            ["judge", "page.html", "--predicate", "category('eis')", "--category", "Eis=eis.category.json"],
            "--category: the predicate names no category 'Eis'",
        ),
        (["judge", "page.html", "--predicate", "category('a b')"], "with dowse train 'a b', or name its file"),
        (["judge", "page.html", "--predicate", "category('sports')"], "make sports.category.json with dowse train"),
        (["judge", "page.html", "--predicate", "words > 1", "--topic", "u.toml"], "there is no file"),
        (["crawl", "x", "--predicate", "words > 1", "--threshold", "0.2", "--seed", "http://a.test/"], "no threshold"),
    ],
)
def test_a_mistake_is_one_line(
    arguments: list[str], message: str, here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "t.toml").write_text("predicate = '''\nwords > 3\nand wrod('x')'''")
    write_made(here / "eis.category.json", "eis", language="german")
    (here / "u.toml").write_text('categories = { sports = "gone.json" }')
    _, err = dowse(monkeypatch, capsys, *arguments, code=2)
    assert message in err
    assert err.count("\n") == 1


def test_the_language_of_a_category_that_no_topic_file_tells(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write_made(here / "eis.category.json", "eis", language="german")
    (here / "page.html").write_text("<title>Eis</title><p>Ein Eis, zwei Häuser.")
    both = 'category("eis") > 0.1 and word("Haus")'
    out, _ = dowse(monkeypatch, capsys, "judge", "page.html", "--predicate", both, "--language", "german")
    assert "\nrelevant: predicate" in out


def slow_web() -> Web:
    return Web.of(
        Site(
            "a.test",
            {
                f"/{n}": page(
                    f"a{n}", "solar" if n % 3 else "bread", [f"/{m}" for m in (2 * n + 1, 2 * n + 2) if m < 60]
                )
                for n in range(60)
            },
            latency_s=0.01,
        )
    )  # fmt: skip


def network(server: LoopbackServer) -> list[str]:
    return ["--resolve", f"*.test={server.address}", "--allow-private", "--delay", "0"]


def relevant(folder: Path) -> set[str]:
    try:
        with closing(sqlite3.connect(f"file:{folder / 'dowse.sqlite'}?mode=ro", uri=True)) as connection:
            return {url for (url,) in connection.execute("SELECT url FROM pages WHERE relevant")}
    except sqlite3.Error:
        return set()


def test_a_killed_crawl_goes_on_with_its_predicate(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    predicate = 'word("perovskite") > 1 and url.regex("/[0-9]*[13579]$")'
    folder = tmp_path / "c"
    with in_thread(slow_web()) as server:
        more = ["--predicate", predicate, "--seed", "http://a.test/0", "-o", str(folder), "--workers", "1", "-q"]
        process = subprocess.Popen([sys.executable, "-m", "dowse", "crawl", *more, *network(server)])
        until = time.monotonic() + 60
        while not relevant(folder) and process.poll() is None and time.monotonic() < until:
            time.sleep(0.02)
        process.send_signal(signal.SIGKILL)
        process.wait()
        out, _ = dowse(monkeypatch, capsys, "crawl", "--resume", str(folder), "--workers", "0", *network(server))
    assert relevant(folder) == {f"http://a.test/{n}" for n in range(60) if n % 3 and n % 2}
    assert predicate in " ".join(out.split()), "the summary says what made pages relevant"
    told, _ = dowse(monkeypatch, capsys, "why", str(folder), "http://a.test/5")
    assert 'held            word("perovskite") > 1  (3)' in told
    told, _ = dowse(monkeypatch, capsys, "why", str(folder), "http://a.test/3")
    assert 'did not hold    word("perovskite") > 1  (0)' in told
    dowse(monkeypatch, capsys, "report", str(folder), "-o", str(tmp_path / "r.html"))
    assert 'word("perovskite") &gt; 1' in html.unescape((tmp_path / "r.html").read_text()).replace(">", "&gt;")
