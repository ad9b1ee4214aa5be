"""The verbs for sites: what becomes of an origin, and who may ask it when.

::

    new ── found_at ──► at an address ── opened ──► open ──► closed
                             ▲                       │ ▲
                             └────── need_robots ────┘ └─ set_aside, faults: not asked for a while

A site that was just mentioned needs its address, then its robots.txt; then its pages may be asked for. Whoever asks it
holds a turn (:meth:`Sites.try_turn`, or a lease of ``Life``); :meth:`Sites.release` ends it, and the site's delay runs.
A site that fails again and again is set aside for longer and longer, and in the end closed, with all that waits there.
What is known of a site is its row, which goes into the next commit whenever it changes.
"""

from __future__ import annotations

import math
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Sequence

from dowse.engine.life.journal import Journal
from dowse.frontier import Errand, Lease, Site
from dowse.frontier.frontier import Frontier
from dowse.model.budget import Purse
from dowse.model.clock import Clock
from dowse.model.errors import StoreError
from dowse.model.http import Failure, FailureKind, Response
from dowse.model.moved import MovedSite
from dowse.model.others import Others
from dowse.model.records import CandidateState, SiteRow
from dowse.model.topic import Topic

__all__ = ["Sites"]

_SET_ASIDE_AFTER = 3  # failures in a row before a site is set aside for longer and longer
_GIVE_UP_AFTER = 12  # failures in a row at which a site that never answered is closed
_GIVE_UP_LATER = 24  # the same for a site that did answer once
_LONG_S = 1.0  # that a worker was busy with a page: its site is set aside
_REST = 8  # times as long as its page took
_ENDED_AT_ONCE = 2_048  # URLs of a site that was given up
_CLOSED_S = 24 * 3600.0  # how long a site that was given up stays closed for later runs


