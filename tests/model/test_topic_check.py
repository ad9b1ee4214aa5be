"""Topics made in Python obey the rules of topic files."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

import dowse
from dowse.model.errors import TopicError
from dowse.model.topic import (
    Cache,
    Cost,
    Example,
    JudgeSettings,
    Keyword,
    Limits,
    Network,
    Politeness,
    Scope,
    Seeds,
    StrategyChoice,
    Target,
    Topic,
    Traps,
)
from dowse.model.topic_check import check_topic
from dowse.model.topic_json import topic_from_json, topic_to_json
from dowse.model.topicfile import TEMPLATE, parse_topic

Odd: Any = object()


def test_the_defaults_and_the_template_pass() -> None:
    check_topic(Topic())
    check_topic(parse_topic(TEMPLATE.replace('query = ""', 'query = "x"'), "topic.toml"))


@pytest.mark.parametrize(
    ("topic", "said"),
    [
        (Topic(budget=dowse.Budget(pages=5.5)), "budget.pages: must be a whole number of at least 1, not 5.5"),  # type: ignore[arg-type]
        (Topic(budget=dowse.Budget(pages=0)), "budget.pages: must be a whole number of at least 1, not 0"),
        (
            Topic(budget=dowse.Budget(pages=2**60)),
            f"budget.pages: must be a whole number from 1 to {2**53}, not {2**60}",
        ),
        (Topic(budget="10p"), 'budget: must be a Budget, not "10p"'),  # type: ignore[arg-type]
        (Topic(scope=Scope(reach="planet")), 'scope.reach: must be host, domain or any, not "planet"'),
        (Topic(scope=Scope(traps=Traps(max_per_host=-1))), "scope.traps.max_per_host: must be a whole number"),
        (Topic(judge=JudgeSettings(threshold=7)), "judge.threshold: must be a number from 0 to 1, not 7"),
        (Topic(judge=JudgeSettings(language="klingon")), "judge.language: must be none, "),
        (Topic(network=Network(concurrency=0)), "network.concurrency: must be a whole number from 1 to 4096, not 0"),
        (Topic(network=Network(resolve={"a b": "1.2.3.4"})), "network.resolve: "),
        (Topic(politeness=Politeness(delay_s=-1)), "politeness.delay_s: must be a time from 0s"),
        (Topic(politeness=Politeness(delay_s="1s")), 'politeness.delay_s: must be a number, not "1s"'),  # type: ignore[arg-type]
        (Topic(politeness=Politeness(delay_s=90.0)), "politeness.delay_s: is longer than max_delay (60s)"),
        (Topic(cost=Cost(min_s=90.0)), "cost.min_s: is longer than max (60s)"),
        (Topic(limits=Limits(timeout_s=float("nan"))), "limits.timeout_s: must be a time"),
        (Topic(limits=Limits(max_retries=None)), "limits.max_retries: must be a whole number"),  # type: ignore[arg-type]
        (Topic(target=Target(value=float("inf"))), "target.value: must be a finite number above 0"),
        (Topic(seeds=Seeds(urls="https://example.org/")), "seeds.urls: must be a list of strings, not "),  # type: ignore[arg-type]
        (Topic(seeds=Seeds(urls=(7,))), "seeds.urls: must be a string, not 7"),  # type: ignore[arg-type]
        (Topic(cache=Cache(folders=(Odd,))), "cache.folders: must be a string, not a object"),
        (Topic(keywords=("solar",)), 'keywords: must be a tuple of Keyword, and holds "solar"'),  # type: ignore[arg-type]
        (Topic(keywords=(Keyword("solar", -1.0),)), "keywords: a keyword's weight must be a number above 0, not -1"),
        (Topic(examples="page.html"), 'examples: must be a tuple of Example, not "page.html"'),  # type: ignore[arg-type]
        (Topic(examples=(Example(Odd),)), "examples: source must be a string, not a object"),
        (Topic(examples=(Example("f.html", "yes"),)), 'examples: positive must be true or false, not "yes"'),  # type: ignore[arg-type]
        (Topic(strategy=StrategyChoice("bfs", {"a": Odd})), "strategy.params.a: must be a number, a string or a"),
        (Topic(query=7), "query: must be a string, not 7"),  # type: ignore[arg-type]
        (Topic(out=7), "out: must be a string, not 7"),  # type: ignore[arg-type]
        (Topic(workers=257), "workers: must be a whole number from 0 to 256, not 257"),
        (Topic(categories=[]), "categories: must be a table of names and files, not a list"),  # type: ignore[arg-type]
    ],
)
def test_what_no_file_could_say_is_told_by_its_field(topic: Topic, said: str, tmp_path: Path) -> None:
    with pytest.raises(TopicError) as told:
        check_topic(topic)
    assert str(told.value).startswith(said)

    async def crawl() -> None:
        async for _ in dowse.crawl(topic, out=tmp_path / "c"):
            pass

    with pytest.raises(TopicError):
        asyncio.run(crawl())
    assert not list(tmp_path.iterdir())


def test_lists_and_whole_numbers_of_seconds_will_do() -> None:
    check_topic(Topic(seeds=Seeds(urls=["example.org"]), politeness=Politeness(delay_s=2)))  # type: ignore[arg-type]


def test_settings_of_a_folder_obey_the_same_rules() -> None:
    plain = topic_to_json(Topic(query="x"))
    plain["scope"]["reach"] = "planet"
    with pytest.raises(TopicError, match=r"not the settings of a crawl: scope\.reach: must be host"):
        topic_from_json(plain)


def test_a_topic_is_a_topic_or_a_path() -> None:
    async def crawl() -> None:
        async for _ in dowse.crawl(Odd):
            pass

    with pytest.raises(TopicError, match=r"must be a dowse\.Topic or the path of a topic file"):
        asyncio.run(crawl())
