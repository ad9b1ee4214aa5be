from __future__ import annotations

import asyncio
import re
from dataclasses import replace
from pathlib import Path

import pytest

from dowse.cli.why import explain
from dowse.cli.why_mention import Mention, mention
from dowse.judge import build_judge
from dowse.loopback import LoopbackServer, Resource, Site, Web
from dowse.model.budget import Budget
from dowse.model.topic import StrategyChoice
from dowse.store import CrawlReader
from tests.engine.servers import crawl_all, page, topic_for

FRONT = b"""<title>Front</title><p>Bread rises in <a href=/b>a warm place</a>.</p><h2>Solar news</h2>
<p>The best perovskite solar cells are <a href="/s">described here</a>, said the lab.</p>
<ul><li><a href=/s>here</a></ul>"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("mentions") / "c"
    web = Web.of(Site("a.test", {"/": Resource(FRONT), "/s": page("s", "solar", []), "/b": page("b", "bread", [])}))

    async def main() -> None:
        async with LoopbackServer(web) as server:
            await crawl_all(topic_for(server.address, ["http://a.test/"]), folder)

    asyncio.run(main())
    return folder


def test_the_best_mention_is_quoted(folder: Path) -> None:
    judge = build_judge(topic_for("", []))
    with CrawlReader(folder) as crawl:
        found = mention(crawl, "http://a.test/", "http://a.test/s", judge)
        assert isinstance(found, Mention)
        assert found.anchor == "described here"
        assert found.anchor_similarity == 0
        assert found.paragraph == "The best perovskite solar cells are described here, said the lab."
        assert found.paragraph_similarity > 0.5
        assert mention(crawl, "http://a.test/", "http://a.test/elsewhere", judge) is None
        assert mention(crawl, "http://a.test/nowhere", "http://a.test/s", judge) is None
    told = explain(folder, "http://a.test/s")
    assert "in the paragraph 'The best perovskite solar cells" in told
    assert re.search(
        r"in block \d of \d \(similarity 0\.\d+, \d+ words, 1 link\), under 'Solar news' \(similarity 0", told
    )


def test_heading_and_block_of_the_mention(folder: Path) -> None:
    judge = build_judge(topic_for("", []))
    with CrawlReader(folder) as crawl:
        found = mention(crawl, "http://a.test/", "http://a.test/s", judge)
        above = mention(crawl, "http://a.test/", "http://a.test/b", judge)
    assert found is not None
    assert above is not None
    assert (found.heading, found.heading_similarity) == ("Solar news", judge.nearness.similarity("solar news"))
    assert (above.heading, above.heading_similarity) == ("Front", 0), "the title, where there is no heading above"


def test_a_damaged_archive_quotes_nothing(folder: Path, tmp_path: Path) -> None:
    for file in folder.iterdir():
        data = file.read_bytes()
        (tmp_path / file.name).write_bytes(data[:200] if file.name.endswith(".warc.gz") else data)
    told = explain(tmp_path, "http://a.test/s")
    assert "in the paragraph" not in told
    assert "found: 1 link from a seed" in told


def test_a_priority_is_told_for_what_it_is(tmp_path: Path) -> None:
    """Value over cost is neither a parent's score nor a prediction."""
    pages = {"/": page("front", "solar", ["/1", "/2"]), "/1": page("one", "bread", []), "/2": page("two", "bread", [])}

    async def main() -> None:
        async with LoopbackServer(Web.of(Site("a.test", pages))) as server:
            for name in ("best-first", "weighted"):
                choice = StrategyChoice(name, maximise="efficiency")
                topic = topic_for(server.address, ["http://a.test/"], strategy=choice, budget=Budget(pages=2))
                await crawl_all(topic, tmp_path / name)

    asyncio.run(main())
    for name in ("best-first", "weighted"):
        with CrawlReader(tmp_path / name) as crawl:
            front = crawl.page("http://a.test/")
        assert front is not None
        assert front.score is not None
        fetched, left = explain(tmp_path / name, "http://a.test/1"), explain(tmp_path / name, "http://a.test/2")
        assert f"by {name} (model version 0), its value over the seconds it may take, from" in fetched
        assert f"by {name}" in left
        assert "its value over the seconds it may take" in left
        if name == "best-first":
            assert f"predicted {front.score:.3f}, in truth" in fetched
            assert "predicted" not in left, "what it may cost is not in the records"


def test_evidence_that_is_not_there_is_not_told_as_none(tmp_path: Path) -> None:
    pages = {"/": page("front", "solar", ["/1", "/2"]), "/1": page("one", "bread", []), "/2": page("two", "bread", [])}

    async def main() -> None:
        async with LoopbackServer(Web.of(Site("a.test", pages))) as server:
            topic = topic_for(server.address, ["http://a.test/"], budget=Budget(pages=1))
            await crawl_all(replace(topic, strategy=StrategyChoice("hybrid")), tmp_path / "c")
            other = replace(topic, strategy=StrategyChoice("weighted"), budget=Budget(pages=2))
            await crawl_all(other, tmp_path / "c", resume=True)

    asyncio.run(main())
    told = explain(tmp_path / "c", "http://a.test/2")
    assert "from a run with another strategy" in told
    assert "parents = 0" not in told
