"""One crawl, one folder: what was fetched (WARC), what is known about it (SQLite), and how both survive a crash.

The engine writes through :class:`CrawlStore`; reports read through :class:`CrawlReader`, also while a crawl is
running; workers make the archive's bytes with :func:`compose`. See ``crawl_store`` for the folder and its
guarantees.
"""

from __future__ import annotations

from dowse.store.archive import Archive
from dowse.store.crawl_store import CrawlStore
from dowse.store.damage import damage_told
from dowse.store.export import export
from dowse.store.held import Held, HeldPages
from dowse.store.read import CrawlReader
from dowse.store.stored_past import Counters
from dowse.store.views import (
    HarvestCurve,
    LanguageCount,
    OutcomeCount,
    PageView,
    Parent,
    Refusal,
    Run,
    SiteView,
    Stage,
    StageTimes,
    Summary,
    Tunnel,
    VisitedPage,
    VisitHistory,
    VisitRun,
)
from dowse.store.warc import MOST_BYTES, compose, compose_revisit, payload_digest, read_back, read_response

__all__ = [
    "MOST_BYTES", "Archive", "Counters", "CrawlReader", "CrawlStore", "HarvestCurve", "Held", "HeldPages",
    "LanguageCount", "OutcomeCount", "PageView", "Parent", "Refusal", "Run", "SiteView", "Stage", "StageTimes",
    "Summary", "Tunnel", "VisitHistory", "VisitRun", "VisitedPage", "compose", "compose_revisit", "damage_told",
    "export", "payload_digest", "read_back", "read_response",
]  # fmt: skip
