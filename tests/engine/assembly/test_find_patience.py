"""How long engines are waited for, and when they are left: services that have had enough, lists of many queries."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise

import pytest

from dowse.engine.assembly.find import FoundSeeds
from dowse.loopback import Resource, Site, Web, in_thread
from dowse.loopback.web import Ask
from dowse.model.errors import UserError
from dowse.seeds.keys import Keys
from tests.engine.assembly.engine_answers import ENGINES, HOST, in_json, parameters, rows_from
from tests.engine.assembly.test_find import Jumping, find, found, topic_of, urls

KIND = ENGINES["searxng"]
NAME = f"searxng:{HOST}"


def full(count: int = 1) -> Resource:
    return in_json({"results": [{"url": url, "title": title, "content": ""} for url, title, _ in rows_from(0, count)]})


def asked_with(answers: Callable[[int], Resource], *queries: str) -> tuple[FoundSeeds, list[float]]:
    """What is found where the n-th request is answered so, and what was waited before each."""
    clock, at = Jumping(), list[float]()

    def answer(_: Ask) -> Resource:
        at.append(clock.ahead)
        return answers(len(at) - 1)

    with in_thread(Web.of(Site(HOST, {}, {KIND.path: answer}))) as server:
        topic = topic_of(server.address, KIND.spec, *queries or ("x",), per_query=1)
        topic = replace(topic, limits=replace(topic.limits, retry_wait_s=5.0))
        return asyncio.run(find(topic, clock)), at


@pytest.mark.parametrize(
    ("headers", "waited"),
    [
        ({"Retry-After": "7"}, 7.0),
        ({"Retry-After": "-5"}, 0.0),
        ({"Retry-After": "Wed, 18 Nov 2020 10:00:00 GMT"}, 0.0),
        ({"X-RateLimit-Remaining": "0, 1999", "X-RateLimit-Reset": "1, 1419704"}, 1.0),
        ({"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "30"}, 30.0),
        ({"X-RateLimit-Remaining": "1, 5", "X-RateLimit-Reset": "1, 9"}, 5.0),  # neither is spent: the usual wait
        ({"X-RateLimit-Remaining": "none", "X-RateLimit-Reset": "soon"}, 5.0),
        ({"Retry-After": "soon"}, 5.0),
        ({}, 5.0),
    ],
)
def test_a_service_that_has_had_enough_is_asked_again_when_it_says(headers: dict[str, str], waited: float) -> None:
    busy = Resource(b"{}", "application/json", 429, tuple(headers.items()))
    result, at = asked_with(lambda number: full() if number else busy)
    assert (urls(result), result.troubles) == ({"https://result.test/0"}, [])
    assert at[1] - at[0] == pytest.approx(waited, abs=0.5)


@pytest.mark.parametrize(
    ("headers", "told"),
    [
        ({"Retry-After": "86400"}, "; it may be asked again in 24 h"),
        ({"Retry-After": "9" * 400}, ""),
        ({"Retry-After": "inf"}, ""),
        ({"X-RateLimit-Remaining": "1, 0", "X-RateLimit-Reset": "1, 1419704"}, "; it may be asked again in 16 days"),
        ({"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "99999999999"}, ""),
    ],
)
def test_one_that_wants_more_patience_than_there_is_is_left(headers: dict[str, str], told: str) -> None:
    busy = Resource(b"{}", "application/json", 429, tuple(headers.items()))
    result, at = asked_with(lambda _: busy, "a", "b")
    assert len(at) == 1
    assert result.troubles == [f"{NAME}: http 429: too many requests{told}; 1 more query is not asked"]


def test_of_many_queries_one_may_be_refused_or_go_astray() -> None:
    refused = in_json({"error": {"message": "a <b>word</b>\nis missing"}}, 400)
    result, at = asked_with(lambda number: [full(), refused, Resource(b"", status=500), full()][number], *"abcd")
    assert len(at) == 4
    assert sum(len(row.finds) for row in result.rows) == 2
    assert result.troubles == [f"{NAME}: 'b': http 400: a word is missing", f"{NAME}: http 500"]


def test_an_engine_that_takes_nothing_is_left_after_three() -> None:
    result, at = asked_with(lambda _: in_json({}, 400), *"abcdef")
    assert len(at) == len(result.troubles) == 3
    assert len(asked_with(lambda _: Resource(b"", status=500), *"abcdef")[1]) == 1, "it never answered"
    assert len(asked_with(lambda number: Resource(b"", status=500) if number else full(), *"abcdef")[1]) == 4


def test_pages_of_which_nothing_is_wanted_are_no_repetition() -> None:
    """Where the engine has no word for a site, what is wanted may come late."""
    kind = ENGINES["crossref"]

    def answers(wanted: int) -> Callable[[Ask], Resource]:
        def answer(ask: Ask) -> Resource:
            _, first = kind.asked(ask)
            rows = [
                (f"https://{'good' if first >= wanted else 'bad'}.test/{n}", "", "") for n in range(first, first + 20)
            ]
            return kind.answer(ask, rows, True)

        return answer

    late = found(Site(HOST, {}, {kind.path: answers(80)}), kind.spec, "x site:good.test", per_query=10)
    assert (len(late.rows), late.requests) == (10, 5)
    never = found(Site(HOST, {}, {kind.path: answers(10**6)}), kind.spec, "x site:good.test", per_query=10)
    assert (len(never.rows), never.requests) == (0, 5)
    assert f"crossref:{HOST}: all 100 results for 'x site:good.test' were left out here" in "\n".join(never.notes)


def test_a_trouble_of_several_engines_is_told_once() -> None:
    specs = [f"searxng:http://{HOST}", f"hackernews:http://{HOST}", f"crossref:http://{HOST}"]
    result = asyncio.run(find(topic_of("127.0.0.1:9", specs, "x")))
    [trouble] = result.troubles
    assert trouble.startswith(f"searxng:{HOST}, hackernews:{HOST}, crossref:{HOST}: connect: ")
    offline = FoundSeeds(troubles=["a, b: dns: Name or service not known"])
    assert offline.why_none.endswith("(is this machine online?)")
    assert not FoundSeeds(troubles=["a: dns: no", "b: http 500"]).why_none.endswith("online?)")


def test_what_was_found_before_it_was_ended_is_kept() -> None:
    """As Ctrl-C ends it: the first query is answered, and the second is waited for."""

    async def run() -> FoundSeeds:
        stop, loop = asyncio.Event(), asyncio.get_running_loop()

        def answer(ask: Ask) -> Resource:
            if parameters(ask)["q"] == ["one"]:
                return full(3)
            loop.call_soon_threadsafe(stop.set)
            return in_json({}, 429, Retry_After="40")

        with in_thread(Web.of(Site(HOST, {}, {KIND.path: answer}))) as server:
            topic = topic_of(server.address, KIND.spec, "one", "two", per_query=3)
            return await asyncio.wait_for(find(topic, until=stop), 30)

    result = asyncio.run(run())
    assert (len(result.rows), result.troubles) == (3, [])


# -- keys and addresses ------------------------------------------------------------------------------------------------


@pytest.fixture
def heads() -> Iterator[tuple[str, list[dict[str, str]]]]:
    noted: list[dict[str, str]] = []

    def answer(ask: Ask) -> Resource:
        noted.append({**ask.headers, "target": ask.target})
        told = {"error": {"message": f"no such key: {ask.headers} {parameters(ask)}"}}
        return in_json(told, 400)

    with in_thread(Web.of(Site(HOST, {}, {"/": answer}))) as server:
        yield server.address, noted


def test_an_engines_key_is_not_sent_to_another_address(heads: tuple[str, list[dict[str, str]]]) -> None:
    """An address may come in a topic file that somebody else wrote."""
    address, noted = heads
    keys = Keys({"DOWSE_OPENALEX_KEY": "own-key", "DOWSE_BRAVE_KEY": "own-key", "XDG_CONFIG_HOME": "/nowhere"})
    with pytest.raises(UserError, match=r"brave:search\.test needs a key: set DOWSE_BRAVE_SEARCH_TEST_KEY"):
        asyncio.run(find(topic_of(address, f"brave:http://{HOST}", "x"), keys=keys))
    asyncio.run(find(topic_of(address, f"openalex:http://{HOST}", "x"), keys=keys))
    assert len(noted) == 1
    assert "own-key" not in repr(noted)


def test_what_a_service_says_of_a_request_with_a_key_is_not_repeated(heads: tuple[str, list[dict[str, str]]]) -> None:
    address, noted = heads
    keys = Keys({"DOWSE_BRAVE_SEARCH_TEST_KEY": "key-of-brave"})
    result = asyncio.run(find(topic_of(address, f"brave:http://{HOST}", "x"), keys=keys))
    assert "key-of-brave" in repr(noted)
    assert result.troubles == [f"brave:{HOST}: http 400: it does not take the request, or the key"]


def test_requests_of_two_queries_keep_the_engines_delay() -> None:
    kind, clock, at = ENGINES["arxiv"], Jumping(), list[float]()

    def timed(ask: Ask) -> Resource:
        at.append(clock.now())
        return kind.answer(ask, rows_from(len(at), 1), False)

    with in_thread(Web.of(Site(HOST, {}, {kind.path: timed}))) as server:
        asyncio.run(find(topic_of(server.address, kind.spec, "a", "b", "c"), clock))
    assert len(at) == 3
    assert all(later - earlier >= 3.0 for earlier, later in pairwise(at))