class Sites:
    """See the module's docstring."""

    def __init__(
        self, topic: Topic, purse: Purse, clock: Clock, *, opens_at: float = 0.0, hash_seed: int = 0,
        others: Others | None = None,
    ) -> None:  # fmt: skip
        """Before ``opens_at`` no site is asked; ``hash_seed`` is the frontier's. ``others`` crawl with us."""
        self.others = others
        self._politeness = topic.politeness
        self._limits = topic.limits
        self._clock = clock
        lowest = topic.strategy.min_priority
        self._frontier = Frontier(
            delay_s=topic.politeness.delay_s, connections_per_site=topic.politeness.connections_per_host,
            opens_at=opens_at, hash_seed=hash_seed, in_order=topic.network.concurrency == 1,
            lowest=-math.inf if lowest is None else lowest,
        )  # fmt: skip
        self.journal = Journal(self._frontier, purse, clock)
        self._failures: dict[int, int] = {}  # site -> failures in a row
        self._unanswered: dict[int, float] = {}  # site -> when it may be asked again at the earliest
        self._given_up: dict[int, int] = {}  # site -> pages in a row that no worker could do in time
        self._ending: deque[tuple[int, CandidateState, str]] = deque()  # URLs of sites that were given up
        self.keeps: Callable[[int, str], bool] = lambda candidate, reason: False
        """Was a candidate, whose site is given up, fetched before, and is due? It stays what it is, and is taken note
        of."""
        self.before: Sequence[SiteRow] = ()  # the rows of an earlier run, as they were
        self.walked: list[str] = []  # sitemaps that were read in the life of the crawl
        self.walking: Counter[str] = Counter()  # origins of those that are being read

    # -- looking -------------------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self._frontier.sites)

    def first(self, most: int) -> list[Site]:
        """The first of all sites, in the order of their mention."""
        return self._frontier.sites[:most]

    def of(self, url: str) -> Site:
        """The site of a canonical URL."""
        return self._frontier.site_of_url(url)

    def introduced_by(self, site: Site) -> Site | None:
        """The site of the page that linked to the best URL that waits at a site; None for a seed, and without one."""
        return self._frontier.introduced_by(site)

    # -- turns ---------------------------------------------------------------------------------------------------

    def try_turn(self, site: Site) -> Lease | float:
        """A turn to ask a site for something beside its pages; else how many seconds to wait before trying again."""
        return self._frontier.try_lease(site, self._clock.now())

    def hold_errand(self, lease: Lease) -> Lease:
        """Keep an errand's lease while its requests take turns of their own; nothing else is leased there meanwhile."""
        return self._frontier.hold_errand(lease, self._clock.now())

    def release(self, lease: Lease, *, heard_at: float | None = None) -> None:
        """A turn is over: the site may be asked again when its delay has passed, counted from the first byte of the
        answer where one came."""
        self._frontier.release(lease, self._clock.now(), counted_from=heard_at)

    def cancel(self, lease: Lease) -> None:
        """A turn was not used: nobody was asked, so no delay begins."""
        self._frontier.cancel(lease, self._clock.now())

    def set_aside(self, site: Site, seconds: float) -> None:
        """Do not ask a site for so long, whatever else there is to do."""
        self._unanswered.pop(site.id, None)
        self._frontier.set_aside(site, seconds, self._clock.now())

    def try_later(self, site: Site, seconds: float) -> None:
        """A site did not answer when it was asked for what it needs before its first page: ask it again after so long,
        or sooner where there is nothing else to do (:meth:`hasten`)."""
        self.set_aside(site, seconds)
        self._unanswered[site.id] = self._clock.now() + site.delay_s

    def hasten(self) -> None:
        """Where nothing waits but URLs of sites that did not answer, ask these again as soon as their delay allows:
        nobody else could be asked meanwhile."""
        silent = [site for site in map(self._frontier.sites.__getitem__, self._unanswered) if _is_unopened(site)]
        if silent and sum(site.waiting for site in silent) >= self._frontier.within_reach:
            now = self._clock.now()
            for site in silent:
                self._frontier.hasten(site, max(now, self._unanswered[site.id]), now)

    # -- what a site needs before its first page -----------------------------------------------------------------

    def found_at(self, site: Site, address: str) -> None:
        """The site's address is known: it shares that address's delay, and needs its robots.txt next."""
        self.journal.site(site.id).address = address
        self._frontier.set_address(site, address)
        self._ask_leave(address)

    def moved(self, site: Site, address: str) -> None:
        """The site has another address from now on."""
        self.journal.site(site.id).address = address
        self._ask_leave(address)
        self._frontier.rehome(site, address, self._clock.now())

    def _ask_leave(self, address: str) -> None:
        if self.others is not None and not self.others.may_ask(address):
            self.keep_off(address)

    def keep_off(self, address: str) -> float | None:
        """Another shard asks at an address: no site there is asked until :meth:`let_in`. Seconds until that one may
        begin; None: it is being asked."""
        return self._frontier.keep_off(address, self._clock.now())

    def missed(self) -> set[str]:
        """Addresses that are kept off, and that some site has had something to ask at since this was last called."""
        return self._frontier.missed()

    def best_at(
        self, addresses: Collection[str], found: dict[str, float], within_s: float, first: int, end: int
    ) -> None:
        """Of the sites of these numbers: the highest priority at each of these addresses of what could be asked there
        within so long, put into ``found`` where it is the highest."""
        until = self._clock.now() + within_s
        for site in self._frontier.sites[first:end]:
            address = site.address_key
            if address in addresses and site.waiting and site.ready_at <= until and not (site.held or site.closed):
                best = self._frontier.best_at(site)
                if best is not None and best > found.get(address, -math.inf):
                    found[address] = best

    def idle_s(self, address: str) -> float:
        """For how long an address could have been asked, and was not."""
        return self._frontier.idle_s(address, self._clock.now())

    def let_in(self, address: str, wait_s: float) -> None:
        """No other shard asks at an address: sites there may be asked after so long."""
        now = self._clock.now()
        self._frontier.let_in(address, now + wait_s, now)

    def not_found(self, site: Site) -> None:
        """No address of the site was found."""
        self.journal.site(site.id).failures += 1

    def opened(self, site: Site, robots_status: str = "", asked_s: float | None = None) -> None:
        """The site's robots.txt was read, or need not be: its pages may be asked for. ``asked_s`` is its Crawl-delay,
        kept when it is longer than ours, clipped to the longest."""
        self._unanswered.pop(site.id, None)
        if not robots_status:
            self._frontier.open(site)
            return
        row = self._robots(site, robots_status)
        self._frontier.open(site, delay_s=self._delay(site, asked_s or 0.0))
        row.delay_s = site.delay_s

    def not_opened(self, site: Site, robots_status: str) -> None:
        """The site's robots.txt could not be had."""
        self._robots(site, robots_status).failures += 1

    def need_robots(self, site: Site) -> None:
        """The site's robots.txt must be read (again) before its next page."""
        self._frontier.need_robots(site)

    def _robots(self, site: Site, status: str) -> SiteRow:
        row = self.journal.site(site.id)
        row.robots_status, row.robots_fetched_at = status, self._clock.wall()
        return row

    def _delay(self, site: Site, asked_s: float) -> float:
        clipped = min(asked_s, self._politeness.max_delay_s)
        if clipped < asked_s:
            self.journal.event("delay clipped", f"{site.origin}: Crawl-delay {asked_s:g} s taken as {clipped:g} s")
        return max(clipped, self._politeness.delay_s)

    # -- what its exchanges tell ---------------------------------------------------------------------------------

    def exchanged(self, site: Site, result: Response | Failure, *, counts: bool) -> None:
        """An exchange is over. Where it ``counts``, one that failed is a fault of the site's: again and again, and it
        is set aside for longer and longer, and closed."""
        row = self.journal.site(site.id)
        row.requests += 1
        row.wire_bytes += result.wire_bytes
        row.latency_s += result.timings.first_byte_s
        row.download_s += max(0.0, result.timings.total_s - result.timings.first_byte_s)
        if not counts:
            return
        if isinstance(result, Response):
            self._failures.pop(site.id, None)
        elif result.kind not in (FailureKind.BUDGET, FailureKind.CANCELLED):  # which are no fault of the site's
            self._fault(site, self._failures, result.kind.value + ": {} failures in a row")

    def brought(self, site: Site, relevant: bool) -> None:
        """A page of the site was judged."""
        row = self.journal.site(site.id)
        row.pages += 1
        row.relevant += relevant

    def judged_again(self, site: Site, relevant: bool) -> None:
        """A page of the site has the other verdict from now on."""
        self.journal.site(site.id).relevant += 1 if relevant else -1

    def kept_busy(self, site: Site, busy_s: float, *, given_up: bool) -> None:
        """A worker was busy with a page for so long. A site whose pages keep workers busy is set aside for as long as
        leaves most of their time to others; one whose pages use up all their time, again and again, is given up like
        one that does not answer."""
        if not given_up:
            self._given_up.pop(site.id, None)
        if busy_s < _LONG_S:
            return
        if given_up:
            self._fault(site, self._given_up, "parse: {} pages in a row took too long")
        self.set_aside(site, _REST * busy_s)

    def keeps_busy(self, site: Site) -> None:
        """A page of the site keeps a worker for long just now: no more of these, for the time being."""
        self.set_aside(site, _LONG_S)

    def put_off(self, site: Site) -> None:
        """A page of the site used up all its time: the others wait."""
        self.set_aside(site, _REST * self._limits.page_time_s)

    def _fault(self, site: Site, faults_of: dict[int, int], reason: str) -> None:
        """One more of a site's faults in a row."""
        row = self.journal.site(site.id)
        row.failures += 1
        faults = faults_of[site.id] = faults_of.get(site.id, 0) + 1
        if faults >= (_GIVE_UP_LATER if row.pages else _GIVE_UP_AFTER) and not site.closed:
            self.close(site, reason.format(faults), CandidateState.FAILED)
        elif faults >= _SET_ASIDE_AFTER:
            self.set_aside(site, self._limits.retry_wait_s * 2.0 ** min(faults - _SET_ASIDE_AFTER, 6))

    # -- from shard to shard ------------------------------------------------------------------------------------

    def is_walked(self, site: Site) -> bool:
        """Is one of its sitemaps being read?"""
        return self.walking[site.origin] > 0

    def to_move(self, site: Site, wait_s: float, fruitless: int) -> MovedSite:
        """What another shard is to know of a site, that it is to have."""
        row = self.journal.site(site.id)
        closed_s = 0.0 if row.not_before is None or not site.closed else row.not_before - self._clock.wall()
        return MovedSite(
            delay_s=site.delay_s, wait_s=wait_s, failures=self._failures.pop(site.id, 0),
            given_up=self._given_up.pop(site.id, 0), fruitless=fruitless, closed=site.closed,
            closed_for_s=max(0.0, closed_s),
            walked=tuple(url for url in self.walked if url.startswith(f"{site.origin}/")),
        )  # fmt: skip

    def take_over(self, site: Site, told: MovedSite) -> None:
        """A site comes from another shard, which told this of it. It has to be asked for its robots.txt again."""
        now = self._clock.now()
        longest_s = max(self._politeness.max_delay_s, self._politeness.delay_s)
        site.delay_s = min(max(told.delay_s, self._politeness.delay_s), longest_s)
        self._frontier.set_aside(site, max(min(told.wait_s, _CLOSED_S), site.delay_s), now)
        for failures, before in ((self._failures, told.failures), (self._given_up, told.given_up)):
            if before:
                failures[site.id] = before
        self.walked += [url for url in told.walked if url not in self.walked]
        row = self.journal.site(site.id)
        row.delay_s = site.delay_s
        if told.closed:
            self.close(site, told.closed, CandidateState.REFUSED, for_s=min(told.closed_for_s, _CLOSED_S))

    # -- the end of a site ---------------------------------------------------------------------------------------

    def close(self, site: Site, reason: str, state: CandidateState, *, for_s: float = _CLOSED_S) -> None:
        """Give a site up, with all that waits there, in this run and in those that begin within ``for_s``."""
        self._end_all(site, reason, state)
        row = self.journal.site(site.id)
        row.closed, row.not_before = reason, self._clock.wall() + for_s if for_s else None
        self.journal.event("site closed", f"{site.origin}: {reason}")

    def _end_all(self, site: Site, reason: str, state: CandidateState) -> None:
        self._ending.extend((candidate, state, reason) for candidate in self._frontier.close(site, reason))
        self.end_some()

    def end_some(self, most: int | None = _ENDED_AT_ONCE) -> bool:
        """End URLs of sites that were given up, so many at a time, since there may be very many. Are there more?"""
        attempts = self._frontier.candidates.attempts
        for _ in range(len(self._ending) if most is None else min(most, len(self._ending))):
            candidate, state, reason = self._ending.popleft()
            if self.keeps(candidate, reason):
                continue
            self._frontier.finish(candidate, state)
            self.journal.ended(candidate, state, reason, int(attempts[candidate]))
        return bool(self._ending)

    # -- another run ---------------------------------------------------------------------------------------------

    def load(self, rows: Iterable[SiteRow]) -> None:
        """Take up the sites of an earlier run, before any other is mentioned; :meth:`reopen` must follow when their
        URLs are known."""
        self.before = list(rows)
        for row in self.before:
            if self._frontier.site(row.origin).id != row.id:
                raise StoreError(f"the records have no row for site {row.id - 1}: they are damaged")
            self.journal.restore_site(row)

    @property
    def delays_before(self) -> list[float]:
        """The delay of each site in the earlier run, in their order."""
        return [row.delay_s for row in self.before]

    def reopen(self) -> None:
        """Keep to what an earlier run knew of its sites: they stay closed, or are not asked before their time. By the
        wall clock, which may have been set back meanwhile: so a wait is no longer than a site may ask for. The delay
        itself runs from now, since a site may have been asked after the last commit."""
        for row in self.before:
            site = self._frontier.sites[row.id]
            wait_s = 0.0 if row.not_before is None else row.not_before - self._clock.wall()
            if row.closed and 0 < wait_s <= 2 * _CLOSED_S:  # longer: the clock was set back, and it was long ago
                self._end_all(site, row.closed, CandidateState.REFUSED)  # a lease lost in a crash may still wait there
                continue
            if row.closed:
                self.journal.site(site.id).closed = ""
            longest_s = max(self._politeness.max_delay_s, self._politeness.delay_s)
            self.set_aside(site, min(max(wait_s, row.delay_s), longest_s))


def _is_unopened(site: Site) -> bool:
    return bool(site.waiting) and not site.closed and site.errand is not Errand.PAGE
