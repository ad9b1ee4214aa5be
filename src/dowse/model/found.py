"""Seeds that search engines found: one row a canonical URL, with everybody who found it. And sites, counted."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any

from dowse.model.columns import Form, Stored, Table, columns_of
from dowse.model.revive import revived

__all__ = ["FOUND", "SITE_COUNTS", "Find", "FoundRow", "SiteCount"]

_SINCE = 7


@dataclass(frozen=True, slots=True)
class Find:
    """One engine's hit: for which query, at what place, with what it said, and when (UTC)."""

    engine: str
    query: str
    rank: int  # from 1
    title: str
    snippet: str
    at: str


@dataclass(slots=True)
class FoundRow:
    """A seed that engines found."""

    id: Annotated[int, Stored("Its place in the order in which seeds are taken up, from 0.", since=_SINCE, key=True)]
    url: Annotated[str, Stored("In canonical form.", since=_SINCE)]
    title: Annotated[str, Stored("As the engine that ranks it highest tells it.", since=_SINCE)] = ""
    snippet: Annotated[str, Stored("The same engine's excerpt.", since=_SINCE)] = ""
    score: Annotated[
        float, Stored("The sum of 1 / (60 + rank) over all engines and queries that found it.", since=_SINCE)
    ] = 0.0
    nearness: Annotated[
        float, Stored("The cosine similarity of title and snippet to the topic; of the URL's words without both.",
                      since=_SINCE)
    ] = 0.0  # fmt: skip
    finds: Annotated[
        list[dict[str, Any]],
        Stored(
            "JSON: who found it, `[{engine, query, rank, title, snippet, at}, ...]`.", Form.JSON, since=_SINCE
        ),
    ] = field(default_factory=list)  # fmt: skip

    def found_by(self) -> list[Find]:
        """Who found it. ValueError or TypeError when the row does not tell: anybody may have written it."""
        return [revived(Find, find) for find in self.finds]


@dataclass(slots=True)
class SiteCount:
    """A site, and how often it was found."""

    site: Annotated[str, Stored("The registered domain, or the host where there is none.")]
    queries: Annotated[int, Stored("Queries that found it.")] = 0
    pages: Annotated[int, Stored("URLs of it that were found.")] = 0
    engines: Annotated[list[str], Stored("JSON: the engines that found it.", Form.JSON)] = field(default_factory=list)
    score: Annotated[float, Stored("The sum of its pages' scores.")] = 0.0
    example: Annotated[str, Stored("Its page with the highest score.")] = ""


FOUND = Table("found", columns_of(FoundRow), since=_SINCE)
SITE_COUNTS = Table("site_counts", columns_of(SiteCount))
