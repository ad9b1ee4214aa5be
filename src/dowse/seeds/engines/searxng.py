"""SearXNG (and searx): an instance that asks many search engines for you. https://docs.searxng.org/dev/search_api.html"""

from __future__ import annotations

from dowse.model.search import Ask, Query, Results, Said, SearchResult, Trouble, TroubleKind
from dowse.seeds.answers import items_of, read_json, text_of
from dowse.seeds.dialect import WEB
from dowse.seeds.engines.address import host_of, web_address, with_parameters

__all__ = ["SearXNG"]

_NO_JSON = Trouble(
    TroubleKind.HTTP, "http 403: the instance gives no JSON: it must be among search.formats in its settings.yml"
)


class SearXNG:
    """What a SearXNG instance finds, whose address you give: searxng:https://..."""

    delay_s = 0.0

    def __init__(self, base: str = "", language: str = "") -> None:
        self._url = web_address("searxng", base)
        self._language = language
        self.name = f"searxng:{host_of(self._url)}"

    def say(self, query: Query) -> Said:
        return WEB.say(query)

    async def search(self, query: Query, page: int, ask: Ask) -> Results | Trouble:
        parameters = {"q": self.say(query).text, "format": "json", "pageno": page + 1}
        if self._language:
            parameters["language"] = self._language
        answer = await ask(with_parameters(f"{self._url}/search", parameters), also=(403,))
        if isinstance(answer, Trouble):
            return answer
        if answer.status == 403:
            return _NO_JSON
        value = read_json(answer)
        if isinstance(value, Trouble):
            return value
        found = items_of(value, "results")
        if not found and (silent := _silent(value)):
            return Trouble(TroubleKind.QUOTA, f"none of its engines answered: {silent}")
        items = [SearchResult(text_of(item, "url"), text_of(item, "title"), text_of(item, "content")) for item in found]
        return Results(tuple(items), bool(items))


def _silent(value: object) -> str:
    """The engines behind the instance that did not answer, and why."""
    told = value.get("unresponsive_engines") if isinstance(value, dict) else None
    pairs = [pair for pair in told if isinstance(pair, list)] if isinstance(told, list) else []
    return ", ".join(": ".join(map(str, pair[:2])) for pair in pairs[:5])
