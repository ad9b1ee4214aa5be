"""Brings the records of one shard after the other into the records of the whole crawl, table by table, in SQL.

A shard is read in one transaction, so that it is seen as it was at one moment; another one may be seen a little later,
and nothing here takes that for a contradiction. Of a URL that several shards know, the row counts that got furthest:
that of its owner, since with all others it is elsewhere. Of a page the row counts that was fetched.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from pathlib import Path

from dowse.model.columns import Table
from dowse.model.others import MAIL_FROM
from dowse.model.records import CANDIDATES, DECISIONS, LINKS, PAGES, SITES, CandidateState
from dowse.model.statistic_names import FRUITLESS, REPEATS
from dowse.model.visits import DUE, VISITS
from dowse.store.gather.numbers import number_candidates, number_sites
from dowse.store.rows import SAMPLES_A_RULE
from dowse.store.sharded import SHARDS, shard_number

__all__ = ["WORK", "finish", "take"]

WORK = """
CREATE TEMP TABLE lost (old INTEGER PRIMARY KEY);  -- pages of the shard, of which another has a better row
CREATE TEMP TABLE recorded (id INTEGER PRIMARY KEY, shard INTEGER NOT NULL, ordinal INTEGER NOT NULL, at TEXT NOT NULL);
CREATE TEMP TABLE letters (id INTEGER NOT NULL, number INTEGER NOT NULL, sender INTEGER NOT NULL, shard INTEGER NOT NULL);
CREATE TEMP TABLE noted (shard INTEGER NOT NULL, sender INTEGER NOT NULL, number INTEGER NOT NULL);
CREATE TEMP TABLE told (at TEXT NOT NULL, shard INTEGER NOT NULL, id INTEGER NOT NULL, kind TEXT NOT NULL,
  detail TEXT NOT NULL);  -- events
