"""``local:DIR``: a full-text index (SQLite's FTS5) over the pages of a crawl, or of any folder of WARC files.

Nobody is asked. The index is made at the first search and kept in the user's cache, under a name that tells what it was
made of; one that was made of other files is never found. So nothing in the folder, which may be anybody's, is opened
but what its pages are read from.
"""

from __future__ import annotations

import asyncio
import re
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from dowse.model.errors import UserError
from dowse.model.files import write_whole
from dowse.model.search import Ask, Query, Results, Said, SearchResult, Term, Trouble, TroubleKind

__all__ = ["Folder", "LocalIndex", "PageText"]

_AT_ONCE = 50
_LONGEST_TEXT = 200_000  # characters of a page
_WORDS = re.compile(r"\w+")
_CREATE = (
    "CREATE VIRTUAL TABLE pages USING fts5(title, text, url UNINDEXED, tokenize = 'unicode61 remove_diacritics 2')"
)
_SEARCH = (
    "SELECT url, title, snippet(pages, 1, '', '', '...', 32) FROM pages WHERE pages MATCH ?"
    " ORDER BY bm25(pages, 4.0, 1.0) LIMIT ? OFFSET ?"
)


class PageText(NamedTuple):
    """What is indexed of a page."""

    url: str
    title: str
    text: str


class Folder(NamedTuple):
    """A folder of pages: where its index is kept, and how its pages are read."""

    kept_at: Path
    pages: Callable[[], Iterator[PageText]]


class LocalIndex:
    """Pages of a crawl, or of a folder of WARC files, by their text: local:DIR."""

    delay_s = 0.0

    def __init__(self, open_folder: Callable[[Path], Folder], base: str = "") -> None:
        if not base:
            raise UserError("local: names no folder: write --engine local:DIR")
        place = Path(base).expanduser()
        self._folder = open_folder(place)
        self._is_left = threading.Event()  # the search is over: nobody waits for an index that is being made
        self.name = f"local:{place.name or place}"

    def say(self, query: Query) -> Said:
        """Sites are looked at by whoever asks, as for every engine."""
        return Said(_expression(query, "AND"))

    async def search(self, query: Query, page: int, ask: Ask) -> Results | Trouble:
        try:
            return await asyncio.to_thread(self._search, query, page)
        except asyncio.CancelledError:
            self._is_left.set()
            raise

    def _search(self, query: Query, page: int) -> Results | Trouble:
        index = self._folder.kept_at
        if not index.is_file():
            write_whole(index, lambda path: _fill(path, self._pages()), private=True)
        try:
            with closing(sqlite3.connect(f"{index.absolute().as_uri()}?mode=ro", uri=True)) as connection:
                return _asked(connection, query, page)
        except sqlite3.Error as error:
            return Trouble(TroubleKind.QUERY, f"the index cannot be asked: {error}")

    def _pages(self) -> Iterator[PageText]:
        for page in self._folder.pages():
            if self._is_left.is_set():
                raise UserError("interrupted")
            yield page


def _fill(path: Path, pages: Iterator[PageText]) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = OFF")  # a file that is not finished is thrown away
        connection.execute("PRAGMA synchronous = OFF")
        try:
            connection.execute(_CREATE)
        except sqlite3.OperationalError as error:
            raise UserError(f"local: this Python's SQLite has no full-text search: {error}") from None
        rows = ((page.title, page.text[:_LONGEST_TEXT], page.url) for page in pages)
        connection.executemany("INSERT INTO pages (title, text, url) VALUES (?, ?, ?)", rows)
        connection.commit()


def _asked(connection: sqlite3.Connection, query: Query, page: int) -> Results | Trouble:
    """Pages with all that is wanted; where there are none, pages with any of it, as a sentence needs it."""
    for join in ("AND", "OR"):
        expression = _expression(query, join)
        if not expression:
            return Trouble(TroubleKind.QUERY, "there are no words to ask for")
        if join == "OR" and page == 0 and len(query.wanted) < 2:
            break
        found = connection.execute(_SEARCH, (expression, _AT_ONCE, page * _AT_ONCE)).fetchall()
        if found or (page and connection.execute(_SEARCH, (expression, 1, 0)).fetchall()):
            items = [SearchResult(str(url), str(title), " ".join(str(text).split())) for url, title, text in found]
            return Results(tuple(items), len(found) == _AT_ONCE)
    return Results()


def _expression(query: Query, join: str) -> str:
    """The query as FTS5 has it: every term in quotes, so that nothing in it is an operator."""
    choices = [" OR ".join(filter(None, map(_quoted, choice))) for choice in query.wanted]
    wanted = f" {join} ".join(f"({choice})" for choice in choices if choice)
    without = "".join(f" NOT {quoted}" for term in query.unwanted if (quoted := _quoted(term)))
    return f"({wanted}){without}" if wanted else ""


def _quoted(term: Term) -> str:
    words = " ".join(_WORDS.findall(term.text))
    return f'"{words}"' if words else ""
