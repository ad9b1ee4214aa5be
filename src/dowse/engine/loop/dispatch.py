"""Which URL goes next, and whether it may go at all."""

from __future__ import annotations

import math

from dowse.engine.exchange.exchange import Exchange
from dowse.engine.exchange.site_rules import Robots
from dowse.engine.life import Life
from dowse.engine.life.tally import Tally
from dowse.engine.loop.fetcher import Fetcher
from dowse.engine.loop.openings import Openings
from dowse.engine.loop.tasks import Tasks
from dowse.engine.workers.port import Workers
from dowse.frontier import Errand, Lease
from dowse.model.topic import Target, Topic

__all__ = ["Dispatcher", "allowance"]

_BACKLOG_A_WORKER = 8
_AT_ONCE_US = 25_000  # of looking URLs up in robots.txt and turning leases down, before others get their turn
_TURNED_DOWN_US = 50  # a lease: a URL that robots.txt refuses, a name that has to wait to be looked up
_PUT_BACK = 16  # URLs in a row that turn out to be worth less than they were ranked with
_BUDGET_SHARE = 16  # of the pages left, so many times fewer may go: most of what is good is not found yet
_PAGES_A_FIND = 4  # it takes to get one that the target wants
_FEWEST = 8
_PUT_OFF_S = 0.5  # a site that is not worth one of the last requests, or whose domain has sent enough for now
_MOST = 1e9


class Dispatcher:
    """Leases what the frontier offers, as long as there is room, and starts a task for each lease."""

    def __init__(
        self, topic: Topic, life: Life, exchange: Exchange, robots: Robots, fetcher: Fetcher, workers: Workers,
        tasks: Tasks,
    ) -> None:  # fmt: skip
        self._target = topic.target
        self._most = topic.network.concurrency
        self._life = life
        self._exchange = exchange
        self._robots = robots
        self._fetcher = fetcher
        self._workers = workers
        self._tasks = tasks
        self._openings = Openings(exchange.purse, life, in_order=self._most == 1)
        self._most_backlog = _BACKLOG_A_WORKER * max(1, workers.count)
        self.has_more = False  # there is more to do, but answers in flight get their turn first

    @property
    def has_room(self) -> bool:
        """May another lease be taken? One at a time means that a page is learned from before the next is chosen."""
        tasks = self._tasks
        if self._most == 1 and len(tasks):
            return False
        return (
            tasks.fetching < self._most
            and len(tasks) - self._exchange.addresses.looking_up < 2 * self._most + self._most_backlog
            and self._workers.backlog < self._most_backlog
            and self._fetcher.has_room
        )

    def launch(self) -> None:
        """Start all that may start now."""
        life, work_us, behind, self.has_more = self._life, 0, 0, self._life.sites.end_some()
        while self.has_room:
            if work_us >= _AT_ONCE_US:
                self.has_more = True
                return
            lease = life.lease(self._allowance())
            if lease is None:
                return
            if lease.errand is Errand.PAGE and behind < _PUT_BACK and life.reconsider(lease):
                behind += 1
                continue
            took_us = self._page(lease) if lease.errand is Errand.PAGE else self._errand(lease)
            if took_us is None:
                return
            work_us += took_us

    def _allowance(self) -> int | None:
        left, due = self._exchange.purse.fetches_left(), len(self._life.visits)
        if not self._life.visits.is_run:
            return allowance(left, self._target, self._life.tally, self._life.part)
        # all that is due is fetched: no order among it matters, as long as it leaves something for what is new
        return None if left is None or not due or left > due + self._most else due

    def _errand(self, lease: Lease) -> int | None:
        """Start what a site needs before its first page: how much work that was, in microseconds. None: launch nothing
        more for now."""
        if lease.errand is Errand.ADDRESS:
            if not self._exchange.addresses.may_begin(lease):
                return _TURNED_DOWN_US
            self._tasks.look_up(self._exchange.addresses.find, lease)
            return 0
        if self._exchange.purse.exhausted() is not None:
            self._life.sites.cancel(lease)
            return None
        if not self._openings.worth_it(lease.site, len(self._tasks)):
            self._life.sites.cancel(lease)
            self._life.sites.set_aside(lease.site, _PUT_OFF_S)
            return _TURNED_DOWN_US
        self._tasks.start(self._tasks.occupied(self._robots.read, lease))
        return 0

    def _page(self, lease: Lease) -> int | None:
        """Start fetching a page, unless its place turned out fruitless, or robots.txt or the budget forbid it: how much
        work it was to tell, in microseconds. None: launch nothing more for now."""
        site, addresses = lease.site, self._exchange.addresses
        rule = self._life.rule_by_now(lease)
        if rule is not None:
            self._life.refuse(lease, rule)
            return _TURNED_DOWN_US
        effort_us = self._robots.effort(site, lease.url)
        allowed = self._robots.allowed(site, lease.url)
        if allowed is None:
            self._life.sites.need_robots(site)
            self._life.put_back(lease)
            return effort_us
        if addresses.is_aged(site):
            self._tasks.background(addresses.renew(site))
        if not allowed:
            self._life.refuse(lease, "robots")
            return effort_us + _TURNED_DOWN_US
        crowded = self._workers.waiting_of(lease.url) >= self._most_backlog  # and other domains have room
        if crowded or not self._openings.may_ask(site):
            self._life.put_back(lease)
            self._life.sites.set_aside(site, _PUT_OFF_S)
            return effort_us + _TURNED_DOWN_US
        return effort_us if self._fetcher.start(lease) else None


def allowance(left: int | None, target: Target, tally: Tally, part: float = 1.0) -> int | None:
    """How many, when so many fetches are ``left``: a small share of them, since better URLs will be found on the way,
    or a few for each page the target still wants (of a value: as many as it takes at the going rate). None: nothing
    is counted, so idle hosts cost nothing, and every URL may go. There are always a few, so that a slow site does not
    hold up the crawl: of a crawl by several engines, the ``part`` of these that is this one's.

    >>> allowance(1600, Target(), Tally()), allowance(1600, Target(relevant=3), Tally())
    (100, 12)
    """
    found = [] if left is None else [left // _BUDGET_SHARE]
    if target.relevant is not None:
        found.append(_PAGES_A_FIND * (target.relevant - tally.relevant))
    if target.value is not None:
        a_page = tally.value / tally.pages if tally.value > 0 else 1 / _PAGES_A_FIND
        found.append(math.ceil(min((target.value - tally.value) / a_page, _MOST)))
    return max(1, round(_FEWEST * part), min(found)) if found else None
