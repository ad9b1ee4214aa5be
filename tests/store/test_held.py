from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from dowse.engine.page.cached import open_cache
from dowse.model.batch import Batch
from dowse.model.errors import NotACrawl
from dowse.model.http import Truncation
from dowse.model.records import PageRow
from dowse.model.topic import Cache
from dowse.store import CrawlStore, HeldPages, compose
from tests.store.made import WALL, body, page, response, url

DAY_S = 86400.0
NOW = WALL + 3600


def crawl(folder: Path, *pages: PageRow) -> Path:
    with CrawlStore.create(folder, {}, WALL) as store:
        store.commit(Batch(pages=list(pages)))
    return folder


def answered(n: int, *headers: tuple[str, str], status: int = 200, at: float = WALL, **other: object) -> PageRow:
    """Page ``n``, archived as it was answered."""
    answer = response(n, status=status, headers=(("Content-Type", "text/html"), *headers))
    return page(n, fetched_at=at, status=status, archive=compose(answer, at), **other)


def test_a_page_comes_back_as_it_was_answered(tmp_path: Path) -> None:
    folder = crawl(tmp_path / "c", *(page(n) for n in range(12)))
    pages = HeldPages([folder], 7 * DAY_S, NOW)
    assert len(pages) == 12
    held = pages.read(url(5), NOW)
    assert held is not None
    assert held.fetched_at == WALL + 5
    answer, asked = held.response, response(5)
    assert (answer.url, answer.status, answer.reason, answer.body) == (url(5), 200, "OK", body(5))
    assert dict(answer.headers).items() >= dict(asked.headers).items()
    assert (answer.address, answer.wire_bytes, answer.timings.total_s) == (asked.address, 50, 1.0)
    assert answer.cached_from == str(folder)
    again = compose(answer, held.fetched_at)[1]
    assert again == compose(asked, held.fetched_at)[1], "its record is the same, to the byte"
    assert not pages.holds(url(12))
    assert pages.read(url(12), NOW) is None
    pages.close()


def test_only_what_a_download_would_bring_again_is_held(tmp_path: Path) -> None:
    redirect = answered(6, ("Location", url(0)), status=301, outcome="redirected", reason="redirect")
    folder = crawl(
        tmp_path / "c", answered(0), answered(1, outcome="failed", status=404), answered(2, truncated="length"),
        page(3, archive=[], reason="noindex"), answered(4, outcome="refused", truncated="type"),
        answered(5, status=203), redirect,
        answered(7, status=302, outcome="redirected", truncated="disconnect"),
    )  # fmt: skip
    pages = HeldPages([folder], 7 * DAY_S, NOW)
    assert [n for n in range(8) if pages.holds(url(n))] == [0, 6]
    held = pages.read(url(6), NOW)
    assert held is not None
    assert (held.response.status, held.response.header("location")) == (301, url(0))
    pages.close()


def test_an_age_is_counted_when_the_page_is_wanted(tmp_path: Path) -> None:
    folder = crawl(tmp_path / "c", answered(0, at=WALL - 3 * DAY_S), answered(1, at=WALL - 8 * DAY_S))
    pages = HeldPages([folder], 7 * DAY_S, WALL)
    assert [pages.holds(url(n)) for n in (0, 1)] == [True, False]
    assert pages.read(url(0), WALL + 3.9 * DAY_S) is not None
    assert pages.read(url(0), WALL + 4.1 * DAY_S) is None, "it has aged while the crawl ran"
    pages.close()


@pytest.mark.parametrize("value", ["no-store", "private, No-Store", "max-age=5,no-store"])
def test_what_asked_not_to_be_stored_is_not_read(tmp_path: Path, value: str) -> None:
    said = (("Cache-Control", value), ("Cache-Control", "no-storefront"))
    folder = crawl(tmp_path / "c", answered(0, said[0]), answered(1, said[1]), answered(2, said[1], said[0]))
    pages = HeldPages([folder], 7 * DAY_S, NOW)
    assert [n for n in range(3) if pages.read(url(n), NOW)] == [1]
    pages.close()


