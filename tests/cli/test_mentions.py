from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from dowse.cli.mentions import Mention, mention
from dowse.cli.why import explain
from dowse.judge import build_judge
from dowse.loopback import LoopbackServer, Resource, Site, Web
from dowse.store import CrawlReader
from tests.crawl.servers import crawl_all, page, topic_for

FRONT = b"""<title>Front</title><p>Bread rises in <a href=/b>a warm place</a>.</p>
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
    assert "in the paragraph 'The best perovskite solar cells" in explain(folder, "http://a.test/s")


def test_a_damaged_archive_quotes_nothing(folder: Path, tmp_path: Path) -> None:
    for file in folder.iterdir():
        data = file.read_bytes()
        (tmp_path / file.name).write_bytes(data[:200] if file.name.endswith(".warc.gz") else data)
    told = explain(tmp_path, "http://a.test/s")
    assert "in the paragraph" not in told
    assert "found: 1 link from a seed" in told
