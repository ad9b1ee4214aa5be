"""Marginalia: an independent index of the small web. https://about.marginalia-search.com/article/api"""

from __future__ import annotations

from dowse.model.http import Secrets
from dowse.model.search import Ask, Query, Results, Said, SearchResult, Trouble
from dowse.seeds.answers import items_of, read_json, text_of
from dowse.seeds.dialect import Dialect
from dowse.seeds.engines.address import named, web_address, with_parameters

__all__ = ["Marginalia"]

_AT_ONCE = 20
_SHARED_KEY = "public"  # the key that everybody may use, and whose allowance everybody shares
_DIALECT = Dialect(either="", without_site="")


class Marginalia:
    """The small, non-commercial web. Without a key of your own it shares everybody's allowance."""

    delay_s = 2.0

    def __init__(self, base: str = "", key: str | None = None) -> None:
        self._url = web_address("marginalia", base, "https://api2.marginalia-search.com")
        self._secrets = Secrets(headers=(("API-Key", key or _SHARED_KEY),))
        self.name = named("marginalia", base, self._url)

    def say(self, query: Query) -> Said:
        return _DIALECT.say(query)

    async def search(self, query: Query, page: int, ask: Ask) -> Results | Trouble:
        parameters = {"query": self.say(query).text, "count": _AT_ONCE, "page": page + 1}
        answer = await ask(with_parameters(f"{self._url}/search", parameters), secrets=self._secrets)
        if isinstance(answer, Trouble):
            return answer
        value = read_json(answer)
        if isinstance(value, Trouble):
            return value
        found = items_of(value, "results")
        items = [
            SearchResult(text_of(item, "url"), text_of(item, "title"), text_of(item, "description")) for item in found
        ]
        return Results(tuple(item for item in items if item.url), len(found) >= _AT_ONCE)
