"""A page that is visited again: what is asked, and what the answer means.

=================================  ============================================================================
304, or the body that is held      unchanged: a WARC ``revisit`` record, and nothing is read
another body                       its row takes the place of the last one; *changed* if its own text is another
a redirect, an error, no page      missed; twice in a row, and the page is gone
304 that nobody asked for          an error: it says nothing
a body that was cut                asked for again, then missed: what is held is whole
=================================  ============================================================================

What waits for another try, redirects and errors are ``disposition``'s to tell, as for any page.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

from dowse.engine.life import Life
from dowse.engine.page.pages import Fetched, Pages, row_of
from dowse.engine.workers.job import Lost
from dowse.engine.workers.port import Workers
from dowse.frontier import Lease
from dowse.model.errors import StoreError
from dowse.model.http import Request, Response
from dowse.model.page import Outcome
from dowse.model.visits import Copy, VisitRow
from dowse.parse import says_other
from dowse.store import compose_revisit, payload_digest, read_back

__all__ = ["NOT_MODIFIED", "Again"]

NOT_MODIFIED = 304


class Again:
    """Takes up what came of visits to pages that were fetched before."""

    def __init__(self, life: Life, pages: Pages, workers: Workers, folder: Path) -> None:
        self._life = life
        self._pages = pages
        self._workers = workers
        self._folder = folder

    def conditional(self, lease: Lease, request: Request) -> Request:
        """The request for a leased page: only for what it has become since the crawl had it, if it is visited again."""
        copy = self._life.visits.copy(lease)
        if copy is None:
            return request
        etag, last_modified = copy.validators
        return replace(request, etag=etag, last_modified=last_modified)

    async def page(self, lease: Lease, copy: Copy, response: Response, at: float) -> Fetched | None:
        """A page was answered with 304 or a body. It is returned where that is another one."""
        held = await asyncio.to_thread(self._held, copy)
        same = held is not None and held.body == response.body and not copy.is_adrift
        if response.status == NOT_MODIFIED or same:
            await self._same(lease, copy, response, at, held)
            return None
        return await self._pages.renew(lease, copy, response, at, held, self._changed)

    async def _same(self, lease: Lease, copy: Copy, response: Response, at: float, held: Response | None) -> None:
        digest = None if held is None else payload_digest(held.body)
        told = row_of(lease, response, at, Outcome.FETCHED, "")
        visit = VisitRow(
            page=copy.page, at=at, status=response.status, digest=digest, etag=told.etag,
            last_modified=told.last_modified,
        )  # fmt: skip
        if digest is not None:
            fields = {"status": response.status, "fetchTimeMs": round(response.timings.total_s * 1000)}
            visit.archive = compose_revisit(response, at, copy.fetched_at, digest, fields)
        self._life.visits.unchanged(copy, visit, digest)

    async def _changed(self, held: Response, response: Response, repeats: bytes) -> bool:
        """Does the page say something else now? One that no worker could read does."""
        found = await self._workers.call(
            response.url, says_other, held.body, held.header("Content-Type") or "", response.body,
            response.header("Content-Type") or "", response.url, repeats,
        )  # fmt: skip
        return True if isinstance(found, Lost) else found

    def _held(self, copy: Copy) -> Response | None:
        """The body that the crawl has; None where it is not kept, or cannot be read any more."""
        if copy.warc_file is None or copy.warc_offset is None:
            return None
        try:
            return read_back(self._folder, copy.warc_file, copy.warc_offset)
        except StoreError:
            return None
