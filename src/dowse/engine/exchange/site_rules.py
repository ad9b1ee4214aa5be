"""What robots.txt allows, by RFC 9309: read before a site's first page, and once a day."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from dowse.engine.exchange.exchange import DeadEnd, Exchange
from dowse.engine.workers.job import Lost
from dowse.engine.workers.port import Workers
from dowse.fetch import (
    ALLOW_ALL,
    DENY_ALL,
    MAX_ROBOTS_BYTES,
    Rules,
    may_pass,
    product_token,
    retry_after_s,
    robots_outcome,
)
from dowse.frontier import Lease, Site
from dowse.model.clock import Clock
from dowse.model.http import Failure, FailureKind, Request, Response
from dowse.model.records import CandidateState
from dowse.model.topic import Topic

__all__ = ["AGE_S", "KnownRules", "Robots"]

_READ_HERE_BYTES = 16_384  # of a robots.txt: nearly all are shorter
AGE_S = 24 * 3600.0  # RFC 9309, section 2.4: no longer than a day
_REDIRECTS = range(300, 400)  # RFC 9309, section 2.3.1.2: all of 3xx, those too that no page is fetched after
_MOST_RULES = 2_000_000  # over all sites: some 150 MB


@dataclass(frozen=True, slots=True)
class _Known:
    rules: Rules
    read_at: float


class KnownRules:
    """What each site's robots.txt says. A file can have tens of thousands of rules, and a crawl as many sites: beyond a
    number of rules those that were read first are forgotten, and read again when they are needed."""

    def __init__(self, most_rules: int = _MOST_RULES) -> None:
        self._most = most_rules
        self._known: dict[int, _Known] = {}  # by site, in the order in which they were read
        self._tries: dict[int, int] = {}  # site -> how often its robots.txt could not be had, in a row
        self._rules = 0

    def of(self, site: int, now: float) -> Rules | None:
        """The rules of a site; None: they must be read (again) first."""
        known = self._known.get(site)
        return None if known is None or now - known.read_at > AGE_S else known.rules

    def keep(self, site: int, rules: Rules, now: float) -> None:
        """A robots.txt was read."""
        self._forget(site)
        self._tries.pop(site, None)
        self._known[site] = _Known(replace(rules, sitemaps=()), now)
        self._rules += rules.count
        while self._rules > self._most and len(self._known) > 1:
            self._forget(next(iter(self._known)))

    def failed(self, site: int) -> int:
        """It could not be had; how often so far."""
        self._forget(site)
        self._tries[site] = self._tries.get(site, 0) + 1
        return self._tries[site]

    def _forget(self, site: int) -> None:
        known = self._known.pop(site, None)
        if known is not None:
            self._rules -= known.rules.count


class Robots:
    """Reads the robots.txt of sites, and answers whether a URL may be fetched."""

    def __init__(self, topic: Topic, exchange: Exchange, workers: Workers, clock: Clock) -> None:
        self._politeness = topic.politeness
        self._max_retries = topic.limits.max_retries
        self._exchange = exchange
        self._sites = exchange.sites
        self._workers = workers
        self._journal = exchange.sites.journal
        self._clock = clock
        self._agent = product_token(topic.network)
        self._rules = KnownRules()
        self.on_sitemaps: Callable[[Site, tuple[str, ...]], None] | None = None  # told of sitemaps robots.txt names

    def allowed(self, site: Site, url: str) -> bool | None:
        """May this URL be fetched? None: its robots.txt must be read (again) first."""
        if not self._politeness.obey_robots:
            return True
        rules = self._rules.of(site.id, self._clock.now())
        return None if rules is None else rules.allowed(url)

    def effort(self, site: Site, url: str) -> int:
        """About how many microseconds ``allowed`` takes at the most: an estimate, the same in every run."""
        rules = self._rules.of(site.id, self._clock.now())
        return 0 if rules is None else rules.effort(url)

    async def forbids(self, url: str) -> str:
        """Why a URL that is no page (a sitemap) may not be asked for; "" when it may. Its robots.txt is read first
        where that is needed."""
        site = self._sites.of(url)
        if site.closed:
            return site.closed
        if self.allowed(site, url) is None:
            lease = await self._exchange.turn(site)
            if isinstance(lease, Failure):
                return f"{lease.kind.value}: {lease.detail}"
            if lease is None:
                return "not asked for: the crawl stops"
            if self.allowed(site, url) is None:
                await self.read(lease)
            else:  # somebody read it while this one waited
                self._sites.cancel(lease)
        allowed = self.allowed(site, url)
        return "" if allowed else site.closed or ("robots.txt unreachable" if allowed is None else "robots")

    async def read(self, lease: Lease) -> None:
        """Read the robots.txt of a leased site; the lease ends with it, whatever happened."""
        site = lease.site
        if not self._politeness.obey_robots:
            self._sites.opened(site)
            self._sites.cancel(lease)
            return
        lease = self._sites.hold_errand(lease)
        try:
            url = site.origin + "/robots.txt"
            most = MAX_ROBOTS_BYTES + 1
            request = Request(url, max_wire_bytes=most, max_body_bytes=most)
            result = await self._exchange.follow(request, redirects=_REDIRECTS)
            if result is not None:
                self._keep(site, await self._outcome(result), result)
        finally:
            self._sites.release(lease)

    async def _outcome(self, result: Response | Failure | DeadEnd) -> Rules:
        """What an answer means; a long file is read by a worker, and one that no worker can read keeps us out. A
        redirect that leads nowhere means that there is no file."""
        if isinstance(result, DeadEnd):
            return ALLOW_ALL
        if isinstance(result, Failure) or len(result.body) <= _READ_HERE_BYTES:
            return robots_outcome(result, self._agent)
        read = await self._workers.call(result.url, robots_outcome, result, self._agent)
        return DENY_ALL if isinstance(read, Lost) else read

    def _keep(self, site: Site, rules: Rules, result: Response | Failure | DeadEnd) -> None:
        if rules.status != "unreachable":
            self._rules.keep(site.id, rules, self._clock.now())
            self._sites.opened(site, rules.status, rules.delay_s)
            if rules.sitemaps and self.on_sitemaps is not None:
                self.on_sitemaps(site, rules.sitemaps)
            return
        tries = self._rules.failed(site.id)
        self._sites.not_opened(site, rules.status)
        if tries > self._max_retries or (isinstance(result, Failure) and not may_pass(result.kind)):
            self._sites.close(site, _unreachable(site, result), CandidateState.REFUSED)
            return
        if isinstance(result, Response):
            asked = retry_after_s(result.header("Retry-After"), self._clock.wall(), self._politeness.max_delay_s)
            self.say_if_clipped(site, result)
            self._sites.set_aside(site, self._exchange.backoff_s(tries) if asked is None else asked)
        else:
            self._sites.try_later(site, self._exchange.backoff_s(tries))

    def say_if_clipped(self, site: Site, response: Response) -> None:
        """A Retry-After beyond the longest delay is shortened, and the user is told."""
        longest = self._politeness.max_delay_s
        asked = retry_after_s(response.header("Retry-After"), self._clock.wall(), float("inf"))
        if asked is not None and asked > longest:
            self._journal.event("delay clipped", f"{site.origin}: Retry-After {asked:.0f} s taken as {longest:g} s")


def _unreachable(site: Site, result: Response | Failure | DeadEnd) -> str:
    """Why a site is closed whose robots.txt could not be had."""
    if isinstance(result, DeadEnd):
        return f"robots.txt unreachable: {result.reason}"
    if isinstance(result, Response):
        cut = f", cut: {result.truncated.value}" if result.status // 100 == 2 else ""
        return f"robots.txt unreachable: http {result.status}{cut}"
    own = result.url == site.host or result.url.startswith(f"{site.origin}/")
    if result.kind is FailureKind.ADDRESS and own:  # nothing at all may be asked there
        return f"address: {result.detail}"
    return f"robots.txt unreachable: {result.kind.value}: {result.detail}".rstrip(": ")
