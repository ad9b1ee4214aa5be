"""OpenAlex: scholarly works. A few searches a day without a key, a thousand with a free one.

Pages go by number, since cursors need a key.

https://developers.openalex.org/api-reference/authentication. The key goes behind the address, and is kept out of every
record there.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from dowse.model.http import NO_SECRETS, Secrets
from dowse.model.search import Ask, Query, Results, Said, SearchResult, Trouble
from dowse.seeds.answers import items_of, plain_text, read_json, text_of
from dowse.seeds.dialect import Dialect
from dowse.seeds.engines.address import named, web_address, with_parameters

__all__ = ["OpenAlex"]

_AT_ONCE = 100  # as many as it gives: what counts for its allowance is requests
_LAST = 10_000  # results that can be reached by page numbers
_WORDS = 80  # of an abstract
_FIELDS = "id,doi,display_name,primary_location,best_oa_location,abstract_inverted_index"
_DIALECT = Dialect(every=" AND ", without=" NOT {}", site="", without_site="")


class OpenAlex:
    """Scholarly works: where each can be read, else where it is published."""

    delay_s = 1.0

    def __init__(self, base: str = "", key: str | None = None, contact: str | None = None) -> None:
        self._url = web_address("openalex", base, "https://api.openalex.org")
        self._secrets = Secrets(query=urlencode({"api_key": key})) if key else NO_SECRETS
        self._mailto = contact if contact and "@" in contact else None
        self.name = named("openalex", base, self._url)

    def say(self, query: Query) -> Said:
        return _DIALECT.say(query)

    async def search(self, query: Query, page: int, ask: Ask) -> Results | Trouble:
        parameters = {
            "search": self.say(query).text, "per_page": _AT_ONCE, "page": page + 1, "select": _FIELDS
        }  # fmt: skip
        if self._mailto:
            parameters["mailto"] = self._mailto
        answer = await ask(with_parameters(f"{self._url}/works", parameters), secrets=self._secrets)
        if isinstance(answer, Trouble):
            return answer
        value = read_json(answer)
        if isinstance(value, Trouble):
            return value
        works = items_of(value, "results")
        items = [SearchResult(_address(work), text_of(work, "display_name"), _abstract(work)) for work in works]
        return Results(
            tuple(item for item in items if item.url), len(works) == _AT_ONCE and (page + 2) * _AT_ONCE <= _LAST
        )


def _address(work: dict[str, Any]) -> str:
    for place in ("best_oa_location", "primary_location"):
        location = work.get(place)
        if isinstance(location, dict) and (url := text_of(location, "landing_page_url")):
            return url
    return text_of(work, "doi")


def _abstract(work: dict[str, Any]) -> str:
    """Its beginning, from the places of its words."""
    index = work.get("abstract_inverted_index")
    places: list[tuple[int, str]] = []
    for word, at in index.items() if isinstance(index, dict) else ():
        if isinstance(at, list):
            places += [(place, str(word)) for place in at[:_WORDS] if isinstance(place, int) and place < _WORDS]
    return plain_text(" ".join(word for _, word in sorted(places)))
