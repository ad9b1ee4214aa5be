"""What single engines ask and answer beyond the common: parts, pages, patterns, templates."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from dowse.loopback import Resource, Site
from dowse.loopback.web import Ask
from dowse.seeds.keys import Keys
from tests.engine.assembly.engine_answers import ENGINES, HOST, Parameters, in_json, parameters
from tests.engine.assembly.test_find import find, found, topic_of, urls


def test_links_of_articles_that_come_in_parts_are_put_together() -> None:
    """A wiki gives 500 external links at once, those of all articles together; the rest is behind ``continue``."""
    kind, asked = ENGINES["mediawiki"], list[Parameters]()
    hits = [{"title": "A", "pageid": 1, "snippet": "a"}, {"title": "B", "pageid": 2, "snippet": "b"}]
    parts = [
        {1: ["https://c.test/1"]}, {1: ["https://c.test/2"]}, {2: ["https://c.test/2", "https://c.test/3"]},
    ]  # fmt: skip

    def answer(ask: Ask) -> Resource:
        given = parameters(ask)
        if "list" in given:
            return in_json({"query": {"search": hits}})
        asked.append(given)
        part = int(given.get("elcontinue", ["0"])[0])
        pages = [
            {"pageid": id_, "fullurl": f"https://w.test/{id_}", **({"extlinks": links} if links else {})}
            for id_ in (1, 2)
            for links in [[{"url": url} for url in parts[part].get(id_, [])]]
        ]
        more = {"continue": {"elcontinue": str(part + 1), "continue": "||info", "action": "edit"}} if part < 2 else {}
        return in_json({"query": {"pages": pages}, **more})

    result = found(Site(HOST, {}, {kind.path: answer}), kind.spec, "x")
    cited = {row.url: row.found_by()[0].rank for row in result.rows if "c.test" in row.url}
    assert cited == {"https://c.test/2": 3, "https://c.test/1": 4, "https://c.test/3": 5}, "what both cite is first"
    assert [given.get("elcontinue") for given in asked] == [None, ["1"], ["2"]]
    assert all(given["action"] == ["query"] for given in asked)


def test_parts_without_end_are_not_followed() -> None:
    kind, asked = ENGINES["mediawiki"], list[str]()

    def answer(ask: Ask) -> Resource:
        if "list" in parameters(ask):
            return in_json({"query": {"search": [{"title": "A", "pageid": 1}]}})
        asked.append(ask.target)
        pages = [{"pageid": 1, "fullurl": "https://w.test/1", "extlinks": [{"url": f"https://c.test/{len(asked)}"}]}]
        return in_json({"query": {"pages": pages}, "continue": {"elcontinue": "x" * 9_000, "continue": "-"}})

    result = found(Site(HOST, {}, {kind.path: answer}), kind.spec, "x")
    assert (len(asked), len(result.rows)) == (4, 5)
    assert max(map(len, asked)) < 1_000


def _index(has: dict[str, int], asked: list[tuple[str, int]]) -> Callable[[Ask], Resource]:
    """Common Crawl's index with so many pages of each pattern; 404 where it has none, 400 behind the last."""

    def answer(ask: Ask) -> Resource:
        given = parameters(ask)
        pattern, page = given["url"][0], int(given["page"][0])
        asked.append((pattern, page))
        pages = has.get(pattern, 0)
        if not pages:
            return in_json({"message": f"No Captures found for: {pattern}"}, 404)
        if page >= pages:
            return in_json({"message": f"Page {page} invalid: First Page is 0, Last Page is {pages - 1}"}, 400)
        lines = b'{"url": "https://%b/%d", "timestamp": "2"}\n' % (pattern.strip("*./").encode(), page)
        return Resource(b"" if page == 1 else lines, "text/x-ndjson")

    return answer


