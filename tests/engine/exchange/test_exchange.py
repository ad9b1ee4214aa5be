"""The one exchange: guarded, polite, budgeted and recorded, whatever is asked for."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable

import pytest

from dowse.engine.assembly.join import way_out
from dowse.engine.exchange.exchange import DeadEnd, Exchange, leads_on, next_hop
from dowse.fetch.http import HttpTransport
from dowse.frontier import Errand, Lease
from dowse.loopback import LoopbackServer, Resource, Site, Web
from dowse.model.budget import Budget, Purse
from dowse.model.clock import SystemClock
from dowse.model.http import Failure, FailureKind, Meter, Request, Resolved, Response, Timings
from dowse.model.topic import Limits, Politeness, Scope, Topic
from dowse.predict import build_strategy
from tests.engine.life.made import Disk
from tests.engine.servers import topic_for
from tests.fetch.servers import FakeClock

A = "http://a.test/x"
Answers = dict[str, Response | Failure]


def moved(url: str, location: str | None, status: int = 301) -> Response:
    headers = () if location is None else (("Location", location),)
    return Response(url, status, headers, wire_bytes=100, timings=Timings(first_byte_s=0.25, total_s=0.5))


class Told:
    """A way out whose answers the test gives; it notes when it was asked for what."""

    def __init__(self, clock: FakeClock, answers: Answers) -> None:
        self.clock = clock
        self.answers = answers
        self.asked: list[tuple[float, Request]] = []
        self.resolved: list[str] = []

    async def resolve(self, host: str, port: int) -> Resolved | Failure:
        self.resolved.append(host)
        return Resolved(host, ("192.0.2.1" if host == "a.test" else "192.0.2.2",))

    async def fetch(self, request: Request, meter: Meter | None = None) -> Response | Failure:
        self.asked.append((self.clock.now(), request))
        self.clock.time += 0.5
        return self.answers.get(request.url, Response(request.url, 404, (), timings=Timings(0.0, 0.0, 0.25, 0.5)))

    async def close(self) -> None:
        """Nothing is open."""


def made(answers: Answers, **changes: object) -> tuple[Exchange, Told, FakeClock]:
    topic = Topic(query="x", politeness=Politeness(delay_s=2.0), limits=Limits(retry_wait_s=0.5), **changes)  # type: ignore[arg-type]
    clock = FakeClock()
    told = Told(clock, answers)
    return way_out(topic, told, Purse(topic.budget), clock), told, clock


# -- the rule for redirects ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("location", "chain", "end"),
    [
        ("/y", [], "http://a.test/y"),
        ("//b.test", ["http://c.test/"], "http://b.test/"),
        ("file:///etc/passwd", [], DeadEnd("not a web address", refused=True)),
        ("javascript:alert(1)", [], DeadEnd("not a web address", refused=True)),
        (A, [], DeadEnd("to itself")),
        ("/y", ["http://a.test/z", "http://a.test/y"], DeadEnd("loop")),
        ("/new", ["http://a.test/1", "http://a.test/2", "http://a.test/3"], DeadEnd("too many")),
    ],
)
def test_where_a_redirect_leads(location: str, chain: list[str], end: str | DeadEnd) -> None:
    response = moved(A, location)
    assert leads_on(response)
    assert next_hop(A, response, chain, 3) == end


def test_a_redirect_without_a_location_is_an_answer_like_any_other() -> None:
    assert not leads_on(moved(A, None))
    assert not leads_on(moved(A, "/y", status=304))
    assert not leads_on(moved(A, "", status=302))


def test_hops_are_exchanges_of_their_own_in_the_turn_of_their_sites() -> None:
    """Two at one site are its delay apart; the third is another site's, which is free."""
    answers: Answers = {A: moved(A, "/y"), "http://a.test/y": moved("http://a.test/y", "http://b.test/z")}
    exchange, told, _ = made(answers, budget=Budget(requests=9))
    result = asyncio.run(exchange.follow(Request(A, max_body_bytes=1234)))
    assert isinstance(result, Response)
    assert (result.url, result.status) == ("http://b.test/z", 404)
    assert [request.url for _, request in told.asked] == [A, "http://a.test/y", "http://b.test/z"]
    assert {request.max_body_bytes for _, request in told.asked} == {1234}
    assert [request.address for _, request in told.asked] == ["192.0.2.1", "192.0.2.1", "192.0.2.2"]
    (first, _), (second, _), (third, _) = told.asked
    assert second - first == pytest.approx(0.5 + 2.0)
    assert third - second == pytest.approx(0.5)
    assert exchange.purse.spent.requests == 3


@pytest.mark.parametrize(("hops", "reaches"), [(5, True), (6, False)])
def test_so_many_hops_are_followed(hops: int, reaches: bool) -> None:
    urls = [f"http://a.test/{n}" for n in range(hops + 1)]
    answers: Answers = {url: moved(url, target) for url, target in itertools.pairwise(urls)}
    exchange, told, _ = made(answers)
    result = asyncio.run(exchange.follow(Request(urls[0])))
    assert result == (
        DeadEnd("redirect: too many")
        if not reaches
        else Response(urls[-1], 404, (), timings=Timings(0.0, 0.0, 0.25, 0.5))
    )
    assert len(told.asked) == 6


