"""Any site's own search, as it describes it (OpenSearch 1.1): https://github.com/dewitt/opensearch

The address is that of the description, or of a page that names one. Results in RSS or Atom are read as such. Where a
site has them in HTML only, they are the links of the page of results that the site's front page does not have.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from urllib.parse import quote, unquote_plus

from dowse.model.http import Response
from dowse.model.search import Ask, Query, Results, Said, SearchResult, Trouble, TroubleKind
from dowse.model.url import Base
from dowse.seeds.answers import XmlElement, read_feed, read_xml
from dowse.seeds.dialect import WEB
from dowse.seeds.engines.address import host_of, web_address

__all__ = ["LinksOf", "OpenSearch"]

LinksOf = Callable[[Response], Sequence[tuple[str, str]]]
"""The links of a page: canonical URL and anchor text."""

_KINDS = ("application/atom+xml", "application/rss+xml", "text/html")  # the best first
_WANTED = 10  # results on a page
_HEAD_BYTES = 262_144
_link = re.compile(rb"<link\b[^>]{0,1000}>", re.IGNORECASE).finditer
_attribute = re.compile(r"""([a-z]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>"']+))""", re.IGNORECASE).findall
_parameter = re.compile(r"\{(?:[\w.-]+:)?(\w+)(\??)\}").sub
_NO_DESCRIPTION = Trouble(TroubleKind.FORMAT, "it is no OpenSearch description, and names none in a <link>")


class OpenSearch:
    """A site's own search, whose address you give: opensearch:https://..."""

    delay_s = 0.0

    def __init__(self, base: str = "", links_of: LinksOf | None = None) -> None:
        self._url = Base(web_address("opensearch", base)).join(base) or ""  # its slash at the end may mean something
        self._links_of = links_of
        self._template: XmlElement | None = None
        self._at = self._url  # of the description
        self._at_once = _WANTED  # results on its first page: it need not keep to what is wanted
        self._front: frozenset[str] = frozenset()
        self.name = f"opensearch:{host_of(self._url)}"

    def say(self, query: Query) -> Said:
        return WEB.say(query)

    async def search(self, query: Query, page: int, ask: Ask) -> Results | Trouble:
        if self._template is None:
            described = await self._describe(ask)
            if described is not None:
                return described
        assert self._template is not None
        url = Base(self._at).join(_filled(self._template, self.say(query).text, page, self._at_once))
        if url is None:
            return Trouble(TroubleKind.FORMAT, "its description has no web address for results")
        answer = await ask(url)
        if isinstance(answer, Trouble):
            return answer
        found = self._read(answer, self.say(query).text.lower())
        if page == 0 and not isinstance(found, Trouble):
            self._at_once = len(found)
        return found if isinstance(found, Trouble) else Results(tuple(found), bool(found) and self._has_pages())

    def _read(self, answer: Response, terms: str) -> list[SearchResult] | Trouble:
        assert self._template is not None
        if self._template.attributes.get("type", "").lower() != "text/html":
            return read_feed(answer)
        if self._links_of is None:
            return Trouble(TroubleKind.FORMAT, "its results are in HTML only")
        links = [link for link in self._links_of(answer) if link[0] not in self._front and link[1]]
        # what has the terms behind its question mark is the search itself: its next page, its other forms
        return [
            SearchResult(url, anchor)
            for url, anchor in links
            if terms not in unquote_plus(url.partition("?")[2]).lower()
        ]

    def _has_pages(self) -> bool:
        assert self._template is not None
        return any(name in self._template.attributes.get("template", "") for name in ("{startPage", "{startIndex"))

    async def _describe(self, ask: Ask) -> Trouble | None:
        """Read the description; from a page, follow the <link> that names it."""
        answer = await ask(self._url)
        if isinstance(answer, Trouble):
            return answer
        target = _named_in(answer)
        if target is not None:
            if self._links_of is not None:
                self._front = frozenset(url for url, _ in self._links_of(answer))
            self._at = target
            answer = await ask(target)
            if isinstance(answer, Trouble):
                return answer
        root = read_xml(answer, "opensearchdescription")
        if isinstance(root, Trouble):
            return root if target is not None else _NO_DESCRIPTION
        offered = {
            url.attributes.get("type", "").lower(): url
            for url in root.all("url")
            if url.attributes.get("rel", "results") == "results"
            and url.attributes.get("method", "get").lower() == "get"
        }
        best = next((offered[kind] for kind in _KINDS if "{searchTerms" in _template_of(offered.get(kind))), None)
        if best is None:
            return Trouble(TroubleKind.FORMAT, f"it offers no results in {', '.join(_KINDS)}")
        self._template = best
        return None


def _template_of(url: XmlElement | None) -> str:
    return "" if url is None else url.attributes.get("template", "")


def _named_in(answer: Response) -> str | None:
    """The description that a page names; None where the answer is XML itself, or names none."""
    for tag in _link(answer.body[:_HEAD_BYTES]):
        found = _attribute(tag[0].decode("utf-8", "replace"))
        values = {name.lower(): first or second or third for name, first, second, third in found}
        is_search = "search" in values.get("rel", "").lower().split()
        if is_search and "opensearchdescription" in values.get("type", "").lower():
            return Base(answer.url).join(values.get("href", ""))
    return None


def _filled(url: XmlElement, terms: str, page: int, at_once: int) -> str:
    """The template with its parameters filled in. Those that need not be are left empty."""
    own = url.attributes
    first, start = _number(own.get("pageoffset")), _number(own.get("indexoffset"))
    known = {
        "searchTerms": quote(terms, safe=""), "startPage": str(first + page), "startIndex": str(start + page * at_once),
        "count": str(_WANTED), "inputEncoding": "UTF-8", "outputEncoding": "UTF-8", "language": "*",
    }  # fmt: skip
    return _parameter(lambda found: known.get(found[1], ""), own.get("template", ""))


def _number(text: str | None) -> int:
    return int(text) if text is not None and text.isascii() and text.isdigit() and len(text) < 6 else 1
