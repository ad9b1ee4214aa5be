"""What a site needs before its first page: its address, and its robots.txt by RFC 9309."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from dowse.crawl.recorder import Recorder
from dowse.fetch import (
    ALLOW_ALL,
    MAX_ROBOTS_BYTES,
    MAX_ROBOTS_REDIRECTS,
    RobotsRedirect,
    Rules,
    retry_after_s,
    robots_outcome,
)  # fmt: skip
from dowse.frontier import Errand, Frontier, Lease, Site
from dowse.model.budget import Purse
from dowse.model.clock import Clock
from dowse.model.http import Failure, FailureKind, Request, Response, Timings, Transport
from dowse.model.records import CandidateState
from dowse.model.topic import Topic
from dowse.model.url import Base, split

__all__ = ["Errands"]

_ROBOTS_AGE_S = 24 * 3600.0  # RFC 9309, section 2.4: no longer than a day


@dataclass(slots=True)
class _Robots:
    rules: Rules
    read_at: float
    tries: int = 0


class Errands:
    """Runs errands on leased sites, and answers whether a URL may be fetched."""

    def __init__(
        self, topic: Topic, frontier: Frontier, transport: Transport, purse: Purse, recorder: Recorder, clock: Clock,
        agent: str,
    ) -> None:  # fmt: skip
        self._politeness = topic.politeness
        self._limits = topic.limits
        self._frontier = frontier
        self._transport = transport
        self._purse = purse
        self._recorder = recorder
        self._clock = clock
        self._agent = agent
        self._robots: dict[int, _Robots] = {}
        self._lookups: dict[int, int] = {}  # site -> failed look-ups so far
        self._lookup_s: dict[int, float] = {}  # site -> seconds its look-up took, until a page takes them over
        self.on_sitemaps: Callable[[Site, tuple[str, ...]], None] | None = None  # told of sitemaps robots.txt names

    def allowed(self, site: Site, url: str) -> bool | None:
        """May this URL be fetched? None: its robots.txt must be read (again) first."""
        if not self._politeness.obey_robots:
            return True
        robots = self._robots.get(site.id)
        if robots is None or self._clock.now() - robots.read_at > _ROBOTS_AGE_S:
            return None
        return robots.rules.allowed(url)

    def with_lookup(self, site: Site, result: Response | Failure) -> Response | Failure:
        """The exchange with the time its site's look-up took, if no page has carried it yet."""
        dns_s = self._lookup_s.pop(site.id, 0.0)
        if not dns_s:
            return result
        timings = result.timings
        first_byte_s = timings.first_byte_s + dns_s if timings.first_byte_s else 0.0
        return replace(
            result, timings=Timings(timings.dns_s + dns_s, timings.connect_s, first_byte_s, timings.total_s + dns_s)
        )

    async def run(self, lease: Lease) -> None:
        """Do what the lease is for; the site is released at the end, whatever happened."""
        if lease.errand is Errand.ADDRESS:
            await self._address(lease)
        else:
            await self._read_robots(lease)

    # -- the address ---------------------------------------------------------------------------------------------

    async def _address(self, lease: Lease) -> None:
        site = lease.site
        try:
            parts = split(site.origin + "/")
            started = self._clock.now()
            found = await self._transport.resolve(parts.host, parts.port)
            self._lookup_s[site.id] = self._clock.now() - started
            row = self._recorder.site(site.id)
            if not isinstance(found, Failure):
                row.address = found.key
                self._frontier.settle_address(site, found.key)
                if not self._politeness.obey_robots:
                    self._frontier.settle_robots(site)
                return
            tries = self._lookups[site.id] = self._lookups.get(site.id, 0) + 1
            row.failures += 1
            if found.kind is FailureKind.ADDRESS or tries > self._limits.max_retries:
                state = CandidateState.REFUSED if found.kind is FailureKind.ADDRESS else CandidateState.FAILED
                self.close_site(site, f"{found.kind.value}: {found.detail}".rstrip(": "), state)
            else:
                self._frontier.hold(site, self._clock.now() + self._backoff(tries))
        finally:
            self._frontier.release(lease, self._clock.now())

    def close_site(self, site: Site, reason: str, state: CandidateState) -> None:
        """Give a site up, with all that waits there."""
        for candidate in self._frontier.close(site, reason):
            self._frontier.finish(candidate, state)
            self._recorder.ended(candidate, state, reason, int(self._frontier.candidates.attempts[candidate]))
        self._recorder.event("site closed", f"{site.origin}: {reason}")

    def _backoff(self, tries: int) -> float:
        return min(self._limits.retry_wait_s * 2.0 ** (tries - 1), max(self._politeness.max_delay_s, 1.0))

    # -- robots.txt ----------------------------------------------------------------------------------------------

    async def _read_robots(self, lease: Lease) -> None:
        site = lease.site
        try:
            result = await self._fetch_robots(site)
            if result is None:  # the budget is spent
                return
            outcome = robots_outcome(result, self._agent)
            rules = ALLOW_ALL if isinstance(outcome, RobotsRedirect) else outcome  # six redirects: no file
            self._settle(site, rules, result)
        finally:
            self._frontier.release(lease, self._clock.now())

    def _settle(self, site: Site, rules: Rules, result: Response | Failure) -> None:
        now = self._clock.now()
        before = self._robots.get(site.id)
        row = self._recorder.site(site.id)
        row.robots_status = rules.status
        row.robots_fetched_at = self._clock.wall()
        if rules.status != "unreachable":
            self._robots[site.id] = _Robots(rules, now)
            self._frontier.settle_robots(site, delay_s=self._delay(site, rules))
            row.delay_s = site.delay_s
            if rules.sitemaps and self.on_sitemaps is not None:
                self.on_sitemaps(site, rules.sitemaps)
            return
        tries = before.tries + 1 if before else 1
        self._robots[site.id] = _Robots(rules, now - _ROBOTS_AGE_S - 1, tries)
        row.failures += 1
        detail = f"http {result.status}" if isinstance(result, Response) else f"{result.kind.value} {result.detail}"
        if tries > self._limits.max_retries:
            self.close_site(site, f"robots.txt unreachable: {detail}".strip(), CandidateState.REFUSED)
            return
        asked = None
        if isinstance(result, Response):
            asked = retry_after_s(result.header("Retry-After"), self._clock.wall(), self._politeness.max_delay_s)
        self._frontier.hold(site, now + (self._backoff(tries) if asked is None else asked))

    def _delay(self, site: Site, rules: Rules) -> float:
        """The site's own delay: its Crawl-delay when longer than ours, clipped, and said so."""
        asked = rules.delay_s or 0.0
        clipped = min(asked, self._politeness.max_delay_s)
        if clipped < asked:
            self._recorder.event("delay clipped", f"{site.origin}: Crawl-delay {asked:g} s taken as {clipped:g} s")
        return max(clipped, self._politeness.delay_s)

    async def _fetch_robots(self, site: Site) -> Response | Failure | None:
        """robots.txt, over at most five redirects; the last answer. None when the budget forbids asking."""
        url = site.origin + "/robots.txt"
        for hop in range(MAX_ROBOTS_REDIRECTS + 1):
            result = await self._ask(site, url, first=hop == 0)
            if not isinstance(result, Response):
                return result
            outcome = robots_outcome(result, self._agent)
            if not isinstance(outcome, RobotsRedirect):
                return result
            target = Base(url).join(outcome.location)
            if target is None:
                return replace(result, status=404)  # it leads nowhere: there is no file
            url = target
        return result

    async def _ask(self, site: Site, url: str, *, first: bool) -> Response | Failure | None:
        """One request under politeness: the first goes on the site's own lease, a hop waits for its turn."""
        if first:
            return await self._exchange(site, url)
        origin = split(url).origin
        if origin == site.origin:
            await self._clock.sleep(site.delay_s)
            return await self._exchange(site, url)
        other = self._frontier.site(origin)
        while not isinstance(hold := self._frontier.try_hold(other, self._clock.now()), Lease):
            await self._clock.sleep(hold)
        try:
            return await self._exchange(other, url)
        finally:
            self._frontier.release(hold, self._clock.now())

    async def _exchange(self, site: Site, url: str) -> Response | Failure | None:
        if not self._purse.reserve(page=False):
            return None
        self._recorder.note_spent()
        request = Request(url, max_wire_bytes=MAX_ROBOTS_BYTES + 1, max_body_bytes=MAX_ROBOTS_BYTES + 1,
                          timeout_s=self._limits.timeout_s)  # fmt: skip
        result = await self._transport.fetch(request, self._purse)
        row = self._recorder.site(site.id)
        row.requests += 1
        row.wire_bytes += result.wire_bytes
        return result
