"""Dowse: a focused web crawler.

It finds the pages on your topic while downloading as little of the rest of the web as it can::

    import asyncio, dowse

    async def main():
        topic = dowse.Topic(query="perovskite solar cells", seeds=dowse.Seeds(urls=("https://example.org/",)),
                            budget=dowse.Budget(pages=100))
        async for page in dowse.crawl(topic):
            print(f"{page.score:.2f} {page.url} {page.title}")

    asyncio.run(main())
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

__all__ = [
    "Budget", "Cache", "Cost", "DowseError", "Example", "Fetched", "JudgeSettings", "Keyword", "Limits", "Network",
    "PageFacts", "Politeness", "Scope", "Seeds", "StoreError", "StrategyChoice", "Target", "Topic", "TopicError",
    "UserError", "crawl", "load_topic",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """The engine is loaded on first use: worker processes and quick commands start without the network library."""
    if name == "crawl":
        return import_module("dowse.engine.assembly.api").crawl
    if name == "Fetched":
        return import_module("dowse.engine.page.pages").Fetched
    raise AttributeError(f"module 'dowse' has no attribute {name!r}")
