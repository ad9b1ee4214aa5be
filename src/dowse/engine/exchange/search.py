"""Asking search engines: the one exchange, with a budget of requests, the service's own delay, and Retry-After kept.

A search engine's interface is asked on the user's order and by its own terms, so robots.txt, which is for what a
crawler finds by itself, is not consulted; delays, budgets and the address guard hold.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from dowse.engine.exchange.exchange import DeadEnd, Exchange
from dowse.fetch import Retry, decide, retry_after_s
from dowse.model.clock import Clock
from dowse.model.http import NO_SECRETS, Failure, FailureKind, Request, Response, Secrets, Truncation
from dowse.model.search import Ask, SearchEngine, Trouble, TroubleKind
from dowse.model.topic import Topic
from dowse.seeds.answers import complaint_in

__all__ = ["SearchRequests"]

_MOST_MB = 8
_EPOCH = 1e9  # what is larger is no span of time, but a time
_are_numbers = re.compile(r"\s*[0-9]{1,12}(?:\s*,\s*[0-9]{1,12}){0,9}\s*").fullmatch
_LONGEST_TOLD_S = 400 * 86_400.0
_KINDS = {
    400: TroubleKind.QUERY, 401: TroubleKind.KEY, 402: TroubleKind.QUOTA, 403: TroubleKind.KEY, 414: TroubleKind.QUERY,
    422: TroubleKind.QUERY, 429: TroubleKind.QUOTA,
}  # fmt: skip
_TOLD = {
    401: "its key is missing, or not accepted", 402: "nothing is left of its allowance",
    403: "it refuses: a key or an allowance may be missing", 429: "too many requests",
    503: "it has no capacity now",
}  # fmt: skip


class SearchRequests:
    """The requests of one search, over all engines."""

    def __init__(self, topic: Topic, exchange: Exchange, clock: Clock) -> None:
        self._exchange = exchange
        self._limits = topic.limits
        self._max_delay_s = topic.politeness.max_delay_s
        self._delay_s = topic.politeness.delay_s
        self._clock = clock
        self._most = topic.find.requests
        self._spent = f"all requests to search engines are made (--find-requests {self._most})"
        self.made = 0

    def of(self, engine: SearchEngine) -> Ask:
        """The way for one engine to ask."""

        async def ask(url: str, *, secrets: Secrets = NO_SECRETS, also: Sequence[int] = ()) -> Response | Trouble:
            return await self._ask(engine, Request(
                url, max_wire_bytes=_MOST_MB * 1_000_000, max_body_bytes=_MOST_MB * 1_000_000, secrets=secrets
            ), also)  # fmt: skip

        return ask

    async def _ask(self, engine: SearchEngine, request: Request, also: Sequence[int]) -> Response | Trouble:
        attempt = 0
        while True:
            attempt += 1
            result = await self._exchange.follow(request, permits=self._count)
            self._rest(engine, request.url)
            if result is None:
                return Trouble(TroubleKind.BUDGET, "the crawl's budget is spent, or it stops")
            if isinstance(result, DeadEnd):
                spent = result.reason == self._spent
                return Trouble(TroubleKind.BUDGET if spent else TroubleKind.NETWORK, result.reason)
            if isinstance(result, Response) and (result.status == 200 or result.status in also):
                return result if not result.truncated else _cut(result)
            wait_s = self._retry_after(result, attempt)
            if wait_s is None:
                return _trouble(result, self._clock.wall(), is_secret=bool(request.secrets))
            await self._clock.sleep(wait_s)

    async def _count(self, _: str) -> str:
        """Count a request, each hop of a redirect as one, before it leaves."""
        if self.made >= self._most:
            return self._spent
        self.made += 1
        return ""

    def _rest(self, engine: SearchEngine, url: str) -> None:
        """The service's own delay, where that is longer than ours."""
        if engine.delay_s > self._delay_s:
            sites = self._exchange.sites
            sites.set_aside(sites.of(url), engine.delay_s)

    def _retry_after(self, result: Response | Failure, attempt: int) -> float | None:
        """Seconds until the service may be asked again, if it says that it is only busy; None: give it up. A service
        that wants to be left alone for longer than the longest delay is not waited for, and one that cannot be reached
        is not asked again: there are others."""
        if isinstance(result, Failure):
            return None
        wall = self._clock.wall()
        decided = decide(result, attempt, self._limits, wall=wall, max_delay_s=float("inf"))
        if not isinstance(decided, Retry) or not decided.whole_host:
            return None
        asked_s = _patience_s(result, wall)
        wait_s = decided.after_s if asked_s is None else asked_s
        return wait_s if wait_s <= self._max_delay_s else None


def _patience_s(response: Response, wall: float) -> float | None:
    """How long a service that has had enough wants to be left alone: by Retry-After, else by the windows of time of
    whose requests none is left (X-RateLimit-Remaining and -Reset: Brave has a number for each window)."""
    asked_s = retry_after_s(response.header("Retry-After"), wall, float("inf"))
    if asked_s is not None or response.status != 429:
        return asked_s
    left, resets = (_numbers(response.header(f"X-RateLimit-{name}")) for name in ("Remaining", "Reset"))
    waits = [reset for count, reset in zip(left, resets, strict=False) if count <= 0]
    if not waits:
        return None
    return max(0.0, max(waits) - wall) if max(waits) > _EPOCH else max(waits)


def _numbers(header: str | None) -> list[float]:
    """What a header lists, where that is numbers and nothing else."""
    return [float(part) for part in (header or "").split(",")] if _are_numbers(header or "") else []


def _cut(result: Response) -> Trouble:
    why = f"was cut short: {result.truncated.value}"
    if result.truncated is Truncation.LENGTH:
        why = f"is larger than {_MOST_MB} MB"
    return Trouble(TroubleKind.FORMAT, f"the answer {why}")


def _trouble(result: Response | Failure, wall: float, *, is_secret: bool) -> Trouble:
    if isinstance(result, Failure):
        kind = TroubleKind.BUDGET if result.kind is FailureKind.BUDGET else TroubleKind.NETWORK
        return Trouble(kind, f"{result.kind.value}: {result.detail}".rstrip(": "))
    status = result.status
    asked_s = _patience_s(result, wall)
    later = _later(asked_s) if asked_s is not None else ""
    told = _TOLD.get(status, "")
    if not told and 400 <= status < 500 and not is_secret:  # its own words may repeat what it was asked with
        told = complaint_in(result)
    kind = TroubleKind.QUOTA if status == 503 and later else _KINDS.get(status, TroubleKind.HTTP)
    if kind is TroubleKind.QUERY and is_secret:
        kind, told = TroubleKind.KEY, "it does not take the request, or the key"
    return Trouble(kind, f"http {status}{f': {told}' if told else ''}{later}")


def _later(asked_s: float) -> str:
    """When to come back, in the largest unit that fits."""
    for unit, seconds in (("days", 86_400.0), ("h", 3_600.0), ("min", 60.0), ("s", 1.0)):
        if asked_s >= 2 * seconds or unit == "s":
            count = f"{asked_s / seconds:.0f} {unit}"
            return f"; it may be asked again in {count}" if asked_s < _LONGEST_TOLD_S else ""
    return ""
