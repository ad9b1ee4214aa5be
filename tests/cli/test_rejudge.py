"""``dowse rejudge``: other verdicts for the pages of a crawl, without a download."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dowse.engine.assembly.assemble import assemble
from dowse.engine.assembly.kept_settings import read_settings
from dowse.engine.assembly.rejudge_by import rejudge_by
from dowse.engine.loop.engine import Stop
from dowse.loopback import LoopbackServer
from dowse.model.budget import Budget
from dowse.model.topic import Expression, JudgeSettings, Target
from dowse.store import CrawlStore
from dowse.store.final_verdicts import NewVerdict, write_verdicts
from tests.cli.labelled import PAGES, mistake, said, two_kinds
from tests.engine.servers import crawl_all, topic_for

Capture = pytest.CaptureFixture[str]
_ALL = "SELECT url, score, relevant, model, similarity FROM pages ORDER BY id"
_FIRST = "SELECT url, first_score, first_relevant, first_model FROM pages ORDER BY id"


def crawled(folder: Path, query: str, predicate: str = "", **judge: Any) -> Path:
    async def run() -> None:
        async with LoopbackServer(two_kinds()) as server:
            topic = topic_for(server.address, ["http://a.test/"], query=query, judge=JudgeSettings(**judge))
            topic = replace(topic, predicate=Expression(predicate) if predicate else None)
            await crawl_all(replace(topic, network=replace(topic.network, concurrency=1)), folder)

    asyncio.run(run())
    return folder


@pytest.fixture(scope="module")
def originals(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("rejudge")
    crawled(folder / "learned", "bird nest feather")
    crawled(folder / "similar", "bird nest feather", threshold=0.1)
    crawled(folder / "predicate", "", 'title("bird")')
    return folder


@pytest.fixture
def crawls(originals: Path, tmp_path: Path) -> Path:
    return shutil.copytree(originals, tmp_path / "crawls")


def ask(folder: Path, sql: str) -> list[tuple[Any, ...]]:
    with sqlite3.connect(folder / "dowse.sqlite") as connection:
        return connection.execute(sql).fetchall()


def relevant(folder: Path) -> set[str]:
    return {url for (url,) in ask(folder, "SELECT url FROM pages WHERE relevant = 1")}


def kind(name: str) -> set[str]:
    return {f"http://a.test/{name}/{n}" for n in range(PAGES)}


def test_another_threshold_goes_by_the_similarity_in_the_records(crawls: Path, capsys: Capture) -> None:
    for name in ("learned", "similar"):
        folder = crawls / name
        firsts = ask(folder, _FIRST)
        middle = sorted(similarity for *_, similarity in ask(folder, _ALL))[-4]
        out, err = said(capsys, "rejudge", str(folder), "--threshold", f"{middle:.12f}")
        assert "0 pages were read from the archive" in out
        assert err == ""
        assert len(relevant(folder)) in (3, 4)
        assert ask(folder, _FIRST) == firsts
        [(score, told, model)] = ask(folder, "SELECT score, verdict, model FROM pages ORDER BY score DESC LIMIT 1")
        assert told == f'[["similarity",{score!r},1.0]]'
        assert model == 0
        assert ask(folder, "SELECT relevant FROM totals") == [(len(relevant(folder)),)]


def test_a_predicate_is_decided_by_the_records_where_they_can(crawls: Path, capsys: Capture) -> None:
    folder = crawls / "learned"
    for archive in folder.glob("*.warc.gz"):
        shutil.copy(archive, folder / f"{archive.name}.kept")
    out, err = said(capsys, "rejudge", str(folder), "--predicate", 'word("furnace") or url.contains("bird")')
    assert "0 pages were read" in out
    assert err == ""
    assert relevant(folder) >= kind("bird")
    reference = crawled(folder.parent / "live", "bird nest feather", 'word("furnace") or url.contains("bird")')
    assert relevant(folder) == relevant(reference), "as if the crawl had gone by it"
    out, err = said(capsys, "rejudge", str(folder), "--predicate", 'word("bird nest") and not title("steel")')
    assert "pages from the archive" in err
    reference = crawled(folder.parent / "two", "bird nest feather", 'word("bird nest") and not title("steel")')
    assert relevant(folder) == relevant(reference)


def test_another_topic_and_back(crawls: Path, capsys: Capture) -> None:
    for name in ("learned", "similar", "predicate"):
        folder = crawls / name
        before = ask(folder, _ALL)
        said(capsys, "rejudge", str(folder), "--topic", "steel furnace")
        assert relevant(folder) & kind("steel"), name
        assert not relevant(folder) & kind("bird"), name
        said(capsys, "rejudge", str(folder))
        assert [row[:3] for row in ask(folder, _ALL)] == [row[:3] for row in before], name


def test_a_resumed_crawl_has_its_own_verdicts_again(crawls: Path, capsys: Capture) -> None:
    folder = crawls / "predicate"
    before = ask(folder, "SELECT url, score, relevant FROM pages ORDER BY id")
    said(capsys, "rejudge", str(folder), "--predicate", 'title("steel")')
    assert relevant(folder) == kind("steel")
    asyncio.run(crawl_all(replace(read_settings(folder), budget=Budget(pages=60)), folder, resume=True))
    assert ask(folder, "SELECT url, score, relevant FROM pages ORDER BY id") == before


@pytest.mark.parametrize("predicate", ["", 'title("bird")'])
def test_a_resumed_crawl_counts_its_own_verdicts_only(tmp_path: Path, capsys: Capture, predicate: str) -> None:
    """Every page was relevant to something else: that is not in its tally, its sites or its target."""
    folder = tmp_path / "crawl"

    async def run() -> tuple[int, list[int], Stop]:
        async with LoopbackServer(two_kinds()) as server:
            topic = topic_for(server.address, ["http://a.test/"], query="bird nest feather", judge=JudgeSettings())
            topic = replace(topic, predicate=Expression(predicate) if predicate else None, budget=Budget(pages=22))
            topic = replace(topic, network=replace(topic.network, concurrency=1))
            await crawl_all(topic, folder)
            with CrawlStore.open(folder) as store:
                rejudge_by(store, topic, replace(topic, predicate=Expression("words > 0")), lambda done, most: None)
            wider = replace(topic, budget=Budget(pages=60), target=Target(relevant=18))
            crawl = await assemble(wider, folder, resume=True)
            try:
                sites = [site.relevant for site in crawl.store.sites()]
                return crawl.life.tally.relevant, sites, await crawl.run()
            finally:
                await crawl.close()

    tally, sites, stop = asyncio.run(run())
    own = ask(folder, "SELECT sum(first_relevant) FROM pages WHERE ordinal < 22")[0][0]
    assert 0 < tally < 18
    assert [tally] == sites == [own]
    assert stop.kind == "empty"
    [(relevant,)] = ask(folder, "SELECT sum(relevant) FROM pages")
    assert ask(folder, "SELECT relevant FROM totals") == [(relevant,)]
    assert ask(folder, "SELECT relevant FROM sites") == [(relevant,)]


def test_a_category_decides_from_the_archive(crawls: Path, tmp_path: Path, capsys: Capture) -> None:
    folder, out = crawls / "similar", tmp_path / "fowl.json"
    sides = ("--positive", f"{folder}:relevant", "--negative", f"{folder}:irrelevant")
    said(capsys, "train", "fowl", *sides, "--out", str(out))
    _, err = said(
        capsys, "rejudge", str(folder), "--predicate", 'not category("fowl")', "--category", f"fowl={out}"
    )  # fmt: skip
    assert f"reading {2 * PAGES + 1} pages" in err
    assert relevant(folder) >= kind("steel")
    assert not relevant(folder) & kind("bird")


def test_mistakes_change_nothing(crawls: Path, tmp_path: Path, capsys: Capture) -> None:
    folder = crawls / "learned"
    before = ask(folder, _ALL)
    assert "holds no crawl" in mistake(capsys, "rejudge", str(tmp_path))
    assert "--predicate" in mistake(capsys, "rejudge", str(folder), "--predicate", 'word("x" and')
    assert "leave one out" in mistake(capsys, "rejudge", str(folder), "--learned", "--threshold", "0.1")
    assert "--threshold" in mistake(capsys, "rejudge", str(folder), "--threshold", "two")
    assert "add --learned" in mistake(capsys, "rejudge", str(crawls / "similar"), "--precision", "0.9")
    assert "there is no file" in mistake(capsys, "rejudge", str(folder), "--category", "a=b.json")
    assert "category" in mistake(capsys, "rejudge", str(folder), "--predicate", 'category("gone")')
    assert "empty" in mistake(capsys, "rejudge", str(folder), "--topic", " ")
    for archive in folder.glob("*.warc.gz"):
        archive.write_bytes(bytes(archive.stat().st_size))
    _, err = said(capsys, "rejudge", str(folder), "--predicate", 'object("event")', code=2)
    assert "nothing was changed" in err
    assert ask(folder, _ALL) == before
    for archive in folder.glob("*.warc.gz"):
        archive.unlink()
    _, err = said(capsys, "rejudge", str(folder), "--threshold", "0.1", code=1)
    assert "put the file back" in err
    assert ask(folder, _ALL) == before


@pytest.mark.parametrize("damage", [b"\xff\xff", b"\x01\x00\x07\x00\x00\x00\x00\x7e"], ids=["short", "nan"])
def test_damaged_terms_are_told_on_one_line(crawls: Path, capsys: Capture, damage: bytes) -> None:
    folder = crawls / "learned"
    before = ask(folder, _ALL)
    with sqlite3.connect(folder / "dowse.sqlite") as connection:
        connection.execute("UPDATE settled SET more = ?", (damage,))
    for command in (
        ("label",), ("rejudge",), ("rejudge", "--predicate", 'word("bird")'), ("rejudge", "--topic", "steel"),
        ("crawl",),
    ):  # fmt: skip
        (folder / "labels.csv").write_text("url,label\nhttp://a.test/bird/3,relevant\n", "utf-8")
        name, *rest = command
        _, err = said(capsys, name, *(["--resume"] if name == "crawl" else []), str(folder), *rest, code=1)
        assert "are damaged" in err, command
    assert ask(folder, _ALL) == before


def test_a_model_that_cannot_be_is_damage(crawls: Path, capsys: Capture) -> None:
    for state in ("[12, 9223372036854775807]", "[-3, 1]", "[12, -1]"):
        with sqlite3.connect(crawls / "learned" / "dowse.sqlite") as connection:
            connection.execute("UPDATE statistics SET value = ? WHERE name = 'judge'", (state,))
        _, err = said(capsys, "rejudge", str(crawls / "learned"), code=1)
        assert "are damaged" in err


def test_records_without_first_verdicts_have_theirs_again(crawls: Path, capsys: Capture) -> None:
    """As an earlier Dowse made them."""
    folder = crawls / "similar"
    with sqlite3.connect(folder / "dowse.sqlite") as connection:
        connection.execute("UPDATE pages SET first_score = NULL, first_relevant = 0, first_model = 0")
    before = ask(folder, _ALL)
    for _ in range(2):
        said(capsys, "rejudge", str(folder), "--predicate", "words > 0")
    assert ask(folder, _ALL) != before
    said(capsys, "rejudge", str(folder))
    assert ask(folder, _ALL) == before


def test_no_page_has_a_score_that_is_no_number(crawls: Path) -> None:
    folder = crawls / "similar"
    before = ask(folder, _ALL)
    with CrawlStore.open(folder) as store, pytest.raises(ValueError, match="score nan"):
        write_verdicts(store, [NewVerdict(1, 0.5, True), NewVerdict(2, float("nan"), True)], 1, {})
    assert ask(folder, _ALL) == before
