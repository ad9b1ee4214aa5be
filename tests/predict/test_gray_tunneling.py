"""``tunnel`` as published, from the page's markup to the priority, read sentence by sentence on random webs.

Luo, Zuo and Yuan, Gray Tunneling Based on Block Relevance for Focused Crawling, algorithms 1 and 2 (METHODS, section
3). Nothing here uses the parser's outline, its blocks or its measures: the tree is known, since it was made here.
"""

from __future__ import annotations

import math
import pickle
from collections import Counter
from dataclasses import dataclass, field

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dowse.engine.page.step import PageStep
from dowse.engine.workers.job import Job
from dowse.frontier.scope import StaticScope
from dowse.judge import build_judge
from dowse.model.http import Response
from dowse.model.page import Context, Counting, Links
from dowse.model.strategy import CountsTexts, LinkView, SourcePage, Strategy
from dowse.model.topic import JudgeSettings, Scope, StrategyChoice, Topic
from dowse.parse import Repeats
from dowse.predict import block_rule, build_strategy

QUERY = ("solar", "panel")
WORDS = (*QUERY, "ferry", "bread", "harbour")
BLOCK_TAGS, INLINE_TAGS = ("div", "section", "article", "blockquote"), ("span", "b")
TOPIC = Topic(query=" ".join(QUERY), judge=JudgeSettings("similarity", weighting="tf"))


@dataclass
class Node:
    """An element; without a tag, words, perhaps as the anchor of a link."""

    tag: str = ""
    children: list[Node] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    link: int = 0  # the number of a page; 0: none

    @property
    def is_block(self) -> bool:
        return self.tag in ("document", "body", *BLOCK_TAGS)

    def leaves(self) -> list[Node]:
        return [leaf for child in self.children for leaf in child.leaves()] if self.tag else [self]

    def html(self) -> str:
        if not self.tag:
            text = " ".join(self.words)
            return f"<a href=/{self.link}>{text}</a> " if self.link else f"{text} "
        inner = "".join(child.html() for child in self.children)
        return inner if self.tag == "document" else f"<{self.tag}>{inner}</{self.tag}>"


def leaf_of(words: list[str], link: int) -> Node:
    return Node(words=words, link=link)


leaves = st.builds(leaf_of, st.lists(st.sampled_from(WORDS), min_size=1, max_size=3), st.sampled_from((0, 0, 1, 2, 3)))


