"""What would sharpen a topic: pages and words of the crawl."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path

import pytest

from dowse.lab.finished.sharpen import odd_word, ways_to_sharpen
from dowse.loopback import LoopbackServer, Resource, Site, Web
from dowse.model.topic import JudgeSettings, StrategyChoice
from dowse.store import CrawlReader
from tests.engine.servers import crawl_all, topic_for

CATS = "The jaguar cat hunts in the forest. A jaguar cat eats fish, and the forest cat swims. Paws and whiskers."
CARS = "The jaguar saloon has a gearbox. Each jaguar saloon is painted twice, engines and gearbox tested."


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six pages have both words of the query, five the vague one only."""
    folder = tmp_path_factory.mktemp("vague") / "c"
    dice = random.Random(3)
    own = [" ".join(f"w{dice.randrange(9_999)}" for _ in range(40)) for _ in range(11)]  # else they were duplicates
    texts = {f"/cat/{n}": f"{CATS} {own[n]}" for n in range(6)}
    texts |= {f"/car/{n}": f"{CARS} {own[6 + n]}" for n in range(5)}
    links = "".join(f"<a href={path}>page</a> " for path in texts)
    pages = {path: Resource(f"<title>{path}</title><p>{text}".encode()) for path, text in texts.items()}

    async def main() -> None:
        async with LoopbackServer(Web.of(Site("a.test", {"/": Resource(links.encode()), **pages}))) as server:
            judge = JudgeSettings(method="similarity", threshold=0.05)
            topic = topic_for(
                server.address, ["http://a.test/"], judge=judge, query="jaguar cat", strategy=StrategyChoice()
            )
            await crawl_all(topic, folder)

    asyncio.run(main())
    return folder


def test_the_word_of_the_pages_that_lack_the_rare_one(folder: Path) -> None:
    with CrawlReader(folder) as crawl:
        relevant = crawl.top_pages(50)
        found = odd_word(crawl, relevant)
        ways = ways_to_sharpen(crawl)
        assert odd_word(crawl, []) is None
        alike = [page for page in relevant if "/cat/" in page.url]
        few = odd_word(crawl, alike[:2])
    assert found is not None
    word, page = found
    assert word in ("saloon", "gearbox", "engines", "painted", "tested", "twice", "each"), "whole, and not of the cats"
    assert "/car/" in page.url
    assert few is None, "two pages have hardly anything in common"
    assert "/cat/" in ways[0]
    assert f"'{word}'" in ways[1]
    assert ways[2] == f"your answers: dowse label {folder}"