def test_of_several_copies_the_newest_counts(tmp_path: Path) -> None:
    folders = [
        crawl(tmp_path / "a", answered(0, at=WALL - 50), answered(1, at=WALL - 10)),
        crawl(tmp_path / "b", answered(0, at=WALL - 20), answered(1, at=WALL - 60), answered(2)),
    ]
    pages = HeldPages(folders, 7 * DAY_S, NOW)
    held = [pages.read(url(n), NOW) for n in range(3)]
    assert [page and Path(page.response.cached_from).name for page in held] == ["b", "a", "b"]
    assert (len(pages), pages.counts) == (3, (2, 3))
    pages.close()


@pytest.mark.parametrize("harm", ["flip", "cut", "gone", "swap", "records"])
def test_whatever_became_of_the_folder_a_page_is_whole_or_not_there(tmp_path: Path, harm: str) -> None:
    folder = crawl(tmp_path / "c", *(page(n) for n in range(20, 24)))
    archive = folder / "dowse-00000.warc.gz"
    with closing(sqlite3.connect(folder / "dowse.sqlite", isolation_level=None)) as connection:
        places = dict(connection.execute("SELECT id, warc_offset FROM pages"))
        if harm == "swap":
            connection.execute("UPDATE pages SET warc_offset = ? WHERE id = 21", [places[22]])
    pages = HeldPages([folder], 7 * DAY_S, NOW)
    data = bytearray(archive.read_bytes())
    if harm == "flip":
        data[places[21] + 60] ^= 0x10
        archive.write_bytes(data)
    elif harm == "cut":
        archive.write_bytes(data[: places[21] + 30])
    elif harm == "gone":
        archive.unlink()
    elif harm == "records":
        with closing(sqlite3.connect(folder / "dowse.sqlite", isolation_level=None)) as connection:
            connection.execute("DROP TABLE pages")
    assert pages.holds(url(21))
    assert pages.read(url(21), NOW) is None
    whole = pages.read(url(20), NOW)
    assert (whole is not None) == (harm in ("flip", "cut", "swap"))
    pages.forget(url(21))
    assert not pages.holds(url(21))
    pages.close()


def test_a_url_costs_a_few_bytes(tmp_path: Path) -> None:
    folder = crawl(tmp_path / "c", *(page(n, archive=[b"x"], archive_response=0) for n in range(3_000)))
    pages = HeldPages([folder], 7 * DAY_S, NOW)
    assert len(pages) == 3_000
    assert pages.nbytes <= 16 * 3_000
    pages.close()


def test_a_folder_of_the_version_before_can_be_used(tmp_path: Path) -> None:
    folder = crawl(tmp_path / "c", page(0))
    with closing(sqlite3.connect(folder / "dowse.sqlite")) as connection:
        connection.executescript("ALTER TABLE pages DROP COLUMN cached_from; PRAGMA user_version = 2;")
    pages = HeldPages([folder], 7 * DAY_S, NOW)
    held = pages.read(url(0), NOW)
    assert held is not None
    assert held.response.truncated is Truncation.NONE
    pages.close()


def test_what_is_no_crawl_is_named(tmp_path: Path) -> None:
    crawl(tmp_path / "c", page(0))
    with pytest.raises(NotACrawl, match="holds no crawl"):
        HeldPages([tmp_path / "c", tmp_path], 7 * DAY_S, NOW)


def test_what_lies_in_a_file_that_is_gone_is_not_held(tmp_path: Path) -> None:
    folder = crawl(tmp_path / "c", answered(0), answered(1))
    (folder / "dowse-00000.warc.gz").unlink()
    pages = HeldPages([folder], 7 * DAY_S, NOW)
    assert (len(pages), pages.counts) == (0, (0,))
    notes: list[str] = []
    opened = open_cache(Cache((str(folder),)), tmp_path / "new", NOW, notes)
    assert opened is not None
    assert notes == [f"cache: {folder} holds no pages: its WARC files are gone"]
    for one in (pages, opened):
        one.close()
