"""What is handed to a worker, and what comes back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from dowse.model.http import Response
from dowse.model.page import Digest

__all__ = ["Job", "Step", "Work"]


@dataclass(frozen=True, slots=True)
class Job:
    """A fetched response to be parsed, judged and packed for the archive."""

    response: Response
    fetched_at: float  # seconds since 1970
    depth: int = 0
    via: str = ""  # the page that linked here
    keep_text: bool = False
    keep_bag: bool = False  # the strategy learns from words
    repeats: bytes = b""  # hashes of the lines that its site repeats, eight bytes each, rising


@dataclass(slots=True)
class Work:
    """The outcome of a job. ``digest`` is None for a body that is no document, or when ``error`` says why."""

    digest: Digest | None = None
    archive: list[bytes] = field(default_factory=list)  # finished WARC records: request, response, metadata
    error: str = ""


Step = Callable[[Job], Work]
"""The pure function between fetching and deciding; picklable, since it is sent to worker processes."""
