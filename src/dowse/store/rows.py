"""The rows of the model as tuples for SQLite, and back. Nothing here does I/O."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import IntEnum
from itertools import chain
from math import isfinite
from operator import attrgetter
from types import NoneType
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from dowse.model.batch import Batch
from dowse.model.columns import Column, Form, Table
from dowse.model.found import FOUND, FoundRow
from dowse.model.judge import JudgedPage
from dowse.model.others import OUTBOX, Letter
from dowse.model.records import (
    CANDIDATES,
    DECISIONS,
    LINKS,
    PAGES,
    SITES,
    CandidateBlock,
    CandidateRow,
    CandidateState,
    DecisionRow,
    EventRow,
    SiteRow,
    VerdictRow,
)
from dowse.model.revive import revived, typed
from dowse.model.visits import GONE_AFTER, VISITS, VisitRow
from dowse.store.times import iso, seconds

__all__ = [
    "BLOCK_COLUMNS", "DETAILS_OF", "PUT_FOUND", "SAVED", "Statement", "candidate", "candidates", "clean", "decision",
    "event", "found", "found_values", "from_json", "letter", "select", "site", "state_of", "statements", "statistic",
    "to_json", "unsigned",
]  # fmt: skip

Statement = tuple[str, Iterable[Sequence[Any]]]
"""SQL with parameters, and a row of parameters for each time it runs."""

SAMPLES_A_RULE = 20
# Small numbers travel together: half the time of reading millions of rows goes into making a number of each column.
BLOCK_COLUMNS = (
    "url, priority, via, evidence, site | (depth << 32), "
    "state | (min(attempts, 255) << 8) | (min(run, 65535) << 16) | (ifnull(parent + 1, 0) << 32)"
)
SAVED = "SELECT ifnull(sum(outcome = 'fetched'), 0), ifnull(sum(bytes), 0) FROM pages WHERE cached_from IS NOT NULL"
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_STATES = tuple(CandidateState)
_is_origin = re.compile(r"https?://[!-.0-~]+").fullmatch

to_json = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
from_json = json.loads

_TOGETHER = 50  # rows a statement for what comes in thousands: half the cost of one by one

T = TypeVar("T")
E = TypeVar("E", bound=IntEnum)
Write = Callable[[Any], Any]  # of one value
Read = Callable[[Any], Any]


def _signed(value: int) -> int:
    """64 bits as SQLite holds them."""
    return value - (1 << 64) if value >= 1 << 63 else value


def unsigned(value: int) -> int:
    """64 bits as the crawl knows them."""
    return value & 0xFFFFFFFFFFFFFFFF


def _member(kind: type[E]) -> Callable[[Any], E]:
    members = {int(member): member for member in kind}

    def read(value: Any) -> E:
        if type(value) is not int or value not in members:
            raise ValueError(f"there is no {kind.__name__} {value!r:.40}")
        return members[value]

    return read


_WRITES: dict[Form, Write] = {Form.TIME: iso, Form.JSON: to_json, Form.BITS: _signed}
_READS: dict[Form, Read] = {Form.TIME: seconds, Form.JSON: from_json, Form.BITS: unsigned}


def _write(column: Column) -> Write | None:
    # int(): SQLite takes a plain int directly, but looks an enum up among its adapters each time
    form = column.stored.form
    return int if form is Form.PLAIN and issubclass(column.kind, IntEnum) else _WRITES.get(form)


def _read(column: Column) -> Read | None:
    form = column.stored.form
    return _member(column.kind) if form is Form.PLAIN and issubclass(column.kind, IntEnum) else _READS.get(form)


def writer(table: Table) -> Callable[[Any], Sequence[Any]]:
    """What makes a row of the model the values of its columns."""
    values_of = attrgetter(*(column.field for column in table.columns))
    special = [(place, write) for place, column in enumerate(table.columns) if (write := _write(column)) is not None]

    def values(row: Any) -> Sequence[Any]:
        found = list(values_of(row))
        for place, write in special:
            if found[place] is not None:
                found[place] = write(found[place])
        return found

    return values


def reader(table: Table, of: type[T]) -> Callable[[Sequence[Any]], T]:
    """What makes the values of a table's columns a row of the model again, where each is a field of its own. TypeError
    or ValueError where one is not what it should be: anybody may have written them."""
    names = [column.field for column in table.columns]
    special = [(column.field, read) for column in table.columns if (read := _read(column)) is not None]

    def row(values: Sequence[Any]) -> T:
        found = dict(zip(names, values, strict=True))
        for name, read in special:
            if found[name] is not None:
                found[name] = read(found[name])
        return typed(of, **found)

    return row


def select(table: Table) -> str:
    """A query for all columns, in the order that a :func:`reader` takes; conditions may follow."""
    return f"SELECT {', '.join(table.names)} FROM {table.name}"


def _insert(into: Table | str, columns: int = 0, verb: str = "INSERT", together: int = 1) -> str:
    name = f"{into.name} ({', '.join(into.names)})" if isinstance(into, Table) else into
    row = f"({', '.join('?' * (len(into.columns) if isinstance(into, Table) else columns))})"
    return f"{verb} INTO {name} VALUES {', '.join([row] * together)}"


def _many(table: Table, rows: Sequence[Sequence[Any]]) -> Iterator[Statement]:
    whole = len(rows) - len(rows) % _TOGETHER
    if whole:
        starts = range(0, whole, _TOGETHER)
        blocks = (tuple(chain.from_iterable(rows[start : start + _TOGETHER])) for start in starts)
        yield _insert(table, together=_TOGETHER), blocks
    yield _insert(table), rows[whole:]


_page, _candidate, _site_values, _decision_values, _visit = map(writer, (PAGES, CANDIDATES, SITES, DECISIONS, VISITS))
_PAGES, _SITES, _DECISIONS = (_insert(table, verb="INSERT OR REPLACE") for table in (PAGES, SITES, DECISIONS))
PUT_STATISTIC = _insert("statistics", 2, "INSERT OR REPLACE")
PUT_VERDICT = (  # records of earlier versions do not have the first verdict beside the one that counts
    "UPDATE pages SET first_score = ifnull(first_score, score),"
    " first_relevant = CASE WHEN first_score IS NULL THEN relevant ELSE first_relevant END,"
    " first_model = CASE WHEN first_score IS NULL THEN model ELSE first_model END,"
    " score = ?, relevant = ?, model = ?, verdict = ? WHERE id = ?"
)
_VISITS = _insert(VISITS)
_VISITED = (
    "UPDATE pages SET visited_at = ?, misses = ?, gone_at = ?, etag = ifnull(?, etag),"
    " last_modified = ifnull(?, last_modified) WHERE id = ?"
)
_NOT_DUE = "DELETE FROM due WHERE page = ?"
_OUTBOX = "INSERT INTO outbox (shard, url, depth, value, mention) VALUES (?, ?, ?, ?, ?)"
_ARCHIVES = _insert("archives", 2, "INSERT OR REPLACE")
_EVENTS = "INSERT INTO events (at, kind, detail) VALUES (?, ?, ?)"
_REFUSALS = "INSERT INTO refusals VALUES (?, ?) ON CONFLICT (rule) DO UPDATE SET count = count + excluded.count"
_SAMPLES = (
    f"INSERT OR IGNORE INTO refusal_samples SELECT ?1, ?2 "
    f"WHERE (SELECT count(*) FROM refusal_samples WHERE rule = ?1) < {SAMPLES_A_RULE}"
)
_PRIORITIES = "UPDATE candidates SET priority = ? WHERE id = ?"
_EVIDENCE = "UPDATE candidates SET priority = ifnull(?, priority), evidence = ? WHERE id = ?"
_DETAILS = _insert("settled", 2, "INSERT OR REPLACE")
DETAILS_OF = "SELECT candidate, more FROM settled WHERE candidate IN (SELECT value FROM json_each(?))"
_STATES_OF = "UPDATE candidates SET state = ?, reason = ?, attempts = ? WHERE id = ?"


JUDGED_PAGES = "SELECT id, ifnull(similarity, 0.0), depth, url FROM pages WHERE score IS NOT NULL ORDER BY ordinal"


def judged_page(row: tuple[Any, ...]) -> JudgedPage:
    """A row of the above. What has no link behind it is a seed."""
    return JudgedPage(int(row[0]), float(row[1]), not row[2], str(row[3]))


def statistic_row(name: str, value: Any) -> tuple[str, str | bytes]:
    return name, bytes(value) if isinstance(value, (bytes, bytearray, memoryview)) else to_json(value)


def statistic(value: str | bytes) -> Any:
    """What was learned, as it was given: bytes as bytes, everything else as JSON gives it back."""
    return value if isinstance(value, bytes) else from_json(value)  # of a number it raises TypeError


def statements(batch: Batch, archives: dict[str, int]) -> Iterator[Statement]:
    """Everything a batch changes, in the order it must happen."""
    if batch.sites:
        yield _SITES, map(_site_values, batch.sites.values())
    priorities, evidence = dict(batch.priorities), dict(batch.evidence)
    if batch.candidates:
        for row in batch.candidates:  # written once, as they are by now
            row.priority = priorities.pop(row.id, row.priority)
            row.evidence = evidence.pop(row.id, row.evidence)
        yield from _many(CANDIDATES, list(map(_candidate, batch.candidates)))
    if evidence:  # neighbours together, here and below
        yield _EVIDENCE, [(priorities.pop(id, None), row, id) for id, row in sorted(evidence.items())]
    if priorities:
        yield _PRIORITIES, ((priority, id) for id, priority in sorted(priorities.items()))
    if batch.details:
        yield _DETAILS, sorted(batch.details.items())
    if batch.states:
        yield _STATES_OF, ((*state, id) for id, state in batch.states.items())
    if batch.pages:
        yield _PAGES, map(_page, batch.pages)
    if batch.visits:
        yield _VISITS, map(_visit, batch.visits)
        stands = [visit for visit in batch.visits if visit.stands]
        yield _VISITED, map(_visited, stands)
        yield _NOT_DUE, ((visit.page,) for visit in stands)
    if batch.verdicts:
        yield PUT_VERDICT, (verdict_values(id, row) for id, row in sorted(batch.verdicts.items()))
    if batch.pages or batch.archive_only or batch.visits:
        yield _ARCHIVES, archives.items()
    if batch.links:
        yield from _many(LINKS, batch.links)
    if batch.decisions:
        yield _DECISIONS, map(_decision_values, batch.decisions)
    if batch.events:
        yield _EVENTS, ((iso(row.at), row.kind, row.detail) for row in batch.events)
    if batch.refusals:
        yield _REFUSALS, batch.refusals.items()
    if batch.refusal_samples:
        yield _SAMPLES, batch.refusal_samples
    if batch.letters or batch.passed_on:
        letters = chain(batch.letters.values(), batch.passed_on)
        yield _OUTBOX, ((row.shard, row.url, row.depth, row.value, row.mention) for row in letters)
    if batch.statistics:
        yield PUT_STATISTIC, (statistic_row(name, value) for name, value in batch.statistics.items())


def _visited(visit: VisitRow) -> tuple[Any, ...]:
    at = iso(visit.at)
    gone_at = at if visit.misses >= GONE_AFTER else None
    return at, visit.misses or None, gone_at, visit.etag, visit.last_modified, visit.page


def verdict_values(id: int, row: VerdictRow) -> tuple[Any, ...]:
    """What :data:`PUT_VERDICT` takes. ValueError when a score is no number."""
    if not isfinite(row.score):
        raise ValueError(f"a page cannot have the score {row.score}")
    return row.score, int(row.relevant), row.model, to_json(row.told), id


def clean(rows: Iterable[Sequence[Any]]) -> Iterator[tuple[Any, ...]]:
    """Rows whose text SQLite can hold: a header that was no UTF-8 leaves lone surrogates behind."""
    for row in rows:
        yield tuple(_LONE_SURROGATE.sub("\ufffd", value) if isinstance(value, str) else value for value in row)


found_values = writer(FOUND)
PUT_FOUND = _insert(FOUND, verb="INSERT OR REPLACE")
_any_found: Callable[[Sequence[Any]], FoundRow] = reader(FOUND, FoundRow)
state_of: Callable[[Any], CandidateState] = _member(CandidateState)
letter: Callable[[Sequence[Any]], Letter] = reader(OUTBOX, Letter)
candidate: Callable[[Sequence[Any]], CandidateRow] = reader(CANDIDATES, CandidateRow)
_any_site: Callable[[Sequence[Any]], SiteRow] = reader(SITES, SiteRow)
_any_decision: Callable[[Sequence[Any]], DecisionRow] = reader(DECISIONS, DecisionRow)


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
    """What stands in a row of ``sites``."""
    found = _any_site(row)
    if not _is_origin(found.origin) or found.delay_s < 0:
        raise ValueError(f"a site is {found.origin!r:.60}")
    return found


def decision(row: Sequence[Any]) -> DecisionRow:
    """What stands in a row of ``decisions``."""
    found = _any_decision(row)
    found.features = revived(dict[str, tuple[float, ...]], found.features)
    if any(len(part) != 2 or not all(map(isfinite, part)) for part in found.features.values()):
        raise ValueError("a feature is no value and weight")
    return found


def found(row: Sequence[Any]) -> FoundRow:
    """What stands in a row of ``found``."""
    seed = _any_found(row)
    seed.found_by()
    return seed


def event(row: Sequence[Any]) -> EventRow:
    """A row of ``at, kind, detail``."""
    return typed(EventRow, at=seconds(row[0]), kind=row[1], detail=row[2])
