"""Names to addresses: cached, guarded, one lookup a name at a time, and overridable by the user.

An answer that came through the guard is what a connection uses: nobody asks DNS again between the check and the
connect, so a name that changes its mind (DNS rebinding) is judged anew each time its answer is used anew.

An answer that has aged is used while a new one is being looked up, so that no exchange but the first with a host waits
for DNS. A failure is remembered for longer each time, so that a name that does not answer takes up little.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from ipaddress import IPv6Address
from typing import Protocol

from dowse.fetch.guard import Guard, is_literal, strip_literal
from dowse.fetch.threads import Threads
from dowse.model.clock import Clock
from dowse.model.errors import TopicError
from dowse.model.http import FailureKind
from dowse.model.url import spelled_host

__all__ = ["Answer", "Lookup", "Resolver", "SystemLookup"]

_POSITIVE_S = 300.0
_STALE_S = 3600.0  # an answer is used at most so long after it has aged
_AGAIN_S = 30.0  # until DNS is asked again that did not answer
_MAX_ADDRESSES = 16  # of one name
_NEGATIVE_S = (2.0, 8.0, 60.0, 300.0)  # the first are shorter than waits before retries, which would ask nobody
_MAX_CACHED = 100_000


class Lookup(Protocol):
    """Where addresses come from."""

    async def addresses(self, host: str) -> Sequence[str]:
        """The addresses of a name, best first; OSError when it has none."""
        ...


class SystemLookup:
    """The operating system's resolver, on threads of its own so that slow names hold up nobody else."""

    def __init__(self, threads: int = 64) -> None:
        self._threads = Threads(threads, "dowse-dns")

    async def addresses(self, host: str) -> Sequence[str]:
        infos = await self._threads.call(_getaddrinfo, host)
        return tuple(dict.fromkeys(str(info[4][0]) for info in infos))

    def close(self) -> None:
        """Let the threads end when their lookup does."""
        self._threads.close()


def _getaddrinfo(
    host: str,
) -> list[tuple[socket.AddressFamily, socket.SocketKind, int, str, tuple[str, int] | tuple[str, int, int, int]]]:
    return socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)  # type: ignore[return-value]


@dataclass(frozen=True, slots=True)
class Answer:
    """What is known of a host: addresses that passed the guard, or the kind of failure and a line of detail."""

    addresses: tuple[str, ...] = ()
    port: int | None = None  # set where an override names one
    failure: FailureKind | None = None
    detail: str = ""
    expires: float = 0.0
    usable_until: float = 0.0  # while a newer one is looked up
    failures: int = 0  # before this one, in a row


@dataclass(frozen=True, slots=True)
class _Override:
    pattern: str
    address: str
    port: int | None


def _override(pattern: str, target: str) -> _Override:
    """Read ``address`` or ``address:port``; an IPv6 address with a port stands in brackets."""
    host, port = target.strip(), ""
    if host.startswith("["):
        host, _, port = host[1:].partition("]")
        port = port.removeprefix(":")
    elif host.count(":") == 1:
        host, _, port = host.partition(":")
    if not is_literal(host) or (port and not (port.isascii() and port.isdigit() and 0 < int(port) < 65536)):
        raise TopicError(f"{target!r} is no address: write 127.0.0.1, 127.0.0.1:8080 or [::1]:8080", key="resolve")
    return _Override(spelled_host(pattern.strip()), host, int(port) if port else None)


def _unmapped(address: str) -> str:
    """An IPv4 address that is written as an IPv6 one, as itself: they are one host."""
    mapped = IPv6Address(address).ipv4_mapped if address.startswith("::ffff:") and "%" not in address else None
    return address if mapped is None else str(mapped)


def _agreed(addresses: tuple[str, ...]) -> tuple[str, ...]:
    """One and the same address first, in whatever order they came: hosts that share some of them share a delay. It is
    of the kind that came first, which is the kind that this machine reaches best."""
    kind = ":" in addresses[0]
    first = min(address for address in addresses if (":" in address) is kind)
    return first, *(address for address in addresses if address != first)


