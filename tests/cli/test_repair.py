"""``dowse repair``: what is left of a crawl when its records are damaged."""

from __future__ import annotations

import asyncio
import json
import shlex
import shutil
from pathlib import Path

import pytest

from dowse.loopback import LoopbackServer
from dowse.model.topic import JudgeSettings
from dowse.store.soundness import is_sound
from tests.cli.labelled import QUERY, html, mistake, said, two_kinds
from tests.engine.servers import crawl_all, topic_for
from tests.judge.made import BIRDS, STEEL, texts


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A crawl of a web of birds and steel."""
    folder = tmp_path_factory.mktemp("crawls") / "birds"

    async def run() -> None:
        async with LoopbackServer(two_kinds()) as server:
            topic = topic_for(server.address, ["http://a.test/"], query=QUERY, judge=JudgeSettings(threshold=0.1))
            await crawl_all(topic, folder)

    asyncio.run(run())
    return folder


@pytest.fixture
def damaged(whole: Path, tmp_path: Path) -> Path:
    """Its copy, with noise in the place of its tables."""
    folder = tmp_path / "birds"
    shutil.copytree(whole, folder)
    with (folder / "dowse.sqlite").open("r+b") as stream:
        stream.seek(4096)
        stream.write(b"\xa5" * 60_000)
    return folder


def pages(capsys: pytest.CaptureFixture[str], folder: Path) -> dict[str, tuple[object, object, object]]:
    rows = map(json.loads, said(capsys, "export", str(folder))[0].splitlines())
    return {
        row["url"]: (row["title"], row["relevant"], row["fetched_at"]) for row in rows if row["outcome"] == "fetched"
    }


def test_damage_is_told_with_what_can_be_saved(damaged: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for command in (["export"], ["why", "http://a.test/"], ["report"]):
        _, err = said(capsys, command[0], str(damaged), *command[1:], code=1)
        assert "are damaged: database disk image is malformed" in err
        assert f"dowse repair {damaged}" in err
    with (damaged / "dowse.sqlite").open("r+b") as stream:
        stream.write(b"no SQLite at all")
    assert "are damaged: file is not a database" in said(capsys, "export", str(damaged), code=1)[1]
    assert "dowse repair" in said(capsys, "crawl", "--resume", str(damaged), code=1)[1]


def test_all_pages_are_salvaged(whole: Path, damaged: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = mistake(capsys, "repair", str(damaged))
    assert f"give it with --topic {shlex.quote(QUERY)}, as its archive has it" in told
    before = (damaged / "dowse.sqlite").read_bytes()
    (damaged.parent / "t.toml").write_text(f'query = "{QUERY}"\n[judge]\nthreshold = 0.1\n')
    out, _ = said(capsys, "repair", str(damaged), "--topic", str(damaged.parent / "t.toml"))
    again = damaged.with_name("birds-repaired")
    assert f"pages salvaged into {again}" in out
    assert pages(capsys, again) == pages(capsys, whole), "as they were judged, and fetched when they were"
    assert (damaged / "dowse.sqlite").read_bytes() == before
    assert "already holds a crawl" in mistake(capsys, "repair", str(damaged), "--topic", QUERY)


def test_a_sound_crawl_knows_its_topic_and_a_torn_archive_is_counted(
    whole: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "torn"
    shutil.copytree(whole, folder)
    archive = folder / "dowse-00000.warc.gz"
    archive.write_bytes(archive.read_bytes()[:-200])
    out, _ = said(capsys, "repair", str(folder), "-o", str(tmp_path / "new"))
    assert "records of the archive could not be read" in out
    assert 0 < len(pages(capsys, tmp_path / "new")) <= len(pages(capsys, whole))


def test_a_sound_crawl_is_left_alone(whole: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = said(capsys, "repair", str(whole))
    assert out.startswith(f"the records in {whole} are fine")
    assert out.count("\n") == 1
    assert not whole.with_name("birds-repaired").exists()


def test_damage_behind_the_topic_is_no_sound_crawl(whole: Path, tmp_path: Path) -> None:
    folder = tmp_path / "birds"
    shutil.copytree(whole, folder)
    assert is_sound(folder)
    size = (folder / "dowse.sqlite").stat().st_size
    with (folder / "dowse.sqlite").open("r+b") as stream:
        stream.seek(size // 2)
        stream.write(b"\xa5" * (size // 4))
    assert not is_sound(folder)
    assert not is_sound(tmp_path / "nowhere")


def test_the_folder_is_named_as_the_user_stands_in_it(
    damaged: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(damaged)
    out, _ = said(capsys, "repair", ".", "--topic", QUERY)
    assert f"pages salvaged into {damaged.with_name('birds-repaired')}" in out
    assert "there is no folder nosuch" in mistake(capsys, "repair", "nosuch")
    assert "name the new folder with --out" in mistake(capsys, "repair", "/", "--topic", QUERY)


def test_answers_count_for_the_salvaged_pages(damaged: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = "http://a.test/steel/3"
    (damaged / "labels.csv").write_text(f"url,label\n{page},relevant\nhttp://a.test/steel/4,not relevant\n")
    said(capsys, "repair", str(damaged), "--topic", QUERY)
    again = damaged.with_name("birds-repaired")
    assert (again / "labels.csv").read_bytes() == (damaged / "labels.csv").read_bytes()
    assert pages(capsys, again)[page][1] is True


def test_answers_that_cannot_be_read_are_told_before_the_work(
    damaged: Path, capsys: pytest.CaptureFixture[str]
) -> None:  # fmt: skip
    (damaged / "labels.csv").write_text("a,b\n1,2\n")
    assert "labels.csv" in mistake(capsys, "repair", str(damaged), "--topic", QUERY)
    assert not damaged.with_name("birds-repaired").exists()


def test_categories_are_those_that_the_crawl_kept(damaged: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (damaged / "categories").mkdir()
    for name, subject in (("good", BIRDS), ("bad", STEEL)):
        (damaged.parent / name).mkdir()
        for number, text in enumerate(texts(subject, 10)):
            (damaged.parent / name / f"{number}.html").write_text(html(f"page {number}", text), "utf-8")
    kept, good, bad = damaged / "categories" / "birds.json", damaged.parent / "good", damaged.parent / "bad"
    said(capsys, "train", "birds", "--positive", str(good), "--negative", str(bad), "-o", str(kept))
    topic = damaged.parent / "t.toml"
    topic.write_text("predicate = 'category(\"birds\") > 0.6'\n")
    said(capsys, "repair", str(damaged), "--topic", str(topic))
    again = damaged.with_name("birds-repaired")
    assert (again / "categories" / "birds.json").read_bytes() == kept.read_bytes()
    assert any(relevant for _, relevant, _ in pages(capsys, again).values())


def test_nothing_to_salvage(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "has no WARC files" in mistake(capsys, "repair", str(tmp_path), "--topic", "birds")
