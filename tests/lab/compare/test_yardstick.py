"""Labels from verdicts: a crawl's own, a topic's judge's, a predicate's."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import pytest

from dowse.lab.compare.comparison import compare
from dowse.lab.compare.plan import Plan
from dowse.lab.compare.yardstick import by_topic, own_verdicts
from dowse.lab.corpus import Corpus, open_corpus
from dowse.loopback import LoopbackServer, Web
from dowse.model.budget import Budget
from dowse.model.errors import UserError
from dowse.model.topic import Example, Expression, Scope, Topic
from dowse.store import CrawlReader
from tests.engine.servers import chain, crawl_all, topic_for
from tests.lab.compare.webs import PAGES, url, write_labelled

SOLAR = {url(number) for number in range(0, PAGES, 3)}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return open_corpus(write_labelled(tmp_path_factory.mktemp("web")), jobs=1)


def found(corpus: Corpus, topic: Topic) -> set[str]:
    yardstick = by_topic(corpus, topic)
    [pages] = yardstick.labels.pages.values()
    return {corpus.url(page) for page in pages}


def test_a_topic_judges_every_page(corpus: Corpus) -> None:
    assert found(corpus, Topic(name="cells", query="perovskite solar cells")) == SOLAR
    assert found(corpus, Topic(predicate=Expression('title("solar")', "--predicate"))) == SOLAR
    assert not by_topic(corpus, Topic(predicate=Expression('title("solar")', "--predicate"))).flatters
    assert by_topic(corpus, Topic(query="perovskite")).flatters


def test_what_a_topic_says_of_languages_holds(corpus: Corpus) -> None:
    topic = Topic(query="perovskite solar cells", scope=Scope(languages=("fr",)))
    with pytest.raises(UserError, match="is relevant by 'perovskite solar cells': there is nothing to measure by"):
        by_topic(corpus, topic)


def test_examples_come_from_files_and_from_the_corpus(corpus: Corpus, tmp_path: Path) -> None:
    (tmp_path / "cells.txt").write_text("perovskite solar cells reach high efficiency")
    for source in (str(tmp_path / "cells.txt"), url(0)):
        assert found(corpus, Topic(query="cells", examples=(Example(source),))) >= SOLAR
    elsewhere = Topic(examples=(Example("http://elsewhere.test/"),))
    with pytest.raises(UserError, match=re.escape("the example http://elsewhere.test/ is no page of")):
        by_topic(corpus, elsewhere)


def test_a_crawl_is_measured_by_its_own_verdicts(tmp_path: Path) -> None:
    async def main() -> None:
        async with LoopbackServer(Web.of(chain("a.test", 40))) as server:
            await crawl_all(topic_for(server.address, ["http://a.test/0"], budget=Budget(pages=40)), tmp_path / "c")

    asyncio.run(main())
    corpus = open_corpus(tmp_path / "c", jobs=1)
    yardstick = own_verdicts(corpus)
    assert yardstick.names == ["test"]
    assert yardstick.labels.query("test") == "perovskite solar cells"
    with CrawlReader(tmp_path / "c") as crawl:
        relevant = {page.url for page in crawl.judged_pages(relevant=True)}
    assert {corpus.url(page) for page in yardstick.labels.pages["test"]} == relevant
    assert len(relevant) > 20


def test_a_corpus_that_is_no_crawl_has_no_verdicts(corpus: Corpus) -> None:
    with pytest.raises(UserError, match=re.escape("holds no crawl")):
        own_verdicts(corpus)


def test_a_comparison_is_made_by_any_number_of_processes(corpus: Corpus) -> None:
    """The labels travel along; the corpus' own have no part in it."""
    plan = Plan(("best-first",), budget="30%", seed_sets=1, seeds=2, examples=4, min_pages=20)
    yardstick = by_topic(corpus, Topic(name="cells", query="perovskite solar cells"))
    more = by_topic(corpus, Topic(name="dough", query="bread dough"))
    both = type(yardstick.labels)({**yardstick.labels.pages, **more.labels.pages})
    runs = [
        compare(corpus.folder, plan, list(both.pages), jobs=jobs, keep=False, yardstick=both).runs for jobs in (1, 2)
    ]
    assert runs[0] == runs[1]
    assert {run["topic"] for run in runs[0]} == {"cells", "dough"}
    assert {run["targets"] for run in runs[0]} == {len(SOLAR) - 4, PAGES - len(SOLAR) - 4}
