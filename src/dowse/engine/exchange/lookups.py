"""The address of a site comes first: sites on one address share its delay, and a site is asked at the address it was
found at, whatever DNS says in between."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace

from dowse.engine.life import Sites
from dowse.frontier import Errand, Lease, Site
from dowse.frontier.scope import registered_domain
from dowse.model.clock import Clock
from dowse.model.http import Failure, FailureKind, Resolved, Response, Timings, Transport
from dowse.model.network_ports import is_refused_port
from dowse.model.records import CandidateState
from dowse.model.topic import Topic

__all__ = ["Addresses"]

_AGE_S = 300.0  # after which an address is looked up again
_AT_ONCE = 24  # fewer than the system's look-ups have threads
_FROM_ONE_DOMAIN = 6
_WITHIN_ONE_DOMAIN = 4
_ALL = ""  # the line of all domains together
_USUAL_S = 0.05  # what one takes, as long as nothing else is known
_LONGEST_WAIT_S = 60.0
_NEWEST = 0.2  # the weight of the last one in what they usually take


class _Domain:
    """What a domain's look-ups usually take, and when the next that has to wait may begin."""

    __slots__ = ("next_at", "usual_s")

    def __init__(self) -> None:
        self.usual_s = _USUAL_S
        self.next_at = 0.0


class Addresses:
    """Looks the names of sites up, and keeps what is known of their addresses true."""

    def __init__(
        self, topic: Topic, transport: Transport, sites: Sites, clock: Clock, backoff_s: Callable[[int], float]
    ) -> None:
        """``backoff_s``: how long to wait after so many failures."""
        self._allow_ports = set(topic.scope.allow_ports)
        self._max_retries = topic.limits.max_retries
        self._transport = transport
        self._sites = sites
        self._clock = clock
        self._backoff_s = backoff_s
        self._places = _Places(sites)
        self._looked_up_at: dict[int, float] = {}  # by site
        self._failed: dict[int, int] = {}  # site -> failed look-ups so far
        self._took_s: dict[int, float] = {}  # site -> seconds its look-up took, until a page takes them over

    @property
    def looking_up(self) -> int:
        """How many look-ups are under way."""
        return len(self._places)

    def may_begin(self, lease: Lease) -> bool:
        """Is there room for one more look-up? Else the lease is given back, and its site waits."""
        wait_s = self._places.begin(lease.site, self._clock.now())
        if wait_s:
            self._sites.cancel(lease)
            self._sites.set_aside(lease.site, wait_s)
        return not wait_s

    async def find(self, lease: Lease) -> None:
        """Look up the address of a leased site, after :meth:`may_begin`; the lease ends with it."""
        site = lease.site
        try:
            started = self._clock.now()
            found = await self.look_up(site)
            self._took_s[site.id] = self._clock.now() - started
            if isinstance(found, Resolved):
                self._found(site, found)
                return
            tries = self._failed[site.id] = self._failed.get(site.id, 0) + 1
            self._sites.not_found(site)
            if found.kind is FailureKind.ADDRESS or tries > self._max_retries:
                state = CandidateState.REFUSED if found.kind is FailureKind.ADDRESS else CandidateState.FAILED
                # nobody was asked: a later run, with other settings or a network that works, may try at once
                self._sites.close(site, f"{found.kind.value}: {found.detail}".rstrip(": "), state, for_s=0.0)
            else:
                self._sites.try_later(site, self._backoff_s(tries))
        finally:
            self._places.end(site, self._clock.now())
            self._sites.release(lease)

    async def ensure(self, site: Site) -> Failure | None:
        """Look up the address of a site that has none yet, out of turn; why it has none after that."""
        if site.errand is not Errand.ADDRESS:
            return None
        found = await self.look_up(site)
        if isinstance(found, Failure):
            return found
        if site.errand is Errand.ADDRESS:  # nobody else was quicker
            self._found(site, found)
        return None

    def _found(self, site: Site, found: Resolved) -> None:
        self._looked_up_at[site.id] = self._clock.now()
        self._sites.found_at(site, found.key)

    def allow_port(self, port: int) -> None:
        """The user has named a URL at this port: it may be asked, whatever is usual there."""
        self._allow_ports.add(port)

    async def look_up(self, site: Site) -> Resolved | Failure:
        """The addresses of a site, which come before anything is asked there: so this is where a port is refused that
        no rule of the scope was asked about (a sitemap's, that of a redirected robots.txt)."""
        if is_refused_port(site.port, self._allow_ports):
            told = f"web servers do not answer at port {site.port} (scope.allow_ports)"
            return Failure(site.origin, FailureKind.ADDRESS, told)
        return await self._transport.resolve(site.host, site.port)

    def is_aged(self, site: Site) -> bool:
        """Was the site's address looked up so long ago that it may have another by now?"""
        now = self._clock.now()
        return now - self._looked_up_at.setdefault(site.id, now) > _AGE_S

    async def renew(self, site: Site) -> None:
        """Look up a site's address again; where it has another now, its delay is that one's. Until then it is asked at
        the one it had."""
        self._looked_up_at[site.id] = self._clock.now()
        found = await self.look_up(site)
        if isinstance(found, Resolved) and site.address_key not in ("", found.key):
            self._sites.moved(site, found.key)

    def with_lookup(self, site: Site, result: Response | Failure) -> Response | Failure:
        """The exchange with the time its site's look-up took, if no page has carried it yet."""
        dns_s = self._took_s.pop(site.id, 0.0)
        if not dns_s:
            return result
        timings = result.timings
        first_byte_s = timings.first_byte_s + dns_s if timings.first_byte_s else 0.0
        return replace(
            result, timings=Timings(timings.dns_s + dns_s, timings.connect_s, first_byte_s, timings.total_s + dns_s)
        )


