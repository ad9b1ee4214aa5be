"""Visits to a web that misbehaves, or that has moved its pages about."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from dowse.engine.assembly.assemble import assemble
from dowse.engine.assembly.revisit import Revisit
from dowse.loopback import Resource, Site, Web, in_thread
from dowse.model.budget import Budget
from dowse.model.clock import SystemClock
from dowse.model.http import Failure, FailureKind, Meter, Request, Resolved, Response, Truncation
from dowse.model.topic import Topic
from dowse.store import CrawlStore
from tests.engine.servers import crawl_all, page, topic_for
from tests.engine.test_revisit import LINKS, ask, asked, began, visit, web

VALIDATED = (("Content-Type", "text/html"), ("ETag", '"1"'))


class Answers:
    """A way out where ``answers`` tell what comes of each path; everything else is not there."""

    def __init__(self, answers: dict[str, Response | Failure]) -> None:
        self.answers = answers
        self.asked: list[Request] = []

    async def resolve(self, host: str, port: int) -> Resolved | Failure:
        return Resolved(host, ("192.0.2.1",))

    async def fetch(self, request: Request, meter: Meter | None = None) -> Response | Failure:
        path = request.url.removeprefix("http://a.test")
        if path != "/robots.txt":
            self.asked.append(request)
        found = self.answers.get(path)
        return Response(request.url, 404, (), b"no") if found is None else replace(found, url=request.url)

    async def close(self) -> None:
        """Nothing is open."""


def go(topic: Topic, folder: Path, way: Answers, *, again: bool = True) -> None:
    async def run() -> None:
        assembly = await assemble(
            topic, folder, resume=again, revisit=Revisit("0s") if again else None, transport=way, clock=SystemClock()
        )
        try:
            await assembly.run()
        finally:
            await assembly.close()

    asyncio.run(run())


def held(folder: Path) -> Topic:
    """A crawl of one page, that has both validators."""
    topic = topic_for("127.0.0.1:1", ["http://a.test/0"])
    go(topic, folder, Answers({"/0": Response("", 200, VALIDATED, page("a0", "solar", []).body)}), again=False)
    return topic


ROW = "SELECT title, truncated, ifnull(misses, 0), gone_at IS NOT NULL FROM pages"
LAST = "SELECT status, reason, changed FROM visits ORDER BY number DESC LIMIT 1"


@pytest.mark.parametrize(
    ("how", "told"), [(Truncation.DISCONNECT, "reset: a part of the body came"),
                      (Truncation.TIME, "timeout: a part of the body came"),
                      (Truncation.ENCODING, "encoding: it cannot be decoded")],
)  # fmt: skip
def test_a_body_that_was_cut_does_not_take_the_place_of_a_whole_one(tmp_path: Path, how: Truncation, told: str) -> None:
    topic = held(tmp_path)
    way = Answers({"/0": Response("", 200, VALIDATED, b"<title>half", truncated=how)})
    go(topic, tmp_path, way)
    assert ask(tmp_path, ROW) == [("a0", "", 0.5, 0)]
    assert ask(tmp_path, LAST) == [(200, told, None)]
    assert len(way.asked) == (1 if how is Truncation.ENCODING else 1 + topic.limits.max_retries)


def test_a_page_that_always_comes_cut_is_taken_as_it_comes(tmp_path: Path) -> None:
    topic = topic_for("127.0.0.1:1", ["http://a.test/0"])
    cut = Response("", 200, VALIDATED, page("a0", "solar", []).body, truncated=Truncation.DISCONNECT)
    go(topic, tmp_path, Answers({"/0": cut}), again=False)
    go(topic, tmp_path, Answers({"/0": replace(cut, body=page("b0", "solar", []).body)}))
    assert ask(tmp_path, ROW) == [("b0", "disconnect", 0, 0)]


def test_a_304_that_nobody_asked_for_says_nothing(tmp_path: Path) -> None:
    topic = topic_for("127.0.0.1:1", ["http://a.test/0"])
    go(topic, tmp_path, Answers({"/0": Response("", 200, VALIDATED[:1], page("a0", "solar", []).body)}), again=False)
    way = Answers({"/0": Response("", 304, (), b"")})
    go(topic, tmp_path, way)
    assert (way.asked[0].etag, way.asked[0].last_modified) == (None, None)
    assert ask(tmp_path, LAST) == [(304, "http 304", None)]


@pytest.mark.parametrize("status", [200, 304])
def test_it_is_asked_with_what_the_site_said_last(tmp_path: Path, status: int) -> None:
    topic = held(tmp_path)
    body = page("a0", "solar", []).body if status == 200 else b""
    now = (("Content-Type", "text/html"), ("ETag", '"2"'), ("Last-Modified", "Thu, 01 Jan 2026 00:00:00 GMT"))
    way = Answers({"/0": Response("", status, now, body)})
    go(topic, tmp_path, way)
    way.answers["/0"] = Response("", 304, (), b"")
    go(topic, tmp_path, way)
    go(topic, tmp_path, way)
    told = [(request.etag, request.last_modified) for request in way.asked]
    assert told == [('"1"', None), *[('"2"', "Thu, 01 Jan 2026 00:00:00 GMT")] * 2]
    assert ask(tmp_path, "SELECT sum(changed) FROM visits") == [(0,)]


@pytest.mark.parametrize("garbage", ['W/"', "\u00fc\x01\udcff", "x" * 3000, '"a", "b"', "*"])
def test_an_etag_that_is_garbage_harms_nobody(tmp_path: Path, garbage: str) -> None:
    topic = topic_for("127.0.0.1:1", ["http://a.test/0"])
    one = Response("", 200, (("Content-Type", "text/html"), ("ETag", garbage)), page("a0", "solar", []).body)
    way = Answers({"/0": one})
    go(topic, tmp_path, way, again=False)
    go(topic, tmp_path, way)
    assert ask(tmp_path, LAST) == [(200, "", 0)]


def test_what_nobody_may_ask_for_has_its_turn_and_the_others_have_theirs(tmp_path: Path) -> None:
    with in_thread(web()) as server:
        topic = began(server, tmp_path)
        forbids = Resource(b"User-agent: *\nDisallow: /0\nDisallow: /1\n", "text/plain")
        server.web = web({"/robots.txt": forbids})
        for _ in range(2):
            visit(topic, tmp_path, "uniform", Budget(pages=3))  # two visits a run
        assert asked(server) == [("/2", 304), ("/3", 304)]
    assert ask(tmp_path, "SELECT page, status, reason FROM visits WHERE reason <> '' ORDER BY page") == [
        (0, 0, "not asked: robots"), (1, 0, "not asked: robots")
    ]  # fmt: skip
    assert ask(tmp_path, "SELECT count(*) FROM pages WHERE misses IS NOT NULL OR gone_at IS NOT NULL") == [(0,)]
    assert ask(tmp_path, "SELECT pages, recorded FROM totals") == [(6, 4)], "who is not asked costs nothing"
    with CrawlStore.open(tmp_path) as store:
        assert store.visited_again() == 2


def test_a_site_that_does_not_answer_leaves_its_turn_to_others(tmp_path: Path) -> None:
    both = [
        Site(host, {path: page(f"{host[0]}{path[1:]}", "solar", links) for path, links in LINKS.items()})
        for host in ("a.test", "b.test")
    ]
    with in_thread(Web.of(*both)) as server:
        topic = topic_for(server.address, ["http://a.test/0", "http://b.test/0"])
        asyncio.run(crawl_all(topic, tmp_path))
        server.log.clear()
        dead = replace(topic.network, resolve={"a.test": "127.0.0.1:1", "b.test": server.address})
        for _ in range(2):
            visit(replace(topic, network=dead), tmp_path, "uniform", Budget(pages=6))  # four visits a run
        assert len(asked(server)) == 4
    assert ask(tmp_path, "SELECT count(*) FROM pages WHERE visited_at IS NULL") == [(0,)]
    assert ask(tmp_path, "SELECT count(*) FROM pages WHERE gone_at IS NOT NULL OR misses > 0") == [(0,)]
    [(reason,)] = ask(tmp_path, "SELECT DISTINCT reason FROM visits WHERE reason <> ''")
    assert reason.startswith("not asked: ")


def test_what_a_page_said_may_stand_elsewhere_by_now(tmp_path: Path) -> None:
    with in_thread(web()) as server:
        topic = began(server, tmp_path)
        moved = page("a3", "solar", [])
        server.web = web({"/3": page("b3", "solar", ["/4"]), "/4": moved})
        visit(topic, tmp_path)
    assert ask(tmp_path, "SELECT title, duplicate_of, relevant FROM pages WHERE url LIKE '%/4'") == [("a3", None, 1)]


def test_a_duplicate_of_what_a_page_said_once_is_judged_by_itself(tmp_path: Path) -> None:
    with in_thread(web({"/2": page("a1", "solar", ["/3"])})) as server:
        topic = began(server, tmp_path)
        assert ask(tmp_path, "SELECT duplicate_of, relevant FROM pages WHERE id = 2") == [(1, None)]
        server.web = web({"/1": page("fresh", "solar", ["/3"]), "/2": page("a1", "solar", ["/3"])})
        for _ in range(3):
            visit(topic, tmp_path)
        assert [status for target, status in asked(server) if target == "/2"] == [200, 304, 304]
    assert ask(tmp_path, "SELECT duplicate_of, relevant FROM pages WHERE id = 2") == [(None, 1)]
    assert ask(tmp_path, "SELECT sum(changed) FROM visits WHERE page = 2") == [(0,)]
    assert ask(tmp_path, "SELECT relevant FROM totals") == ask(tmp_path, "SELECT sum(relevant) FROM pages")


def test_a_site_that_fails_while_it_is_asked_says_so(tmp_path: Path) -> None:
    topic = held(tmp_path)
    way = Answers({"/0": Failure("", FailureKind.RESET, "gone")})
    go(topic, tmp_path, way)
    [(status, reason, changed)] = ask(tmp_path, LAST)
    assert (status, changed) == (0, None)
    assert "reset" in reason
    assert ask(tmp_path, "SELECT count(*) FROM due") == [(0,)]


@pytest.mark.parametrize(
    ("now", "reason", "misses"),
    [
        (Response("", 410, (), b"gone"), "http 410", 1.0),
        (Response("", 403, (), b"no"), "http 403", 1.0),
        (Response("", 500, (), b"broken"), "http 500", 0.5),
        (Response("", 429, (), b"busy"), "http 429", 0.5),
        (Response("", 200, (("Content-Type", "image/png"),), b"\x89PNG\r\n\x1a\n" * 9), "content-type image/png", 1.0),
        (Response("", 301, (("Location", "http://elsewhere.test/"),), b""), "redirect", 1.0),
        (Response("", 302, (("Location", "/0"),), b""), "redirect: to itself", 1.0),
    ],
)  # fmt: skip
def test_whatever_a_page_becomes_its_last_good_version_stays(
    tmp_path: Path, now: Response, reason: str, misses: float
) -> None:
    topic = held(tmp_path)
    [before] = ask(tmp_path, "SELECT title, outcome, warc_offset, score, fetched_at FROM pages")
    go(topic, tmp_path, Answers({"/0": now}))
    assert ask(tmp_path, "SELECT title, outcome, warc_offset, score, fetched_at FROM pages WHERE id = 0") == [before]
    assert ask(tmp_path, "SELECT status, reason FROM visits WHERE page = 0 ORDER BY number DESC LIMIT 1") == [
        (now.status, reason)
    ]  # fmt: skip
    assert ask(tmp_path, "SELECT misses FROM pages WHERE id = 0") == [(misses,)]
    go(topic, tmp_path, Answers({"/0": Response("", 200, VALIDATED, page("b0", "solar", []).body)}))
    assert ask(tmp_path, "SELECT title, misses FROM pages WHERE id = 0") == [("b0", None)]


def test_a_body_that_the_budget_cuts_waits_for_a_later_run(tmp_path: Path) -> None:
    with in_thread(web()) as server:
        topic = began(server, tmp_path)
        server.web = web({path: page(f"b{path[1:]}", "solar", links) for path, links in LINKS.items()})
        stop = visit(topic, tmp_path, "0s", Budget(bytes=300))
    assert str(stop).startswith("budget: bytes")
    assert ask(tmp_path, "SELECT title, truncated FROM pages ORDER BY id") == [(f"a{n}", "") for n in range(4)]
    assert ask(tmp_path, "SELECT count(*) FROM visits") == [(0,)]
