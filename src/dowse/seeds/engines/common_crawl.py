"""Common Crawl's index: what its newest crawl has of a host or a path.

One JSON object a line; a page of the index has up to some thousand lines. https://index.commoncrawl.org/
"""

from __future__ import annotations

import json

from dowse.model.http import Response
from dowse.model.search import Ask, Query, Results, Said, SearchResult, Trouble, TroubleKind
from dowse.seeds.answers import MOST_RESULTS, complaint_in, items_of, read_json
from dowse.seeds.engines.address import named, web_address, with_parameters
from dowse.seeds.engines.address_index import NO_SITE, filters, patterns, say_patterns

__all__ = ["CommonCrawl"]

_NONE_FOUND = (404, 400)  # nothing under this pattern; there is no such page of the index, or a mistake


class CommonCrawl:
    """Pages of a site that Common Crawl has: ask with site:example.org, or site:example.org/path."""

    delay_s = 2.0

    def __init__(self, base: str = "") -> None:
        self._url = web_address("commoncrawl", base, "https://index.commoncrawl.org")
        self._index = self._url if self._url.endswith("-index") else ""
        self._spent: set[tuple[Query, str]] = set()  # whose last page was seen
        self.name = named("commoncrawl", base, self._url)

    def say(self, query: Query) -> Said:
        return say_patterns(query)

    async def search(self, query: Query, page: int, ask: Ask) -> Results | Trouble:
        if not query.sites:
            return NO_SITE
        if not self._index:
            newest = await self._newest(ask)
            if isinstance(newest, Trouble):
                return newest
            self._index = newest
        items: list[SearchResult] = []
        more = False
        for pattern in patterns(query):
            if (query, pattern) in self._spent:
                continue
            asked: list[tuple[str, object]] = [
                ("url", pattern), ("output", "json"), ("fl", "url,timestamp"), ("page", page), ("pageSize", 1),
                ("filter", "=status:200"), ("filter", "~mime:.*html.*"), *filters(query, "~urlkey"),
            ]  # fmt: skip
            answer = await ask(with_parameters(self._index, asked), also=_NONE_FOUND)
            if isinstance(answer, Trouble):
                return answer
            if answer.status == 400 and page == 0:
                return Trouble(TroubleKind.QUERY, f"http 400: {complaint_in(answer) or 'it does not take the query'}")
            if answer.status != 200:
                self._spent.add((query, pattern))
                continue
            urls = _urls(answer)
            if isinstance(urls, Trouble):
                return urls
            items += map(SearchResult, urls)
            more = True  # the index tells only when there is none
        return Results(tuple(items), more)

    async def _newest(self, ask: Ask) -> str | Trouble:
        """The address of the newest crawl's index: the first of the list."""
        answer = await ask(f"{self._url}/collinfo.json")
        if isinstance(answer, Trouble):
            return answer
        value = read_json(answer)
        if isinstance(value, Trouble):
            return value
        found = [item.get("cdx-api") for item in items_of({"all": value}, "all")]
        newest = next((url for url in found if isinstance(url, str) and "://" in url), None)
        return newest or Trouble(TroubleKind.FORMAT, "collinfo.json names no index")


def _urls(answer: Response) -> list[str] | Trouble:
    """The URLs of an answer, each once."""
    urls: dict[str, None] = {}
    for line in answer.body.splitlines()[:MOST_RESULTS]:
        try:
            url = json.loads(line).get("url")
        except (ValueError, RecursionError, AttributeError):
            return Trouble(TroubleKind.FORMAT, "the answer is not one JSON object a line")
        if isinstance(url, str):
            urls[url] = None
    return list(urls)
