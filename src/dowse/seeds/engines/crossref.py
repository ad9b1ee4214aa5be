"""Crossref: works with a DOI. https://www.crossref.org/documentation/retrieve-metadata/rest-api/"""

from __future__ import annotations

from typing import Any

from dowse.model.search import Ask, Query, Results, Said, SearchResult, Trouble
from dowse.seeds.answers import items_of, read_json, text_of
from dowse.seeds.dialect import WORDS
from dowse.seeds.engines.address import named, web_address, with_parameters

__all__ = ["Crossref"]

_AT_ONCE = 20
_LAST = 10_000  # the largest offset


class Crossref:
    """Works with a DOI: where their publishers have them."""

    delay_s = 1.0

    def __init__(self, base: str = "", contact: str | None = None) -> None:
        self._url = web_address("crossref", base, "https://api.crossref.org")
        self._mailto = contact if contact and "@" in contact else None
        self.name = named("crossref", base, self._url)

    def say(self, query: Query) -> Said:
        return WORDS.say(query)

    async def search(self, query: Query, page: int, ask: Ask) -> Results | Trouble:
        parameters = {
            "query.bibliographic": self.say(query).text, "rows": _AT_ONCE, "offset": page * _AT_ONCE,
            "select": "DOI,URL,title,abstract,resource",
        }  # fmt: skip
        if self._mailto:  # the polite pool: they can tell who asks
            parameters["mailto"] = self._mailto
        answer = await ask(with_parameters(f"{self._url}/works", parameters))
        if isinstance(answer, Trouble):
            return answer
        value = read_json(answer)
        if isinstance(value, Trouble):
            return value
        works = items_of(value, "message", "items")
        is_sifted = bool(query.sites or query.unwanted_sites)
        items = [
            SearchResult(_address(work, is_sifted), text_of(work, "title"), text_of(work, "abstract")) for work in works
        ]
        return Results(
            tuple(item for item in items if item.url), len(works) == _AT_ONCE and (page + 1) * _AT_ONCE < _LAST
        )


def _address(work: dict[str, Any], is_sifted: bool) -> str:
    """Its DOI, which other engines name it by as well; where sites matter, the page at its publisher's."""
    resource = work.get("resource")
    place = resource.get("primary") if isinstance(resource, dict) else None
    own = text_of(place, "URL") if isinstance(place, dict) else ""
    return own if own and is_sifted else text_of(work, "URL")
