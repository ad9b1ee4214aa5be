"""Dowse: a focused web crawler.

It finds the pages on your topic while downloading as little of the rest of the web as it can::

    import asyncio, dowse

    async def main():
        topic = dowse.Topic(query="perovskite solar cells", seeds=dowse.Seeds(urls=("https://example.org/",)),
                            budget=dowse.Budget(pages=100))
        async for page in dowse.crawl(topic):
            print(f"{page.score:.2f} {page.url} {page.title}")

    asyncio.run(main())

The ports at which a crawl can be extended are here as well: :class:`Strategy`, :class:`Judge`, :class:`Transport`,
:class:`Records` and :class:`Clock`, with the values they speak; :mod:`dowse.testing` checks what stands behind them.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from dowse.model.budget import Budget
from dowse.model.errors import DowseError, StoreError, TopicError, UserError
from dowse.model.facts import PageFacts
from dowse.model.topic import (
    Cache,
    Cost,
    Example,
    Find,
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
)
from dowse.model.topicfile import load_topic

if TYPE_CHECKING:
    from dowse.engine.assembly.api import crawl
    from dowse.engine.page.pages import Fetched
    from dowse.model.batch import Batch, Records
    from dowse.model.clock import Clock, SystemClock
    from dowse.model.http import (
        Failure,
        FailureKind,
        Meter,
        Request,
        Resolved,
        Response,
        Secrets,
        Timings,
        Transport,
        Truncation,
    )
    from dowse.model.judge import Judge, ReadPage
    from dowse.model.objects import FoundObject
    from dowse.model.page import Bag, Context, Counting, Part, Reason, Verdict
    from dowse.model.plugin_ports import (
        Converted,
        Converter,
        Extractor,
    )
    from dowse.model.search import (
        Ask,
        Query,
        Results,
        Said,
        SearchEngine,
        SearchResult,
        SeedTarget,
        Term,
        Trouble,
        TroubleKind,
    )
    from dowse.model.strategy import (
        Explanation,
        GoesBySite,
        LearnsFromFailures,
        LinkView,
        Memory,
        RefusesPages,
        Revaluing,
        SourcePage,
        Strategy,
        Subject,
    )
    from dowse.predict.memory import NumberTable
    from dowse.predict.rerank import RanksOnMention
    from dowse.store.read import CrawlReader
    from dowse.store.read import CrawlReader as open_crawl

_LAZY = {  # module -> what it holds: loaded on first use, so that worker processes and quick commands start at once
    "dowse.engine.assembly.api": ("crawl",),
    "dowse.engine.page.pages": ("Fetched",),
    "dowse.model.clock": ("Clock", "SystemClock"),
    "dowse.model.http": (
        "Failure", "FailureKind", "Meter", "Request", "Resolved", "Response", "Secrets", "Timings", "Transport",
        "Truncation",
    ),
    "dowse.model.judge": ("Judge", "ReadPage"),
    "dowse.model.objects": ("FoundObject",),
    "dowse.model.page": ("Bag", "Context", "Counting", "Part", "Reason", "Verdict"),
    "dowse.model.plugin_ports": ("Converted", "Converter", "Extractor"),
    "dowse.model.batch": ("Batch", "Records"),
    "dowse.model.search": (
        "Ask", "Query", "Results", "Said", "SearchEngine", "SearchResult", "SeedTarget", "Term", "Trouble",
        "TroubleKind",
    ),
    "dowse.model.strategy": (
        "Explanation", "GoesBySite", "LearnsFromFailures", "LinkView", "Memory", "Proposes", "RanksAgain",
        "RanksMentions", "RefusesPages", "Revaluing", "SourcePage", "Strategy", "Subject",
    ),
    "dowse.predict.memory": ("NumberTable",),
    "dowse.predict.rerank": ("RanksOnMention",),
    "dowse.store.read": ("CrawlReader",),
}  # fmt: skip
_MODULE_OF = {name: module for module, names in _LAZY.items() for name in names}

__all__ = [
    "Ask", "Bag", "Batch", "Budget", "Cache", "Clock", "Context", "Converted", "Converter", "Cost", "Counting",
    "CrawlReader", "DowseError", "Example", "Explanation", "Extractor", "Failure", "FailureKind", "Fetched",
    "Find", "FoundObject", "GoesBySite", "Judge", "JudgeSettings", "Keyword", "LearnsFromFailures", "Limits",
    "LinkView", "Memory", "Meter", "Network", "NumberTable", "PageFacts", "Part", "Politeness", "Proposes",
    "Query", "RanksAgain", "RanksMentions", "RanksOnMention", "ReadPage", "Reason", "Records", "RefusesPages",
    "Request", "Resolved", "Response", "Results", "Revaluing", "Said", "Scope", "SearchEngine", "SearchResult",
    "Secrets", "SeedTarget", "Seeds", "SourcePage", "StoreError", "Strategy", "StrategyChoice", "Subject",
    "SystemClock", "Target", "Term", "Timings", "Topic", "TopicError", "Transport", "Trouble", "TroubleKind",
    "Truncation", "UserError", "Verdict", "crawl", "load_topic", "open_crawl",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name == "open_crawl":  # a crawl's folder is read by the class itself
        name = "CrawlReader"
    module = _MODULE_OF.get(name)
    if module is None:
        raise AttributeError(f"module 'dowse' has no attribute {name!r}")
    return getattr(import_module(module), name)
