"""docs/cache.md: its numbers are the code's."""

from __future__ import annotations

import re
from pathlib import Path

from dowse.engine.page import heads
from dowse.model.topic import Cache, Cost
from dowse.model.topicfile import parse_topic
from dowse.store import HeldPages
from tests.docs.markdown import DOCS, blocks
from tests.store.made import WALL, page
from tests.store.test_held import crawl

TEXT = (DOCS / "cache.md").read_text(encoding="utf-8")


def test_the_examples_in_toml_say_what_the_flags_say() -> None:
    cache, cost = (parse_topic(f'query = "q"\n{block.text}', "topic.toml") for block in blocks(TEXT, "toml"))
    assert cache.cache == Cache(("first", "other-crawl"))
    assert cost.cost == Cost(head=True)


def test_useless_answers_are_counted_as_told() -> None:
    [told] = re.findall(r"After ([0-9]+) answers in a row that say nothing useful", TEXT)
    assert int(told) == heads._USELESS_AT_MOST


def test_the_memory_of_a_held_url_is_as_told(tmp_path: Path) -> None:
    [told] = re.findall(r"needs ([0-9]+) bytes of memory per URL", TEXT)
    pages = HeldPages([crawl(tmp_path / "c", *(page(n) for n in range(50)))], 1e6, WALL)
    assert pages.nbytes == int(told) * len(pages) == int(told) * 50
    pages.close()
