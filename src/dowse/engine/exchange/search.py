"""Asking search engines: the one exchange, with a budget of requests, the service's own delay, and Retry-After kept.

A search engine's interface is asked on the user's order and by its own terms, so robots.txt, which is for what a
crawler finds by itself, is not consulted; delays, budgets and the address guard hold.
"""

from __future__ import annotations

from collections.abc import Sequence

from dowse.engine.exchange.exchange import DeadEnd, Exchange
from dowse.fetch import GiveUp, Retry, decide
from dowse.model.clock import Clock
from dowse.model.http import NO_SECRETS, Failure, FailureKind, Request, Response, Secrets, Truncation
from dowse.model.search import Ask, SearchEngine, Trouble, TroubleKind
from dowse.model.topic import Topic

__all__ = ["SearchRequests"]

_MOST_MB = 8
_KINDS = {401: TroubleKind.KEY, 402: TroubleKind.QUOTA, 403: TroubleKind.KEY, 429: TroubleKind.QUOTA}
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
        self._spent = f"all {self._most} requests to search engines are made"
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
                return _trouble(result)
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
        decided = decide(result, attempt, self._limits, wall=self._clock.wall(), max_delay_s=float("inf"))
        if isinstance(decided, GiveUp) or not isinstance(decided, Retry) or not decided.whole_host:
            return None
        return decided.after_s if decided.after_s <= self._max_delay_s else None


def _cut(result: Response) -> Trouble:
    why = f"was cut short: {result.truncated.value}"
    if result.truncated is Truncation.LENGTH:
        why = f"is larger than {_MOST_MB} MB"
    return Trouble(TroubleKind.FORMAT, f"the answer {why}")


def _trouble(result: Response | Failure) -> Trouble:
    if isinstance(result, Failure):
        kind = TroubleKind.BUDGET if result.kind is FailureKind.BUDGET else TroubleKind.NETWORK
        return Trouble(kind, f"{result.kind.value}: {result.detail}".rstrip(": "))
    status = result.status
    asked = result.header("Retry-After") or ""
    later = f"; it may be asked again in {asked} s" if asked.isascii() and asked.isdigit() else ""
    told = f": {_TOLD[status]}" if status in _TOLD else ""
    kind = TroubleKind.QUOTA if status == 503 and later else _KINDS.get(status, TroubleKind.HTTP)
    return Trouble(kind, f"http {status}{told}{later}")
