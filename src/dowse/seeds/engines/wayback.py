"""The Wayback Machine's index (CDX): what the Internet Archive has of a host or a path, each address once.

https://github.com/internetarchive/wayback/tree/master/wayback-cdx-server. Pages by ``limit`` and ``offset``: its page
numbers come back empty where addresses are patterns.
"""

from __future__ import annotations

from dowse.model.search import Ask, Query, Results, Said, SearchResult, Trouble, TroubleKind
from dowse.seeds.answers import read_json
from dowse.seeds.engines.address import named, web_address, with_parameters
from dowse.seeds.engines.address_index import NO_SITE, filters, patterns, say_patterns

__all__ = ["Wayback"]

_AT_ONCE = 200
_PATH = "/cdx/search/cdx"


class Wayback:
    """Pages of a site that the Wayback Machine has: ask with site:example.org, or site:example.org/path."""

    delay_s = 2.0

    def __init__(self, base: str = "") -> None:
        url = web_address("wayback", base, "https://web.archive.org")
        self._url = url if "/cdx" in url else url + _PATH
        self.name = named("wayback", base, self._url)

    def say(self, query: Query) -> Said:
        return say_patterns(query)

    async def search(self, query: Query, page: int, ask: Ask) -> Results | Trouble:
        if not query.sites:
            return NO_SITE
        items: list[SearchResult] = []
        more = False
        for pattern in patterns(query):
            asked: list[tuple[str, object]] = [
                ("url", pattern), ("output", "json"), ("fl", "original,timestamp"), ("collapse", "urlkey"),
                ("limit", _AT_ONCE), ("offset", page * _AT_ONCE),
                ("filter", "statuscode:200"), ("filter", "mimetype:.*html.*"), *filters(query, "urlkey"),
            ]  # fmt: skip
            answer = await ask(with_parameters(self._url, asked))
            if isinstance(answer, Trouble):
                return answer
            rows = read_json(answer)
            if isinstance(rows, Trouble):
                return rows
            if not isinstance(rows, list) or not all(isinstance(row, list) and row for row in rows):
                return Trouble(TroubleKind.FORMAT, "the answer is no list of rows")
            urls = [row[0] for row in rows[1 : _AT_ONCE + 1] if isinstance(row[0], str)]  # the first names the columns
            items += map(SearchResult, urls)
            more = more or len(urls) == _AT_ONCE
        return Results(tuple(items), more)
