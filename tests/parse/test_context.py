from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from dowse.model.page import Context, Links
from dowse.model.words import WordLines
from dowse.parse import (
    Measures,
    block_starts,
    gather_links,
    in_context,
    measure_links,
    mentions,
    mentions_of,
    parse_page,
)
from dowse.parse.context import Mentions
from tests.compiled import needs_core, pure
from tests.parse.pages import mutated_pages

NAN = float("nan")


def similarity(text: WordLines) -> NDArray[np.float64]:
    lines = [text.line(number) for number in range(len(text))]
    return np.array([np.nan if not words else 1.0 if "solar" in words else 0.25 for words in lines])


def measured(html: str, repeats: dict[int, float] | None = None, *, mean: bool = False) -> Links:
    """Links in their context, by a judge who knows one word."""
    document = parse_page(html.encode(), url="http://example.org/", content_type="text/html")
    found, starts = gather_links(document), block_starts(document)
    lines = [document.title, *document.raw_text.split("\n")]
    ends = [*starts[1:], len(lines)]
    blocks = ["\n".join(lines[start:end]) for start, end in zip(starts, ends, strict=True)]
    measures = Measures(
        np.array([similarity(WordLines(text))[0] for text in found.texts]),
        np.zeros(len(found.urls)),
        similarity(document.lines),
        similarity(WordLines("\n".join(block.replace("\n", " ") for block in blocks))),
        np.array([(repeats or {}).get(number, 1.0) for number in range(len(starts))]),
    )
    return measure_links(found, mentions_of(document, found, starts), measures, mean=mean)


def test_the_best_mention_counts_and_an_anchor_stands_in_for_an_empty_paragraph() -> None:
    links = measured(
        "<ul><li><a href=t>menu</a></ul><p>solar <a href=t>one</a> <a href=u>two</a></p>"
        "<div><a href=v><img alt='solar pic'></a></div><div><a href=w><img></a></div>"
    )
    assert links.anchors == ["menu", "two", "solar pic", ""]
    np.testing.assert_array_equal(links.similarity[:, Context.ANCHOR], [0.25, 0.25, 1.0, np.nan])
    np.testing.assert_array_equal(links.similarity[:, Context.PARAGRAPH], [1.0, 1.0, 1.0, np.nan])


def test_of_several_links_the_mean_counts_where_it_is_asked_for() -> None:
    html = "<p>solar <a href=t>solar</a></p><p>wind <a href=t>wind</a> <a href=u>two</a></p><p>wind <a href=t></a></p>"
    best, mean = (measured(html, mean=mean).similarity for mean in (False, True))
    assert best[0, [Context.ANCHOR, Context.PARAGRAPH]].tolist() == [1.0, 1.0]
    assert mean[0, Context.ANCHOR] == np.float32((1.0 + 0.25) / 2), "a link without words is none of the mean"
    assert mean[0, Context.PARAGRAPH] == np.float32((1.0 + 0.25 + 0.25) / 3)
    np.testing.assert_array_equal(mean[1, : Context.PATH], best[1, : Context.PATH])


REGIONS = """<title>A solar portal</title><body>
<div><div><h2>Solar</h2><p>Some <a href=a>cells</a></p></div></div>
<div><div><h2>Hockey</h2><p>The <a href=b>league</a> and <a href=a>cells</a></p></div></div>
<div><div><p><a href=c>solar</a></p><p><a href=d>wind</a></p></div></div>"""


def test_each_link_has_its_block_heading_and_path() -> None:
    links = measured(REGIONS)
    assert [url[-1] for url in links.urls] == ["a", "b", "c", "d"]
    # c and d stand below the last heading there is, "Hockey"; their paragraphs' paths are those of all four
    np.testing.assert_allclose(links.similarity[:, Context.BLOCK], [1.0, 0.25, 1.0, 1.0])
    np.testing.assert_allclose(links.similarity[:, Context.HEADING], [1.0, 0.25, 0.25, 0.25])
    np.testing.assert_allclose(links.similarity[:, Context.PATH], [(0.25 + 0.25 + 1.0 + 0.25) / 4] * 4)


def test_without_a_heading_the_title_serves() -> None:
    links = measured("<title>solar</title><p><a href=a>cells</a>")
    assert links.similarity[0, Context.HEADING] == 1.0


def test_blocks_that_repeat_weigh_less() -> None:
    links = measured(REGIONS, repeats={0: 0.5})
    # a is mentioned in the second block as well, where its context is poorer, but counts whole
    np.testing.assert_allclose(links.similarity[0, 1:4], [0.25, 0.5, 0.5])
    assert links.similarity[0, Context.ANCHOR] == 0.25


# -- against a literal reading -----------------------------------------------------------------------------------------

