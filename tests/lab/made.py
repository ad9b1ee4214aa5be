"""Crawl folders for the tests, written through the real store: everything follows from a number."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from dowse.model.batch import Batch
from dowse.model.budget import Spent
from dowse.model.http import Timings
from dowse.model.page import PageContent
from dowse.model.records import CandidateRow, CandidateState, EventRow, PageRow, SiteRow
from dowse.store import CrawlStore

WALL = 1_700_000_000.0
SITES = ("energy.example", "lab.example", "portal.example", "news.example", "recipes.example")
TOPIC = {
    "name": "Perovskite solar cells",
    "query": "perovskite solar cells efficiency stability",
    "keywords": [{"text": "perovskite", "weight": 3.0}, {"text": "tandem cell", "weight": 1.5}],
    "seeds": {"urls": ["https://portal.example/", "https://energy.example/"], "files": [], "robots_sitemaps": False},
    "scope": {"reach": "any", "max_depth": None, "exclude": ["/login*"], "traps": {"max_per_host": 50000}},
    "budget": {"pages": 2000, "bytes": None},
    "network": {"proxy": "http://user:secret@proxy.example:3128", "concurrency": 64},
    "seed_number": 0,
}
TITLES = (
    "Record efficiency for a perovskite–silicon tandem", "Stability of halide perovskites under heat",
    "Thin-film cells", "鈣鈦礦太陽能電池", "Солнечные элементы на основе перовскита", "خلايا شمسية بيروفسكايت",
)  # fmt: skip


def create(folder: Path, **settings: Any) -> CrawlStore:
    return CrawlStore.create(folder, {"topic": TOPIC, "version": "0.1.0", **settings}, WALL)


def url(n: int) -> str:
    return f"https://{SITES[n % len(SITES)]}/articles/{n // 7}/page-{n}.html"


def is_relevant(n: int, pages: int) -> bool:
    """Poor at first, then good, then the vein runs dry."""
    share = (0.25, 0.55, 0.7, 0.6, 0.35, 0.2)[min(5, 6 * n // max(1, pages))]
    return random.Random(n).random() < share * (1.3 - 0.25 * (n % len(SITES)))


def page(n: int, *, relevant: bool = False, **other: Any) -> PageRow:
    dice = random.Random(n + 1)
    score = (0.06 + 0.5 * dice.random()) if relevant else 0.055 * dice.random()
    values: dict[str, Any] = {
        "id": n, "url": url(n), "final_url": url(n), "fetched_at": WALL + n, "outcome": "fetched", "status": 200,
        "content_type": "text/html", "wire_bytes": 8000 + n % 5000, "body_bytes": 34_000, "score": score,
        "relevant": relevant, "content": PageContent(f"{TITLES[n % len(TITLES)]} ({n})"), "depth": min(n, 1 + n % 5),
        "parse_s": 0.0009, "judge_s": 0.0004, "timings": Timings(0.004, 0.031, 0.131, 0.178),
        "verdict": [("term: perovskit", score, 0.6), ("term: solar", score, 0.3), ("4 more", score, 0.1)],
    }  # fmt: skip
    return PageRow(**{**values, **other})


def pages_batch(first: int, count: int, total: int) -> Batch:
    """Pages ``first`` to ``first + count - 1`` of ``total``; each known since its parent was read."""
    ids = range(first, first + count)
    rows = [page(n, relevant=is_relevant(n, total)) for n in ids]
    return Batch(
        candidates=[CandidateRow(n, url(n), n % len(SITES), row.depth, n // 3 if n else None, 0.1)
                    for n, row in zip(ids, rows, strict=True)],
        states=dict.fromkeys(ids, (CandidateState.FETCHED, "", 1)),
        pages=rows,
    )  # fmt: skip


def sites_batch(total: int) -> Batch:
    batch = Batch(spent=Spent(pages=total, bytes=10_000 * total, seconds=0.31 * total, requests=total + total // 9 + 7))
    for number, host in enumerate(SITES):
        own = [n for n in range(total) if n % len(SITES) == number]
        batch.sites[number] = SiteRow(
            number, f"https://{host}", host, robots_status=("rules", "allowed", "unreachable")[number % 3], delay_s=1.0,
            requests=len(own) + 1, pages=len(own), relevant=sum(is_relevant(n, total) for n in own), failures=number,
            wire_bytes=10_500 * len(own), latency_s=(0.08 + 0.1 * number) * (len(own) + 1),
        )  # fmt: skip
    return batch


def ends_batch(total: int) -> Batch:
    """URLs that ended or wait otherwise, what the rules refused, and events."""
    ends = (
        [(CandidateState.WAITING, "")] * (2 * total + 3) + [(CandidateState.FETCHED, "redirect")] * (total // 20 + 1)
        + [(CandidateState.FAILED, "status: 404")] * (total // 9 + 1) + [(CandidateState.FAILED, "timeout: 30 s")] * 3
        + [(CandidateState.FAILED, "dns: no such name")] * 2 + [(CandidateState.REFUSED, "robots")] * (total // 12 + 1)
        + [(CandidateState.REFUSED, "redirect: excluded-host")]
    )  # fmt: skip
    rows = [
        CandidateRow(total + n, f"https://news.example/left/{n}", 3, 2, 0, 0.01, state=state, reason=reason)
        for n, (state, reason) in enumerate(ends)
    ]
    return Batch(
        candidates=rows,
        refusals={"host": 21 * total, "extension": 4 * total, "session-id": 12, "repeated-segments": 3},
        refusal_samples=[(rule, f"https://ads.example/{rule}/{n}?id={n}")
                         for rule in ("host", "extension", "session-id") for n in range(5)],
        events=[EventRow(WALL, "sitemaps", "2 sitemaps gave 140 URLs, 131 taken up"),
                EventRow(WALL + 3, "delay clipped", "https://news.example: Crawl-delay 86400 s taken as 60 s"),
                EventRow(WALL + 9, "site closed", "https://gone.example: dns: no such name")],
    )  # fmt: skip


def crawl(folder: Path, total: int, *, stop: str = "budget: pages") -> None:
    """A finished crawl of ``total`` pages."""
    with create(folder) as store:
        store.start_run(WALL)
        for first in range(0, total, 2_000):
            store.commit(pages_batch(first, min(2_000, total - first), total))
        store.commit(ends_batch(total))
        store.commit(sites_batch(total))
        store.end_run(stop, WALL + 0.31 * total)
