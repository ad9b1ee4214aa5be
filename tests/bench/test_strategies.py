"""What strategies cost is measured on the whole web, though it may be several that do not link to each other."""

from __future__ import annotations

from pathlib import Path

import pytest
from bench.strategies import entries

from dowse.lab.corpus import open_corpus
from tests.lab.compare.webs import write_labelled


@pytest.fixture
def web(tmp_path: Path) -> Path:
    return write_labelled(tmp_path / "web")


def test_a_crawl_begins_at_one_page_of_each_host(web: Path) -> None:
    corpus = open_corpus(web, jobs=1)
    hosts = [corpus.url(number).split("/")[2] for number in range(len(corpus))]
    begun = [url.split("/")[2] for url in entries(corpus, list(range(len(corpus))))]
    assert sorted(begun) == sorted(set(hosts))


def test_a_crawl_begins_at_the_roots_where_they_are_named(web: Path) -> None:
    corpus = open_corpus(web, jobs=1)
    named = [corpus.url(number) for number in (3, 5)]
    (web / "roots.csv").write_text("\n".join(["url", *named]) + "\n")
    assert sorted(entries(open_corpus(web, jobs=1), list(range(len(corpus))))) == sorted(named)
