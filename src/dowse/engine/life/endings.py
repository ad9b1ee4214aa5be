"""How the life of a URL ends in the records: its row, its state, and what is counted."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from dowse.engine.life.outlook import Outlook
from dowse.engine.life.recorder import Recorder
from dowse.engine.life.tally import Tally
from dowse.frontier import Frontier, Lease
from dowse.model.http import Failure, Response
from dowse.model.page import Outcome
from dowse.model.records import CandidateState, PageRow
from dowse.model.words import printable
from dowse.store import compose

__all__ = ["Endings", "archived"]

_LONGEST_HEADER = 512
_LARGE_BYTES = 1_000_000  # some 3 ms to pack

_STATES = {
    Outcome.FETCHED: CandidateState.FETCHED, Outcome.REDIRECTED: CandidateState.FETCHED,
    Outcome.FAILED: CandidateState.FAILED, Outcome.REFUSED: CandidateState.REFUSED,
}  # fmt: skip


async def archived(response: Response, at: float, fields: Mapping[str, Any]) -> list[bytes]:
    """The archive records of an answer that no worker has seen; a thread packs a large one."""
    if len(response.body) < _LARGE_BYTES:
        return compose(response, at, fields)
    return await asyncio.to_thread(compose, response, at, fields)


def _short(header: str | None) -> str | None:
    """A header that is worth keeping with every page: none of kilobytes."""
    return header if header is None or len(header) <= _LONGEST_HEADER else None


class Endings:
    """Makes rows of exchanges, and closes URLs with them."""

    def __init__(self, frontier: Frontier, recorder: Recorder, tally: Tally, outlook: Outlook) -> None:
        self._frontier = frontier
        self._recorder = recorder
        self._tally = tally
        self._outlook = outlook

    def row(self, lease: Lease, result: Response | Failure, at: float, outcome: Outcome, reason: str) -> PageRow:
        """The row of an exchange that is over, nothing judged yet."""
        columns = self._frontier.candidates
        row = PageRow(
            id=lease.candidate, url=lease.url, final_url=lease.url, fetched_at=at, outcome=outcome, reason=reason,
            wire_bytes=result.wire_bytes, depth=int(columns.depth[lease.candidate]),
            attempts=int(columns.attempts[lease.candidate]), timings=result.timings,
        )  # fmt: skip
        if isinstance(result, Response):
            row.status = result.status
            kind = (result.header("Content-Type") or "")[:_LONGEST_HEADER].partition(";")[0]
            row.content_type = printable(kind.strip().lower())
            row.body_bytes = len(result.body)
            row.truncated = result.truncated.value
            row.etag, row.last_modified = _short(result.header("ETag")), _short(result.header("Last-Modified"))
            row.cached_from = result.cached_from or None
        elif result.detail:
            row.reason = f"{reason}: {result.detail}"
        return row

    async def end(self, lease: Lease, row: PageRow, result: Response | Failure, at: float) -> None:
        """End a URL that brought no page; what did come is archived."""
        if isinstance(result, Response):
            row.archive = await archived(result, at, {"outcome": row.outcome, "reason": row.reason})
        self.close(lease, row)

    def close(self, lease: Lease, row: PageRow) -> None:
        """End a URL; its row goes into the next commit."""
        state = _STATES[Outcome(row.outcome)]
        self._frontier.finish(lease.candidate, state)
        self._recorder.ended(lease.candidate, state, row.reason, row.attempts)
        self._recorder.page(row)
        self._tally.ended(row.outcome)
        if row.cached_from is not None:
            self._tally.saved(int(row.outcome == Outcome.FETCHED), row.wire_bytes)
        self._outlook.ended(row)
