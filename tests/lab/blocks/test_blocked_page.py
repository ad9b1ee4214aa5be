from __future__ import annotations

import math

import pytest
from hypothesis import given, settings

from dowse.judge import build_judge
from dowse.lab.blocks.legend import block_told, tunnel_told
from dowse.model.facts import PageFacts
from dowse.model.topic import Topic
from dowse.model.words import words
from tests.lab.blocks.pages import PORTAL, REGIONS, blocked, judge
from tests.parse.pages import mutated_pages


def test_a_portal_is_its_regions() -> None:
    page = blocked()
    found = [(block.words, block.links, block.heading, block.path, block.text) for block in page.blocks]
    assert found == list(REGIONS)
    assert [block.number for block in page.blocks] == [1, 2, 3, 4]
    assert [block.where for block in page.blocks] == ["Lune Post", "Laboratory", "Kitchen", "body/table/tr/td"]


def test_scores_are_those_of_the_blocks_words() -> None:
    page = blocked()
    by_hand = [judge().nearness.similarity(text) for text in (
        "Lune Post since 1871 Sport Weather",
        "Laboratory Perovskite solar cells last a year. Perovskite cells",
        "Kitchen Bread rises overnight, says the baker. flour water", "About Jobs",
    )]  # fmt: skip
    assert [block.score for block in page.blocks] == pytest.approx(by_hand)
    assert page.blocks[1].score > 0.7
    assert [block.score for block in page.blocks if block.number != 2] == [0, 0, 0]
    assert page.verdict == judge().verdict(page.document.words())


def test_a_gray_tunnel_is_told_from_what_is_none() -> None:
    page = blocked()
    assert page.best is page.blocks[1]
    assert page.is_gray_tunnel
    assert tunnel_told(page) == (
        f"gray tunnel: the page (similarity {page.verdict.score:.4f}) is below the threshold 0.5000, "
        f"block 2 ({page.blocks[1].score:.4f}) is not"
    )
    assert block_told(page.blocks[1]) == f"block 2: {page.blocks[1].score:.2f}, 1 link"
    low, high = blocked(by=judge(0.1)), blocked(by=judge(0.99))
    assert not low.is_gray_tunnel
    assert tunnel_told(low).startswith("relevant as a whole: similarity 0.")
    assert not high.is_gray_tunnel
    assert tunnel_told(high).startswith("no gray tunnel: page (similarity 0.")
    none = blocked("<p>Bread <a href=/>rises</a>")
    assert none.best is None
    assert tunnel_told(none).startswith("no gray tunnel: nothing on the page is on the topic")
    assert all(len(tunnel_told(each)) <= 100 for each in (page, low, high, none))


def test_with_erid_blocks_are_measured_as_the_page_is() -> None:
    by = judge(0.1, method="erid")
    page = blocked(by=by)
    assert (
        page.blocks[1].score == by.verdict(words("Laboratory Perovskite solar cells last a year Perovskite cells")).erid
    )
    assert page.blocks[1].score != page.blocks[1].similarity
    assert tunnel_told(page).startswith("gray tunnel: the page (ERID 0.0")


def test_a_predicate_sees_the_text_of_a_block() -> None:
    """A function, or a category with embeddings, is asked about the block, not about the page again and again."""
    seen: list[str] = []

    def asks(facts: PageFacts) -> bool:
        seen.append(facts.text)
        return "Bread" in facts.text

    page = blocked(by=build_judge(Topic(predicate=asks)))
    assert seen[1] == "Laboratory\nPerovskite solar cells last a year.\nPerovskite cells"
    assert [block.score for block in page.blocks] == [0, 0, 1, 0]
    assert seen[-1] == page.document.text
    assert page.verdict.relevant


@pytest.mark.parametrize("html", ["", "<title>x</title>", "<p></p>", "<table><tr><td></table>"])
def test_an_empty_page_has_one_block_without_words(html: str) -> None:
    [block] = blocked(html).blocks
    assert (block.similarity, block.score, block.words, block.links, block.heading, block.text) == (
        None,
        0,
        0,
        0,
        "",
        "",
    )


def test_plain_text_is_one_block() -> None:
    [block] = blocked("Perovskite\n\nsolar cells\n", content_type="text/plain").blocks
    assert (block.words, block.text, block.path) == (3, "Perovskite · solar cells", "page")


def test_a_block_of_images_is_told_by_their_names() -> None:
    page = blocked("<div><div><a href=/a><img alt='the roof'></a></div></div><div><div><p><a href=/b>b</a></div></div>")
    assert page.blocks[0].similarity is None
    assert page.blocks[0].text == "[the roof]"


def test_the_block_of_a_line() -> None:
    page = blocked(PORTAL)
    for block in page.blocks:
        assert {page.at(line) for line in range(block.start, block.end)} == {block}
    assert page.at(0) is page.blocks[0]


@settings(max_examples=60, deadline=None)
@given(mutated_pages)
def test_every_word_and_link_is_counted_in_one_block(body: bytes) -> None:
    page = blocked(body)
    document = page.document
    assert sum(block.links for block in page.blocks) == len(document.links)
    assert sum(block.words for block in page.blocks) + len(document.lines.line(0)) == len(document.words())
    assert [block.start for block in page.blocks[1:]] == [block.end for block in page.blocks[:-1]]
    assert all(0 <= block.score <= 1 and not math.isnan(block.score) for block in page.blocks)
