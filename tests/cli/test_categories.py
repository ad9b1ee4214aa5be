"""From example pages to a crawl that goes by them, and back: categories in predicates, as a user types it all."""

from __future__ import annotations

import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from dowse.judge import load_category
from dowse.loopback import LoopbackServer, in_thread
from tests.cli.labelled import PAGES, html, mistake, said, two_kinds
from tests.judge.made import BIRDS, STEEL, texts
from tests.judge.predicate.made import write_made

Capture = pytest.CaptureFixture[str]
PREDICATE = 'category("birds") > 0.6 and word("bird")'


@pytest.fixture
def examples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, subject in (("good", BIRDS), ("bad", STEEL)):
        (tmp_path / name).mkdir()
        for number, text in enumerate(texts(subject, 10)):
            (tmp_path / name / f"{number}.html").write_text(html(f"page {number}", text), "utf-8")
    return tmp_path


def judged(folder: Path) -> dict[str, bool]:
    try:
        with closing(sqlite3.connect(f"file:{folder / 'dowse.sqlite'}?mode=ro", uri=True)) as connection:
            rows = connection.execute("SELECT url, relevant FROM pages WHERE relevant IS NOT NULL").fetchall()
    except sqlite3.Error:
        return {}
    return {url: bool(relevant) for url, relevant in rows}


def flags(server: LoopbackServer, delay: str = "0") -> list[str]:
    return ["--resolve", f"*.test={server.address}", "--allow-private", "--delay", delay, "-q"]


@pytest.mark.parametrize("embed", [[], ["--embed"]])
def test_train_crawl_kill_and_go_on_elsewhere(embed: list[str], examples: Path, capsys: Capture) -> None:
    """What is trained is what pages are judged by, in workers and here, also when the file has changed since."""
    said(capsys, "train", "birds", "--positive", "good", "--negative", "bad", *embed)
    original = Path("birds.category.json").read_bytes()
    options = ["--predicate", PREDICATE, "--seed", "http://a.test/", "-o", "c", "--workers", "1"]
    with in_thread(two_kinds()) as server:
        process = subprocess.Popen([sys.executable, "-m", "dowse", "crawl", *options, *flags(server, "0.15")])
        until = time.monotonic() + 60
        while len(judged(Path("c"))) < 4 and process.poll() is None and time.monotonic() < until:
            time.sleep(0.02)
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert 4 <= len(judged(Path("c"))) < 2 * PAGES
        assert Path("c/categories/birds.json").read_bytes() == original
        Path("birds.category.json").write_text("{}")
        (examples / "elsewhere").mkdir()
        shutil.move("c", "elsewhere/c")
        said(capsys, "crawl", "--resume", "elsewhere/c", "--workers", "0", *flags(server))
    found = judged(Path("elsewhere/c"))
    assert len(found) == 2 * PAGES + 1
    assert sum(found.values()) > PAGES / 2
    assert all("/bird/" in url for url, relevant in found.items() if relevant)
    page = next(url for url, relevant in found.items() if relevant)
    told, _ = said(capsys, "why", "elsewhere/c", page)
    assert 'held            category("birds") > 0.6  (0.' in told
    told, _ = said(capsys, "label", "elsewhere/c", "--name", "birds", answers="q\n")
    assert "birds 0." in told, "it goes on from the category that the crawl knows"


def test_a_damaged_copy_ends_a_resume_and_not_a_look(examples: Path, capsys: Capture) -> None:
    write_made(Path("b.category.json"), "bird", "nest", bias=0.0)
    with in_thread(two_kinds()) as server:
        start = ["--seed", "http://a.test/", *flags(server), "--workers", "0", "--budget", "5p"]
        said(capsys, "crawl", "--predicate", 'category("b")', "-o", "c", *start)
    Path("c/categories/b.json").write_text("{")
    assert "c/categories/b.json: is no category" in mistake(capsys, "crawl", "--resume", "c", "--budget", "9p")
    told, _ = said(capsys, "why", "c", next(url for url in judged(Path("c")) if url != "http://a.test/"))
    assert 'held          category("b")' in told
    assert "(how near the links are to the topic cannot be told: " in told
    said(capsys, "report", "c")


def test_a_category_from_verdicts_finds_them_again(examples: Path, capsys: Capture) -> None:
    with in_thread(two_kinds()) as server:
        start = ["--seed", "http://a.test/", *flags(server), "--workers", "0"]
        said(capsys, "crawl", "bird nest feather wing", "--threshold", "0.1", "-o", "first", *start)
        said(capsys, "train", "b 2", "--positive", "first:relevant", "--negative", "first:irrelevant")
        said(capsys, "crawl", "--predicate", 'category("b 2")', "-o", "second", *start)
    assert {path.name for path in Path("second/categories").iterdir()} == {"b 2.json"}
    same = sum(judged(Path("first"))[url] == relevant for url, relevant in judged(Path("second")).items())
    assert same >= 2 * PAGES - 2
    assert load_category(Path("second/categories/b 2.json")).name == "b 2"