"""  # noqa: E501
"""Tables of the connection that gathers, besides those of ``numbers``."""

REFUSED_THERE = "elsewhere"
"""The reason of a URL that its owner was told of and did not take up."""

_ELSEWHERE = int(CandidateState.ELSEWHERE)
_FURTHEST = (
    CandidateState.FETCHED, CandidateState.FAILED, CandidateState.REFUSED, CandidateState.LEASED,
    CandidateState.WAITING, CandidateState.BELOW, CandidateState.ENDED_ELSEWHERE, CandidateState.ELSEWHERE,
)  # fmt: skip
_LAST_NOTED = "SELECT max(n.number) FROM noted n WHERE n.shard = l.shard AND n.sender = l.sender"
_NEW_ID = "(SELECT new FROM ids WHERE old = r.{})"


def _rank(row: str) -> str:
    cases = " ".join(f"WHEN {int(state)} THEN {place}" for place, state in enumerate(_FURTHEST))
    return f"CASE {row}.state {cases} END"


def _take(table: Table, version: int, source: str, given: Mapping[str, str], end: str = "") -> str:
    """Copies rows ``r`` of the shard into the table of the same name, with other values for some of the columns."""
    lacking = {column.name: column.empty for column in table.lacking(version)}
    values = ", ".join(given.get(name) or lacking.get(name) or f"r.{name}" for name in table.names)
    return f"INSERT INTO main.{table.name} ({', '.join(table.names)}) SELECT {values} FROM {source} {end}"


_BETTER = (
    f"({_rank('excluded')} < {_rank('candidates')}"
    " OR (excluded.state = candidates.state AND excluded.depth < candidates.depth))"
)


def _candidates(version: int) -> str:
    def kept(name: str) -> str:
        return f"{name} = CASE WHEN {_BETTER} THEN excluded.{name} ELSE candidates.{name} END"

    def found(name: str) -> str:
        """Where a URL was found: the owner of one that came by letter does not know it, but for a seed there is no such
        page."""
        of_other = f"ifnull(excluded.{name}, CASE WHEN excluded.depth > 0 THEN candidates.{name} END)"
        of_ours = f"ifnull(candidates.{name}, CASE WHEN candidates.depth > 0 THEN excluded.{name} END)"
        return f"{name} = CASE WHEN {_BETTER} THEN {of_other} ELSE {of_ours} END"

    changes = [
        *map(kept, ("url", "site", "depth", "priority", "run", "state", "reason", "attempts")),
        *map(found, ("parent", "via")),
    ]
    given = {
        "id": "i.new", "site": "p.new", "parent": _NEW_ID.format("parent"), "via": _NEW_ID.format("via"),
        "evidence": "NULL",  # in the numbers of its shard, and in a form that only its strategy knows
    }  # fmt: skip
    source = "shard.candidates r CROSS JOIN ids i ON i.old = r.id CROSS JOIN places p ON p.old = r.site"
    return _take(
        CANDIDATES, version, source, given, f"WHERE true ON CONFLICT (id) DO UPDATE SET {', '.join(changes)}"
    )  # fmt: skip


_SUMS = ("requests", "pages", "relevant", "failures", "bytes", "latency_s", "download_s")
_FACTS = ("address", "robots_status", "robots_fetched_at", "delay_s", "not_before", "closed", "turn")


def _sites(version: int) -> str:
    def met(row: str) -> str:
        known = " + ".join(f"({row}.{name} <> '')" for name in ("address", "robots_status", "closed"))
        return f"({row}.requests + {row}.failures) * 4 + {known}"

    changes = [f"{name} = sites.{name} + excluded.{name}" for name in _SUMS]
    better = f"{met('excluded')} > {met('sites')}"
    changes += [f"{name} = CASE WHEN {better} THEN excluded.{name} ELSE sites.{name} END" for name in _FACTS]
    source = "shard.sites r CROSS JOIN places p ON p.old = r.id"
    return _take(
        SITES, version, source, {"id": "p.new"}, f"WHERE true ON CONFLICT (id) DO UPDATE SET {', '.join(changes)}"
    )


def take(records: sqlite3.Connection, shard: Path, version: int) -> None:
    """Bring in the attached ``shard``, whose records have this version of the schema; in the caller's transaction."""
    number = shard_number(shard)
    run = records.execute
    number_sites(records)
    number_candidates(records)
    run(_sites(version))
    run(_candidates(version))
    _doubled(records)
    _pages(records, shard, version)
    run(
        _take(LINKS, version, "shard.links r CROSS JOIN ids i ON i.old = r.page CROSS JOIN ids t ON t.old = r.target",
              {"page": "i.new", "target": "t.new"}, "WHERE r.page NOT IN lost ORDER BY r.rowid")
    )  # fmt: skip
    run(
        _take(DECISIONS, version, "shard.decisions r CROSS JOIN ids i ON i.old = r.candidate",
              {"candidate": "i.new"}, "WHERE r.candidate NOT IN lost ON CONFLICT DO NOTHING")
    )  # fmt: skip
    run(
        "INSERT OR IGNORE INTO main.settled SELECT i.new, r.more FROM shard.settled r"
        " CROSS JOIN ids i ON i.old = r.candidate WHERE r.candidate NOT IN lost"
    )
    _further(records, number)


def _doubled(records: sqlite3.Connection) -> None:
    """Pages that an earlier shard has as well, since their slot has moved: of each the better row is kept."""
    run = records.execute
    run("DELETE FROM lost")
    kept = "('fetched', 'redirected')"
    run(
        "INSERT INTO lost SELECT r.id FROM shard.pages r CROSS JOIN ids i ON i.old = r.id"
        " CROSS JOIN main.pages p ON p.id = i.new"
        f" WHERE p.outcome IN {kept} OR r.outcome NOT IN {kept}"
    )
    worse = [
        id for (id,) in run(
            "SELECT i.new FROM shard.pages r CROSS JOIN ids i ON i.old = r.id CROSS JOIN main.pages p ON p.id = i.new"
            " WHERE r.id NOT IN lost"
        )
    ]  # fmt: skip
    if worse:
        for table, column in (("pages", "id"), ("links", "page"), ("decisions", "candidate"), ("settled", "candidate"),
                              ("visits", "page"), ("due", "page")):  # fmt: skip
            run(f"DELETE FROM main.{table} WHERE {column} IN ({','.join(map(str, worse))})")


