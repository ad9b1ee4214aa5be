"""HEAD before GET: what a page costs, asked for before it is paid (``cost.head``; METHODS, section 1: cost).

The life of a page with it: leased, asked for with HEAD, *waiting again* with its size known, leased in a later turn of
its site, asked for with GET. A HEAD is a request: it is counted before it leaves, and the site's delay runs from it.
What its answer means:

=========================  ==============================================================================
2xx, a type not wanted     the URL is refused, as after a GET; no GET is sent
a redirect                 as after a GET: the target is taken up, no GET is sent
2xx otherwise              the page waits for its GET; its Content-Length, if any, is told to ``on_size``
any other status, none     the page waits for its GET, which decides; the answer was of no use
=========================  ==============================================================================

So a HEAD never makes a URL fail. A site that gave a few useless answers in a row gets no more of them. Nothing of this
is kept over a resume: a page whose GET has not left may be asked for with HEAD again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from dowse.engine.exchange.conclude import Conclusion
from dowse.engine.life.recorder import Recorder
from dowse.fetch import GiveUp, Retry, decide
from dowse.frontier import Frontier, Lease
from dowse.model.budget import Purse
from dowse.model.clock import Clock
from dowse.model.http import REDIRECTS, Failure, Request, Response, Transport, Truncation, is_unwanted
from dowse.model.topic import Topic

__all__ = ["Heads"]

_USELESS_AT_MOST = 3  # answers in a row that tell nothing, before a site is asked no more
_LARGEST_SIZE = 1 << 62  # a Content-Length beyond is nonsense


class Heads:
    """Asks for pages with HEAD.

    ``on_size`` is called with a candidate and the bytes its body will have on the wire, as soon as a HEAD has told
    them. The candidate waits then, so its priority may be changed at once.
    """

    def __init__(
        self, topic: Topic, *, frontier: Frontier, transport: Transport, conclusion: Conclusion, recorder: Recorder,
        purse: Purse, clock: Clock,
    ) -> None:  # fmt: skip
        self._topic = topic
        self._frontier = frontier
        self._transport = transport
        self._conclusion = conclusion
        self._recorder = recorder
        self._purse = purse
        self._clock = clock
        self._asked: dict[int, int | None] = {}  # candidates whose GET has not left yet, with their size if known
        self._useless: dict[int, int] = {}  # site -> answers in a row that told nothing
        self.on_size: Callable[[int, int], None] | None = None

    def wanted(self, lease: Lease) -> bool:
        """Is a HEAD to be sent for this page before its GET? Not where the budget would not reach for the GETs of
        those already asked about, this one included."""
        if lease.candidate in self._asked or self._frontier.candidates.attempts[lease.candidate]:
            return False
        if self._useless.get(lease.site.id, 0) >= _USELESS_AT_MOST:
            return False
        left = self._purse.fetches_left()
        return left is None or left >= 2 + len(self._asked)

    def size(self, candidate: int) -> int | None:
        """The size a HEAD has told, while its page waits for the GET."""
        return self._asked.get(candidate)

    def leaves(self, candidate: int, *, head: bool) -> None:
        """A request for a page leaves: its HEAD or its GET."""
        if head:
            self._asked[candidate] = None
        else:
            self._asked.pop(candidate, None)

    async def ask(self, lease: Lease) -> None:
        """Ask with HEAD on a lease; the caller has counted the request, and said that it :meth:`leaves`."""
        result, at = await self._exchange(lease)
        if isinstance(result, Response) and self._is_final(result):
            self._useless.pop(lease.site.id, None)
            self._asked.pop(lease.candidate, None)
            self._frontier.candidates.attempts[lease.candidate] = 1
            # there was no body that could have been cut, whatever the headers promised
            cut = Truncation.NONE if result.status in REDIRECTS else Truncation.TYPE
            await self._conclusion.conclude(lease, replace(result, truncated=cut), at)
            return
        told = isinstance(result, Response) and result.status // 100 == 2
        self._useless[lease.site.id] = 0 if told else self._useless.get(lease.site.id, 0) + 1
        self._hold_if_asked(lease, result)
        self._conclusion.wait_again(lease)
        size = _size(result) if isinstance(result, Response) and told else None
        if lease.site.closed:
            self._asked.pop(lease.candidate, None)  # no GET will follow
        elif size is not None:
            self._asked[lease.candidate] = size
            if self.on_size is not None:
                self.on_size(lease.candidate, size)

    async def _exchange(self, lease: Lease) -> tuple[Response | Failure, float]:
        limits = self._topic.limits
        request = Request(
            lease.url, method="HEAD", timeout_s=self._purse.timeout_s(limits.timeout_s), address=lease.site.address_key
        )
        at = self._clock.wall()
        heard = None
        try:
            result = await self._transport.fetch(request, self._purse)
            if isinstance(result, Response):  # the delay counts from its first byte, as after a GET
                heard = self._clock.now() - (result.timings.total_s - result.timings.first_byte_s)
        finally:
            self._frontier.release(lease, self._clock.now(), counted_from=heard)
        row = self._recorder.site(lease.site.id)
        row.requests += 1
        row.wire_bytes += result.wire_bytes
        row.latency_s += result.timings.first_byte_s
        return result, at

    def _is_final(self, response: Response) -> bool:
        """Does the answer end the URL, so that no GET is needed?"""
        if response.status in REDIRECTS:
            return bool(response.header("Location"))
        unwanted = is_unwanted(response.header("Content-Type"), self._topic.scope.content_types)
        return response.status // 100 == 2 and unwanted

    def _hold_if_asked(self, lease: Lease, result: Response | Failure) -> None:
        """Leave the site alone for as long as its answer asks for, whatever it was an answer to."""
        if isinstance(result, Failure):
            return
        decision = decide(
            result, 1, self._topic.limits, wall=self._clock.wall(),
            max_delay_s=self._topic.politeness.max_delay_s,
        )  # fmt: skip
        if isinstance(decision, Retry) and decision.whole_host:
            self._frontier.set_aside(lease.site, decision.after_s, self._clock.now())
        elif isinstance(decision, GiveUp) and decision.hold_s:
            self._frontier.set_aside(lease.site, decision.hold_s, self._clock.now())


def _size(response: Response) -> int | None:
    text = (response.header("Content-Length") or "").strip()
    if not text.isascii() or not text.isdigit() or len(text) > 19:
        return None
    return min(int(text), _LARGEST_SIZE)
