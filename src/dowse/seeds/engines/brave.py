"""Brave Search. It needs a key. https://api-dashboard.search.brave.com/documentation"""

from __future__ import annotations

from dowse.model.http import Secrets
from dowse.model.search import Ask, Query, Results, Said, SearchResult, Trouble, TroubleKind
from dowse.seeds.answers import items_of, read_json, text_of
from dowse.seeds.dialect import WEB
from dowse.seeds.engines.address import named, web_address, with_parameters

__all__ = ["Brave"]

_AT_ONCE = 20
_LAST_PAGE = 9
_MOST_CHARACTERS = 400
_MOST_WORDS = 50


class Brave:
    """The web, by Brave's own index."""

    delay_s = 1.0

    def __init__(self, key: str, base: str = "") -> None:
        self._url = web_address("brave", base, "https://api.search.brave.com")
        self._secrets = Secrets(headers=(("X-Subscription-Token", key),))
        self.name = named("brave", base, self._url)

    def say(self, query: Query) -> Said:
        return WEB.say(query)

    async def search(self, query: Query, page: int, ask: Ask) -> Results | Trouble:
        said = self.say(query).text
        if len(said) > _MOST_CHARACTERS or len(said.split()) > _MOST_WORDS:
            return Trouble(TroubleKind.QUERY, f"it takes {_MOST_WORDS} words and {_MOST_CHARACTERS} characters at most")
        parameters = {"q": said, "count": _AT_ONCE, "offset": page, "text_decorations": "false"}
        answer = await ask(with_parameters(f"{self._url}/res/v1/web/search", parameters), secrets=self._secrets)
        if isinstance(answer, Trouble):
            return answer
        value = read_json(answer)
        if isinstance(value, Trouble):
            return value
        found = items_of(value, "web", "results")
        items = [
            SearchResult(text_of(item, "url"), text_of(item, "title"), text_of(item, "description")) for item in found
        ]
        told = value.get("query") if isinstance(value, dict) else None
        more = isinstance(told, dict) and told.get("more_results_available") is True
        return Results(tuple(item for item in items if item.url), more and page < _LAST_PAGE)
