"""``dowse label`` about a crawl's own topic: at a terminal, through a pipe, over stops."""

from __future__ import annotations

import asyncio
import os
import re
import select
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dowse.engine.assembly.kept_settings import read_settings
from dowse.loopback import LoopbackServer
from dowse.model.budget import Budget
from dowse.model.topic import Expression, JudgeSettings, Topic
from tests.cli.labelled import PAGES, mistake, said, two_kinds
from tests.engine.servers import crawl_all, topic_for

pty = pytest.importorskip("pty")

Capture = pytest.CaptureFixture[str]
_ASKED = re.compile(r"^http://a\.test/\S*", re.MULTILINE)


def crawled(folder: Path, query: str = "bird", **judge: Any) -> Path:
    """A crawl of the web of two kinds, by one at a time."""

    async def run() -> None:
        async with LoopbackServer(two_kinds()) as server:
            topic = topic_for(server.address, ["http://a.test/"], query=query, judge=JudgeSettings(**judge))
            topic = replace(topic, network=replace(topic.network, concurrency=1))
            await crawl_all(topic, folder)

    asyncio.run(run())
    return folder


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return crawled(tmp_path_factory.mktemp("label") / "crawl")


@pytest.fixture
def crawl(original: Path, tmp_path: Path) -> Path:
    return shutil.copytree(original, tmp_path / "crawl")


def ask(folder: Path, sql: str) -> list[tuple[Any, ...]]:
    with sqlite3.connect(folder / "dowse.sqlite") as connection:
        return connection.execute(sql).fetchall()


def labels(folder: Path) -> list[list[str]]:
    head, *rows = (folder / "labels.csv").read_text("utf-8").splitlines()
    assert head == "url,label,asked"
    return [row.split(",") for row in rows]


def write_labels(folder: Path, kinds: dict[str, str], count: int) -> None:
    """Answers about so many pages of each kind."""
    rows = [
        f"http://a.test/{kind}/{n},{label},{('top', 'uncertain', 'random')[n % 3]}"
        for n in range(count)
        for kind, label in kinds.items()
    ]
    (folder / "labels.csv").write_text("\n".join(["url,label,asked", *rows, ""]), "utf-8")


def test_each_kind_of_page_comes_as_it_is_needed_and_every_answer_is_kept(crawl: Path, capsys: Capture) -> None:
    out, _ = said(capsys, "label", str(crawl), answers="y\nn\ny\ns\nn\n")
    why = re.findall(r"^chance \d\.\d\d; (.*)$", out, re.MULTILINE)
    assert [line.split()[-1] for line in why[:5]] == ["likeliest", "ones", "ones", "lot", "lot"]
    asked = _ASKED.findall(out)
    assert len(set(asked)) == len(asked), "none comes twice in a sitting"
    assert labels(crawl) == [
        [asked[0], "relevant", "top"], [asked[1], "not relevant", "likely"], [asked[2], "relevant", "likely"],
        [asked[4], "not relevant", "random"],
    ]  # fmt: skip
    assert "2 yes, 2 no" in out
    assert "expected precision" in out
    out, _ = said(capsys, "label", str(crawl))
    assert "answered so far: 2 yes, 2 no" in out
    assert not set(_ASKED.findall(out)) & {row[0] for row in labels(crawl)}, "it goes on where it stopped"


def test_a_page_is_found_by_words_and_its_answer_counts(crawl: Path, capsys: Capture) -> None:
    out, _ = said(capsys, "label", str(crawl), answers="f\nrivets\ny\nf\nxylophone\nf\n!\nn\nq\n")
    asked = _ASKED.findall(out)
    assert "/steel/" in asked[1], "rivet is a word of steel pages alone"
    assert "found by your words" in out
    assert "no page that is left says any of these" in out
    assert "these are no words" in out
    rows = labels(crawl)
    assert rows[0] == [asked[1], "relevant", "found"]
    assert rows[1][1] == "not relevant"
    out, _ = said(capsys, "label", str(crawl), answers="q\n")
    assert "answered so far: 1 yes, 1 no" in out


def test_whoever_never_says_yes_is_told_how_to_find_pages(crawl: Path, capsys: Capture) -> None:
    out, _ = said(capsys, "label", str(crawl), answers="n\n" * 7)
    assert out.count("no answer is yes: do you know words of such pages? f finds one") == 3, "after three in vain"


