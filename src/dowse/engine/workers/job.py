"""What is handed to a worker, and what comes back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from dowse.model.http import Response
from dowse.model.page import Counting, Digest

__all__ = ["Call", "Job", "Lost", "Step", "Work"]


@dataclass(frozen=True, slots=True)
class Job:
    """A fetched response to be parsed, judged and packed for the archive."""

    response: Response
    fetched_at: float  # seconds since 1970
    depth: int = 0
    via: str = ""  # the page that linked here
    keep_text: bool = False
    terms: int = 0  # how many of its terms are wanted at the most, for those who learn from words
    repeats: bytes = b""  # hashes of the lines that its site repeats, eight bytes each, rising
    counting: Counting = field(default_factory=Counting)  # how texts are measured for the strategy


@dataclass(slots=True)
class Work:
    """The outcome of a job. ``digest`` is None for a body that is no document, or when ``error`` says why."""

    digest: Digest | None = None
    archive: list[bytes] = field(default_factory=list)  # finished WARC records: request, response, metadata
    error: str = ""
    unreadable: bool = False  # a document whose fault that is
    busy_s: float = 0.0  # how long a worker was busy with it
    given_up: bool = False  # it ran over its time, or its workers died
    put_off: bool = False  # nobody looked at it: a page of its site was given up just now


@dataclass(frozen=True, slots=True)
class Call:
    """A function to be called in a worker, because what a stranger sent decides how long it takes. It and its arguments
    must be picklable."""

    function: Callable[..., Any]
    arguments: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Lost:
    """A call that gave nothing: it raised, took too long, or its worker died."""

    reason: str


Step = Callable[[Job], Work]
"""The pure function between fetching and deciding; picklable, since it is sent to worker processes."""
