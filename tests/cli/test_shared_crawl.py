"""Every command that reads a crawl takes the folder of one that several engines shared, as if it were one engine's."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest

from dowse.cli import terminal
from dowse.engine.assembly.answered import ELSEWHERE, answers_of
from dowse.engine.assembly.kept_settings import check_alone
from dowse.lab.corpus import open_corpus
from dowse.model.errors import UserError
from dowse.model.topic import JudgeSettings, StrategyChoice
from dowse.store import CrawlReader, CrawlStore
from dowse.store.held import HeldPages
from dowse.store.read_learned import evidence_of_pages
from tests.cli.labelled import mistake, said
from tests.store.gather.shards import HOSTS, crawl_both_ways

Capture = pytest.CaptureFixture[str]
SEED = "http://h0.test/0"


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return crawl_both_ways(
        tmp_path_factory.mktemp("web"), strategy=StrategyChoice("learning"), judge=JudgeSettings("learned")
    )


@pytest.fixture
def shared(both: tuple[Path, Path], tmp_path: Path) -> Path:
    folder = Path(shutil.copytree(both[0], tmp_path / "shared"))
    (folder / "dowse.sqlite").unlink(missing_ok=True)
    return folder


def test_report_and_why(shared: Path, both: tuple[Path, Path], capsys: Capture) -> None:
    said(capsys, "report", str(shared), "--out", str(shared.parent / "report.html"))
    assert "perovskite" in (shared.parent / "report.html").read_text(encoding="utf-8")
    with CrawlReader(shared) as crawl:
        urls = [page.url for page in crawl.judged_pages()]
    for url in (SEED, urls[-1]):
        told, _ = said(capsys, "why", str(shared), url)
        assert "shards/0" in told
    assert "found" in said(capsys, "why", str(shared), "http://h1.test/1")[0]


def test_why_a_url_waits_is_told_by_the_shard_whose_it_is(shared: Path, capsys: Capture) -> None:
    for number in range(2):  # as if the crawl had been stopped before its last pages
        with closing(sqlite3.connect(shared / "shards" / f"{number:02d}" / "dowse.sqlite")) as records:
            records.execute("UPDATE candidates SET state = 0 WHERE url LIKE '%/5' AND state <> 6")
            records.execute("DELETE FROM pages WHERE url LIKE '%/5'")
            records.execute("DELETE FROM decisions WHERE candidate NOT IN (SELECT id FROM pages)")
            records.commit()
    for host in range(HOSTS):
        told, _ = said(capsys, "why", str(shared), f"http://h{host}.test/5")
        assert "by learning (model version" in told
        assert "another strategy" not in told


def test_export_and_changes(shared: Path, both: tuple[Path, Path], capsys: Capture) -> None:
    def exported(folder: Path) -> list[str]:
        out = folder.parent / "pages.jsonl"
        said(capsys, "export", str(folder), "--text", "--out", str(out), "--where", 'word("perovskite")')
        rows = map(json.loads, out.read_text(encoding="utf-8").splitlines())
        out.unlink()
        return sorted(f"{row['url']} {row['text']}" for row in rows)

    assert exported(shared) == exported(both[1]) != []
    assert "h1.test" in said(capsys, "changes", str(shared), "--since", "1d", "--all")[0]


def test_statistics_are_those_of_all_shards(shared: Path, both: tuple[Path, Path], capsys: Capture) -> None:
    found, one = (json.loads(said(capsys, "stats", str(folder), "--json")[0]) for folder in (shared, both[1]))
    assert found["pages"] == one["pages"]
    out = str(shared.parent / "all.json.gz")
    assert f"{HOSTS} hosts" in said(capsys, "stats", "save", str(shared), "--out", out)[0]


def test_a_shard_by_itself_knows_the_pages_that_its_own_are_known_by(shared: Path, capsys: Capture) -> None:
    """Pages of the other shard that link to its own stand in its records as well, perhaps behind all of its own."""
    for shard in sorted((shared / "shards").iterdir()):
        with CrawlReader(shard) as crawl:
            known = {id_ for id_, _ in evidence_of_pages(crawl)}
            told = {id_ for (id_,) in crawl._ask("SELECT id FROM candidates WHERE state = 6 AND evidence IS NOT NULL")}
        assert told
        assert known > told
        assert "18 pages" in said(capsys, "stats", str(shard))[0]


def test_answers_and_verdicts_given_again(shared: Path, capsys: Capture) -> None:
    said(capsys, "label", str(shared), answers="y\nn\n" * 5)
    answers = (shared / "labels.csv").read_text(encoding="utf-8")
    assert answers.count("http://") == 10
    for shard in (shared / "shards").iterdir():  # which goes on by the answers about its own pages
        with CrawlStore.open(shard) as store:
            known = [store._connection.execute("SELECT url FROM pages WHERE id = ?", (one.page,)).fetchone()[0]
                     for one in answers_of(shard, store)]  # fmt: skip
        assert len(known) == sum(f"{url}," in answers for url in known) > 0
    with CrawlReader(shared) as crawl:
        given = answers_of(shared, crawl)
    for shard in (shared / "shards").iterdir():  # and by those about the others' pages, of which it is told
        alone = Path(shutil.copytree(shard, shared.parent / "elsewhere" / shard.name))
        with CrawlReader(shard) as crawl, CrawlReader(alone) as moved:
            ours, theirs = answers_of(shard, crawl, given), answers_of(alone, moved, given)
        assert {one.sample.url: one.positive for one in ours} == {one.sample.url: one.positive for one in given}
        assert 0 < sum(one.page < ELSEWHERE for one in ours) < 10 == len({one.page for one in ours})
        assert [(one.page, one.positive) for one in theirs] == [(one.page, one.positive) for one in ours]
    told, _ = said(capsys, "rejudge", str(shared), "--predicate", 'word("perovskite")')
    assert "pages are relevant" in told
    with CrawlReader(shared) as crawl:
        relevant = {page.url for page in crawl.judged_pages(relevant=True)}
    for path in shared.glob("shards/*/dowse.sqlite"):
        os.utime(path)
    with CrawlReader(shared) as crawl:
        assert {page.url for page in crawl.judged_pages(relevant=True)} == relevant != set()
    assert "made of 5 examples and 36 pages" in said(capsys, "rejudge", str(shared), "--learned")[0]


def test_the_lab_has_one_corpus_of_all_archives(shared: Path, both: tuple[Path, Path], capsys: Capture) -> None:
    mine, one = open_corpus(shared, jobs=1), open_corpus(both[1], jobs=1)
    urls = {one.url(number) for number in range(len(one))}
    assert {mine.url(number) for number in range(len(mine))} == urls
    number = mine.number("http://h1.test/1")
    assert number is not None
    assert b"h1n1" in mine.response(number).body
    told, _ = said(
        capsys, "lab", "compare", str(shared), "--own-verdicts", "--strategy", "bfs", "--without-default", "--examples",
        "2", "--seeds", "1", "--seed-sets", "1", "--min-pages", "5", "--jobs", "1",
    )  # fmt: skip
    assert "bfs" in told


def test_pages_can_be_taken_from_it_and_published(shared: Path, capsys: Capture) -> None:
    held = HeldPages([shared], 1e9, 2e9)
    assert held.holds(SEED)
    copy = held.read("http://h1.test/1", 2e9)
    held.close()
    assert copy is not None
    assert b"h1n1" in copy.response.body
    database = f"sqlite:///{shared.parent / 'all.db'}"
    assert "published" in said(capsys, "publish", str(shared), database)[0]
    for path in shared.glob("shards/*/dowse.sqlite"):
        os.utime(path)
    assert "nothing to add" in said(capsys, "publish", str(shared), database)[0]


def test_pages_are_salvaged_from_the_archives_of_all_shards(shared: Path, capsys: Capture) -> None:
    assert "nothing to repair" in said(capsys, "repair", str(shared))[0]
    with CrawlReader(shared) as crawl:
        pages = crawl.summary().pages
    damaged = shared / "shards" / "01" / "dowse.sqlite"
    damaged.write_bytes(damaged.read_bytes()[:8192] + b"damage" * 1000)
    assert f"{pages} pages salvaged" in said(capsys, "repair", str(shared), "--topic", "perovskite solar cells")[0]


def test_gathering_that_takes_long_is_told(shared: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(terminal, "_SLOW_S", 0.0)
    with terminal.say_slow("gathering"):
        for thread in threading.enumerate():
            if isinstance(thread, threading.Timer):
                thread.join()
    assert capsys.readouterr().err == "gathering\n"
    monkeypatch.setattr(terminal, "_SLOW_S", 3600.0)
    assert "gathering" not in said(capsys, "changes", str(shared), "--since", "1d")[1]


def test_one_engine_does_not_go_on_with_it(shared: Path, capsys: Capture) -> None:
    with pytest.raises(UserError, match="several engines share"):
        check_alone(shared)
    assert "already holds a crawl" in mistake(capsys, "crawl", "solar", "--seed", SEED, "--out", str(shared))
