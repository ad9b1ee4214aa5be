"""``dowse export`` as a user types it: which format, which pages, and nothing overwritten by mistake."""

from __future__ import annotations

import asyncio
import json
import shutil
from pathlib import Path

import pytest

from dowse.loopback import LoopbackServer
from dowse.model.topic import JudgeSettings, StrategyChoice
from dowse.store.own_files import is_record
from tests.cli.labelled import QUERY, mistake, said, two_kinds
from tests.engine.servers import crawl_all, topic_for


@pytest.fixture(scope="module")
def crawl(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of a web of birds and steel."""
    folder = tmp_path_factory.mktemp("crawls") / "birds"

    async def run() -> None:
        async with LoopbackServer(two_kinds()) as server:
            topic = topic_for(
                server.address,
                ["http://a.test/"],
                query=QUERY,
                judge=JudgeSettings(threshold=0.1),
                strategy=StrategyChoice("learning"),
            )
            await crawl_all(topic, folder)

    asyncio.run(run())
    return folder


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def rows(capsys: pytest.CaptureFixture[str], crawl: Path, *more: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in said(capsys, "export", str(crawl), *more)[0].splitlines()]


@pytest.mark.parametrize("command", ["export", "report"])
@pytest.mark.parametrize("place", [".", "/"])
def test_a_folder_is_no_file(crawl: Path, capsys: pytest.CaptureFixture[str], command: str, place: str) -> None:
    assert "it is a folder" in mistake(capsys, command, str(crawl), "-o", place)


def test_the_format_follows_the_name(crawl: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, start in (("p.csv", b"id,url,"), ("p.JSONL", b'{"id"'), ("p.parquet", b"PAR1"), ("p.md", b"## ")):
        said(capsys, "export", str(crawl), "-o", name)
        assert (tmp_path / name).read_bytes().startswith(start), name
    assert "does not tell its format" in mistake(capsys, "export", str(crawl), "-o", "p.txt")
    said(capsys, "export", str(crawl), "-o", "p.txt", "--to", "csv")


def test_nothing_is_overwritten_without_force(crawl: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    taken = tmp_path / "taken.csv"
    commands = (["export", str(crawl)], ["report", str(crawl)], ["stats", "save", str(crawl)])
    for command in commands:
        taken.write_text("mine")
        assert "taken.csv already exists" in mistake(capsys, *command, "-o", "taken.csv")
        assert taken.read_text() == "mine"
        said(capsys, *command, "-o", "taken.csv", "--force")
        assert taken.read_text() != "mine"
    for _ in range(2):
        said(capsys, "report", str(crawl))  # its own file, in its own folder


@pytest.mark.parametrize(
    "name", ["dowse.sqlite", "dowse.sqlite-wal", "dowse.ledger", "dowse.lock", "dowse-00007.warc.gz", "labels.csv"]
)
def test_a_crawls_own_records_are_never_overwritten(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:  # fmt: skip
    folder = tmp_path / "crawl"
    folder.mkdir()
    (folder / "dowse.sqlite").touch()
    (folder / name).write_text("mine")
    for command in (["export", str(folder), "--to", "csv"], ["report", str(folder)], ["stats", "save", str(folder)]):
        told = mistake(capsys, *command, "-o", str(folder / name), "--force")
        assert f"{name} is a record of the crawl in" in told
    assert (folder / name).read_text() == "mine"


def test_a_file_named_like_a_record_is_none_elsewhere(tmp_path: Path) -> None:
    assert not is_record(tmp_path / "labels.csv")
    assert not is_record(tmp_path / "nowhere" / "labels.csv")


def test_pages_are_chosen_by_verdict_score_and_predicate(crawl: Path, capsys: pytest.CaptureFixture[str]) -> None:
    everything = rows(capsys, crawl)
    relevant = rows(capsys, crawl, "--relevant")
    assert 0 < len(relevant) < len(everything)
    least = sorted(float(str(row["score"])) for row in relevant)[len(relevant) // 2]
    assert rows(capsys, crawl, "--min-score", str(least)) == [
        row for row in everything if row["score"] is not None and float(str(row["score"])) >= least
    ]
    steel = rows(capsys, crawl, "--where", 'url.contains("steel") and not word("birds")')
    assert steel
    assert all("steel" in str(row["url"]) for row in steel)
    assert rows(capsys, crawl, "--where", 'url.contains("steel")', "--relevant") == [
        row for row in relevant if "steel" in str(row["url"])
    ]


def test_the_text_of_pages(crawl: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    [page] = rows(capsys, crawl, "--text", "--where", 'url.glob("/")')
    assert page["text"]
    assert "text" not in rows(capsys, crawl)[0]
    said(capsys, "export", str(crawl), "--text", "-o", "p.md")
    said(capsys, "export", str(crawl), "-o", "q.md")
    assert len((tmp_path / "p.md").read_text()) > len((tmp_path / "q.md").read_text())
    assert "CSV is for tables" in mistake(capsys, "export", str(crawl), "--text", "--to", "csv")


def test_pages_without_a_readable_record_are_counted(
    crawl: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:  # fmt: skip
    for asked in (["--text"], ["--where", 'url.contains("a")', "--text"]):
        assert said(capsys, "export", str(crawl), *asked)[1] == "", "all is there"
    torn = tmp_path / "torn"
    shutil.copytree(crawl, torn)
    archive = torn / "dowse-00000.warc.gz"
    archive.write_bytes(b"")
    known = sum(row["warc_file"] is not None for row in rows(capsys, torn))
    for asked in (["--text"], ["--where", 'url.contains("a")'], ["--where", 'url.contains("a")', "--text"]):
        told = said(capsys, "export", str(torn), *asked)[1]
        assert told.startswith(f"pages without a readable record in the archive: {known}, "), asked
        assert told.count("\n") == 1
    assert said(capsys, "export", str(torn))[1] == "", "the archive was not asked"


def test_mistakes_are_told(crawl: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "--where: column" in mistake(capsys, "export", str(crawl), "--where", 'word("x"')
    assert "--min-score: must be a number from 0 to 1, not 7" in mistake(
        capsys, "export", str(crawl), "--min-score", "7"
    )
    assert "--category: names a category of --where" in mistake(capsys, "export", str(crawl), "--category", "a=b")
