"""MediaWiki: articles of Wikipedia or any other wiki, and then what these articles cite.

Two requests a page of results, or a few more: ``list=search`` for titles and excerpts, then the addresses of the
articles with their external links, which may come in parts. https://www.mediawiki.org/wiki/API:Search, https://www.mediawiki.org/wiki/API:Extlinks
"""

from __future__ import annotations

import re
from typing import Any

from dowse.model.http import Response
from dowse.model.search import Ask, Query, Results, Said, SearchResult, Trouble, TroubleKind
from dowse.seeds.answers import items_of, read_json, text_of
from dowse.seeds.dialect import Dialect
from dowse.seeds.engines.address import host_of, web_address, with_parameters

__all__ = ["MediaWiki"]

_ARTICLES = 10  # a page of results
_MOST_ANSWERS = 4  # of what the articles of a page cite
_LONGEST_MARK = 500
_LINKS = 40  # of all articles of a page, the most cited first
_ENDPOINTS = ("/w/api.php", "/api.php")  # Wikimedia's, and that of a wiki set up without short addresses
_BUSY = ("ratelimited", "maxlag", "readonly", "cirrussearch-too-busy-error")
_is_language = re.compile(r"[a-z]{2,3}(?:-[a-z]+)*").fullmatch
_CIRRUS = Dialect(site="", without_site="")
_PLAIN = Dialect(either="", without="", site="", without_site="")  # MediaWiki's own search, which takes OR for a word
_is_wikimedia = re.compile(
    r"(?:.+\.)?(?:wik(?:ipedia|tionary|ibooks|inews|iquote|isource|iversity|ivoyage|imedia|idata)|mediawiki)\.org"
).fullmatch


class MediaWiki:
    """Articles of Wikipedia in the topic's language, or of another wiki, and the external links of these articles."""

    delay_s = 0.0

    def __init__(self, base: str = "", language: str = "en") -> None:
        if not base or _is_language(base):
            base = f"https://{base or language}.wikipedia.org/w/api.php"
        url = web_address("mediawiki", base)
        self._endpoints = [url] if url.endswith(".php") else [url + path for path in _ENDPOINTS]
        self._dialect = _CIRRUS if _is_wikimedia(host_of(url)) else _PLAIN
        self.name = f"mediawiki:{host_of(url)}"

    def say(self, query: Query) -> Said:
        return self._dialect.say(query)

    async def search(self, query: Query, page: int, ask: Ask) -> Results | Trouble:
        found = await self._api(
            ask, action="query", list="search", srsearch=self.say(query).text, srwhat="text", srlimit=_ARTICLES,
            sroffset=page * _ARTICLES, srprop="snippet", srinfo="", format="json", formatversion=2,
        )  # fmt: skip
        if isinstance(found, Trouble):
            return found
        hits = [hit for hit in items_of(found, "query", "search") if isinstance(hit.get("pageid"), int)]
        more = isinstance(found.get("continue"), dict)
        if not hits:
            return Results((), more)
        about = await self._about(ask, [hit["pageid"] for hit in hits])
        if isinstance(about, Trouble):
            return about
        articles = [
            SearchResult(url, text_of(hit, "title"), text_of(hit, "snippet"))
            for hit in hits
            if isinstance(url := about.get(hit["pageid"], {}).get("fullurl"), str)
        ]
        return Results((*articles, *_cited(hits, about)), more)

    async def _about(self, ask: Ask, ids: list[int]) -> dict[Any, dict[str, Any]] | Trouble:
        """Addresses and links of articles, by their numbers. A wiki gives some hundred links at once."""
        about: dict[Any, dict[str, Any]] = {}
        further: dict[str, str] = {}
        for _ in range(_MOST_ANSWERS):
            told = await self._api(
                ask, action="query", pageids="|".join(map(str, ids)), prop="info|extlinks", inprop="url",
                ellimit="max", format="json", formatversion=2, **further,
            )  # fmt: skip
            if isinstance(told, Trouble):
                return about or told
            for page in items_of(told, "query", "pages"):
                known = about.setdefault(page.get("pageid"), page)
                if known is not page:
                    known["extlinks"] = [*items_of(known, "extlinks"), *items_of(page, "extlinks")]
            further = _continued(told)
            if not further:
                break
        return about

    async def _api(self, ask: Ask, **parameters: object) -> Any:
        """An object of the API, or a Trouble. Where the API is, is found out once."""
        for last, endpoint in enumerate(self._endpoints, 1 - len(self._endpoints)):
            answer = await ask(with_parameters(endpoint, parameters), also=() if last == 0 else (404, 403))
            value = answer if isinstance(answer, Trouble) else _value(answer)
            if isinstance(value, Trouble) and value.kind is TroubleKind.FORMAT and last:
                continue
            self._endpoints = [endpoint]
            return value
        raise AssertionError("unreachable")


def _value(answer: Response) -> Any:
    if answer.status != 200:
        return Trouble(TroubleKind.FORMAT, f"http {answer.status}")
    value = read_json(answer)
    if isinstance(value, Trouble):
        return value
    if not isinstance(value, dict):
        return Trouble(TroubleKind.FORMAT, "the answer is not that of a wiki")
    error = value.get("error")
    if error is None:
        return value
    code = text_of(error, "code") if isinstance(error, dict) else ""
    info = text_of(error, "info") if isinstance(error, dict) else ""
    return Trouble(
        TroubleKind.QUOTA if code in _BUSY else TroubleKind.QUERY, info or code or "the wiki gives no reason"
    )


def _continued(value: dict[str, Any]) -> dict[str, str]:
    """What to ask with for the rest: the wiki's own parameters, none of ours."""
    told = value.get("continue")
    own = told.items() if isinstance(told, dict) else ()
    return {
        name: str(value)[:_LONGEST_MARK]
        for name, value in own
        if name in ("continue", "elcontinue", "eloffset") and isinstance(value, str | int)
    }


def _cited(hits: list[dict[str, Any]], about: dict[Any, dict[str, Any]]) -> list[SearchResult]:
    """What the articles cite: first what the best of them cite, and several of them. What is known of such a page is
    what the best article says that cites it, so that it comes right behind that article."""
    weights: dict[str, float] = {}
    citing: dict[str, str] = {}
    for rank, hit in enumerate(hits, 1):
        for link in items_of(about.get(hit["pageid"], {}), "extlinks"):
            url = link.get("url")
            if isinstance(url, str):
                url = f"https:{url}" if url.startswith("//") else url
                weights[url] = weights.get(url, 0.0) + 1.0 / rank
                citing.setdefault(url, f"cited by {text_of(hit, 'title')}: {text_of(hit, 'snippet')}")
    best = sorted(weights, key=lambda url: -weights[url])[:_LINKS]
    return [SearchResult(url, "", citing[url]) for url in best]
