"""arXiv: preprints, as an Atom feed. One request in three seconds. https://info.arxiv.org/help/api/user-manual.html"""

from __future__ import annotations

from dowse.model.search import Ask, Query, Results, Said, SearchResult, Trouble, TroubleKind
from dowse.seeds.answers import read_feed
from dowse.seeds.dialect import Dialect
from dowse.seeds.engines.address import named, web_address, with_parameters

__all__ = ["Arxiv"]

_AT_ONCE = 25
_DIALECT = Dialect(
    word="all:{}", phrase='all:"{}"', every=" AND ", without=" ANDNOT {}", site="", without_site=""
)  # fmt: skip


class Arxiv:
    """Preprints: their abstract pages."""

    delay_s = 3.0

    def __init__(self, base: str = "") -> None:
        self._url = web_address("arxiv", base, "https://export.arxiv.org")
        self.name = named("arxiv", base, self._url)

    def say(self, query: Query) -> Said:
        return _DIALECT.say(query)

    async def search(self, query: Query, page: int, ask: Ask) -> Results | Trouble:
        said = self.say(query).text
        if not said:
            return Trouble(TroubleKind.QUERY, "there are no words to ask for")
        parameters = {
            "search_query": said, "start": page * _AT_ONCE, "max_results": _AT_ONCE, "sortBy": "relevance"
        }  # fmt: skip
        answer = await ask(with_parameters(f"{self._url}/api/query", parameters))
        if isinstance(answer, Trouble):
            return answer
        found = read_feed(answer)
        if isinstance(found, Trouble):
            return found
        if len(found) == 1 and "/api/errors" in found[0].url:  # an error comes as an entry of the feed
            return Trouble(TroubleKind.QUERY, found[0].snippet or found[0].title)
        return Results(tuple(map(_current, found)), len(found) == _AT_ONCE)


def _current(result: SearchResult) -> SearchResult:
    """The page of a preprint, whatever the version: feeds name it by http, and with the version's number."""
    head, mark, number = result.url.rpartition("/abs/")
    if not mark:
        return result
    stem, v, version = number.rpartition("v")
    number = stem if v and version.isdigit() and stem else number
    return SearchResult(f"{head.replace('http://', 'https://', 1)}{mark}{number}", result.title, result.snippet)