def test_an_index_of_several_sites_is_asked_no_more_than_there_are_pages() -> None:
    """A page may be empty, since filters work on what is in it: the next may not be."""
    kind, asked = ENGINES["commoncrawl"], list[tuple[str, int]]()
    site = Site(HOST, {}, {kind.path: _index({"*.a.test": 1, "*.b.test": 3}, asked)})
    result = found(site, kind.spec, "site:a.test site:b.test site:c.test", per_query=100)
    assert result.troubles == []
    assert urls(result) == {"https://a.test/0", "https://b.test/0", "https://b.test/2"}
    assert [pages for pattern, pages in asked if pattern == "*.a.test"] == [0, 1]
    assert [pages for pattern, pages in asked if pattern == "*.b.test"] == [0, 1, 2, 3]
    assert [pages for pattern, pages in asked if pattern == "*.c.test"] == [0]


def test_a_mistake_is_told_as_the_index_tells_it() -> None:
    kind = ENGINES["commoncrawl"]
    wrong = in_json({"message": "Invalid filter"}, 400)
    result = found(Site(HOST, {}, {kind.path: lambda _: wrong}), kind.spec, "site:a.test")
    assert result.troubles == [f"commoncrawl:{HOST}: http 400: Invalid filter"]


@pytest.mark.parametrize("name", ["commoncrawl", "wayback"])
def test_words_are_looked_for_as_addresses_have_them(name: str) -> None:
    kind, asked = ENGINES[name], list[str]()

    def noted(ask: Ask) -> Resource:
        asked.append(parameters(ask)["filter"][2])
        return in_json({}, 404) if name == "commoncrawl" else in_json([])

    found(Site(HOST, {}, {kind.path: noted}), kind.spec, '"größere Brötchen" site:a.test')
    assert asked[0].endswith("urlkey:.*(gr%c3%b6%c3%9fere[^a-z0-9]*br%c3%b6tchen).*")


def test_a_work_is_named_by_its_doi_and_on_a_site_by_its_page_there() -> None:
    kind = ENGINES["crossref"]
    work = {"URL": "https://doi.org/10.1/x", "title": ["T"], "resource": {"primary": {"URL": "https://p.test/x"}}}
    site = Site(HOST, {}, {kind.path: lambda _: in_json({"message": {"items": [work]}})})
    assert urls(found(site, kind.spec, "x")) == {"https://doi.org/10.1/x"}
    assert urls(found(site, kind.spec, "x site:p.test")) == {"https://p.test/x"}


@pytest.mark.parametrize(
    ("template", "asked"),
    [
        ("/s/{searchTerms}/{startPage?}", ["/s/a%20%22%C3%A9%20b%22/1", "/s/a%20%22%C3%A9%20b%22/2"]),
        ("/s?q={searchTerms}&amp;i={startIndex}", ["/s?q=a%20%22%C3%A9%20b%22&i=1", "/s?q=a%20%22%C3%A9%20b%22&i=4"]),
    ],
)
def test_a_template_is_filled_in_so_that_it_is_right_in_a_path_as_well(template: str, asked: list[str]) -> None:
    description = (
        f'<OpenSearchDescription><Url type="application/atom+xml" template="http://{HOST}{template}"/>'
        '<Url method="post" type="application/atom+xml" template="http://wrong.test/{searchTerms}"/>'
        "</OpenSearchDescription>"
    )
    came: list[str] = []

    def answer(ask: Ask) -> Resource:
        came.append(ask.target)
        first = 3 * len(came)
        links = "".join(f'<entry><link href="http://r.test/{first + n}"/></entry>' for n in range(3))
        return Resource(f"<feed>{links if len(came) < 3 else ''}</feed>".encode(), "application/atom+xml")

    site = Site(HOST, {"/d.xml": Resource(description.encode(), "text/xml")}, {"/s": answer})
    result = found(site, f"opensearch:http://{HOST}/d.xml", 'a "é b"')
    assert result.troubles == []
    assert len(result.rows) == 6
    assert came[:2] == asked


def test_a_query_that_is_too_long_is_told_and_nobody_is_asked() -> None:
    keys = Keys({"DOWSE_BRAVE_SEARCH_TEST_KEY": "key-of-brave"})
    topic = topic_of("127.0.0.1:9", f"brave:http://{HOST}", "word " * 60, "x" * 401)
    result = asyncio.run(find(topic, keys=keys))
    assert result.requests == 0
    assert all("50 words and 400 characters at most" in trouble for trouble in result.troubles)
