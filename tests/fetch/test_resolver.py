from __future__ import annotations

import asyncio

import pytest

from dowse.fetch import Answer, Guard, Resolver, SystemLookup
from dowse.model.errors import TopicError
from dowse.model.http import FailureKind

from .servers import Dns, FakeClock, run

PUBLIC, OTHER = "93.184.215.14", "93.184.215.15"


def resolver(
    dns: Dns, clock: FakeClock | None = None, *, private: bool = False, timeout_s: float = 1.0, **overrides: str
) -> Resolver:
    return Resolver(dns, Guard(private), clock or FakeClock(), overrides=overrides, timeout_s=timeout_s)


@pytest.mark.parametrize(
    ("first", "kept_s"), [((PUBLIC,), 3900), (OSError("no such name"), 2), ((), 2), (("10.0.0.1",), 2)]
)
def test_answers_are_kept_for_their_time(first: tuple[str, ...] | OSError, kept_s: float) -> None:
    async def main() -> tuple[Answer, Answer, Answer, int]:
        clock, dns = FakeClock(), Dns({"a.example": [first, (OTHER,)]})
        names = resolver(dns, clock)
        one = await names.resolve("A.example.")
        clock.time += kept_s - 1
        two = await names.resolve("a.example")
        clock.time += 2
        return one, two, await names.resolve("a.example"), len(dns.asked)

    one, two, three, asked = run(main())
    assert one == two
    assert (three.addresses, asked) == ((OTHER,), 2)


def test_an_answer_that_has_aged_is_used_while_a_new_one_is_looked_up() -> None:
    async def main() -> list[tuple[tuple[str, ...], int]]:
        clock, dns = FakeClock(), Dns({"a.example": [(PUBLIC,), (OTHER,)]}, delay_s=0.01)
        names, seen = resolver(dns, clock), []
        for wait_s in (0, 299, 2, 1):
            clock.time += wait_s
            seen.append(((await names.resolve("a.example")).addresses, len(dns.asked)))
            await asyncio.sleep(0.05)
        return seen

    assert run(main()) == [((PUBLIC,), 1), ((PUBLIC,), 1), ((PUBLIC,), 1), ((OTHER,), 2)]


def test_dns_that_does_not_answer_for_a_while_makes_no_good_address_a_bad_one() -> None:
    async def main() -> list[FailureKind | None]:
        clock = FakeClock()
        dns = Dns({"a.example": [(PUBLIC,), OSError("no answer"), OSError("no answer"), ("10.0.0.1",)]})
        names, seen = resolver(dns, clock), []
        for wait_s in (0, 301, 1, 31, 1, 31, 1):
            clock.time += wait_s
            seen.append((await names.resolve("a.example")).failure)
            await asyncio.sleep(0.01)
        return seen

    assert run(main()) == [None] * 6 + [FailureKind.ADDRESS], "but one that has become private is refused"


def test_a_name_that_keeps_failing_is_asked_for_less_and_less_often() -> None:
    async def main() -> list[int]:
        clock, dns = FakeClock(), Dns({"a.example": [OSError("no such name")] * 9})
        names, seen = resolver(dns, clock), []
        for wait_s in (0, 3, 3, 6, 10, 51, 70, 250):
            clock.time += wait_s
            await names.resolve("a.example")
            seen.append(len(dns.asked))
        return seen

    assert run(main()) == [1, 2, 2, 3, 3, 4, 4, 5]


def test_the_same_address_comes_first_in_whatever_order_they_came() -> None:
    async def main() -> list[tuple[str, ...]]:
        six = "2606:4700::1"
        answers = {"a": (OTHER, PUBLIC, six), "b": (PUBLIC, six, OTHER), "c": (six, PUBLIC), "d": (f"::ffff:{PUBLIC}",)}
        names = resolver(Dns({host: [answer] for host, answer in answers.items()}))
        return [(await names.resolve(host)).addresses for host in answers]

    a, b, c, d = run(main())
    assert (a[0], b[0], d) == (PUBLIC, PUBLIC, (PUBLIC,))
    assert c[0] == "2606:4700::1", "of the kind that came first, which is the one that is reached best"


def test_an_address_where_nobody_answers_is_passed_over() -> None:
    async def main() -> list[str]:
        names = resolver(Dns({"a.example": [(PUBLIC, OTHER)]}))
        first = (await names.resolve("a.example")).addresses[0]
        names.pass_over("a.example", OTHER)  # not the one that comes first
        second = (await names.resolve("a.example")).addresses[0]
        names.pass_over("a.example", PUBLIC)
        return [first, second, (await names.resolve("a.example")).addresses[0]]

    assert run(main()) == [PUBLIC, PUBLIC, OTHER]


