"""What a crawl writes down at once: the engine fills a :class:`Batch`, the store keeps it in one transaction."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol

from dowse.model.budget import Spent
from dowse.model.others import Letter
from dowse.model.records import (
    CandidateBlock,
    CandidateRow,
    CandidateState,
    DecisionRow,
    EventRow,
    LinkRow,
    PageRow,
    SiteRow,
    VerdictRow,
)
from dowse.model.visits import VisitRow

__all__ = ["Batch", "Records"]


@dataclass(slots=True)
class Batch:
    """Changes since the last commit; the store writes all of them or none."""

    candidates: list[CandidateRow] = field(default_factory=list)
    states: dict[int, tuple[CandidateState, str, int]] = field(default_factory=dict)  # id -> state, reason, attempts
    priorities: dict[int, float] = field(default_factory=dict)
    evidence: dict[int, bytes] = field(default_factory=dict)  # what the strategy knows of a candidate
    details: dict[int, bytes] = field(default_factory=dict)  # the long part of it, which hardly changes
    sites: dict[int, SiteRow] = field(default_factory=dict)
    pages: list[PageRow] = field(default_factory=list)
    visits: list[VisitRow] = field(default_factory=list)  # to pages that were fetched before
    verdicts: dict[int, VerdictRow] = field(default_factory=dict)  # of pages of this batch, or of earlier ones
    links: list[LinkRow] = field(default_factory=list)
    decisions: list[DecisionRow] = field(default_factory=list)
    events: list[EventRow] = field(default_factory=list)
    refusals: dict[str, int] = field(default_factory=dict)  # rule -> URLs refused since the last commit
    refusal_samples: list[tuple[str, str]] = field(default_factory=list)  # rule, URL
    statistics: dict[str, Any] = field(default_factory=dict)  # name -> JSON value or bytes: learned state
    archive_only: list[tuple[list[bytes], float]] = field(default_factory=list)
    """Answers that are no page (robots.txt, sitemaps): finished gzip members, and when each came."""
    letters: dict[tuple[int, int], Letter] = field(default_factory=dict)
    """Candidate and page -> what another shard is told of the one, and of its link on the other; -1: of no link."""
    passed_on: list[Letter] = field(default_factory=list)  # after these, in this order: see ``engine/life/moving``

    spent: Spent | None = None

    @property
    def rows(self) -> int:
        """How many rows it has of what there may be many."""
        return len(self.candidates) + len(self.links) + len(self.states) + len(self.priorities)

    def __bool__(self) -> bool:
        # asked several times a page: what is there first and mostly comes first
        return bool(self.sites or self.states or self.pages or self.candidates or self.priorities or self.links
                    or self.visits or self.verdicts or self.decisions or self.events or self.refusals or self.statistics
                    or self.archive_only or self.passed_on)  # fmt: skip


class Records(Protocol):
    """The store as the engine sees it."""

    def commit(self, batch: Batch) -> None:
        """Append the archive bytes, flush them, then write everything in one transaction."""
        ...

    def note_spent(self, spent: Spent) -> None:
        """Make the counters survive a kill at any instant; called before each request, so it must cost nothing."""
        ...

    def candidates(self) -> Iterator[CandidateBlock]:
        """Every known URL in id order, in blocks; leases lost to a crash come back as waiting."""
        ...

    def sites(self) -> Iterator[SiteRow]: ...

    def statistics(self) -> dict[str, Any]: ...

    def spent(self) -> Spent: ...
