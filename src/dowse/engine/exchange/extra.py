"""Requests beside the pages (a redirected robots.txt, a sitemap): they wait their turn and are counted all the same."""

from __future__ import annotations

from collections.abc import Container

from dowse.engine.life.endings import archived
from dowse.engine.life.recorder import Recorder
from dowse.frontier import Errand, Frontier, Lease, Site
from dowse.model.budget import Purse
from dowse.model.clock import Clock
from dowse.model.http import Failure, FailureKind, Request, Resolved, Response, Transport
from dowse.model.ports import is_refused_port

__all__ = ["ExtraRequests"]

_LONGEST_WAIT_S = 30.0  # for a host that is busy or set aside


class ExtraRequests:
    """Asks for one URL at a time, in its site's turn: address, delay, connections and budget hold."""

    def __init__(
        self, frontier: Frontier, transport: Transport, purse: Purse, recorder: Recorder, clock: Clock,
        timeout_s: float, allow_ports: Container[int] = (),
    ) -> None:  # fmt: skip
        self._frontier = frontier
        self._transport = transport
        self._purse = purse
        self._recorder = recorder
        self._clock = clock
        self._timeout_s = timeout_s
        self._allow_ports = allow_ports
        self.closed = False  # set when the crawl stops: nothing more leaves

    async def ask(self, url: str, max_bytes: int) -> Response | Failure | None:
        """One exchange, redirects not followed. None: the budget is spent or the crawl is stopping."""
        site = self._frontier.site_of_url(url)
        lease = await self.hold(site)
        if not isinstance(lease, Lease):
            return lease
        try:
            return await self.exchange(site, url, max_bytes)
        finally:
            self._frontier.release(lease, self._clock.now())

    async def hold(self, site: Site) -> Lease | Failure | None:
        """Wait for the site's turn; a Failure when it does not come."""
        failure = await self._settle_address(site)
        if failure is not None:
            return failure
        deadline = self._clock.now() + _LONGEST_WAIT_S + 2 * site.delay_s
        while not self.closed:
            now = self._clock.now()
            turn = self._frontier.try_lease(site, now)
            if isinstance(turn, Lease):
                return turn
            if now + turn > deadline:
                return Failure(site.origin, FailureKind.TIMEOUT, "its host is busy")
            await self._clock.sleep(turn)
        return None

    async def _settle_address(self, site: Site) -> Failure | None:
        """Sites on one address share its delay, so the address comes first."""
        if site.errand is not Errand.ADDRESS:
            return None
        found = await self.look_up(site)
        if isinstance(found, Failure):
            return found
        if site.errand is Errand.ADDRESS:
            self._recorder.site(site.id).address = found.key
            self._frontier.settle_address(site, found.key)
        return None

    async def look_up(self, site: Site) -> Resolved | Failure:
        """The addresses of a site, which come before anything is asked there: so this is where a port is refused that
        no rule of the scope was asked about (a sitemap's, that of a redirected robots.txt)."""
        if is_refused_port(site.port, self._allow_ports):
            told = f"web servers do not answer at port {site.port} (scope.allow_ports)"
            return Failure(site.origin, FailureKind.ADDRESS, told)
        return await self._transport.resolve(site.host, site.port)

    async def exchange(self, site: Site, url: str, max_bytes: int) -> Response | Failure | None:
        """One exchange on a lease the caller holds."""
        if self.closed or not self._purse.reserve(page=False):
            return None
        self._recorder.note_spent()
        timeout_s = self._purse.timeout_s(self._timeout_s)
        request = Request(
            url, max_wire_bytes=max_bytes, max_body_bytes=max_bytes, timeout_s=timeout_s, address=site.address_key
        )
        at = self._clock.wall()
        result = await self._transport.fetch(request, self._purse)
        if isinstance(result, Response):
            told = {"fetchTimeMs": round(result.timings.total_s * 1000)}
            self._recorder.beside(await archived(result, at, told), at)
        row = self._recorder.site(site.id)
        row.requests += 1
        row.wire_bytes += result.wire_bytes
        return result
