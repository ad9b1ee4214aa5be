"""``tunnel`` as published, from the HTML of random webs to the priority of each URL, with several links
to one target, seeds and redirects. The partition is that of ``test_gray_tunneling``, where its tree is known."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, example, given, settings

from tests.predict.test_gray_tunneling import Node, partition
from tests.predict.test_to_the_letter import check, web_of_all_sorts
from tests.predict.th_formulas import Formula, ReadSoFar, v_sim
from tests.predict.written_webs import Anchor, Paragraph, WrittenPage, WrittenWeb, written_webs

slow = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def tree(page: WrittenPage) -> tuple[Node, dict[int, Anchor]]:
    """The page's elements, and which leaf is which link: one element for the menu, one for everything else."""
    links: dict[int, Anchor] = {}

    def element(paragraph: Paragraph) -> Node:
        leaves = [Node(words=list(paragraph.words))]
        for anchor in paragraph.links:
            leaves.append(Node(words=list(anchor.words), link=1))
            links[id(leaves[-1])] = anchor
        return Node("div", leaves)

    menu, *rest = map(element, page.paragraphs)
    rest += [Node(words=[], link=1) for _ in range(page.refused)]
    return Node("document", [Node("body", [Node("div", [menu]), Node("div", rest)])]), links


def blocks_of(page: WrittenPage, target: str, alpha: float = 0.5, k: int = 1) -> list[tuple[float, float]]:
    """Of each link to the target: how relevant its block is, and its anchor."""
    document, links = tree(page)
    found = []
    for block in partition(document, alpha, k):
        words = [word for leaf in block for word in leaf.words]
        for leaf in block:
            anchor = links.get(id(leaf))
            if anchor is not None and anchor.target == target:
                found.append((v_sim(words), v_sim(anchor.words)))
    return found


def named(read: ReadSoFar, h: str) -> list[tuple[WrittenPage, str]]:
    """The pages that mention it, each by the URL that it names."""
    return [(link.page, link.each[0][1].target) for link in read.to(h)]


def best_block(alpha: float, k: int) -> Formula:
    """Algorithm 2: the relevance of the link's block; of several, the best."""
    return lambda read, h: max(
        block for page, target in named(read, h) for block, _ in blocks_of(page, target, alpha, k)
    )  # fmt: skip


def best_anchor(read: ReadSoFar, h: str) -> float:
    return max(anchor for page, target in named(read, h) for _, anchor in blocks_of(page, target))


@pytest.mark.parametrize(("alpha", "k"), [(0.5, 1), (0.2, 2), (0.9, 1)])
@slow
@given(web=written_webs())
@example(web=web_of_all_sorts())
def test_a_link_is_worth_its_block(alpha: float, k: int, web: WrittenWeb) -> None:
    check(web, f"tunnel:form=paper,alpha={alpha},k={k}", best_block(alpha, k), "similarity")


def test_the_web_of_all_sorts_tells_them_apart() -> None:
    web = web_of_all_sorts()
    assert check(web, "tunnel:form=paper", best_block(0.5, 1), "similarity") >= 6
    with pytest.raises(AssertionError):
        check(web, "tunnel:form=paper", best_anchor, "similarity")
    with pytest.raises(AssertionError):
        check(web, "tunnel:form=paper", best_block(0.9, 1), "similarity")