def test_the_answers_are_the_crawls_judge_from_then_on(crawl: Path, capsys: Capture) -> None:
    """The crawl looks for birds; whoever answers says that steel is what was meant."""
    before = dict(ask(crawl, "SELECT url, relevant FROM pages"))
    firsts = ask(crawl, "SELECT id, first_score, first_relevant, first_model FROM pages")
    write_labels(crawl, {"steel": "relevant", "bird": "not relevant"}, 6)
    models = {model for (model,) in ask(crawl, "SELECT DISTINCT model FROM pages")}
    out, _ = said(capsys, "label", str(crawl), answers="q\n")
    assert "all pages were judged again" in out
    assert not models & {model for (model,) in ask(crawl, "SELECT DISTINCT model FROM pages")}, "a model of its own"
    after = dict(ask(crawl, "SELECT url, relevant FROM pages"))
    assert sum(after[f"http://a.test/steel/{n}"] for n in range(PAGES)) == PAGES
    assert not any(after[f"http://a.test/bird/{n}"] for n in range(6)), "these were answered"
    assert sum(after[f"http://a.test/bird/{n}"] for n in range(PAGES)) <= 1
    assert before != after
    assert ask(crawl, "SELECT id, first_score, first_relevant, first_model FROM pages") == firsts
    told = ask(crawl, "SELECT score, verdict FROM pages WHERE url = 'http://a.test/steel/0'")
    assert told == [(1.0, '[["your answer",1.0,1.0]]')]
    said(capsys, "rejudge", str(crawl))
    assert dict(ask(crawl, "SELECT url, relevant FROM pages")) == after
    out, _ = said(capsys, "why", str(crawl), "http://a.test/steel/0")
    assert "your answer" in out


def test_answers_about_nearly_all_pages_are_their_verdicts(crawl: Path, capsys: Capture) -> None:
    """Three pages are left: those off the topic stand for what else there is."""
    write_labels(crawl, {"steel": "relevant", "bird": "not relevant"}, PAGES - 1)
    out, _ = said(capsys, "label", str(crawl), answers="q\n")
    assert "all pages were judged again" in out
    after = dict(ask(crawl, "SELECT url, relevant FROM pages"))
    assert [after[f"http://a.test/steel/{n}"] for n in range(PAGES)] == [1] * PAGES
    assert [after[f"http://a.test/bird/{n}"] for n in range(PAGES)] == [0] * PAGES


def test_answers_are_verdicts_though_nothing_tells_how_to_judge_the_others(crawl: Path, capsys: Capture) -> None:
    write_labels(crawl, {"steel": "relevant", "bird": "relevant"}, PAGES - 1)
    others = "SELECT url, score, relevant FROM pages WHERE url LIKE '%/14' ORDER BY url"
    before = ask(crawl, others)
    for command in ("label", "rejudge"):
        out, _ = said(capsys, command, str(crawl), answers="q\n")
        assert "28 pages have your answers for their verdicts; too little is known to judge the others" in out
        assert "judged again" not in out
    told = ask(crawl, "SELECT DISTINCT relevant, score FROM pages WHERE url LIKE '%/_' OR url LIKE '%/10'")
    assert (1, 1.0) in told
    assert ask(crawl, others) == before
    [(relevant,)] = ask(crawl, "SELECT sum(relevant) FROM pages")
    assert ask(crawl, "SELECT relevant FROM totals") == [(relevant,)]
    assert relevant >= 28


def test_a_resumed_crawl_goes_on_with_the_answers_and_ends_as_one_that_was_not_stopped(tmp_path: Path) -> None:
    answered: dict[str, bool] = {}

    def run(folder: Path, *budgets: int) -> list[tuple[Any, ...]]:
        async def go() -> None:
            async with LoopbackServer(two_kinds()) as server:
                topic: Topic = topic_for(server.address, ["http://a.test/"], query="bird", judge=JudgeSettings())
                topic = replace(topic, network=replace(topic.network, concurrency=1), budget=Budget(pages=12))
                await crawl_all(topic, folder)
                found = ask(folder, "SELECT url FROM pages WHERE url LIKE '%.test/_%' ORDER BY ordinal LIMIT 8")
                for n, (url,) in enumerate(found):
                    answered[url] = n % 3 > 0
                rows = [f"{url},{'' if own else 'not '}relevant,random" for url, own in answered.items()]
                (folder / "labels.csv").write_text("\n".join(["url,label,asked", *rows, ""]), "utf-8")
                for pages in budgets:
                    again = replace(read_settings(folder), budget=Budget(pages=pages))
                    await crawl_all(again, folder, resume=True)

        asyncio.run(go())
        return ask(folder, "SELECT url, score, relevant, first_score, first_model FROM pages ORDER BY ordinal")

    whole, parts = run(tmp_path / "whole", 31), run(tmp_path / "parts", 17, 22, 31)
    assert parts == whole
    assert {url: bool(own) for url, _, own, *_ in whole if url in answered} == answered