def test_what_is_not_permitted_is_not_asked_for_wherever_it_comes_from() -> None:
    exchange, told, _ = made({A: moved(A, "http://b.test/no")})

    async def permits(url: str) -> str:
        return "robots" if "no" in url else ""

    assert asyncio.run(exchange.follow(Request(A), permits=permits)) == DeadEnd("robots", refused=True)
    assert [request.url for _, request in told.asked] == [A]


# -- guarded, polite, budgeted, recorded -----------------------------------------------------------------------


def test_the_port_of_another_service_is_refused_before_anybody_is_asked() -> None:
    exchange, told, _ = made({A: moved(A, "http://a.test:25/")})
    result = asyncio.run(exchange.follow(Request(A)))
    assert isinstance(result, Failure)
    assert result.kind is FailureKind.ADDRESS
    assert len(told.asked) == 1
    allowed, told, _ = made({A: moved(A, "http://a.test:25/")}, scope=Scope(allow_ports=(25,)))
    assert isinstance(asyncio.run(allowed.follow(Request(A))), Response)


def test_a_request_is_counted_before_it_leaves_and_none_leaves_without_a_budget() -> None:
    exchange, told, _ = made({A: moved(A, "/y")}, budget=Budget(requests=1))
    assert asyncio.run(exchange.follow(Request(A))) is None
    assert len(told.asked) == 1
    assert exchange.purse.spent.requests == 1
    site = exchange.sites.of(A)
    assert site.in_flight == 0, "the turn that was not used is given back"


def test_nothing_more_leaves_when_the_crawl_stops() -> None:
    exchange, told, _ = made({})
    exchange.closed = True
    assert asyncio.run(exchange.ask(Request(A))) is None
    assert told.asked == []


def test_answers_that_are_no_pages_are_recorded_and_archived() -> None:
    answer = Response(A, 200, (("Content-Type", "text/plain"),), b"hello", wire_bytes=150, timings=Timings(0, 0, 1, 2))
    exchange, _, _ = made({A: answer})
    asyncio.run(exchange.ask(Request(A)))
    disk = Disk()
    journal = exchange.sites.journal
    journal.open(
        disk, build_strategy(Topic(query="x").strategy, seed_number=0)
    )  # the folder is made after the examples
    journal.commit()
    [batch] = disk.batches
    [site] = batch.sites.values()
    assert (site.requests, site.wire_bytes, site.latency_s, site.download_s) == (1, 150, 1.0, 1.0)
    [(archive, _)] = batch.archive_only
    assert len(archive) == 3, "request, response, metadata"


def test_a_site_where_nobody_answers_may_have_another_address() -> None:
    exchange, told, _ = made({A: Failure(A, FailureKind.CONNECT, "refused")})
    asyncio.run(exchange.ask(Request(A)))
    assert told.resolved == ["a.test", "a.test"]


def test_only_a_page_that_failed_counts_against_its_site() -> None:
    exchange, _, clock = made({A: Failure(A, FailureKind.RESET)})
    seen: list[tuple[Lease, Response | Failure]] = []

    async def fail(over: Callable[[Lease, Response | Failure], None] | None) -> None:
        lease = await exchange.turn(exchange.sites.of(A))
        assert isinstance(lease, Lease)
        assert lease.errand is Errand.ROBOTS
        await exchange.make(lease, Request(A), over)

    for _ in range(4):
        asyncio.run(fail(None))
    row = exchange.sites.journal.site(0)
    assert row.failures == 0
    for _ in range(3):
        asyncio.run(fail(lambda lease, result: seen.append((lease, result))))
    assert row.failures == 3
    assert len(seen) == 3
    assert exchange.sites.of(A).ready_at == pytest.approx(clock.now() + 2.0), (
        "a delay from the end, and it is set aside"
    )


def test_validators_are_sent_and_an_unchanged_page_is_told_so() -> None:
    date = "Tue, 17 Nov 2026 20:00:00 GMT"
    site = Site("a.test", {"/x": Resource(b"<p>new", "text/html", modified=date)})

    async def main() -> list[Response | Failure | None]:
        async with LoopbackServer(Web.of(site)) as server:
            topic = topic_for(server.address, [])
            clock = SystemClock()
            transport = HttpTransport(topic.network, topic.limits, clock)
            exchange = way_out(topic, transport, Purse(Budget()), clock)
            try:
                first = await exchange.ask(Request(A))
                assert isinstance(first, Response)
                asks = (Request(A, etag=first.header("ETag")), Request(A, last_modified=date), Request(A, etag='"old"'))
                return [first, *[await exchange.ask(request) for request in asks]]
            finally:
                await transport.close()

    answers = asyncio.run(main())
    told = [(one.status, one.body) for one in answers if isinstance(one, Response)]
    assert told == [(200, b"<p>new"), (304, b""), (304, b""), (200, b"<p>new")]
