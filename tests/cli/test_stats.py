"""``dowse stats`` and ``dowse crawl --learn-from``, as a user types them."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dowse.engine.assembly.learned import write_statistics
from dowse.lab.finished.evidence_names import spelled
from dowse.loopback import LoopbackServer
from dowse.model.topic import JudgeSettings, StrategyChoice
from dowse.model.words import word_hash
from dowse.predict.learning import Crawled, Statistics, read_statistics
from dowse.predict.learning.sums import Sums
from dowse.store import CrawlReader
from tests.cli.labelled import QUERY, mistake, said, two_kinds
from tests.engine.servers import crawl_all, topic_for


@pytest.fixture(scope="module")
def crawl(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of a web of birds and steel, with a strategy that learns."""
    folder = tmp_path_factory.mktemp("crawls") / "birds"

    async def run() -> None:
        async with LoopbackServer(two_kinds()) as server:
            await crawl_all(
                topic_for(
                    server.address, ["http://a.test/"], query=QUERY, judge=JudgeSettings(threshold=0.1),
                    strategy=StrategyChoice("learning"),
                ),
                folder,
            )  # fmt: skip

    asyncio.run(run())
    return folder


def test_what_speaks_for_the_topic_and_against_it(crawl: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, err = said(capsys, "stats", str(crawl), "--top", "4")
    assert err == ""
    assert out.startswith(f"{crawl}: 31 pages, ")
    parts = {block.split("  ")[0]: block for block in out.split("\n\n")[1:]}
    assert set(parts) == {"words for the topic", "words against it", "tokens for the topic", "tokens against it"}
    assert any(word in parts["words for the topic"] for word in ("bird", "feather", "wing", "nest"))
    assert any(word in parts["words against it"] for word in ("furnac", "alloy", "iron", "weld", "slag", "forg", "ore"))
    assert "  bird " in parts["tokens for the topic"]
    assert "  steel " in parts["tokens against it"]
    assert "#" not in out, "every hash has its name"


def test_as_json(crawl: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = json.loads(said(capsys, "stats", "show", str(crawl), "--top", "2", "--json")[0])
    assert told["pages"] == 31
    assert 0 < told["usual"] < 1
    [first, *_] = told["tokens"]["for"]
    assert first["name"] == "bird"
    assert first["interest"] > 1
    assert first["z"] >= 2
    assert len(told["words"]["against"]) == 2


def test_saved_and_merged(crawl: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one, both = tmp_path / "one.json", tmp_path / "both.json.gz"
    out, _ = said(capsys, "stats", "save", str(crawl), "--out", str(one))
    assert out.startswith("31 pages, ")
    assert out.endswith(f"written to {one}\n")
    half = read_statistics(one)
    write_statistics(replace(half, pages=half.pages / 2, crawls={}), tmp_path / "half.json")
    said(capsys, "stats", "merge", str(tmp_path / "half.json"), str(crawl), "--out", str(both))
    assert read_statistics(both).pages == 31 + 15.5
    assert both.read_bytes()[:2] == b"\x1f\x8b"
    names = said(capsys, "stats", str(one), "--top", "3")[0].split("\n")[1:]
    assert names == said(capsys, "stats", str(crawl), "--top", "3")[0].split("\n")[1:], "a file has the names as well"


def test_what_is_strong_in_all_together_has_its_name(
    crawl: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A word that is not among the strongest of any crawl may be among those of the sum."""
    one, both = tmp_path / "one.json", tmp_path / "both.json"
    monkeypatch.setattr("dowse.cli.stats._NAMED", 1)
    said(capsys, "stats", "save", str(crawl), "--out", str(one))
    known = read_statistics(one)
    frequent = known.words.sums[:, 0].argsort().tolist()
    rare = next(key for key in known.words.keys[frequent].tolist() if key not in known.word_names)
    grown = Sums.of(np.array([rare], np.uint32), np.array([[90.0, 90.0]]))
    others = {"another": Crawled(31, "steel")}
    write_statistics(replace(known, words=known.words.merged(grown), word_names={}, crawls=others), one)
    said(capsys, "stats", "merge", str(one), str(crawl), "--out", str(both))
    assert rare in read_statistics(both).word_names


def test_what_a_strategy_tells_of_words_is_spelled(crawl: Path) -> None:
    word, none = (word_hash(text) & 0xFFFFFFFF for text in ("feather", "nowhere"))
    told = {f"ratio of word #{word} in what else": (0.5, 0.0), f"word #{none}": (1.0, 0.0), "site": (2.0, 1.0)}
    with CrawlReader(crawl) as records:
        assert spelled(records, told) == {
            "ratio of 'feather' in what else": (0.5, 0.0), f"word #{none}": (1.0, 0.0), "site": (2.0, 1.0)
        }  # fmt: skip


def test_mistakes_are_told_on_one_line(crawl: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    missing, seed = str(tmp_path / "none"), ("--seed", "http://a.test/")
    assert "cannot read the statistics: no such file" in mistake(capsys, "stats", missing)
    assert "holds no crawl" in mistake(capsys, "stats", str(tmp_path))
    assert "--top: must be at least 1, not 0" in mistake(capsys, "stats", str(crawl), "--top", "0")
    assert "cannot write" in mistake(capsys, "stats", "save", str(crawl), "--out", str(tmp_path / "no" / "such.json"))
    assert "--learn-from: there is no file" in mistake(capsys, "crawl", "x", *seed, "--learn-from", missing)
    assert "strategy best-first keeps no statistics" in mistake(
        capsys, "crawl", "x", *seed, "--out", missing, "--strategy", "best-first", "--learn-from", str(crawl)
    )
    assert "leave out --learn-from" in mistake(capsys, "crawl", "--resume", str(crawl), "--learn-from", str(crawl))
    (tmp_path / "topic.toml").write_text('query = "x"\n[strategy]\nname = "learning"\nlearn_from = ["none.json"]\n')
    told = mistake(capsys, "crawl", str(tmp_path / "topic.toml"))
    assert "topic.toml:4: strategy.learn_from: there is no file" in told


def test_no_crawl_is_merged_twice(crawl: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one, both = str(tmp_path / "one.json"), str(tmp_path / "both.json")
    said(capsys, "stats", "save", str(crawl), "--out", one)
    for again in (str(crawl), f"{crawl}/../{crawl.name}"):
        assert "is named twice" in mistake(capsys, "stats", "merge", str(crawl), again, "--out", both)
    told = mistake(capsys, "stats", "merge", str(crawl), one, "--out", both)
    assert f"both have the pages of the crawl 'test', which would count twice: leave out {one}" in told
    assert not Path(both).exists()


def test_figures_tell_files_that_name_no_crawl(crawl: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one, two = tmp_path / "one.json", tmp_path / "two.json"
    said(capsys, "stats", "save", str(crawl), "--out", str(one))
    unnamed = replace(read_statistics(one), crawls={})
    for path in (one, two):
        write_statistics(unnamed, path)
    told = mistake(capsys, "stats", "merge", str(one), str(two), "--out", str(tmp_path / "both.json"))
    assert f"{two} and {one} are the same crawl" in told


def test_whose_pages_they_are(crawl: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one, both = tmp_path / "one.json", tmp_path / "both.json"
    other = Statistics(70, 7, crawls={"another": Crawled(70, "steel \x1b[31m")})
    write_statistics(other, one)
    said(capsys, "stats", "merge", str(one), str(crawl), "--out", str(both))
    out, _ = said(capsys, "stats", str(both))
    assert "of 2 crawls, by the pages that each had judged\n        70  steel \\x1b[31m\n        31  test\n" in out
    told = json.loads(said(capsys, "stats", str(both), "--json")[0])["crawls"]
    assert told.pop("another") == {"pages": 70, "name": "steel \x1b[31m"}
    assert list(told.values()) == [{"pages": 31, "name": "test"}]
    assert "crawls, by" not in said(capsys, "stats", str(crawl))[0], "its own pages alone"


def test_two_crawls_without_pages_are_two(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    places = [str(tmp_path / name) for name in ("one.json", "two.json")]
    for place in places:
        write_statistics(Statistics(), Path(place))
    assert said(capsys, "stats", "merge", *places, "--out", str(tmp_path / "both.json"))[0].startswith("0 pages")