class _Places:
    """Lets look-ups begin, or tells how long they have to wait. A look-up can take half a minute to fail, and a page
    can link to thousands of names that do: so there is a bound on all look-ups, and a smaller one on those that one
    domain brings about, by links on its pages or by names of its own. Who waits has a place in a line, so that
    thousands that wait are not asked about again and again."""

    def __init__(self, sites: Sites) -> None:
        self._sites = sites
        self._running: dict[int, tuple[float, str, str]] = {}  # site -> since when, from which domain, within which
        self._from: Counter[str] = Counter()
        self._within: Counter[str] = Counter()
        self._domains: dict[str, _Domain] = {}

    def __len__(self) -> int:
        return len(self._running)

    def begin(self, site: Site, now: float) -> float:
        """0.0: the look-up begins, and :meth:`end` must follow; else how many seconds it has to wait."""
        within = registered_domain(site.host)
        parent = self._sites.introduced_by(site)
        source = within if parent is None else registered_domain(parent.host)
        if len(self._running) >= _AT_ONCE:
            return self._in_line(_ALL, _AT_ONCE, now)
        if self._from[source] >= _FROM_ONE_DOMAIN:
            return self._in_line(source, _FROM_ONE_DOMAIN, now)
        if self._within[within] >= _WITHIN_ONE_DOMAIN:
            return self._in_line(within, _WITHIN_ONE_DOMAIN, now)
        self._running[site.id] = now, source, within
        self._from[source] += 1
        self._within[within] += 1
        return 0.0

    def end(self, site: Site, now: float) -> None:
        since, source, within = self._running.pop(site.id)
        for counts, domain in ((self._from, source), (self._within, within)):
            counts[domain] -= 1
            if not counts[domain]:
                del counts[domain]
        for domain in {source, within, _ALL} & self._domains.keys():
            known = self._domains[domain]
            known.usual_s += _NEWEST * (now - since - known.usual_s)
            if domain not in self._from and domain not in self._within and known.next_at <= now:
                del self._domains[domain]

    def _in_line(self, domain: str, at_once: int, now: float) -> float:
        """The next place in a domain's line."""
        known = self._domains.setdefault(domain, _Domain())
        known.next_at = max(known.next_at, now) + max(known.usual_s, _USUAL_S) / at_once
        return min(known.next_at - now, _LONGEST_WAIT_S)
