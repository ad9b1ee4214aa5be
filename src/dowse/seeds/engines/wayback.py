"""The Wayback Machine's index (CDX): what the Internet Archive has of a host or a path, each address once.

https://github.com/internetarchive/wayback/tree/master/wayback-cdx-server. What follows a page is asked for by the key
that ends it: with an ``offset`` the server would read everything from the beginning again, and its numbered pages are
filtered after they were cut, so that most would be empty.
"""

from __future__ import annotations

from urllib.parse import unquote_plus

from dowse.model.search import Ask, Query, Results, Said, SearchResult, Trouble, TroubleKind
from dowse.seeds.answers import read_json
from dowse.seeds.engines.address import named, web_address, with_parameters
from dowse.seeds.engines.address_index import NO_SITE, filters, patterns, say_patterns

__all__ = ["Wayback"]

_AT_ONCE = 200
_LONGEST_KEY = 6_000
_PATH = "/cdx/search/cdx"


class Wayback:
    """Pages of a site that the Wayback Machine has: ask with site:example.org, or site:example.org/path."""

    delay_s = 2.0

    def __init__(self, base: str = "") -> None:
        url = web_address("wayback", base, "https://web.archive.org")
        self._url = url if "/cdx" in url else url + _PATH
        self._resume: dict[tuple[Query, str], str] = {}  # keys to what follows
        self.name = named("wayback", base, self._url)

    def say(self, query: Query) -> Said:
        return say_patterns(query)

    async def search(self, query: Query, page: int, ask: Ask) -> Results | Trouble:
        if not query.sites:
            return NO_SITE
        items: list[SearchResult] = []
        for pattern in patterns(query):
            key = self._resume.pop((query, pattern), None)
            if page and key is None:
                continue  # its last page was seen
            asked: list[tuple[str, object]] = [
                ("url", pattern), ("output", "json"), ("fl", "original,timestamp"), ("collapse", "urlkey"),
                ("limit", _AT_ONCE), ("showResumeKey", "true"), *([("resumeKey", key)] if page else ()),
                ("filter", "statuscode:200"), ("filter", "mimetype:.*html.*"), *filters(query, "urlkey"),
            ]  # fmt: skip
            answer = await ask(with_parameters(self._url, asked))
            if isinstance(answer, Trouble):
                return answer
            rows = read_json(answer)
            if isinstance(rows, Trouble):
                return rows
            if not isinstance(rows, list) or not all(isinstance(row, list) for row in rows):
                return Trouble(TroubleKind.FORMAT, "the answer is no list of rows")
            following = _following(rows)
            if following is not None:
                self._resume[query, pattern] = following
            named = rows[1 : _AT_ONCE + 1]  # the first names the columns
            items += [SearchResult(row[0]) for row in named if len(row) > 1 and isinstance(row[0], str)]
        return Results(tuple(items), any((query, pattern) in self._resume for pattern in patterns(query)))


def _following(rows: list[list[object]]) -> str | None:
    """The key to what follows, which stands behind an empty row, as an address has it; None: this is the end."""
    if len(rows) < 2 or rows[-2] or len(rows[-1]) != 1 or not isinstance(rows[-1][0], str):
        return None
    return unquote_plus(rows[-1][0][:_LONGEST_KEY])
