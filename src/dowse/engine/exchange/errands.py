"""What a site needs before its first page: its address, and its robots.txt by RFC 9309."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import replace

from dowse.engine.exchange.extra import ExtraRequests
from dowse.engine.exchange.lookups import Lookups
from dowse.engine.exchange.robots import KnownRules
from dowse.engine.life.recorder import Recorder
from dowse.engine.page.job import Lost
from dowse.engine.workers.port import Workers
from dowse.fetch import (
    ALLOW_ALL,
    DENY_ALL,
    MAX_ROBOTS_BYTES,
    MAX_ROBOTS_REDIRECTS,
    RobotsRedirect,
    Rules,
    may_pass,
    retry_after_s,
    robots_outcome,
)
from dowse.frontier import Errand, Frontier, Lease, Site
from dowse.model.clock import Clock
from dowse.model.http import Failure, FailureKind, Response, Timings, Transport
from dowse.model.records import CandidateState, SiteRow
from dowse.model.topic import Topic
from dowse.model.url import Base, split

__all__ = ["Errands"]

_ADDRESS_AGE_S = 300.0  # after which an address is looked up again
_READ_HERE_BYTES = 16_384  # of a robots.txt: nearly all are shorter
_ENDED_AT_ONCE = 2_048  # URLs of a site that was given up
_CLOSED_S = 24 * 3600.0  # how long a site that was given up stays closed for later runs


class Errands:
    """Runs errands on leased sites, and answers whether a URL may be fetched."""

    def __init__(
        self, topic: Topic, frontier: Frontier, transport: Transport, extra: ExtraRequests, workers: Workers,
        recorder: Recorder, clock: Clock, agent: str,
    ) -> None:  # fmt: skip
        self._politeness = topic.politeness
        self._limits = topic.limits
        self._frontier = frontier
        self._transport = transport
        self._extra = extra
        self._workers = workers
        self._recorder = recorder
        self._clock = clock
        self._agent = agent
        self._looking = Lookups(frontier)
        self._ending: deque[tuple[int, CandidateState, str]] = deque()  # URLs of sites that were given up
        self._rules = KnownRules()
        self._resolved_at: dict[int, float] = {}  # site -> when its address was looked up
        self._lookups: dict[int, int] = {}  # site -> failed look-ups so far
        self._lookup_s: dict[int, float] = {}  # site -> seconds its look-up took, until a page takes them over
        self.on_sitemaps: Callable[[Site, tuple[str, ...]], None] | None = None  # told of sitemaps robots.txt names

    def allowed(self, site: Site, url: str) -> bool | None:
        """May this URL be fetched? None: its robots.txt must be read (again) first."""
        if not self._politeness.obey_robots:
            return True
        rules = self._rules.of(site.id, self._clock.now())
        return None if rules is None else rules.allowed(url)

    def is_aged(self, site: Site) -> bool:
        """Was the site's address looked up so long ago that it may have another by now?"""
        resolved_at = self._resolved_at.setdefault(site.id, self._clock.now())
        return self._clock.now() - resolved_at > _ADDRESS_AGE_S

    async def renew(self, site: Site) -> None:
        """Look up a site's address again; where it has another now, its delay is that one's. Until then it is asked at
        the one it had."""
        self._resolved_at[site.id] = self._clock.now()
        found = await self._extra.look_up(site)
        if not isinstance(found, Failure) and site.address_key not in ("", found.key):
            self._recorder.site(site.id).address = found.key
            self._frontier.rehome(site, found.key, self._clock.now())

    async def renew_if_dead(self, site: Site, result: Response | Failure | None) -> None:
        """Nobody answers at a site's address: it may have another."""
        if isinstance(result, Failure) and result.kind is FailureKind.CONNECT:
            await self.renew(site)

    def effort(self, site: Site, url: str) -> int:
        """About how many microseconds ``allowed`` takes at the most: an estimate, the same in every run."""
        rules = self._rules.of(site.id, self._clock.now())
        return 0 if rules is None else rules.effort(url)

    async def forbids(self, url: str) -> str:
        """Why a URL beside the pages (a sitemap) may not be asked for; "" when it may. Its robots.txt is read first
        where that is needed."""
        site = self._frontier.site_of_url(url)
        if site.closed:
            return site.closed
        if self.allowed(site, url) is None:
            lease = await self._extra.hold(site)
            if isinstance(lease, Failure):
                return f"{lease.kind.value}: {lease.detail}"
            if lease is None:
                return "not asked for: the crawl stops"
            if self.allowed(site, url) is None:
                await self._read_robots(lease)
            else:  # somebody read it while this one waited
                self._frontier.cancel(lease, self._clock.now())
        allowed = self.allowed(site, url)
        return "" if allowed else site.closed or ("robots.txt unreachable" if allowed is None else "robots")

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
        """Do what the lease is for, if it :meth:`may_begin`; the site is released at the end, whatever happened."""
        if lease.errand is Errand.ADDRESS:
            await self._address(lease)
        elif self._politeness.obey_robots:
            await self._read_robots(lease)
        else:
            self._frontier.settle_robots(lease.site)
            self._frontier.cancel(lease, self._clock.now())

    # -- the address ---------------------------------------------------------------------------------------------

    @property
    def looking_up(self) -> int:
        """How many look-ups are under way."""
        return len(self._looking)

    def may_begin(self, lease: Lease) -> bool:
        """Is there room for one more look-up? Else the lease is given back, and its site waits."""
        now = self._clock.now()
        wait_s = self._looking.begin(lease.site, now) if lease.errand is Errand.ADDRESS else 0.0
        if wait_s:
            self._frontier.cancel(lease, now)
            self._frontier.set_aside(lease.site, wait_s, now)
        return not wait_s

    async def _address(self, lease: Lease) -> None:
        site = lease.site
        try:
            started = self._clock.now()
            found = await self._extra.look_up(site)
            self._lookup_s[site.id] = self._clock.now() - started
            row = self._recorder.site(site.id)
            if not isinstance(found, Failure):
                row.address = found.key
                self._resolved_at[site.id] = self._clock.now()
                self._frontier.settle_address(site, found.key)
                return
            tries = self._lookups[site.id] = self._lookups.get(site.id, 0) + 1
            row.failures += 1
            if found.kind is FailureKind.ADDRESS or tries > self._limits.max_retries:
                state = CandidateState.REFUSED if found.kind is FailureKind.ADDRESS else CandidateState.FAILED
                # nobody was asked: a later run, with other settings or a network that works, may try at once
                self.close_site(site, f"{found.kind.value}: {found.detail}".rstrip(": "), state, for_s=0.0)
            else:
                self._frontier.set_aside(site, self._backoff(tries), self._clock.now())
        finally:
            self._looking.end(site, self._clock.now())
            self._frontier.release(lease, self._clock.now())

    def close_site(self, site: Site, reason: str, state: CandidateState, *, for_s: float = _CLOSED_S) -> None:
        """Give a site up, with all that waits there, in this run and in those that begin within ``for_s``."""
        self._end_all(site, reason, state)
        row = self._recorder.site(site.id)
        row.closed, row.not_before = reason, self._clock.wall() + for_s if for_s else None
        self._recorder.event("site closed", f"{site.origin}: {reason}")

    def restore_site(self, row: SiteRow) -> None:
        """Keep to what an earlier run knew of a site: it stays closed, or is not asked before its time. By the wall
        clock, which may have been set back meanwhile: so the wait is no longer than a site may ask for. The delay
        itself runs from now, since the site may have been asked after the last commit."""
        site = self._frontier.sites[row.id]
        wait_s = 0.0 if row.not_before is None else row.not_before - self._clock.wall()
        if row.closed and wait_s > 0:
            self._end_all(site, row.closed, CandidateState.REFUSED)  # a lease lost in a crash may still wait there
            return
        if row.closed:
            self._recorder.site(site.id).closed = ""
        longest_s = max(self._politeness.max_delay_s, self._politeness.delay_s)
        self._frontier.set_aside(site, min(max(wait_s, row.delay_s), longest_s), self._clock.now())

    def _end_all(self, site: Site, reason: str, state: CandidateState) -> None:
        self._ending.extend((candidate, state, reason) for candidate in self._frontier.close(site, reason))
        self.end_some()

    def end_some(self, most: int | None = _ENDED_AT_ONCE) -> bool:
        """End URLs of sites that were given up, there may be many: so many at a time. Are there more?"""
        attempts = self._frontier.candidates.attempts
        for _ in range(len(self._ending) if most is None else min(most, len(self._ending))):
            candidate, state, reason = self._ending.popleft()
            self._frontier.finish(candidate, state)
            self._recorder.ended(candidate, state, reason, int(attempts[candidate]))
        return bool(self._ending)

    def _backoff(self, tries: int) -> float:
        return min(self._limits.retry_wait_s * 2.0 ** (tries - 1), max(self._politeness.max_delay_s, 1.0))

    # -- robots.txt ----------------------------------------------------------------------------------------------

    async def _read_robots(self, lease: Lease) -> None:
        site, url, hop = lease.site, lease.site.origin + "/robots.txt", 0
        try:
            result = await self._extra.exchange(site, url, MAX_ROBOTS_BYTES + 1)
            await self.renew_if_dead(site, result)
            while result is not None:
                outcome = await self._outcome(result)
                target = Base(url).join(outcome.location) if isinstance(outcome, RobotsRedirect) else None
                if target is None or hop == MAX_ROBOTS_REDIRECTS:
                    # a sixth redirect, or one that leads nowhere, means that there is no file
                    self._settle(site, ALLOW_ALL if isinstance(outcome, RobotsRedirect) else outcome, result)
                    return
                url, hop = target, hop + 1
                lease, result = await self._follow(lease, url)
        finally:
            self._frontier.release(lease, self._clock.now())

    async def _outcome(self, result: Response | Failure) -> Rules | RobotsRedirect:
        """What an answer means; a long file is read by a worker, and one that no worker can read keeps us out."""
        if isinstance(result, Failure) or len(result.body) <= _READ_HERE_BYTES:
            return robots_outcome(result, self._agent)
        outcome = await self._workers.call(result.url, robots_outcome, result, self._agent)
        return DENY_ALL if isinstance(outcome, Lost) else outcome

    async def _follow(self, lease: Lease, url: str) -> tuple[Lease, Response | Failure | None]:
        """The next hop of a robots.txt: on the lease at hand after the delay, or in another site's turn."""
        if split(url).origin == lease.site.origin:
            await self._clock.sleep(lease.site.delay_s)
            return lease, await self._extra.exchange(lease.site, url, MAX_ROBOTS_BYTES + 1)
        # The other site may live at the same address: waiting for it while holding the address would be for ever.
        lease = self._frontier.step_aside(lease, self._clock.now())
        return lease, await self._extra.ask(url, MAX_ROBOTS_BYTES + 1)

    def _settle(self, site: Site, rules: Rules, result: Response | Failure) -> None:
        now = self._clock.now()
        row = self._recorder.site(site.id)
        row.robots_status = rules.status
        row.robots_fetched_at = self._clock.wall()
        if rules.status != "unreachable":
            self._rules.keep(site.id, rules, now)
            self._frontier.settle_robots(site, delay_s=self._delay(site, rules))
            row.delay_s = site.delay_s
            if rules.sitemaps and self.on_sitemaps is not None:
                self.on_sitemaps(site, rules.sitemaps)
            return
        tries = self._rules.failed(site.id)
        row.failures += 1
        if tries > self._limits.max_retries or (isinstance(result, Failure) and not may_pass(result.kind)):
            self.close_site(site, _unreachable(site, result), CandidateState.REFUSED)
            return
        asked = None
        if isinstance(result, Response):
            asked = retry_after_s(result.header("Retry-After"), self._clock.wall(), self._politeness.max_delay_s)
            self.say_if_clipped(site, result)
        self._frontier.set_aside(site, self._backoff(tries) if asked is None else asked, now)

    def say_if_clipped(self, site: Site, response: Response) -> None:
        """A Retry-After beyond the longest delay is shortened, and the user is told."""
        longest = self._politeness.max_delay_s
        asked = retry_after_s(response.header("Retry-After"), self._clock.wall(), float("inf"))
        if asked is not None and asked > longest:
            self._recorder.event("delay clipped", f"{site.origin}: Retry-After {asked:.0f} s taken as {longest:g} s")

    def _delay(self, site: Site, rules: Rules) -> float:
        """The site's own delay: its Crawl-delay when longer than ours, clipped, and said so."""
        asked = rules.delay_s or 0.0
        clipped = min(asked, self._politeness.max_delay_s)
        if clipped < asked:
            self._recorder.event("delay clipped", f"{site.origin}: Crawl-delay {asked:g} s taken as {clipped:g} s")
        return max(clipped, self._politeness.delay_s)


def _unreachable(site: Site, result: Response | Failure) -> str:
    """Why a site is closed whose robots.txt could not be had."""
    if isinstance(result, Response):
        cut = f", cut: {result.truncated.value}" if result.status // 100 == 2 else ""
        return f"robots.txt unreachable: http {result.status}{cut}"
    own = result.url == site.host or result.url.startswith(f"{site.origin}/")
    if result.kind is FailureKind.ADDRESS and own:  # nothing at all may be asked there
        return f"address: {result.detail}"
    return f"robots.txt unreachable: {result.kind.value}: {result.detail}".rstrip(": ")