def _pages(records: sqlite3.Connection, shard: Path, version: int) -> None:
    run = records.execute
    [(first,)] = run("SELECT ifnull(max(ordinal) + 1, 0) FROM recorded")
    place = f"'{SHARDS}/{shard.name}/' || r.warc_file"
    run(
        _take(PAGES, version, "shard.pages r CROSS JOIN ids i ON i.old = r.id", {
            "id": "i.new", "ordinal": f"r.ordinal + {first}", "duplicate_of": _NEW_ID.format("duplicate_of"),
            "warc_file": place,
        }, "WHERE r.id NOT IN lost ORDER BY i.new")
    )  # fmt: skip
    run(
        "INSERT OR REPLACE INTO recorded SELECT i.new, ?, r.ordinal + ?, r.fetched_at FROM shard.pages r"
        " CROSS JOIN ids i ON i.old = r.id WHERE r.id NOT IN lost", (shard_number(shard), first)
    )  # fmt: skip
    if version >= VISITS.since:
        page = "CROSS JOIN ids i ON i.old = r.page"
        [(last,)] = run("SELECT ifnull(max(number), 0) FROM main.visits")
        run(_take(VISITS, version, f"shard.visits r {page}",
                  {"number": f"r.number + {last}", "page": "i.new", "warc_file": place}, "WHERE r.page NOT IN lost")
        )  # fmt: skip
        [(last,)] = run("SELECT ifnull(max(place) + 1, 0) FROM main.due")
        run(_take(DUE, version, f"shard.due r {page}", {"page": "i.new", "place": f"r.place + {last}"},
                  "WHERE r.page NOT IN lost ON CONFLICT DO NOTHING"))  # fmt: skip


def _further(records: sqlite3.Connection, number: int) -> None:
    """What is small."""
    run = records.execute
    run("INSERT INTO told SELECT at, ?, id, kind, detail FROM shard.events", (number,))
    run(
        "INSERT INTO main.refusals SELECT rule, count FROM shard.refusals WHERE true"
        " ON CONFLICT (rule) DO UPDATE SET count = count + excluded.count"
    )
    run("INSERT OR IGNORE INTO main.refusal_samples SELECT rule, url FROM shard.refusal_samples ORDER BY rowid")
    for mark in (REPEATS, FRUITLESS):
        run(
            "INSERT OR IGNORE INTO main.statistics SELECT ?1 || p.new, r.value FROM shard.statistics r CROSS JOIN"
            " places p ON p.old = CAST(substr(r.name, length(?1) + 1) AS INTEGER)"
            " WHERE substr(r.name, 1, length(?1)) = ?1",
            (mark,),
        )
    run(
        "INSERT INTO noted SELECT ?2, CAST(substr(name, length(?1) + 1) AS INTEGER), value FROM shard.statistics"
        " WHERE substr(name, 1, length(?1)) = ?1", (MAIL_FROM, number)
    )  # fmt: skip
    run(
        "INSERT INTO letters SELECT k.id, r.number, ?, r.shard FROM shard.outbox r"
        " CROSS JOIN known k ON k.print = fingerprint(r.url)", (number,)
    )  # fmt: skip


def finish(records: sqlite3.Connection) -> None:
    """What can be told only once all shards are in."""
    run = records.execute
    run(
        "UPDATE main.candidates SET state = ?, reason = '' WHERE state = ? AND id IN (SELECT l.id FROM letters l"
        f" WHERE l.number > ifnull(({_LAST_NOTED}), 0))",
        (int(CandidateState.WAITING), _ELSEWHERE),
    )
    run("UPDATE main.candidates SET state = ?, reason = ? WHERE state IN (?, ?)",
        (int(CandidateState.REFUSED), REFUSED_THERE, _ELSEWHERE, int(CandidateState.ENDED_ELSEWHERE)))  # fmt: skip
    run("CREATE TEMP TABLE turns (id INTEGER PRIMARY KEY, turn INTEGER NOT NULL)")
    run(  # by the time of the fetch, but never so that the order within a shard becomes another
        "INSERT INTO turns SELECT id, row_number() OVER (ORDER BY reached, shard, ordinal) - 1 FROM ("
        " SELECT id, shard, ordinal, max(at) OVER (PARTITION BY shard ORDER BY ordinal) AS reached FROM recorded)"
    )
    run("UPDATE main.pages SET ordinal = (SELECT turn FROM turns t WHERE t.id = pages.id)")
    run(
        "INSERT INTO main.events (at, kind, detail)"
        " SELECT at, kind, printf('shard %02d: %s', shard, detail) FROM told ORDER BY at, shard, id"
    )
    run(
        "DELETE FROM main.refusal_samples WHERE rowid IN (SELECT rowid FROM (SELECT rowid,"
        " row_number() OVER (PARTITION BY rule ORDER BY rowid) AS n FROM main.refusal_samples) WHERE n > ?)",
        (SAMPLES_A_RULE,),
    )
