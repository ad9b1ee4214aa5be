"""The rows of the model as tuples for SQLite, and back. Nothing here does I/O."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields
from itertools import chain
from math import isfinite
from types import NoneType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dowse.model.records import (
    Batch,
    CandidateBlock,
    CandidateRow,
    CandidateState,
    DecisionRow,
    EventRow,
    PageRow,
    SiteRow,
)
from dowse.model.revive import revived, typed
from dowse.store.archive import Place
from dowse.store.schema import PAGE_COLUMNS
from dowse.store.times import iso, seconds

__all__ = [
    "BLOCK_COLUMNS", "CANDIDATE_COLUMNS", "SAVED", "SITE_COLUMNS", "Statement", "candidate", "candidates", "clean",
    "decision", "event", "from_json", "site", "state_of", "statements", "statistic", "to_json", "unsigned",
]  # fmt: skip

Statement = tuple[str, Iterable[Sequence[Any]]]
"""SQL with parameters, and a row of parameters for each time it runs."""

SAMPLES_A_RULE = 20
CANDIDATE_COLUMNS = "id, url, site, depth, parent, priority, run, state, reason, attempts, via"
# Small numbers travel together: half the time of reading millions of rows goes into making a number of each column.
BLOCK_COLUMNS = (
    "url, priority, via, evidence, site | (depth << 32), "
    "state | (min(attempts, 255) << 8) | (min(run, 65535) << 16) | (ifnull(parent + 1, 0) << 32)"
)
SITE_COLUMNS = (
    "id, origin, host, address, robots_status, robots_fetched_at, delay_s, requests, pages, relevant, failures, bytes, "
    "latency_s, download_s, not_before, closed"
)
SAVED = "SELECT ifnull(sum(outcome = 'fetched'), 0), ifnull(sum(bytes), 0) FROM pages WHERE cached_from IS NOT NULL"
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_STATES = tuple(CandidateState)
_SITE_FIELDS = tuple(field.name for field in fields(SiteRow))
_is_origin = re.compile(r"https?://[!-.0-~]+").fullmatch

to_json = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
from_json = json.loads

_TOGETHER = 50  # rows a statement for what comes in thousands: half the cost of one by one


def _insert(table: str, columns: int, verb: str = "INSERT", together: int = 1) -> str:
    row = f"({', '.join('?' * columns)})"
    return f"{verb} INTO {table} VALUES {', '.join([row] * together)}"


def _many(table: str, columns: int, rows: Sequence[tuple[Any, ...]]) -> Iterator[Statement]:
    whole = len(rows) - len(rows) % _TOGETHER
    if whole:
        starts = range(0, whole, _TOGETHER)
        blocks = (tuple(chain.from_iterable(rows[start : start + _TOGETHER])) for start in starts)
        yield _insert(table, columns, together=_TOGETHER), blocks
    yield _insert(table, columns), rows[whole:]


_PAGES = _insert("pages", len(PAGE_COLUMNS), "INSERT OR REPLACE")
_SITES = _insert("sites", 16, "INSERT OR REPLACE")
_DECISIONS = _insert("decisions", 6, "INSERT OR REPLACE")
_STATISTICS = _insert("statistics", 2, "INSERT OR REPLACE")
_ARCHIVES = _insert("archives", 2, "INSERT OR REPLACE")
_EVENTS = "INSERT INTO events (at, kind, detail) VALUES (?, ?, ?)"
_REFUSALS = "INSERT INTO refusals VALUES (?, ?) ON CONFLICT (rule) DO UPDATE SET count = count + excluded.count"
_SAMPLES = (
    f"INSERT OR IGNORE INTO refusal_samples SELECT ?1, ?2 "
    f"WHERE (SELECT count(*) FROM refusal_samples WHERE rule = ?1) < {SAMPLES_A_RULE}"
)
_PRIORITIES = "UPDATE candidates SET priority = ? WHERE id = ?"
_EVIDENCE = "UPDATE candidates SET priority = ifnull(?, priority), evidence = ? WHERE id = ?"
_SETTLED = _insert("settled", 2, "INSERT OR REPLACE")
SETTLED_OF = "SELECT candidate, more FROM settled WHERE candidate IN (SELECT value FROM json_each(?))"
_STATES_OF = "UPDATE candidates SET state = ?, reason = ?, attempts = ? WHERE id = ?"


def _signed(value: int) -> int:
    """64 bits as SQLite holds them."""
    return value - (1 << 64) if value >= 1 << 63 else value


def unsigned(value: int) -> int:
    """64 bits as the crawl knows them."""
    return value & 0xFFFFFFFFFFFFFFFF


def _page(row: PageRow, ordinal: int, place: Place) -> tuple[Any, ...]:
    times = row.timings
    return (
        row.id, ordinal, row.url, row.final_url, iso(row.fetched_at), row.outcome, row.reason, row.status,
        row.content_type, row.wire_bytes, row.body_bytes, row.truncated, row.score, row.relevant, row.similarity,
        row.erid, row.title, row.language, row.charset, row.canonical, row.depth, row.words, row.text_len,
        row.n_links, row.duplicate_of, _signed(row.signature), row.minhash, row.etag, row.last_modified,
        row.attempts, times.dns_s, times.connect_s, times.first_byte_s, times.total_s, row.parse_s, row.judge_s,
        to_json(row.verdict), *place, row.cached_from,
    )  # fmt: skip


def _candidate(row: CandidateRow) -> tuple[Any, ...]:
    # int(): SQLite takes a plain int directly, but looks an enum up among its adapters each time
    return (
        row.id, row.url, row.site, row.depth, row.parent, row.priority, row.run, int(row.state), row.reason,
        row.attempts, row.via, row.evidence,
    )  # fmt: skip


def _site(row: SiteRow) -> tuple[Any, ...]:
    fetched_at = None if row.robots_fetched_at is None else iso(row.robots_fetched_at)
    not_before = None if row.not_before is None else iso(row.not_before)
    return (
        row.id, row.origin, row.host, row.address, row.robots_status, fetched_at, row.delay_s, row.requests,
        row.pages, row.relevant, row.failures, row.wire_bytes, row.latency_s, row.download_s, not_before, row.closed,
    )  # fmt: skip


def _decision(row: DecisionRow) -> tuple[Any, ...]:
    return (row.candidate, iso(row.at), row.priority, row.strategy, row.version, to_json(row.features))


def _statistic(name: str, value: Any) -> tuple[str, str | bytes]:
    return name, bytes(value) if isinstance(value, (bytes, bytearray, memoryview)) else to_json(value)


def statistic(value: str | bytes) -> Any:
    """What was learned, as it was given: bytes as bytes, everything else as JSON gives it back."""
    return value if isinstance(value, bytes) else from_json(value)  # of a number it raises TypeError


def statements(batch: Batch, places: Sequence[Place], ordinal: int, archives: dict[str, int]) -> Iterator[Statement]:
    """Everything a batch changes, in the order it must happen. ``ordinal`` is the first page's."""
    if batch.sites:
        yield _SITES, map(_site, batch.sites.values())
    priorities, evidence = dict(batch.priorities), dict(batch.evidence)
    if batch.candidates:
        for row in batch.candidates:  # written once, as they are by now
            row.priority = priorities.pop(row.id, row.priority)
            row.evidence = evidence.pop(row.id, row.evidence)
        yield from _many("candidates", 12, list(map(_candidate, batch.candidates)))
    if evidence:  # neighbours together, here and below
        yield _EVIDENCE, [(priorities.pop(id, None), row, id) for id, row in sorted(evidence.items())]
    if priorities:
        yield _PRIORITIES, ((priority, id) for id, priority in sorted(priorities.items()))
    if batch.settled:
        yield _SETTLED, sorted(batch.settled.items())
    if batch.states:
        yield _STATES_OF, ((*state, id) for id, state in batch.states.items())
    if batch.pages:
        yield _PAGES, map(_page, batch.pages, range(ordinal, ordinal + len(batch.pages)), places)
    if batch.pages or batch.beside:
        yield _ARCHIVES, archives.items()
    if batch.links:
        yield from _many("links", 6, batch.links)
    if batch.decisions:
        yield _DECISIONS, map(_decision, batch.decisions)
    if batch.events:
        yield _EVENTS, ((iso(row.at), row.kind, row.detail) for row in batch.events)
    if batch.refusals:
        yield _REFUSALS, batch.refusals.items()
    if batch.refusal_samples:
        yield _SAMPLES, batch.refusal_samples
    if batch.statistics:
        yield _STATISTICS, (_statistic(name, value) for name, value in batch.statistics.items())


