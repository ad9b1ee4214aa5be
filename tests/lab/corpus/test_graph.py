from __future__ import annotations

from pathlib import Path

import numpy as np

from dowse.lab.corpus import UNREACHED, Corpus, open_corpus
from tests.lab.corpus.made import Page, write_warc


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
    corpus = open_corpus(tmp_path, jobs=1)
    graph = corpus.graph
    assert [graph.links_of(page).tolist() for page in range(4)] == [[2, 3], [], [0], [2]]
    assert corpus.leaving.tolist() == [4, *[0] * 9]  # lost, away, else, round
    assert graph.distances([0]).tolist()[:4] == [0, UNREACHED, 1, 1]


def test_the_links_are_those_of_the_digests(corpus: Corpus) -> None:
    is_page = corpus.pages.is_page()
    for page in np.flatnonzero(is_page).tolist():
        rows = corpus.pages.columns["targets"][corpus.pages.bounds("row_ends", page)].tolist()
        direct = {target for target in rows if target < len(corpus) and is_page[target] and target != page}
        assert direct <= set(corpus.graph.links_of(page).tolist())
    assert len(corpus.graph.targets) > 100
