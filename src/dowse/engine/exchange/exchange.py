"""The one exchange: whatever Dowse asks the web for goes through here.

A page, its HEAD, a robots.txt, a sitemap, an example that the user named: each is

* **guarded**: the address of its site comes first, and a port where no web server answers is refused;
* **polite**: it holds its site's turn; the delay of site and address runs from a page's first byte, else from the end;
* **budgeted**: counted before it leaves (:meth:`Exchange.reserve`), its bytes as they come;
* **current**: of several engines, one that the others may take for dead sends nothing: asked when it is counted, and
  again when the connection stands, which may take long;
* **recorded**: in the site's row, and in the archive (a page's records are packed by the worker that reads it).

What is asked with a key of the user's is not archived.

There is one rule for redirects, :func:`next_hop`. A page's redirect becomes a URL of its own; for everything else
:meth:`Exchange.follow` goes on to the end, hop by hop, each an exchange in its own site's turn.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Container
from dataclasses import dataclass, replace

from dowse.engine.exchange.lookups import Addresses
from dowse.engine.life import Sites
from dowse.frontier import Lease, Site
from dowse.model.budget import Purse
from dowse.model.clock import Clock
from dowse.model.http import REDIRECTS, Failure, FailureKind, Request, Response, Transport
from dowse.model.topic import Topic
from dowse.model.url import Base, split

__all__ = ["DeadEnd", "Exchange", "Over", "leads_on", "next_hop"]

_LONGEST_WAIT_S = 30.0  # for a host that is busy or set aside
_HOPS = 5  # of what is no page: as many as RFC 9309, section 2.3.1.2, asks for

Over = Callable[[Lease, Response | Failure], None]
"""Told of an answer while the turn of its site still lasts."""


@dataclass(frozen=True, slots=True)
class DeadEnd:
    """Where a redirect, or an address that may not be asked for, ends the way: why."""

    reason: str
    refused: bool = False  # by a rule of ours; else it is the site's fault


def leads_on(response: Response, redirects: Container[int] = REDIRECTS) -> bool:
    """Is this a redirect? One without a Location leads nowhere, and is an answer like any other."""
    return response.status in redirects and bool(response.header("Location"))


def next_hop(url: str, response: Response, chain: Collection[str], most: int) -> str | DeadEnd:
    """Where a redirect leads: the rule for all of them. ``chain`` are the URLs whose redirects led to this one, and
    ``most`` how many there may be."""
    target = Base(url).join(response.header("Location") or "")
    if target is None:
        return DeadEnd("not a web address", refused=True)
    if target == url:
        return DeadEnd("to itself")
    if target in chain:
        return DeadEnd("loop")
    return DeadEnd("too many") if len(chain) >= most else target


class Exchange:
    """Asks the web, once at a time for each turn."""

    def __init__(self, topic: Topic, transport: Transport, sites: Sites, purse: Purse, clock: Clock) -> None:
        self._limits = topic.limits
        self._longest_backoff_s = max(topic.politeness.max_delay_s, 1.0)
        self._transport = transport
        self.sites = sites
        self._journal = sites.journal
        self._clock = clock
        self.purse = purse
        self.addresses = Addresses(topic, transport, sites, clock, self.backoff_s)
        self.closed = False  # set when the crawl stops: nothing more leaves but pages under way

    def backoff_s(self, tries: int) -> float:
        """How long to wait before a site is asked again that failed so often."""
        return min(self._limits.retry_wait_s * 2.0 ** (tries - 1), self._longest_backoff_s)

    def reserve(self, *, page: bool = False) -> bool:
        """Count a request, and the page it may bring, before it leaves; False: the budget does not allow it."""
        if self.sites.others is not None and not self.sites.others.is_current():
            return False
        if not self.purse.reserve(page=page):
            return False
        self._journal.note_spent()
        return True

    async def make(self, lease: Lease, request: Request, over: Over | None = None) -> tuple[Response | Failure, float]:
        """Make one exchange, which :meth:`reserve` has counted, in a turn that ends with it. The answer, redirects not
        followed, and when it was asked for (UTC). With ``over``, a failure counts against the site."""
        site = lease.site
        request = replace(
            request, timeout_s=self.purse.timeout_s(self._limits.timeout_s), address=site.address_key,
            may_leave=None if self.sites.others is None else self.sites.others.is_current,
        )  # fmt: skip
        at, heard_at = self._clock.wall(), None
        try:
            result = await self._transport.fetch(request, self.purse)
            if isinstance(result, Response) and lease.candidate >= 0:
                # from the end backwards: time lost on the way then makes the delay longer, never shorter
                heard_at = self._clock.now() - (result.timings.total_s - result.timings.first_byte_s)
            self.sites.exchanged(site, result, counts=over is not None)
            if over is not None:
                over(lease, result)
            if isinstance(result, Failure) and result.kind is FailureKind.CONNECT:
                await self.addresses.renew(site)  # nobody answers there: the site may have another address
            return result, at
        finally:
            self.sites.release(lease, heard_at=heard_at)

    async def ask(self, request: Request) -> Response | Failure | None:
        """Ask for something that is no page, in its site's turn, and archive the answer; redirects not followed. None:
        the budget is spent, the crawl is stopping, or others take this engine for dead."""
        lease = await self.turn(self.sites.of(request.url))
        if not isinstance(lease, Lease):
            return lease
        if self.closed or not self.reserve():
            self.sites.cancel(lease)
            return None
        result, at = await self.make(lease, request)
        if isinstance(result, Failure) and result.kind is FailureKind.CANCELLED:
            return None  # nobody was asked
        if isinstance(result, Response) and not request.secrets:  # an answer may repeat what it was asked with
            await self._journal.archive(result, at, {"fetchTimeMs": round(result.timings.total_s * 1000)})
        return result

    async def follow(
        self, request: Request, *, permits: Callable[[str], Awaitable[str]] | None = None,
        redirects: Container[int] = REDIRECTS,
    ) -> Response | Failure | DeadEnd | None:  # fmt: skip
        """Ask for something that is no page, and go where ``redirects`` lead. ``permits`` says of each URL on the way
        why it may not be asked for ("": it may)."""
        chain: list[str] = []
        while True:
            forbidden = "" if permits is None else await permits(request.url)
            if forbidden:
                return DeadEnd(forbidden, refused=True)
            result = await self.ask(request)
            if not isinstance(result, Response) or not leads_on(result, redirects):
                return result
            target = next_hop(request.url, result, chain, _HOPS)
            if request.secrets and isinstance(target, str) and split(target).origin != split(request.url).origin:
                target = DeadEnd("to another site, which must not get the key", refused=True)
            if isinstance(target, DeadEnd):
                return replace(target, reason=f"redirect: {target.reason}")
            chain.append(request.url)
            request = replace(request, url=target)

    async def turn(self, site: Site) -> Lease | Failure | None:
        """Wait for a site's turn; a Failure when it does not come, None when the crawl is stopping."""
        failure = await self.addresses.ensure(site)
        if failure is not None:
            return failure
        deadline = self._clock.now() + _LONGEST_WAIT_S + 2 * site.delay_s
        while not self.closed:
            turn = self.sites.try_turn(site)
            if isinstance(turn, Lease):
                return turn
            if self._clock.now() + turn > deadline:
                return Failure(site.origin, FailureKind.TIMEOUT, "its host is busy")
            await self._clock.sleep(turn)
        return None
