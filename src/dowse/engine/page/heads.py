"""HEAD before GET: what a page costs, asked for before it is paid (``cost.head``; METHODS, section 1: cost).

The life of a page with it: leased, asked for with HEAD, *waiting again* with its size known, leased in a later turn of
its site, asked for with GET. A HEAD is a request: it is counted before it leaves, and the site's delay runs from it.
What its answer means:

=========================  ==============================================================================
2xx, a type not wanted     the URL is refused, as after a GET; no GET is sent
a redirect                 as after a GET: the target is taken up, no GET is sent
2xx otherwise              the page waits for its GET; its Content-Length, if any, is its size
any other status, none     the page waits for its GET, which decides; the answer was of no use
=========================  ==============================================================================

How soon the answer came goes into the site log, whatever it says, and with that into the cost of what waits at the
site. A HEAD never makes a URL fail. A site that gave a few useless answers in a row gets no more of them. Nothing of
this is kept over a resume: a page whose GET has not left may be asked for with HEAD again.
"""

from __future__ import annotations

from dataclasses import replace

from dowse.engine.exchange.exchange import Exchange, leads_on
from dowse.engine.life import Life
from dowse.engine.page.disposition import Disposition
from dowse.fetch import GiveUp, Retry
from dowse.frontier import Lease
from dowse.model.http import REDIRECTS, Failure, Request, Response, Truncation, is_unwanted
from dowse.model.topic import Topic
from dowse.model.wanted_types import wanted_types

__all__ = ["Heads"]

_USELESS_AT_MOST = 3  # answers in a row that tell nothing, before a site is asked no more
_LARGEST_SIZE = 1 << 62  # a Content-Length beyond is nonsense


class Heads:
    """Asks for pages with HEAD, and tells :class:`Life` what their bodies will have on the wire."""

    def __init__(self, topic: Topic, life: Life, exchange: Exchange, disposition: Disposition) -> None:
        self._wanted = wanted_types(topic.scope)
        self._life = life
        self._exchange = exchange
        self._disposition = disposition
        self._asked: set[int] = set()  # candidates whose GET has not left yet
        self._useless: dict[int, int] = {}  # site -> answers in a row that told nothing

    def wanted(self, lease: Lease) -> bool:
        """Is a HEAD to be sent for this page before its GET? Not where the budget would not reach for the GETs of
        those already asked about, this one included."""
        if lease.candidate in self._asked or self._life.attempts(lease):
            return False
        if self._useless.get(lease.site.id, 0) >= _USELESS_AT_MOST:
            return False
        left = self._exchange.purse.fetches_left()
        return left is None or left >= 2 + len(self._asked)

    def leaves(self, candidate: int, *, head: bool) -> None:
        """A request for a page leaves: its HEAD or its GET."""
        if head:
            self._asked.add(candidate)
        else:
            self._asked.discard(candidate)

    async def ask(self, lease: Lease) -> None:
        """Ask with HEAD on a lease; the caller has counted the request, and said that it :meth:`leaves`."""
        result, at = await self._exchange.make(lease, Request(lease.url, method="HEAD"))
        if isinstance(result, Response):
            self._life.worth.timed(lease, result)
        if isinstance(result, Response) and self._is_final(result):
            self._useless.pop(lease.site.id, None)
            self._asked.discard(lease.candidate)
            self._life.counted(lease)
            # there was no body that could have been cut, whatever the headers promised
            cut = Truncation.NONE if result.status in REDIRECTS else Truncation.TYPE
            await self._disposition.of(lease, replace(result, truncated=cut), at)
            return
        told = isinstance(result, Response) and result.status // 100 == 2
        self._useless[lease.site.id] = 0 if told else self._useless.get(lease.site.id, 0) + 1
        self._hold_if_asked(lease, result)
        self._life.wait(lease)
        size = _size(result) if isinstance(result, Response) and told else None
        if lease.site.closed:
            self._asked.discard(lease.candidate)  # no GET will follow
        elif size is not None:
            self._life.worth.sized(lease.candidate, size)

    def _is_final(self, response: Response) -> bool:
        """Does the answer end the URL, so that no GET is needed?"""
        if response.status in REDIRECTS:
            return leads_on(response)
        return response.status // 100 == 2 and is_unwanted(
            response.header("Content-Type"), self._wanted.at(response.url)
        )

    def _hold_if_asked(self, lease: Lease, result: Response | Failure) -> None:
        """Leave the site alone for as long as its answer asks for, whatever it was an answer to."""
        if isinstance(result, Failure):
            return
        decision = self._disposition.decision(result, attempts=1)
        if isinstance(decision, Retry) and decision.whole_host:
            self._life.sites.set_aside(lease.site, decision.after_s)
        elif isinstance(decision, GiveUp) and decision.hold_s:
            self._life.sites.set_aside(lease.site, decision.hold_s)


def _size(response: Response) -> int | None:
    text = (response.header("Content-Length") or "").strip()
    if not text.isascii() or not text.isdigit() or len(text) > 19:
        return None
    return min(int(text), _LARGEST_SIZE)
