"""Search engines as Dowse sees them: what they are asked, what they answer, and what becomes of it.

An engine decides, and does not act: :meth:`SearchEngine.search` builds addresses and reads answers, and whoever calls
it passes in the way to ask for an address (:class:`Ask`), which is guarded, polite and counted. What goes wrong on the
web is a :class:`Trouble`, never an exception.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol

from dowse.model.columns import Table
from dowse.model.http import NO_SECRETS, Response, Secrets

__all__ = [
    "Ask", "Query", "Results", "Said", "SearchEngine", "SearchResult", "SeedTarget", "Term", "Trouble", "TroubleKind",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Term:
    """A word, or several in a row."""

    text: str
    is_phrase: bool = False

    def __str__(self) -> str:
        return f'"{self.text}"' if self.is_phrase else self.text


@dataclass(frozen=True, slots=True)
class Query:
    """An expression: all of ``wanted`` (each a choice of terms), nothing of ``unwanted``, on one of the ``sites``.

    A site is a host, with everything below it, or a host and the beginning of a path.
    """

    text: str  # as it was written
    wanted: tuple[tuple[Term, ...], ...] = ()
    unwanted: tuple[Term, ...] = ()
    sites: tuple[str, ...] = ()
    unwanted_sites: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()  # what of the text means nothing here


@dataclass(frozen=True, slots=True)
class Said:
    """A query in an engine's own words, and what it has no words for, each in a sentence of its own."""

    text: str
    unsaid: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SearchResult:
    """One hit, as the engine tells it. Its rank is its place in the answer."""

    url: str
    title: str = ""
    snippet: str = ""


@dataclass(frozen=True, slots=True)
class Results:
    """A page of results, the best first; ``more``: there may be another page."""

    items: tuple[SearchResult, ...] = ()
    more: bool = False


class TroubleKind(StrEnum):
    """Why an engine gave no results."""

    NETWORK = "network"  # no answer came, or the address guard refused it
    HTTP = "http"  # an answer with a status that is none of success
    QUOTA = "quota"  # too many requests, or nothing left of an allowance
    KEY = "key"  # a key is missing, or is not accepted
    FORMAT = "format"  # what came is not what the engine answers with
    QUERY = "query"  # the engine cannot be asked this
    BUDGET = "budget"  # no request is left to ask with


@dataclass(frozen=True, slots=True)
class Trouble:
    """A fault that ends a search, with one line of detail. Those that concern the engine, not the query, last."""

    kind: TroubleKind
    detail: str

    @property
    def lasts(self) -> bool:
        """Would another query meet it too?"""
        return self.kind is not TroubleKind.QUERY

    def __str__(self) -> str:
        return self.detail


class Ask(Protocol):
    """The way to ask for an address, redirects followed. Every answer that is not 200 is a Trouble, but for those
    ``also`` taken; a body that was cut short is one, too."""

    async def __call__(
        self, url: str, *, secrets: Secrets = NO_SECRETS, also: Sequence[int] = ()
    ) -> Response | Trouble: ...


class SearchEngine(Protocol):
    """Finds URLs to start from.

    Dowse makes an engine with what its constructor has parameters for: ``base`` (what stands behind the colon of
    ``--engine NAME:BASE``; empty: nothing), ``key`` (from the environment or the file of keys, or None), ``contact``
    (of the User-Agent, or None), ``language`` (of the topic, ISO 639-1).
    """

    @property
    def name(self) -> str:
        """What it is called in results: with its host, where it has several."""
        ...

    @property
    def delay_s(self) -> float:
        """Seconds between two requests, as the service wants it; 0: Dowse's own delay will do."""
        ...

    def say(self, query: Query) -> Said:
        """The query as the engine is asked it."""
        ...

    async def search(self, query: Query, page: int, ask: Ask) -> Results | Trouble:
        """The results on a page, from 0 on."""
        ...


class SeedTarget(Protocol):
    """Where results go: a file, a database, a crawl."""

    def check(self) -> None:
        """UserError when nothing could be written there. Asked before engines are."""
        ...

    def write(self, table: Table, rows: Sequence[Any]) -> str:
        """Keep rows, whose columns the table declares; what to tell the user: how many, and where."""
        ...