def clean(rows: Iterable[Sequence[Any]]) -> Iterator[tuple[Any, ...]]:
    """Rows whose text SQLite can hold: a header that was no UTF-8 leaves lone surrogates behind."""
    for row in rows:
        yield tuple(_LONE_SURROGATE.sub("\ufffd", value) if isinstance(value, str) else value for value in row)


def candidate(row: Sequence[Any]) -> CandidateRow:
    """A row of :data:`CANDIDATE_COLUMNS`."""
    values = dict(zip(CANDIDATE_COLUMNS.split(", "), row, strict=True))
    return typed(CandidateRow, **{**values, "state": state_of(values["state"])})


def state_of(value: Any) -> CandidateState:
    """What a candidate's state is, by its number; ValueError when there is no such state."""
    if type(value) is not int or not 0 <= value < len(_STATES):
        raise ValueError(f"there is no state {value!r:.40}")
    return _STATES[value]


def candidates(first: int, found: Sequence[Sequence[Any]], count: int) -> CandidateBlock:
    """Rows of :data:`BLOCK_COLUMNS`, with ids in a row from ``first`` on, of ``count`` in all; leases lost to a crash
    wait again. ValueError where one says what cannot be."""
    urls, priorities, vias, evidence, places, rest = zip(*found, strict=True)
    place, word = np.array(places, np.int64), np.array(rest, np.int64)
    state, attempts = word & 0xFF, word >> 8 & 0xFF
    _check_block(urls, np.array(priorities, np.float64), vias, evidence, place, word, count)
    lost = state == CandidateState.LEASED
    state[lost] = CandidateState.WAITING
    attempts[lost] = np.maximum(attempts[lost] - 1, 0)  # the attempt came to nothing through no fault of the web
    return CandidateBlock(
        first=first, urls=list(urls), sites=place & 0xFFFFFFFF, depths=place >> 32, parents=(word >> 32) - 1,
        priorities=np.array(priorities, np.float64), runs=word >> 16 & 0xFFFF, states=state, attempts=attempts,
        via={id: via for id, via in enumerate(vias, first) if via is not None}, evidence=list(evidence),
    )  # fmt: skip


