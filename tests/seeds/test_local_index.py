from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from dowse.model.errors import UserError
from dowse.model.http import NO_SECRETS, Response, Secrets
from dowse.model.search import Results, Trouble
from dowse.seeds.engines.local_index import Folder, LocalIndex, PageText
from dowse.seeds.query import read_query

PAGES = [
    PageText("https://a.test/", "Perovskite solar cells", "They are printed on glass."),
    PageText("https://b.test/", "Bread", "Größere Brötchen from solar ovens; no cell is in it."),
    PageText("https://c.test/", "Tandem", "A perovskite cell on silicon. Solar power."),
]


async def nobody(url: str, *, secrets: Secrets = NO_SECRETS, also: Sequence[int] = ()) -> Response | Trouble:
    raise AssertionError("nobody is asked")


@pytest.fixture
def engine(tmp_path: Path) -> LocalIndex:
    return LocalIndex(lambda _: Folder(tmp_path / "index.sqlite", lambda: iter(PAGES)), "folder")


def search(engine: LocalIndex, text: str, page: int = 0) -> list[str]:
    found = asyncio.run(engine.search(read_query(text), page, nobody))
    assert isinstance(found, Results)
    return [result.url for result in found.items]


@pytest.mark.parametrize(
    ("text", "urls"),
    [
        ("perovskite solar", ["a", "c"]),
        ('"solar cells"', ["a"]),
        ("bread OR tandem", ["b", "c"]),
        ("solar -silicon -bread", ["a"]),
        ("grossere", []),  # ß is no ss
        ("größere brotchen", ["b"]),  # dots are none
        ('NEAR("x") OR solar*', ["a", "b", "c"]),
        ("perovskite cells baked of nothing", ["a", "c"]),  # none has all words: those with any
        ("zzz", []),
        ('title:bread "^a" AND NOT', ["b", "c"]),
    ],
)
def test_words_find_pages(engine: LocalIndex, text: str, urls: list[str]) -> None:
    assert sorted(search(engine, text)) == sorted(f"https://{host}.test/" for host in urls)


def test_titles_count_for_more_and_excerpts_are_told(engine: LocalIndex) -> None:
    found = asyncio.run(engine.search(read_query("perovskite"), 0, nobody))
    assert isinstance(found, Results)
    assert [item.url for item in found.items] == ["https://a.test/", "https://c.test/"]
    assert found.items[1].snippet == "A perovskite cell on silicon. Solar power."


def test_an_expression_without_words_is_a_trouble(engine: LocalIndex) -> None:
    assert isinstance(asyncio.run(engine.search(read_query("site:a.test"), 0, nobody)), Trouble)


def test_the_index_is_made_once_and_is_private(tmp_path: Path) -> None:
    made = []

    def pages() -> Iterator[PageText]:
        made.append(1)
        return (PageText(f"https://a.test/{n}", "solar", "") for n in range(120))

    engine = LocalIndex(lambda _: Folder(tmp_path / "i.sqlite", pages), "folder")
    assert [len(search(engine, "solar", page)) for page in range(4)] == [50, 50, 20, 0]
    assert made == [1]
    assert (tmp_path / "i.sqlite").stat().st_mode & 0o777 == 0o600


def test_a_kill_while_it_is_made_leaves_nothing(tmp_path: Path) -> None:
    def pages() -> Iterator[PageText]:
        yield PAGES[0]
        raise UserError("cannot go on")

    engine = LocalIndex(lambda _: Folder(tmp_path / "i.sqlite", pages), "folder")
    with pytest.raises(UserError, match="cannot go on"):
        search(engine, "solar")
    assert list(tmp_path.iterdir()) == []


def test_an_index_that_nobody_waits_for_is_not_finished(tmp_path: Path) -> None:
    """A Ctrl-C ends it although it is made in a thread, which cannot be ended from outside."""
    begun = threading.Event()

    def pages() -> Iterator[PageText]:
        while True:
            begun.set()
            yield PAGES[0]

    engine = LocalIndex(lambda _: Folder(tmp_path / "i.sqlite", pages), "folder")

    async def left() -> None:
        search = asyncio.ensure_future(engine.search(read_query("solar"), 0, nobody))
        await asyncio.to_thread(begun.wait)
        search.cancel()
        with pytest.raises(asyncio.CancelledError):
            await search

    asyncio.run(left())  # which waits for its threads
    assert list(tmp_path.iterdir()) == []
