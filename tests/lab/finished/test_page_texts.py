from __future__ import annotations

from pathlib import Path

import pytest

from dowse.lab.finished.page_texts import judged_texts, labelled_texts, spread
from dowse.model.errors import NotACrawl, UserError
from tests.cli.labelled import PAGES, crawled


@pytest.fixture(scope="module")
def crawl(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return crawled(tmp_path_factory.mktemp("labelled") / "crawl")


def test_pages_by_the_verdict_of_the_crawl(crawl: Path) -> None:
    found = judged_texts(crawl, True, 100)
    assert len(found.texts) == PAGES
    assert all("/bird/" in url for url in found.texts)
    assert found.texts["http://a.test/bird/3"].startswith("bird 3\n")
    assert len(judged_texts(crawl, True, 4).texts) == 4
    with pytest.raises(NotACrawl):
        judged_texts(crawl.parent, True, 4)


def test_pages_by_a_label(crawl: Path) -> None:
    table = crawl / "labels.csv"
    table.write_text("url,label\nHTTP://a.test/bird/1, x\nhttp://a.test/bird/1,x\nhttp://a.test/gone,x\n", "utf-8")
    found = labelled_texts(table, "x", 100)
    assert (list(found.texts), found.missing) == (["http://a.test/bird/1"], 1)
    with pytest.raises(UserError, match="no page with the label 'y'; it has x"):
        labelled_texts(table, "y", 100)


def test_a_damaged_archive_leaves_pages_missing(crawl: Path, tmp_path: Path) -> None:
    for file in crawl.iterdir():
        if file.is_file() and not file.name.endswith(".warc.gz"):
            (tmp_path / file.name).write_bytes(file.read_bytes())
    found = judged_texts(tmp_path, True, 100)
    assert (found.texts, found.missing) == ({}, PAGES)


def test_some_of_many_are_spread_over_all() -> None:
    assert spread(list(range(10)), 5) == [0, 2, 4, 6, 8]
    assert spread([1, 2], 5) == [1, 2]
