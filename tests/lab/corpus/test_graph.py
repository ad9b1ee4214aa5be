from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from dowse.lab.corpus import UNREACHED, Corpus, Graph, open_corpus
from tests.lab.corpus.made import Page, write_warc


def naive_distances(links: Mapping[int, set[int]], pages: Iterable[int], size: int) -> list[int]:
    found = [UNREACHED] * size
    queue = deque((page, 0) for page in pages)
    while queue:
        page, distance = queue.popleft()
        if found[page] == UNREACHED:
            found[page] = distance
            queue.extend((target, distance + 1) for target in links[page])
    return found


def graph_of(links: Mapping[int, set[int]]) -> Graph:
    targets = [target for page in sorted(links) for target in sorted(links[page])]
    starts = np.concatenate(([0], np.cumsum([len(links[page]) for page in sorted(links)]))).astype(np.int64)
    return Graph(starts, np.array(targets, np.int32), np.zeros(len(links), np.int32))


@given(
    links=st.integers(1, 12).flatmap(
        lambda size: st.lists(
            st.sets(st.integers(0, size - 1), max_size=3), min_size=size, max_size=size
        )
    ),
    pages=st.sets(st.integers(0, 11)),
)  # fmt: skip
def test_distances_are_those_of_a_plain_search(links: list[set[int]], pages: set[int]) -> None:
    forward = dict(enumerate(links))
    backward = {page: {other for other, targets in forward.items() if page in targets} for page in forward}
    pages = {page for page in pages if page < len(links)}
    graph = graph_of(forward)
    expected = naive_distances(forward, pages, len(links))
    assert graph.distances(pages).tolist() == expected
    assert graph.reachable(pages).tolist() == [distance != UNREACHED for distance in expected]
    assert graph.distances_to(pages).tolist() == naive_distances(backward, pages, len(links))
    assert [graph.reversed().links_of(page).tolist() for page in forward] == [
        sorted(backward[page]) for page in forward
    ]
    core = np.flatnonzero(graph.core()).tolist()
    assert all(naive_distances(forward, [page], len(links))[other] >= 0 for page in core for other in core)


def test_edges_follow_redirects_and_leave_out_what_is_no_page(tmp_path: Path) -> None:
    def moved(url: str, target: str) -> Page:
        return Page(f"http://a.test{url}", status="301 Moved", headers=(("Location", target),))

    home = b"""<a href=/b>b</a><a href=/b#again>b</a><a href=/>me</a><a href=/old>old</a><a href=/lost>lost</a>
        <a href=/away>away</a><a href=http://else.test/>else</a><a href=/n rel=nofollow>n</a><a href=/round>r</a>"""
    pages = [
        Page("http://a.test/", home), moved("/old", "/older"), Page("http://a.test/b", b"<a href=/ >home</a>"),
        Page("http://a.test/c", b"<meta http-equiv=refresh content='0; url=/b'>"), moved("/older", "/c"),
        moved("/away", "http://else.test/x"), Page("http://a.test/lost", status="404 Not Found"),
        Page("http://a.test/n"), moved("/round", "/about"), moved("/about", "/round"),
    ]  # fmt: skip
    write_warc(tmp_path / "x.warc.gz", pages)
    graph = open_corpus(tmp_path, jobs=1).graph
    assert [graph.links_of(page).tolist() for page in range(4)] == [[2, 3], [], [0], [2]]
    assert graph.leaving.tolist() == [4, *[0] * 9]  # lost, away, else, round
    assert graph.distances([0]).tolist()[:4] == [0, UNREACHED, 1, 1]


def test_the_links_are_those_of_the_digests(corpus: Corpus) -> None:
    is_page = corpus.pages.is_page()
    for page in np.flatnonzero(is_page).tolist():
        rows = corpus.pages.columns["targets"][corpus.pages.bounds("row_ends", page)].tolist()
        direct = {target for target in rows if target < len(corpus) and is_page[target] and target != page}
        assert direct <= set(corpus.graph.links_of(page).tolist())
    assert len(corpus.graph.targets) > 100
