"""Every engine against a server that answers in its shape: what it finds, and what goes wrong on the way."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from dowse.engine.assembly.find import FoundSeeds, find_seeds, queries_of
from dowse.engine.assembly.prepare import exchange_of
from dowse.engine.assembly.search_engines import build_engines
from dowse.fetch.http import HttpTransport
from dowse.loopback import LoopbackServer, Resource, Site, Web, in_thread
from dowse.loopback.web import Ask
from dowse.model.clock import SystemClock
from dowse.model.errors import TopicError, UserError
from dowse.model.topic import Find, Keyword, Network, Scope, Topic
from dowse.seeds.keys import Keys
from tests.engine.assembly.engine_answers import BROKEN, ENGINES, HOST, Kind, answering, in_json, parameters
from tests.engine.servers import topic_for

KEYS = Keys({"DOWSE_BRAVE_SEARCH_TEST_KEY": "key-of-brave", "XDG_CONFIG_HOME": "/nowhere"})


def topic_of(address: str, spec: str | list[str], *queries: str, **caps: Any) -> Topic:
    engines = (spec,) if isinstance(spec, str) else tuple(spec)
    topic = topic_for(address, [], find=Find(engines=engines, queries=queries, **caps))
    return replace(topic, network=replace(topic.network, allow_private=False, allow_addresses=("127.0.0.1",)))


async def find(topic: Topic, clock: Any = None, keys: Keys = KEYS, until: asyncio.Event | None = None) -> FoundSeeds:
    clock = clock or SystemClock()
    transport = HttpTransport(topic.network, topic.limits, clock)
    try:
        exchange = exchange_of(topic, transport, clock)
        return await find_seeds(topic, build_engines(topic, keys), exchange, clock, until=until)
    finally:
        await transport.close()


def found(site: Site, spec: str | list[str], *queries: str, **caps: Any) -> FoundSeeds:
    with in_thread(Web.of(site)) as server:
        return asyncio.run(find(topic_of(server.address, spec, *queries, **caps)))


def urls(result: FoundSeeds) -> set[str]:
    return {row.url for row in result.rows}


@pytest.mark.parametrize("kind", ENGINES.values(), ids=ENGINES)
def test_it_pages_through_results_and_asks_in_its_own_words(kind: Kind) -> None:
    asked: list[str] = []
    total = kind.at_once + 5
    result = found(answering(kind, total, asked), kind.spec, kind.query, per_query=1_000)
    assert result.troubles == []
    assert {url for url in urls(result) if "result.test" in url} == {f"https://result.test/{n}" for n in range(total)}
    assert all(word in asked[0] or set(word.split()) <= set(asked[0].split()) for word in kind.words), asked
    first = next(row for row in result.rows if row.url == "https://result.test/0").found_by()[0]
    assert (first.rank, first.query) == (1, kind.query)
    if kind.query.startswith("site:"):
        assert (first.title, first.snippet) == ("", "")
    else:
        assert (first.title, first.snippet) == ("Title 0 <é>" if "<é>" in first.title else "Title 0", "snippet of 0")


@pytest.mark.parametrize("kind", ENGINES.values(), ids=ENGINES)
def test_no_results_are_no_trouble(kind: Kind) -> None:
    result = found(answering(kind, 0), kind.spec, kind.query)
    assert (result.rows, result.troubles) == ([], [])


@pytest.mark.parametrize("kind", ENGINES.values(), ids=ENGINES)
def test_an_engine_that_repeats_itself_is_left(kind: Kind) -> None:
    def same(ask: Ask) -> Resource:
        kind.asked(ask)
        return kind.answer(ask, [("https://result.test/0", "Title", "snippet")] * kind.at_once, True)

    site = replace(answering(kind, 1), made={kind.path: same})
    result = found(site, kind.spec, kind.query)
    assert "https://result.test/0" in urls(result)
    assert result.requests <= 6, "two pages, and what an engine asks besides"


@pytest.mark.parametrize("name", BROKEN)
@pytest.mark.parametrize("kind", ENGINES.values(), ids=ENGINES)
def test_what_goes_wrong_is_one_line(kind: Kind, name: str) -> None:
    resource, message = BROKEN[name]
    if kind.spec.startswith("commoncrawl") and name == "empty":
        return  # no line is no result
    site = Site(HOST, {"/round": resource, "/description.xml": answering(kind, 0).resources["/description.xml"]},
                {kind.path: lambda _: resource})  # fmt: skip
    result = found(site, kind.spec, kind.query)
    assert result.rows == []
    [trouble] = result.troubles
    assert re.search(message, trouble), trouble
    assert "\n" not in trouble
    assert result.requests <= 7


def _always(resource: Resource, _: Ask) -> Resource:
    return resource


SHAPES: list[Any] = [
    [], {}, "x", 5, None, [[]], [None, 1], {"results": 5}, {"results": [1, None, {"url": 5}]},
    {"hits": [{}], "nbPages": "x"},
    {"query": {"search": [{"pageid": "x"}, {"pageid": 1}], "pages": 7}}, {"query": []}, {"error": []},
    {"web": {"results": {"url": "x"}}}, {"message": {"items": [{"URL": {}, "title": 3}]}}, [["original"], [5], "x"],
    {"results": [{"url": "javascript:alert(1)", "title": "x"}, {"url": "http://[", "title": ["y", 1]}]},
]  # fmt: skip


@pytest.mark.parametrize("kind", ENGINES.values(), ids=ENGINES)
def test_json_of_any_other_shape_does_no_harm(kind: Kind) -> None:
    for shape in SHAPES:
        made: dict[str, Callable[[Ask], Resource]] = {kind.path: partial(_always, in_json(shape))}
        result = found(replace(answering(kind, 0), made=made), kind.spec, kind.query)
        assert result.rows == []
        assert not any("engine failed" in trouble for trouble in result.troubles), (shape, result.troubles)


def test_retry_after_is_kept_and_then_it_goes_on() -> None:
    kind, calls = ENGINES["searxng"], list[str]()

    def busy(ask: Ask) -> Resource:
        calls.append(ask.target)
        return (
            in_json({}, 429, Retry_After="0")
            if len(calls) == 1
            else kind.answer(ask, [("https://result.test/0", "", "")], False)
        )

    result = found(Site(HOST, {}, {kind.path: busy}), kind.spec, "x", per_query=1)
    assert (urls(result), result.troubles, len(calls)) == ({"https://result.test/0"}, [], 2)


def test_the_budget_of_requests_is_hard() -> None:
    kind = ENGINES["hackernews"]
    with in_thread(Web.of(answering(kind, 10_000))) as server:
        result = asyncio.run(find(topic_of(server.address, kind.spec, "a", "b", per_query=1_000, requests=3)))
        assert len(server.log) == 3
    assert len(result.rows) == 90, "what came is kept"
    assert result.troubles == [
        f"hackernews:{HOST}: all requests to search engines are made (--find-requests 3); 1 more query is not asked"
    ]


class Jumping(SystemClock):
    """A clock on which waiting takes no time."""

    def __init__(self) -> None:
        self.ahead = 0.0

    def now(self) -> float:
        return super().now() + self.ahead

    async def sleep(self, seconds: float) -> None:
        self.ahead += max(0.0, seconds)
        await asyncio.sleep(0)


def test_the_delay_that_a_service_asks_for_lies_between_requests() -> None:
    kind, clock, at = ENGINES["arxiv"], Jumping(), list[float]()

    def timed(ask: Ask) -> Resource:
        at.append(clock.now())
        _, first = kind.asked(ask)
        rows = [(f"https://result.test/{n}", "", "") for n in range(first, first + 25)]
        return kind.answer(ask, rows, True)

    with in_thread(Web.of(Site(HOST, {}, {kind.path: timed}))) as server:
        asyncio.run(find(topic_of(server.address, kind.spec, "x", per_query=75), clock))
    assert len(at) == 3
    assert all(later - earlier >= 3.0 for earlier, later in pairwise(at)), at


def test_what_an_engine_cannot_say_is_told_and_results_are_sifted() -> None:
    kind = ENGINES["crossref"]
    rows = [
        ("https://good.test/a", "Solar", ""),
        ("https://good.test/b", "Solar lamp", ""),
        ("https://bad.test/c", "Solar", ""),
    ]
    site = Site(HOST, {}, {kind.path: lambda ask: kind.answer(ask, rows, False)})
    result = found(site, kind.spec, '"solar cell" OR module -lamp site:good.test')
    assert urls(result) == {"https://good.test/a"}
    told = "\n".join(result.notes)
    assert '"solar cell" is asked for as single words' in told
    assert "-lamp is not asked for: results that show it are left out here" in told
    assert "site:good.test is not asked for: results from elsewhere are left out here" in told


def test_several_engines_are_merged_and_one_that_fails_costs_only_itself() -> None:
    good, bad = ENGINES["searxng"], ENGINES["hackernews"]
    one = [("http://Result.TEST:80/x#top", "Perovskite solar cells", "s")]
    two = [("http://result.test/x", "", ""), ("http://result.test/y", "", "")]
    site = Site(HOST, {}, {
        good.path: lambda ask: good.answer(ask, one, False),
        bad.path: lambda _: Resource(b"no", status=500),
        "/works": lambda ask: ENGINES["crossref"].answer(ask, two, False),
    })  # fmt: skip
    result = found(site, [good.spec, bad.spec, f"crossref:http://{HOST}"], "perovskite", per_query=1_000)
    assert [row.url for row in result.rows] == ["http://result.test/x", "http://result.test/y"]
    row = result.rows[0]
    assert {(find.engine, find.rank) for find in row.found_by()} == {(f"searxng:{HOST}", 1), (f"crossref:{HOST}", 1)}
    assert row.score == pytest.approx(2 / 61)
    assert row.title == "Perovskite solar cells", "that of the engine which tells one"
    assert result.troubles == [f"hackernews:{HOST}: http 500"]


def test_a_snippet_that_is_nearer_to_the_topic_goes_first() -> None:
    kind = ENGINES["searxng"]
    rows = [("https://a.test/", "Bread", "dough"), ("https://b.test/", "Perovskite solar cells", "solar cells"),
            ("https://c.test/", "Cells", "of solar panels")]  # fmt: skip
    result = found(Site(HOST, {}, {kind.path: lambda ask: kind.answer(ask, rows, False)}), kind.spec, "x", per_query=3)
    assert [row.url for row in result.rows] == ["https://b.test/", "https://c.test/", "https://a.test/"]
    assert [row.id for row in result.rows] == [0, 1, 2]
    assert result.rows[0].nearness > result.rows[1].nearness > result.rows[2].nearness == 0.0


def test_articles_come_with_what_they_cite() -> None:
    kind = ENGINES["mediawiki"]
    result = found(answering(kind, 2), kind.spec, "solar")
    assert urls(result) == {
        "https://result.test/0",
        "https://result.test/1",
        "https://cited.test/both",
        "https://cited.test/one",
    }
    ranks = {row.url: row.found_by()[0].rank for row in result.rows}
    assert ranks["https://cited.test/both"] == 3 < ranks["https://cited.test/one"], "what both cite comes first"
    [cited] = [row for row in result.rows if row.url == "https://cited.test/one"]
    assert cited.snippet.startswith("cited by Title 0")


def test_the_api_of_a_wiki_is_looked_for() -> None:
    kind, asked = ENGINES["mediawiki"], list[str]()
    site = Site(HOST, {}, {"/api.php": answering(kind, 1, asked).made[kind.path]})
    result = found(site, f"mediawiki:http://{HOST}", "solar", "cells")
    assert result.troubles == []
    assert asked == ["solar", "cells"]
    assert result.requests == 5, "once it is known where the API is, nobody asks elsewhere"


def test_a_wikis_own_error_is_told() -> None:
    kind = ENGINES["mediawiki"]
    error = in_json({"error": {"code": "srsearch-error", "info": "The query is <b>wrong</b>"}})
    assert found(Site(HOST, {}, {kind.path: lambda _: error}), kind.spec, "x").troubles == [
        f"mediawiki:{HOST}: The query is wrong"
    ]


def test_the_newest_index_of_common_crawl_is_asked() -> None:
    kind = ENGINES["commoncrawl"]
    listed = [
        {"id": "CC-MAIN-2026-01", "cdx-api": f"http://{HOST}{kind.path}"},
        {"id": "old", "cdx-api": "http://old.test/x"},
    ]
    site = replace(answering(kind, 3), resources={"/collinfo.json": in_json(listed)})
    assert len(urls(found(site, f"commoncrawl:http://{HOST}", "site:result.test"))) == 3


def test_words_for_an_index_of_addresses_are_filters() -> None:
    kind, asked = ENGINES["wayback"], list[dict[str, list[str]]]()

    def noted(ask: Ask) -> Resource:
        asked.append(parameters(ask))
        return in_json([])

    result = found(
        Site(HOST, {}, {kind.path: noted}), kind.spec, '"solar cell" OR module -old site:a.test site:b.test/x'
    )
    assert [each["url"] for each in asked] == [["*.a.test"], ["b.test/x*"]]
    assert asked[0]["filter"][2:] == ["urlkey:.*(solar[^a-z0-9]*cell|module).*", "!urlkey:.*(old).*"]
    assert result.notes == [f"wayback:{HOST}: words are looked for in addresses, not in pages"]
    assert "add site:example.org" in found(Site(HOST), kind.spec, "x").troubles[0]


def test_a_sites_own_search_is_found_by_its_front_page_and_read_as_html() -> None:
    front = b'<link rel="search" type="application/opensearchdescription+xml" href="/d.xml"><a href="/about">About</a>'
    described = b'<OpenSearchDescription><Url type="text/html" template="http://search.test/s?q={searchTerms}"/></OpenSearchDescription>'
    results = (
        b'<meta name=robots content=nofollow><a href="/about">About</a> <a href="/a">A cell</a>'
        b'<a href="/s?q=cell&p=2">next</a>'
    )
    site = Site(HOST, {"/": Resource(front), "/d.xml": Resource(described, "text/xml"), "/s?q=cell": Resource(results)})
    result = found(site, f"opensearch:http://{HOST}/", "cell")
    assert [(row.url, row.title) for row in result.rows] == [(f"http://{HOST}/a", "A cell")]
    plain = found(Site(HOST, {"/": Resource(b"<p>nothing")}), f"opensearch:http://{HOST}/", "cell")
    assert plain.troubles == [f"opensearch:{HOST}: it is no OpenSearch description, and names none in a <link>"]


def test_errors_of_arxiv_come_as_an_entry() -> None:
    kind = ENGINES["arxiv"]
    rows = [("http://arxiv.org/api/errors#incorrect_id", "Error", "incorrect id format")]
    site = Site(HOST, {}, {kind.path: lambda ask: kind.answer(ask, rows, False)})
    assert found(site, kind.spec, "x").troubles == [f"arxiv:{HOST}: incorrect id format"]


def test_preprints_are_named_without_their_version() -> None:
    kind = ENGINES["arxiv"]
    rows = [("http://arxiv.org/abs/2101.00001v3", "A", ""), ("http://arxiv.org/abs/cond-mat/0101v2", "B", "")]
    site = Site(HOST, {}, {kind.path: lambda ask: kind.answer(ask, rows, False)})
    assert urls(found(site, kind.spec, "x")) == {
        "https://arxiv.org/abs/2101.00001",
        "https://arxiv.org/abs/cond-mat/0101",
    }


def test_a_searxng_that_gives_no_json_or_has_no_engines_says_so() -> None:
    kind = ENGINES["searxng"]
    closed = found(Site(HOST, {}, {kind.path: lambda _: Resource(b"", status=403)}), kind.spec, "x")
    assert "search.formats" in closed.troubles[0]
    silent = in_json({"results": [], "unresponsive_engines": [["duckduckgo", "timeout"]]})
    assert found(Site(HOST, {}, {kind.path: lambda _: silent}), kind.spec, "x").troubles == [
        f"searxng:{HOST}: none of its engines answered: duckduckgo: timeout"
    ]


def test_files_are_engines(tmp_path: Path) -> None:
    (tmp_path / "list.txt").write_text("https://a.test/x\n# no\nhttps://b.test/\n")
    (tmp_path / "t.csv").write_text('url,title,snippet\nhttps://a.test/x,"A title",text\n')
    (tmp_path / "f.jsonl").write_text('{"url": "https://c.test/", "title": "C"}\n\n{"other": 1}\n')
    specs = [f"file:{tmp_path / name}" for name in ("list.txt", "t.csv", "f.jsonl")]
    result = asyncio.run(find(topic_of("127.0.0.1:9", specs, "anything")))
    assert urls(result) == {"https://a.test/x", "https://b.test/", "https://c.test/"}
    assert {row.title for row in result.rows} == {"A title", "", "C"}
    assert result.requests == 0
    (tmp_path / "f.jsonl").write_text("no json\n")
    assert asyncio.run(find(topic_of("127.0.0.1:9", specs[2], "x"))).troubles == ["file:f.jsonl: line 1 is no JSON"]


# -- who is asked, and what for ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("engines", "message"),
    [
        (("brave",), "brave needs a key: set DOWSE_BRAVE_KEY"),
        (("bravo",), "there is no search engine 'bravo': did you mean brave?"),
        (("searxng",), "searxng has no address of its own: write --engine searxng:https://"),
        (("searxng:nowhere",), "'nowhere' is not a web address"),
        (("local",), "local: names no folder"),
        (("local:/nowhere/at/all",), "cannot read the folder: no such file or directory"),
        (("file:gone.txt",), "there is no such file"),
    ],
)
def test_engines_that_cannot_be_made_are_told(engines: tuple[str, ...], message: str) -> None:
    with pytest.raises(UserError, match=re.escape(message)):
        build_engines(Topic(find=Find(engines=engines)), Keys({"XDG_CONFIG_HOME": "/nowhere"}))


def test_without_names_the_engines_that_need_no_key_are_asked() -> None:
    keys = Keys({"XDG_CONFIG_HOME": "/nowhere"})
    german = Topic(query="x", scope=Scope(languages=("de",)))
    assert [engine.name for engine in build_engines(german, keys).values()] == [
        "mediawiki:de.wikipedia.org", "marginalia", "hackernews"
    ]  # fmt: skip
    scholarly = build_engines(Topic(find=Find(engines=("scholarly", "arxiv"))), keys)
    assert list(scholarly) == ["openalex", "crossref", "arxiv"]


@pytest.mark.parametrize(
    ("topic", "said"),
    [
        (Topic(query="the efficiency of perovskite solar cells"), ["efficiency", "perovskite", "solar", "cells"]),
        (Topic(query="The Who"), ["The", "Who"]),
        (Topic(query='"out of africa" film'), ['"out of africa"', "film"]),
        (Topic(keywords=(Keyword("b"), Keyword("solar cell", 2.0))), ['"solar cell" b']),
        (Topic(query="x", find=Find(queries=("a OR b",))), ["a b"]),
    ],
)
def test_what_is_asked_follows_from_the_topic(topic: Topic, said: list[str]) -> None:
    [query] = queries_of(topic)
    assert [" ".join(map(str, choice)) for choice in query.wanted] == said


def test_a_query_that_asks_for_nothing_is_told() -> None:
    with pytest.raises(TopicError, match="nothing to ask search engines for in '-x'"):
        queries_of(Topic(find=Find(queries=("-x",))))


# -- keys --------------------------------------------------------------------------------------------------------------


@contextmanager
def serving(maker: Callable[[Ask], Resource]) -> Iterator[LoopbackServer]:
    with in_thread(Web.of(Site(HOST, {}, {"/": maker}), Site("other.test", {}, {"/": maker}))) as server:
        yield server


def test_a_key_goes_to_its_engine_and_to_nobody_else() -> None:
    heads: list[tuple[str, str, str | None]] = []

    def away(ask: Ask) -> Resource:
        heads.append((ask.host, ask.target, ask.headers.get("x-subscription-token")))
        return Resource(b"", None, 302, (("Location", "http://other.test/x"),))

    keys = Keys({"DOWSE_OPENALEX_SEARCH_TEST_KEY": "key-of-openalex", "DOWSE_BRAVE_SEARCH_TEST_KEY": "key-of-brave"})
    with serving(away) as server:
        topic = topic_of(server.address, [f"openalex:http://{HOST}", f"brave:http://{HOST}"], "x")
        result = asyncio.run(find(topic, keys=keys))
    assert {host for host, _, _ in heads} == {HOST}
    assert any(target.endswith("&api_key=key-of-openalex") for _, target, _ in heads)
    assert [token for _, _, token in heads if token] == ["key-of-brave"]
    assert all("must not get the key" in trouble for trouble in result.troubles)
    assert "key-of" not in repr((result, topic))


def test_network_is_kept_out_of_private_addresses_without_leave() -> None:
    topic = topic_of("127.0.0.1:9", "searxng:http://127.0.0.1:9", "x")
    topic = replace(topic, network=Network())
    assert "address" in asyncio.run(find(topic)).troubles[0]
