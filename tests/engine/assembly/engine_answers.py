"""Servers that answer as search engines do: the shapes are those of their documentation, with made-up results.

Each has results numbered from 0; a page of an engine has as many as that engine gives at a time.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from urllib.parse import parse_qs, urlsplit
from xml.sax.saxutils import escape

from dowse.loopback import Resource, Site
from dowse.loopback.web import Ask

__all__ = ["BROKEN", "ENGINES", "HOST", "Kind", "Parameters", "answering", "in_json", "parameters", "rows_from"]

HOST = "search.test"
Parameters = dict[str, list[str]]
Rows = list[tuple[str, str, str]]  # URL, title, snippet


def in_json(value: object, status: int = 200, **headers: str) -> Resource:
    named = tuple((name.replace("_", "-"), text) for name, text in headers.items())
    return Resource(json.dumps(value).encode(), "application/json", status, named)


def parameters(ask: Ask) -> Parameters:
    return parse_qs(urlsplit(ask.target).query, keep_blank_values=True)


@dataclass(frozen=True)
class Kind:
    """An engine, where it is asked, what it is asked with, and how it answers with some rows of many."""

    spec: str
    path: str
    at_once: int
    asked: Callable[[Ask], tuple[str, int]]  # the query as it came, and the first row that is wanted
    answer: Callable[[Ask, Rows, bool], Resource]  # those rows, and whether there are more
    query: str = 'größe "solar cell"'
    words: tuple[str, ...] = ("größe", "solar cell")


def _at(name: str, start: str, times: int, first: int = 0) -> Callable[[Ask], tuple[str, int]]:
    def asked(ask: Ask) -> tuple[str, int]:
        found = parameters(ask)
        return found[name][0], (int(found[start][0]) - first) * times

    return asked


def _wiki(ask: Ask, rows: Rows, more: bool) -> Resource:
    found = parameters(ask)
    assert found["format"] == ["json"]
    if "list" in found:
        hits = [{"ns": 0, "title": title, "pageid": int(url.rsplit("/", 1)[1]) + 1, "snippet": f"<b>{snippet}</b>"}
                for url, title, snippet in rows]  # fmt: skip
        return in_json(
            {"batchcomplete": True, "query": {"search": hits}, **({"continue": {"sroffset": 1}} if more else {})}
        )
    ids = [int(number) for number in found["pageids"][0].split("|")]
    links = [{"url": "//cited.test/both"}, {"url": "https://cited.test/one"}]
    pages = [{"pageid": id_, "fullurl": f"https://result.test/{id_ - 1}", "extlinks": links[: 2 if id_ == 1 else 1]}
             for id_ in ids]  # fmt: skip
    return in_json({"batchcomplete": True, "query": {"pages": pages}})


def _wiki_asked(ask: Ask) -> tuple[str, int]:
    found = parameters(ask)
    return found.get("srsearch", [""])[0], int(found.get("sroffset", ["0"])[0])


def _searxng(ask: Ask, rows: Rows, more: bool) -> Resource:
    assert parameters(ask)["format"] == ["json"]
    found = [
        {"url": url, "title": title, "content": snippet, "engine": "x", "positions": [1]}
        for url, title, snippet in rows
    ]
    return in_json({"query": "q", "number_of_results": 0, "results": found, "unresponsive_engines": []})


def _openalex(ask: Ask, rows: Rows, more: bool) -> Resource:
    found = parameters(ask)
    assert int(found["page"][0]) * int(found["per_page"][0]) <= 10_000, "as far as page numbers go"
    works = [
        {"id": "https://openalex.org/W1", "doi": "https://doi.org/10.1/x", "display_name": title,
         "primary_location": {"landing_page_url": url}, "best_oa_location": None,
         "abstract_inverted_index": {word: [place] for place, word in enumerate(snippet.split())}}
        for url, title, snippet in rows
    ]  # fmt: skip
    return in_json({"meta": {"count": 99}, "results": works})


def _crossref(ask: Ask, rows: Rows, more: bool) -> Resource:
    items = [
        {"DOI": "10.1/x", "URL": url, "title": [title], "abstract": f"<jats:p>{snippet}</jats:p>"}
        for url, title, snippet in rows
    ]
    return in_json({"status": "ok", "message-type": "work-list", "message": {"items": items, "total-results": 99}})


def _arxiv(ask: Ask, rows: Rows, more: bool) -> Resource:
    entries = "".join(
        f"<entry><id>{escape(url)}</id><title>{escape(title)}\n </title><summary>{escape(snippet)}</summary>"
        f'<link href="{escape(url)}" rel="alternate" type="text/html"/>'
        '<link title="pdf" href="http://arxiv.test/pdf/1" rel="related"/></entry>'
        for url, title, snippet in rows
    )
    feed = f'<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"><title>ArXiv Query</title>{entries}</feed>'
    return Resource(feed.encode(), "application/atom+xml")


def _hacker_news(ask: Ask, rows: Rows, more: bool) -> Resource:
    hits = [{"objectID": "7", "url": url, "title": title, "story_text": snippet} for url, title, snippet in rows]
    page = int(parameters(ask)["page"][0])
    return in_json(
        {"hits": hits, "nbHits": 99, "page": page, "nbPages": page + 2 if more else page + 1, "hitsPerPage": 30}
    )


def _brave(ask: Ask, rows: Rows, more: bool) -> Resource:
    if ask.headers.get("x-subscription-token") != "key-of-brave":
        return in_json({"type": "ErrorResponse", "error": {"code": "SUBSCRIPTION_TOKEN_INVALID"}}, 422)
    found = [
        {"type": "search_result", "url": url, "title": title, "description": snippet} for url, title, snippet in rows
    ]
    return in_json({"type": "search", "query": {"more_results_available": more}, "web": {"results": found}})


def _marginalia(ask: Ask, rows: Rows, more: bool) -> Resource:
    assert ask.headers.get("api-key") == "public"
    found = [{"url": url, "title": title, "description": snippet, "quality": 1.0} for url, title, snippet in rows]
    return in_json({"license": "CC-BY-NC-SA 4.0", "query": "q", "results": found})


def _rss(ask: Ask, rows: Rows, more: bool) -> Resource:
    items = "".join(
        f"<item><title>{escape(title)}</title><link>{escape(url)}</link><description>{escape(snippet)}</description></item>"
        for url, title, snippet in rows
    )
    return Resource(
        f'<rss version="2.0"><channel><title>r</title>{items}</channel></rss>'.encode(), "application/rss+xml"
    )


def _common_crawl(ask: Ask, rows: Rows, more: bool) -> Resource:
    if not rows:
        return in_json({"message": "No Captures found for: *.result.test"}, 404)
    lines = [json.dumps({"url": url, "timestamp": "20260101000000"}) for url, _, _ in rows]
    return Resource("\n".join(lines).encode(), "text/x-ndjson")


def _wayback(ask: Ask, rows: Rows, more: bool) -> Resource:
    head = [["original", "timestamp"]] if rows else []
    _, first = _wayback_asked(ask)
    key = [[], [f"test%2Cresult%29%2F{first + len(rows)}+20260101000000%21"]] if more else []
    return in_json([*head, *([url, "20260101000000"] for url, _, _ in rows), *key])


def _wayback_asked(ask: Ask) -> tuple[str, int]:
    found = parameters(ask)
    assert found["showResumeKey"] == ["true"]
    key = found.get("resumeKey", ["test,result)/0 20260101000000!"])[0]
    place, mark = key.removeprefix("test,result)/").split(" ")
    assert mark == "20260101000000!"
    return found["url"][0], int(place)


_SITE = {"query": "site:result.test", "words": ("*.result.test",)}
ENGINES = {
    "mediawiki": Kind(f"mediawiki:http://{HOST}/w/api.php", "/w/api.php", 10, _wiki_asked, _wiki),
    "searxng": Kind(f"searxng:http://{HOST}", "/search", 10, _at("q", "pageno", 10, 1), _searxng),
    "openalex": Kind(f"openalex:http://{HOST}", "/works", 100, _at("search", "page", 100, 1), _openalex),
    "crossref": Kind(f"crossref:http://{HOST}", "/works", 20, _at("query.bibliographic", "offset", 1), _crossref),
    "arxiv": Kind(f"arxiv:http://{HOST}", "/api/query", 25, _at("search_query", "start", 1), _arxiv),
    "hackernews": Kind(f"hackernews:http://{HOST}", "/api/v1/search", 30, _at("query", "page", 30), _hacker_news),
    "brave": Kind(f"brave:http://{HOST}", "/res/v1/web/search", 20, _at("q", "offset", 20), _brave),
    "marginalia": Kind(f"marginalia:http://{HOST}", "/search", 20, _at("query", "page", 20, 1), _marginalia),
    "opensearch": Kind(f"opensearch:http://{HOST}/description.xml", "/find", 10, _at("t", "p", 10, 1), _rss),
    "commoncrawl": Kind(
        f"commoncrawl:http://{HOST}/CC-MAIN-2026-01-index", "/CC-MAIN-2026-01-index", 60, _at("url", "page", 60),
        _common_crawl, **_SITE,  # type: ignore[arg-type]
    ),
    "wayback": Kind(
        f"wayback:http://{HOST}", "/cdx/search/cdx", 200, _wayback_asked, _wayback, **_SITE  # type: ignore[arg-type]
    ),
}  # fmt: skip

_DESCRIPTION = Resource(
    b'<OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/"><ShortName>s</ShortName>'
    b'<Url type="application/x-suggestions+json" template="http://search.test/suggest?t={searchTerms}"/>'
    b'<Url type="application/rss+xml" template="/find?t={searchTerms}&amp;p={startPage?}&amp;s={example:other?}"/>'
    b"</OpenSearchDescription>",
    "application/opensearchdescription+xml",
)


def rows_from(first: int, count: int) -> Rows:
    """Results by their numbers."""
    return [(f"https://result.test/{n}", f"Title {n} <é>", f"snippet of {n}") for n in range(first, first + count)]


def answering(kind: Kind, total: int, asked: list[str] | None = None) -> Site:
    """A site that has so many results; what it was asked is noted."""

    def answer(ask: Ask) -> Resource:
        query, first = kind.asked(ask)
        if asked is not None and query:
            asked.append(query)
        count = max(0, min(kind.at_once, total - first))
        return kind.answer(ask, rows_from(first, count), first + count < total)

    return Site(HOST, {"/description.xml": _DESCRIPTION}, {kind.path: answer})


def _broken() -> Iterator[tuple[str, Resource, str]]:
    page = b"<!doctype html><html><head><title>Sorry</title></head><body><p>Come back later</body></html>"
    bomb = (
        b'<?xml version="1.0"?><!DOCTYPE feed [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><feed><title>&b;</title></feed>'
    )
    yield "html", Resource(page), "the answer is no|not one JSON object|its root is|no description"
    yield "empty", Resource(b"", "application/json"), "empty|no XML|no JSON"
    yield "bomb", Resource(bomb, "application/atom+xml"), "declares an XML entity|no JSON|not one JSON object"
    yield "cut", Resource(b'{"results": [{"url": "https://resu', "application/json"), "no JSON|no XML|not one JSON"
    yield "deep", Resource(b"[" * 100_000, "application/json"), "no JSON|no XML|not one JSON"
    yield "large", Resource(b" " * 9_000_000, "application/json"), "larger than 8 MB"
    yield "500", Resource(b"{}", "application/json", 500), "http 500"
    yield "401", in_json({"error": "who?"}, 401), "http 401: its key is missing, or not accepted"
    yield (
        "quota",
        in_json({"error": "slow"}, 429, Retry_After="86400"),
        "too many requests; it may be asked again in 24 h",
    )
    yield "away", Resource(b"", None, 302, (("Location", "http://169.254.169.254/latest"),)), "address|another site"
    yield "loop", Resource(b"", None, 302, (("Location", "http://search.test/round"),)), "redirect"


BROKEN = {name: (resource, message) for name, resource, message in _broken()}