def test_a_crawl_that_is_judged_by_a_threshold_is_measured_and_can_be_made_to_learn(
    tmp_path: Path, capsys: Capture
) -> None:
    folder = crawled(tmp_path / "crawl", "bird nest feather wing", threshold=0.1)
    before = ask(folder, "SELECT url, score, relevant, verdict FROM pages")
    write_labels(folder, {"steel": "relevant", "bird": "not relevant"}, 6)
    out, _ = said(capsys, "label", str(folder), answers="q\n")
    assert "does not learn" in out
    assert re.search(r"expected precision 0\.[0-4]\d", out), "its verdicts are all wrong, by the answers"
    assert ask(folder, "SELECT url, score, relevant, verdict FROM pages") == before
    said(capsys, "rejudge", str(folder), "--learned")
    after = dict(ask(folder, "SELECT url, relevant FROM pages"))
    assert after["http://a.test/steel/14"] == 1
    assert after["http://a.test/bird/14"] == 0
    said(capsys, "rejudge", str(folder))
    assert ask(folder, "SELECT url, score, relevant FROM pages") == [row[:3] for row in before]


def test_back_takes_the_answer_back_and_text_is_shown(crawl: Path, capsys: Capture) -> None:
    out, _ = said(capsys, "label", str(crawl), answers="b\nx\ny\nb\nt\nn\nq\n")
    first = _ASKED.findall(out)[0]
    assert "nothing to go back to" in out
    assert "please answer" in out
    assert labels(crawl)[0][:2] == [first, "not relevant"]
    assert len(labels(crawl)) == 1


def test_a_page_drawn_by_lot_stays_so_when_its_answer_is_taken_back(crawl: Path, capsys: Capture) -> None:
    out, _ = said(capsys, "label", str(crawl), answers="y\nn\ny\nn\nb\ny\nq\n")
    told = re.findall(r"^chance (\d\.\d\d); (.*)$", out, re.MULTILINE)
    assert told[3] == told[5], "its chance is again what it was before its answer was known"
    assert told[3][1] == "drawn by lot"
    assert labels(crawl)[3][1:] == ["relevant", "random"]


def test_of_a_piped_line_with_several_keys_none_is_taken(crawl: Path, capsys: Capture) -> None:
    out, _ = said(capsys, "label", str(crawl), answers="ynyn\nyes\nq\n")
    assert out.count("please answer") == 1
    assert "1 yes, 0 no" in out


def test_a_skip_tells_nothing_anew(crawl: Path, capsys: Capture) -> None:
    out, _ = said(capsys, "label", str(crawl), answers="y\nn\n" * 3 + "s\ns\nq\n")
    assert out.count("expected precision") == 2, "after six answers, and in the end, when all are judged again"


def test_it_ends_when_both_sides_have_enough(crawl: Path, capsys: Capture) -> None:
    write_labels(crawl, {"bird": "relevant", "steel": "not relevant"}, 9)
    out, _ = said(capsys, "label", str(crawl), answers="y\n" * 40)
    assert "both sides have enough" in out
    assert len(labels(crawl)) == 20
    out, _ = said(capsys, "label", str(crawl), answers="n\n" * 40)
    assert "there is no page left to ask about" in out


def test_mistakes_are_told_on_one_line(crawl: Path, tmp_path: Path, capsys: Capture) -> None:
    assert "holds no crawl" in mistake(capsys, "label", str(tmp_path))
    assert "cannot be called 'relevant'" in mistake(capsys, "label", str(crawl), "--name", "relevant")
    with sqlite3.connect(crawl / "dowse.sqlite") as connection:
        connection.execute("DELETE FROM settled")
    assert "no terms of its pages" in mistake(capsys, "label", str(crawl))
    (crawl / "labels.csv").write_bytes(b"url,label\n\xff\xfe,relevant\n")
    assert "not UTF-8" in mistake(capsys, "label", str(crawl))