values = st.floats(0, 1, width=16) | st.just(NAN)
LINES, BLOCKS = 12, [1, 4, 9]
HEADINGS = [3, 5, 10]


@st.composite
def pages(draw: st.DrawFn) -> tuple[list[tuple[int, int, int]], Measures]:
    count = draw(st.integers(1, 6))
    rows = [*range(count), *draw(st.lists(st.integers(0, count - 1), max_size=10))]
    told = [(row, draw(st.integers(1, LINES - 1)), draw(st.integers(0, 2**32 - 1) | st.just(7))) for row in rows]

    def some(number: int) -> NDArray[np.float64]:
        return np.array([draw(values) for _ in range(number)])

    weights = np.array([draw(st.sampled_from([1.0, 0.25])) for _ in BLOCKS])
    return told, Measures(some(len(rows)), some(count), some(LINES), some(len(BLOCKS)), weights)


def greatest(found: list[float]) -> float:
    return max((value for value in found if not math.isnan(value)), default=NAN)


def mean_of(found: list[float]) -> float:
    told = [value for value in found if not math.isnan(value)]
    return math.fsum(told) / len(told) if told else NAN


@pytest.mark.parametrize("mean", [False, True])
@settings(max_examples=200, deadline=None)
@given(page=pages())
def test_contexts_are_those_of_a_literal_reading(
    mean: bool, page: tuple[list[tuple[int, int, int]], Measures]
) -> None:  # fmt: skip
    told, measures = page
    rows, lines, paths = (list(column) for column in zip(*told, strict=True))
    similarities = in_context(mentions(rows, lines, paths, BLOCKS, HEADINGS), measures, mean=mean)
    together = mean_of if mean else greatest
    by_path: dict[int, list[float]] = {}
    path_of = {}
    for row in range(len(measures.by_url)):
        mine = []
        anchors = [measures.by_anchor[place] for place, (number, *_) in enumerate(told) if number == row]
        anchor = together(anchors)
        np.testing.assert_allclose(similarities[row, Context.ANCHOR], anchor, rtol=1e-6)
        for place, (number, line, path) in enumerate(told):
            if number != row:
                continue
            block = max(place for place, start in enumerate(BLOCKS) if start <= line)
            heading = max([0, *(each for each in HEADINGS if each <= line)])
            paragraph = measures.by_line[line]
            if math.isnan(paragraph):
                paragraph = measures.by_anchor[place] if mean else anchor
            weight = measures.weights[block]
            context = [paragraph * weight, measures.by_block[block] * weight, measures.by_line[heading] * weight]
            mine.append((context, path))
        for column in range(3):
            np.testing.assert_allclose(
                similarities[row, 1 + column], together([each[0][column] for each in mine]), rtol=1e-6
            )
        best = max(mine, key=lambda each: 0.0 if math.isnan(each[0][1]) else each[0][1])  # the first of equals
        path_of[row] = best[1]
        if not math.isnan(anchor):
            by_path.setdefault(best[1], []).append(anchor)
    for row, path in path_of.items():
        np.testing.assert_allclose(similarities[row, Context.PATH], mean_of(by_path.get(path, [])), rtol=1e-6)
    np.testing.assert_allclose(similarities[:, Context.URL], measures.by_url, rtol=1e-6)


# -- compiled or not ---------------------------------------------------------------------------------------------------


@needs_core
@settings(deadline=None)
@given(pages())
def test_compiled_or_not_the_contexts_are_the_same(page: tuple[list[tuple[int, int, int]], Measures]) -> None:
    told, measures = page
    rows, lines, paths = (list(column) for column in zip(*told, strict=True))
    found = mentions(rows, lines, paths, BLOCKS, HEADINGS)
    compiled = in_context(found, measures)
    with pure():
        np.testing.assert_allclose(compiled, in_context(found, measures), rtol=1e-6)


@needs_core
@settings(deadline=None)
@given(mutated_pages)
def test_compiled_or_not_links_stand_in_the_same_place(body: bytes) -> None:
    document = parse_page(body, url="http://example.org/", content_type="text/html")
    found, starts = gather_links(document), block_starts(document)
    compiled = mentions_of(document, found, starts)
    with pure():
        plain = mentions_of(document, found, starts)
    for name in Mentions.__slots__:
        one, other = getattr(compiled, name), getattr(plain, name)
        assert one.dtype == other.dtype
        assert one.tolist() == other.tolist()


def test_a_mention_beyond_the_page_is_an_error_with_the_core_and_without() -> None:
    measures = Measures(np.ones(1), np.ones(1), np.ones(3), np.ones(1), np.ones(1))
    with pytest.raises(IndexError):
        in_context(mentions([0], [3], [7], [1], []), measures)