def test_lookups_of_one_name_at_a_time_are_one_lookup() -> None:
    async def main() -> tuple[list[Answer], list[str]]:
        dns = Dns({"a.example": [(PUBLIC,)], "b.example": [(OTHER,)]}, delay_s=0.05)
        names = resolver(dns)
        impatient = asyncio.create_task(names.resolve("a.example"))
        await asyncio.sleep(0)
        waiting = [asyncio.create_task(names.resolve(f"{host}.example")) for host in "aab"]
        await asyncio.sleep(0.01)
        impatient.cancel()
        return await asyncio.gather(*waiting), dns.asked

    answers, asked = run(main())
    assert [answer.addresses for answer in answers] == [(PUBLIC,), (PUBLIC,), (OTHER,)]
    assert asked == ["a.example", "b.example"]


def test_a_lookup_that_takes_too_long_is_a_failure() -> None:
    async def main() -> Answer:
        return await resolver(Dns({"a.example": [(PUBLIC,)]}, delay_s=9), timeout_s=0.05).resolve("a.example")

    assert run(main()).failure is FailureKind.DNS


def test_closing_ends_running_lookups() -> None:
    async def main() -> Answer:
        names = resolver(Dns({}, delay_s=30), timeout_s=60)
        task = asyncio.create_task(names.resolve("a.example"))
        await asyncio.sleep(0.01)
        await names.close()
        return await asyncio.wait_for(task, timeout=1)

    assert run(main()).failure is FailureKind.CANCELLED, "nobody cancelled the one who asked"


@pytest.mark.parametrize(
    ("host", "addresses"), [("8.8.8.8", ("8.8.8.8",)), ("[2606:4700::1111]", ("2606:4700::1111",))]
)
def test_literals_are_their_own_address(host: str, addresses: tuple[str, ...]) -> None:
    async def main() -> tuple[Answer, list[str]]:
        dns = Dns({})
        return await resolver(dns).resolve(host), dns.asked

    answer, asked = run(main())
    assert (answer.addresses, asked) == (addresses, [])


@pytest.mark.parametrize(
    ("target", "address", "port"),
    [("8.8.8.8", "8.8.8.8", None), ("8.8.8.8:8081", "8.8.8.8", 8081), ("2606:4700::1", "2606:4700::1", None),
     ("[2606:4700::1]:81", "2606:4700::1", 81), ("[2606:4700::1]", "2606:4700::1", None)],
)  # fmt: skip
def test_overrides(target: str, address: str, port: int | None) -> None:
    async def main() -> tuple[Answer, Answer]:
        names = Resolver(Dns({}), Guard(), FakeClock(), overrides={"*.dowse.test": target}, timeout_s=1)
        return await names.resolve("a.b.Dowse.test"), await names.resolve("dowse.test")

    inside, outside = run(main())
    assert (inside.addresses, inside.port) == ((address,), port)
    assert outside.failure is FailureKind.DNS


@pytest.mark.parametrize("pattern", ["*.Bücher.example.", "*.xn--bcher-kva.example"])
def test_overrides_are_spelled_as_hosts_are(pattern: str) -> None:
    async def main() -> Answer:
        names = Resolver(Dns({}), Guard(), FakeClock(), overrides={pattern: "8.8.8.8"}, timeout_s=1)
        return await names.resolve("www.xn--bcher-kva.example")

    assert run(main()).addresses == ("8.8.8.8",)


def test_overrides_are_guarded() -> None:
    async def main() -> tuple[Answer, Answer]:
        overrides = {"*.dowse.test": "127.0.0.1:8081"}
        shy = Resolver(Dns({}), Guard(), FakeClock(), overrides=overrides, timeout_s=1)
        bold = Resolver(Dns({}), Guard(allow_private=True), FakeClock(), overrides=overrides, timeout_s=1)
        return await shy.resolve("a.dowse.test"), await bold.resolve("a.dowse.test")

    refused, passed = run(main())
    assert refused.failure is FailureKind.ADDRESS
    assert (passed.addresses, passed.port) == (("127.0.0.1",), 8081)


@pytest.mark.parametrize(
    "target", ["", "localhost", "127.0.0.1:0", "127.0.0.1:99999", "127.0.0.1:x", "[::1]:x", "1.2.3"]
)
def test_overrides_that_are_no_address_are_a_users_mistake(target: str) -> None:
    with pytest.raises(TopicError, match="is no address"):
        Resolver(Dns({}), Guard(), FakeClock(), overrides={"a": target}, timeout_s=1)


def test_the_systems_own_names() -> None:
    async def main() -> tuple[Answer, Answer]:
        lookup = SystemLookup(threads=2)
        try:
            names = Resolver(lookup, Guard(allow_private=True), FakeClock(), timeout_s=5)
            return await names.resolve("localhost"), await names.resolve("a" * 70 + ".example")
        finally:
            lookup.close()

    found, odd = run(main())
    assert {"127.0.0.1", "::1"} & set(found.addresses)
    assert odd.failure is FailureKind.DNS