def test_a_crawl_without_its_archive_can_be_labelled(crawl: Path, capsys: Capture) -> None:
    for path in crawl.glob("*.warc.gz"):
        path.unlink()
    out, _ = said(capsys, "label", str(crawl), answers="t\nq\n")
    assert "its text cannot be read from the archive" in out


# -- at a terminal -----------------------------------------------------------------------------------------------------


class Terminal:
    """The command at a terminal of its own."""

    def __init__(self, *arguments: str, env: dict[str, str] | None = None) -> None:
        self.ours, theirs = pty.openpty()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "dowse", *arguments], stdin=theirs, stdout=theirs, stderr=theirs, close_fds=True,
            start_new_session=True, env={**os.environ, **(env or {})},
        )  # fmt: skip
        os.close(theirs)
        self.seen = ""

    def until(self, text: str, times: int = 1) -> None:
        end = time.monotonic() + 60
        while self.seen.count(text) < times:
            ready, _, _ = select.select([self.ours], [], [], max(0.0, end - time.monotonic()))
            assert ready, f"no {text!r} in {self.seen!r}"
            try:
                self.seen += os.read(self.ours, 4096).decode("utf-8", "replace")
            except OSError:
                raise AssertionError(f"no {text!r} in {self.seen!r}") from None

    def press(self, key: str) -> None:
        os.write(self.ours, key.encode())

    def end(self) -> int:
        try:
            while data := os.read(self.ours, 4096):
                self.seen += data.decode("utf-8", "replace")
        except OSError:
            pass
        os.close(self.ours)
        return self.process.wait(60)


def test_one_key_a_page_at_a_terminal(crawl: Path, tmp_path: Path) -> None:
    opened, browser = tmp_path / "opened", tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" >> {opened}\n', "utf-8")
    browser.chmod(0o755)
    terminal = Terminal("label", str(crawl), env={"BROWSER": f"{browser} %s"})
    question = "is it on the topic?"
    terminal.until(question)
    terminal.press("o")
    terminal.until(question, 2)
    terminal.press("y")
    terminal.until(question, 3)
    terminal.press("\x1b[A")  # an arrow is no answer
    terminal.until("please answer")
    terminal.until(question, 4)
    terminal.press("n")
    terminal.until(question, 5)
    terminal.press("q")
    assert terminal.end() == 0
    assert [row[1] for row in labels(crawl)] == ["relevant", "not relevant"]
    assert opened.read_text("utf-8").split() == [labels(crawl)[0][0]]
    assert "all pages were judged again" in terminal.seen


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_a_stop_loses_no_answer(crawl: Path, number: int) -> None:
    terminal = Terminal("label", str(crawl))
    terminal.until("is it on the topic?")
    terminal.press("y")
    terminal.until("is it on the topic?", 2)
    terminal.process.send_signal(number)
    code = terminal.end()
    assert len(labels(crawl)) == 1
    if number == signal.SIGINT:
        assert code == 130
        assert "interrupted: every answer is in" in terminal.seen
        assert "Traceback" not in terminal.seen


def test_a_predicate_as_judge(tmp_path: Path, capsys: Capture) -> None:
    folder = tmp_path / "crawl"

    async def run() -> None:
        async with LoopbackServer(two_kinds()) as server:
            topic = topic_for(server.address, ["http://a.test/"], query="", judge=JudgeSettings())
            await crawl_all(replace(topic, predicate=Expression('title("bird")')), folder)

    asyncio.run(run())
    write_labels(folder, {"bird": "relevant", "steel": "not relevant"}, 5)
    out, _ = said(capsys, "label", str(folder), answers="q\n")
    assert "does not learn" in out
    assert re.search(r"expected precision (1\.00|0\.9\d)", out)


def test_what_is_expected_after_a_few_answers_is_the_same_wherever_it_is_told(crawl: Path, capsys: Capture) -> None:
    """Two answers, none of them about a page drawn by lot, check nothing: nearly everything may be."""
    out, _ = said(capsys, "label", str(crawl), answers="y\nn\nq\n")
    told = re.findall(r"expected precision \d\.\d\d \((\d\.\d\d) to \d\.\d\d\), recall", out)
    assert len(told) == 2
    assert told[0] == told[1]
    assert float(told[0]) < 0.6
    assert "no answer is about a page drawn by lot, which alone would check them" in out