def _check_block(
    urls: Sequence[Any], priorities: NDArray[np.float64], vias: Sequence[Any], evidence: Sequence[Any],
    place: NDArray[np.int64], word: NDArray[np.int64], count: int,
) -> None:  # fmt: skip
    kinds = set(map(type, urls)), set(map(type, vias)), set(map(type, evidence))
    parents, depths = (word >> 32) - 1, place >> 32
    if (
        kinds[0] != {str} or not kinds[1] <= {int, NoneType} or not kinds[2] <= {bytes, NoneType}
        or not np.isfinite(priorities).all() or int((word & 0xFF).max()) >= len(_STATES)
        or int(parents.max()) >= count or int(parents.min()) < -1 or int(depths.min()) < 0
        or not all(via is None or 0 <= via < count for via in vias)
    ):  # fmt: skip
        raise ValueError("a candidate's URL, priority, state, depth, parent or evidence is none")


def site(row: Sequence[Any]) -> SiteRow:
    """A row of :data:`SITE_COLUMNS`."""
    values = list(row)
    for column in (5, 14):
        values[column] = None if values[column] is None else seconds(values[column])
    found = typed(SiteRow, **dict(zip(_SITE_FIELDS, values, strict=True)))
    if not _is_origin(found.origin) or found.delay_s < 0:
        raise ValueError(f"a site is {found.origin!r:.60}")
    return found


def decision(row: Sequence[Any]) -> DecisionRow:
    """A row of the table, in its order."""
    id, at, priority, strategy, version, features = row
    parts = revived(dict[str, tuple[float, ...]], from_json(features))
    if any(len(part) != 2 or not all(map(isfinite, part)) for part in parts.values()):
        raise ValueError("a feature is no value and weight")
    return typed(
        DecisionRow, candidate=id, at=seconds(at), priority=priority, strategy=strategy, version=version,
        features=parts,
    )  # fmt: skip


def event(row: Sequence[Any]) -> EventRow:
    """A row of ``at, kind, detail``."""
    return typed(EventRow, at=seconds(row[0]), kind=row[1], detail=row[2])
