"""Hacker News, by Algolia: what its stories link to. https://hn.algolia.com/api"""

from __future__ import annotations

from typing import Any

from dowse.model.search import Ask, Query, Results, Said, SearchResult, Trouble
from dowse.seeds.answers import items_of, read_json, text_of
from dowse.seeds.dialect import Dialect
from dowse.seeds.engines.address import named, web_address, with_parameters

__all__ = ["HackerNews"]

_AT_ONCE = 30
_DIALECT = Dialect(either="", site="", without_site="")


class HackerNews:
    """Pages that stories on Hacker News link to; a story without a link is a page itself."""

    delay_s = 1.0

    def __init__(self, base: str = "") -> None:
        self._url = web_address("hackernews", base, "https://hn.algolia.com")
        self.name = named("hackernews", base, self._url)

    def say(self, query: Query) -> Said:
        return _DIALECT.say(query)

    async def search(self, query: Query, page: int, ask: Ask) -> Results | Trouble:
        parameters = {
            "query": self.say(query).text, "tags": "story", "page": page, "hitsPerPage": _AT_ONCE,
            "advancedSyntax": "true",
        }  # fmt: skip
        answer = await ask(with_parameters(f"{self._url}/api/v1/search", parameters))
        if isinstance(answer, Trouble):
            return answer
        value = read_json(answer)
        if isinstance(value, Trouble):
            return value
        hits = items_of(value, "hits")
        items = [SearchResult(_address(hit), text_of(hit, "title"), text_of(hit, "story_text")) for hit in hits]
        pages = value.get("nbPages") if isinstance(value, dict) else 0
        return Results(
            tuple(item for item in items if item.url), bool(hits) and isinstance(pages, int) and page + 1 < pages
        )


def _address(hit: dict[str, Any]) -> str:
    number = text_of(hit, "objectID")
    story = f"https://news.ycombinator.com/item?id={number}" if number.isdigit() else ""
    return text_of(hit, "url") or story