class Resolver:
    """Resolves hosts for one crawl. Answers are values; nothing raises but cancellation."""

    def __init__(
        self,
        lookup: Lookup,
        guard: Guard,
        clock: Clock,
        *,
        overrides: Mapping[str, str] | None = None,
        timeout_s: float,
    ) -> None:
        self._lookup = lookup
        self._guard = guard
        self._clock = clock
        self._overrides = [_override(pattern, target) for pattern, target in (overrides or {}).items()]
        self._timeout_s = timeout_s
        self._cache: dict[str, Answer] = {}
        self._running: dict[str, asyncio.Task[Answer]] = {}

    async def resolve(self, host: str) -> Answer:
        """The guarded addresses of a name or an IP literal."""
        host = host.lower().rstrip(".")
        cached, now = self._cache.get(host), self._clock.now()
        if cached is not None and cached.expires > now:
            return cached
        literal = strip_literal(host)
        if is_literal(literal):
            return self._guarded(literal, (literal,), None)
        for override in self._overrides:
            if fnmatchcase(host, override.pattern):
                return self._keep(host, self._guarded(host, (override.address,), override.port))
        running = self._running.get(host)
        if running is None:
            running = asyncio.create_task(self._look_up(host))
            self._running[host] = running
            running.add_done_callback(lambda _: self._running.pop(host, None))
        if cached is not None and cached.usable_until > now:
            return cached
        return await asyncio.shield(running)  # one impatient caller must not end the lookup for the others

    def pass_over(self, host: str, address: str) -> None:
        """Nobody answers at this address of a host: another comes first from now on, if it has one."""
        known = self._cache.get(host)
        if known is not None and known.addresses[:1] == (address,):
            self._cache[host] = replace(known, addresses=known.addresses[1:] + known.addresses[:1])

    def port_of(self, host: str) -> int | None:
        """The port that the user has given a host, if he has."""
        given = (override.port for override in self._overrides if fnmatchcase(host, override.pattern))
        return next(given, None)

    async def close(self) -> None:
        """End the lookups still running."""
        running = list(self._running.values())
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)

    async def _look_up(self, host: str) -> Answer:
        try:
            async with asyncio.timeout(self._timeout_s):
                found = tuple(await self._lookup.addresses(host))
        except asyncio.CancelledError:  # by close(): whoever waits for it was not cancelled
            return self._failed(FailureKind.CANCELLED, "the transport is closed")
        except TimeoutError:
            return self._keep(host, self._failed(FailureKind.DNS, f"no answer from DNS in {self._timeout_s:g} s"))
        except (OSError, UnicodeError) as error:  # UnicodeError: a label too long for DNS
            said = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
            return self._keep(host, self._failed(FailureKind.DNS, said))
        return self._keep(host, self._guarded(host, found, None))

    def _guarded(self, host: str, found: tuple[str, ...], port: int | None) -> Answer:
        found = found[:_MAX_ADDRESSES]
        passed = tuple(dict.fromkeys(_unmapped(address) for address in found if self._guard.allows(address)))
        if passed:
            now = self._clock.now()
            return Answer(_agreed(passed), port, expires=now + _POSITIVE_S, usable_until=now + _POSITIVE_S + _STALE_S)
        if found:
            where = "is" if found == (host,) else f"is at {', '.join(found[:4])}:"
            return self._failed(FailureKind.ADDRESS, f"{host} {where} not a public address")
        return self._failed(FailureKind.DNS, f"{host} has no address")

    def _failed(self, kind: FailureKind, detail: str) -> Answer:
        return Answer(failure=kind, detail=detail, expires=self._clock.now() + _NEGATIVE_S[0])

    def _keep(self, host: str, answer: Answer) -> Answer:
        before = self._cache.pop(host, None)  # so that the order of the dict is the order of age
        if before is not None and answer.failure is not None:
            answer = self._after(before, answer)
        self._cache[host] = answer
        if len(self._cache) > _MAX_CACHED:
            del self._cache[next(iter(self._cache))]
        return answer

    def _after(self, before: Answer, failed: Answer) -> Answer:
        """A failure after an earlier answer: DNS that does not answer for a while makes no good address a bad one; a
        name that failed before is left alone for longer."""
        now = self._clock.now()
        if before.failure is None:
            is_usable = failed.failure is FailureKind.DNS and before.usable_until > now
            return replace(before, expires=now + _AGAIN_S) if is_usable else failed
        failures = before.failures + 1
        return replace(failed, failures=failures, expires=now + _NEGATIVE_S[min(failures, len(_NEGATIVE_S) - 1)])
