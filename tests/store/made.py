"""Rows and batches for the tests: everything follows from a number."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

from warcio.archiveiterator import ArchiveIterator

from dowse.model.batch import Batch
from dowse.model.budget import Spent
from dowse.model.http import Response, Timings
from dowse.model.page import PageContent
from dowse.model.records import CandidateRow, CandidateState, DecisionRow, EventRow, PageRow, SiteRow
from dowse.store import CrawlStore, compose

WALL = 1_700_000_000.25
SETTINGS = {"topic": {"name": "solar", "politeness": {"obey_robots": False}}, "version": "1.2"}


def url(n: int) -> str:
    return f"http://site.example/page/{n}"


def body(n: int) -> bytes:
    return b"<html><title>%d</title>" % n + b"".join(b"<p>word%d" % (n * i) for i in range(n % 7 * 40)) + b"</html>"


def response(n: int, **other: Any) -> Response:
    values: dict[str, Any] = {
        "url": url(n), "status": 200, "reason": "OK", "body": body(n), "address": "192.0.2.7",
        "headers": (("Content-Type", "text/html"), ("X-Page", str(n))), "request_headers": (("User-Agent", "Dowse"),),
    }  # fmt: skip
    return Response(**{**values, **other})


def page(n: int, **other: Any) -> PageRow:
    """``other``: fields of the row, or of its content."""
    content = {field.name: other.pop(field.name) for field in fields(PageContent) if field.name in other}
    values: dict[str, Any] = {
        "id": n, "url": url(n), "final_url": url(n), "fetched_at": WALL + n, "outcome": "fetched", "status": 200,
        "content_type": "text/html", "wire_bytes": 10 * n, "body_bytes": len(body(n)), "score": n % 10 / 10,
        "relevant": n % 2 == 0, "content": PageContent(**{"title": f"Page {n}", **content}),
        "signature": 2**64 - 1 - n, "minhash": bytes([n % 256] * 8),
        "timings": Timings(0.125, 0.25, 0.5, 1.0), "parse_s": 0.25, "judge_s": 0.25,
        "verdict": [("similarity", 0.5, 1.0)], "archive": compose(response(n), WALL + n, {"depth": n}),
    }  # fmt: skip
    return PageRow(**{**values, **other})


def batch(first: int, count: int = 5) -> Batch:
    """Pages ``first`` to ``first + count - 1``, each found new here and linking to the next."""
    ids = range(first, first + count)
    return Batch(
        candidates=[CandidateRow(n, url(n), 0, n, n - 1 if n else None, 1.0 / (n + 1)) for n in ids],
        states=dict.fromkeys(ids, (CandidateState.FETCHED, "", 1)),
        sites={
            0: SiteRow(
                0,
                "http://site.example",
                "site.example",
                requests=first + count,
                robots_fetched_at=WALL,
                not_before=WALL + 60,
                closed="robots.txt unreachable",
            )
        },
        pages=[page(n) for n in ids],
        links=[(n, n + 1, f"to {n + 1}", 1, 0, "") for n in ids],
        decisions=[DecisionRow(n, WALL + n, 0.5, "best-first", 1, {"average": (0.5, 1.0)}) for n in ids],
        events=[EventRow(WALL + first, "batch", str(first))],
        statistics={"learned": {"n": first + count}, "packed": bytes([count])},
        spent=Spent(pages=first + count, bytes=100 * (first + count), seconds=1.5, requests=first + count),
    )


def warc_records(path: Path) -> Iterator[Any]:
    """Every record, its digests verified (a wrong one raises)."""
    with path.open("rb") as stream:
        for record in ArchiveIterator(stream, check_digests="raise"):
            record.content = record.content_stream().read()
            yield record


def candidates(store: CrawlStore) -> list[CandidateRow]:
    """What a resume would load, row by row (without the reasons, which it does not need)."""
    return [
        CandidateRow(
            block.first + n, url, int(block.sites[n]), int(block.depths[n]),
            int(block.parents[n]) if block.parents[n] >= 0 else None,
            float(block.priorities[n]), int(block.runs[n]), CandidateState(block.states[n]), "", int(block.attempts[n]),
            block.via.get(block.first + n),
        )
        for block in store.candidates()
        for n, url in enumerate(block.urls)
    ]  # fmt: skip


def rows(folder: Path, sql: str) -> list[tuple[object, ...]]:
    """What a question in SQL gives."""
    connection = sqlite3.connect(folder / "dowse.sqlite")
    try:
        return connection.execute(sql).fetchall()
    finally:
        connection.close()