def around(below: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    """One of these, or an element around some."""
    return below | st.builds(
        Node, st.sampled_from((*BLOCK_TAGS, *INLINE_TAGS)), st.lists(below, min_size=1, max_size=4)
    )


elements = around(around(around(leaves)))
pages = st.lists(elements, min_size=1, max_size=5).map(lambda found: Node("document", [Node("body", found)]))


def whole(node: Node) -> Node:
    """Inline elements hold no block element here: a parser may move those about."""
    if node.tag in INLINE_TAGS:
        return Node(node.tag, node.leaves())
    return Node(node.tag, [whole(child) for child in node.children], node.words, node.link)


def block_height(node: Node, height: int) -> int:
    """The paper's, as printed."""
    count = height
    for child in node.children:
        count = max(count, block_height(child, height + 1 if child.is_block else height))
    return count


def links_in(nodes: list[Node]) -> int:
    return sum(leaf.link > 0 for node in nodes for leaf in node.leaves())


def partition(document: Node, alpha: float, k: int) -> list[list[Node]]:
    """Algorithm 1: the words and links of each block, in the order of the page."""
    s = alpha * block_height(document, 0)
    blocks: list[list[Node]] = []
    queue = [document]
    while queue:
        v = queue.pop(0)
        loose = [child for child in v.children if not child.is_block]  # what would be one residual block
        held = [links_in([child]) for child in v.children if child.is_block] + [links_in(loose)]
        if 0 < block_height(v, 0) >= s and max(held) >= k:
            run: list[Node] = []  # a child between loose words parts them
            for child in [*v.children, None]:
                if child is None or child.is_block:
                    blocks += [run] if run else []
                    run = []
                    queue += [child] if child is not None else []
                else:
                    run = [*run, *child.leaves()]
        else:
            blocks.append(v.leaves())
    place = {id(leaf): number for number, leaf in enumerate(document.leaves())}
    blocks.sort(key=lambda block: place[id(block[0])])
    joined: list[list[Node]] = [[]]
    for block in blocks:  # neighbouring blocks without links join the next one
        joined[-1] = joined[-1] + block
        if links_in(block):
            joined.append([])
    return [block for block in joined if block]


def cosine(nodes: list[Node]) -> float:
    counts = Counter(word for node in nodes for word in node.words)
    norm = math.sqrt(sum(count**2 for count in counts.values()))
    return sum(counts[word] for word in QUERY) / (math.sqrt(len(QUERY)) * norm)


def url(number: int) -> str:
    return f"http://lune.test/{number}"


def digested(step: PageStep, strategy: Strategy, number: int, page: Node, repeats: bytes = b"") -> tuple[float, Links]:
    body = f"<html>{page.html()}</html>".encode()
    response = Response(url(number), 200, (("Content-Type", "text/html; charset=utf-8"),), body)
    counting = strategy.counting if isinstance(strategy, CountsTexts) else Counting()
    digest = step.digest(Job(response, 0.0, counting=counting, repeats=repeats))
    return digest.verdict.score, digest.links


def ranked(strategy: Strategy, number: int, score: float, links: Links, known: dict[str, float]) -> dict[str, float]:
    """What a strategy makes of a page's links, with what was known of them."""
    ids = np.array([int(link.rpartition("/")[2]) for link in links.urls], np.int64)
    view = LinkView(
        ids, np.zeros_like(ids), np.ones_like(ids), links.counts, links.similarity,
        np.array([known.get(link, np.nan) for link in links.urls]),
    )  # fmt: skip
    page = SourcePage(number, 0, 0, number - 100, score, False, len(ids))
    return dict(zip(links.urls, strategy.rank(page, view).tolist(), strict=True))


def all_words(page: Node) -> Node:
    return leaf_of([word for leaf in page.leaves() for word in leaf.words], 0)


def literal(form: str, web: list[Node], alpha: float, k: int) -> dict[str, float]:
    """Algorithm 2: a link has the relevance of its block; queued already, that of the best block that mentions it."""
    worth: dict[str, float] = {}
    for page in web:
        for block in partition(page, alpha, k):
            for leaf in block:
                if leaf.link:
                    told = [cosine(block)]
                    if form == "max":  # the best of anchor, block and page
                        told += [cosine([leaf]), cosine([all_words(page)])]
                    worth[url(leaf.link)] = max(worth.get(url(leaf.link), 0.0), *told)
    return worth


@pytest.mark.parametrize("form", ["paper", "max"])
@settings(max_examples=120, deadline=None)
@given(web=st.lists(pages.map(whole), min_size=1, max_size=4), alpha=st.sampled_from((0.0, 0.3, 0.5, 0.75, 1.0)),
       k=st.integers(1, 3))  # fmt: skip
def test_a_link_is_worth_what_the_paper_says(form: str, web: list[Node], alpha: float, k: int) -> None:
    strategy = build_strategy(StrategyChoice("tunnel", {"form": form, "alpha": alpha, "k": k}), seed_number=0)
    step = PageStep(build_judge(TOPIC), StaticScope(Scope(reach="any")), 100, rule=block_rule(strategy))
    step = pickle.loads(pickle.dumps(step))  # as it comes to a worker
    known: dict[str, float] = {}
    for number, page in enumerate(web, 100):
        known |= ranked(strategy, number, *digested(step, strategy, number, page), known)
        expected = literal(form, web[: number - 99], alpha, k)
        assert known == pytest.approx(expected, abs=1e-6)
        for link, priority in known.items():
            why = strategy.explain(int(link.rpartition("/")[2]), priority)
            assert sum(value * weight for value, weight in why.features.values()) == pytest.approx(priority)


@pytest.mark.parametrize(("form", "share"), [("paper", 1.0), ("max", 0.25)])
def test_as_published_a_menu_counts_like_any_block(form: str, share: float) -> None:
    """When its site repeats it, the block of a link counts for a quarter, but not in the paper's form."""
    words = [Node(words=["solar", "panel"]), Node(words=["bread"], link=1)]
    menu = Node("document", [Node("body", [Node("div", words), Node("div", [Node(words=["ferry"] * 9, link=2)])])])
    strategy = build_strategy(StrategyChoice("tunnel", {"form": form}), seed_number=0)
    step = PageStep(build_judge(TOPIC), StaticScope(Scope(reach="any")), 100, rule=block_rule(strategy))
    repeats = Repeats()
    for number in range(3):
        body = f"<html>{menu.html()}{number}".encode()
        digest = step.digest(Job(Response(url(number), 200, (("Content-Type", "text/html"),), body), 0.0))
        repeats.learn(0, digest.lines)
    _, links = digested(step, strategy, 100, menu, repeats.known(0))
    assert links.similarity[0, Context.BLOCK] == pytest.approx(share * cosine(words))
