"""What the records say of a crawl as a whole, from what those of its shards say: read shard by shard, written once."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from dowse.model.columns import Table
from dowse.model.found import FOUND
from dowse.model.records import RUNS
from dowse.model.revive import revived
from dowse.model.runs import JudgedBy
from dowse.model.statistic_names import JUDGE_STATE, LOOP_HELD, MAXIMISED, WALKED
from dowse.model.visits import LAST_REVISIT, REVISITING, RevisitPlan
from dowse.store import rows
from dowse.store.gather.runs import ShardRun, joined_runs
from dowse.store.sharded import shard_number

__all__ = ["Whole"]

_BY = tuple(JudgedBy.__dataclass_fields__)
_OF_RUN = ("started_at", "ended_at", "stop_reason", *_BY)
_REACHED = "SELECT ifnull(max(fetched_at), ?1) FROM shard.pages WHERE fetched_at >= ?1 AND fetched_at < ?2"
_EVER = "a"  # sorts after every time


class Whole:
    """Settings, seeds, runs, totals and what was learned. Each shard is shown to it, while it is attached."""

    def __init__(self) -> None:
        self._settings: dict[str, Any] = {}
        self._found: dict[str, tuple[Any, ...]] = {}  # by URL
        self._runs: list[ShardRun] = []
        self._shards = 0
        self._spent = [0, 0, 0.0, 0]  # pages, bytes, seconds, requests
        self._statistics: dict[str, Any] = {}

    def see(self, records: sqlite3.Connection, shard: Path, version: int) -> None:
        """Take note of the attached ``shard``, whose records have this version of the schema."""
        run = records.execute
        self._shards += 1
        self._see_settings(dict(run("SELECT name, value FROM shard.settings").fetchall()))
        self._see_found(run(f"SELECT {_columns(FOUND, FOUND.names, version)} FROM shard.found ORDER BY id"))
        self._runs += _runs(records, shard_number(shard), version)
        pages, size, seconds, requests = run("SELECT pages, bytes, seconds, requests FROM shard.totals").fetchone()
        before = self._spent
        self._spent = [before[0] + pages, before[1] + size, max(before[2], seconds), before[3] + requests]
        self._see_statistics(records)

    def _see_settings(self, told: dict[str, str]) -> None:
        found = {name: rows.from_json(value) for name, value in told.items()}
        before = self._settings
        seeds = dict.fromkeys([*before.get("seeds", []), *found.get("seeds", [])])
        starts = [value["started_at"] for value in (before, found) if "started_at" in value]
        self._settings = {**found, **before, "seeds": list(seeds)}
        if starts:
            self._settings["started_at"] = min(starts)

    def _see_found(self, found: Any) -> None:
        for row in found:
            self._found.setdefault(row[1], row)

    def _see_statistics(self, records: sqlite3.Connection) -> None:
        names = (MAXIMISED, JUDGE_STATE, LOOP_HELD, WALKED, LAST_REVISIT, REVISITING)
        asked = f"SELECT name, value FROM shard.statistics WHERE name IN ({', '.join('?' * len(names))})"
        found = {name: rows.statistic(value) for name, value in records.execute(asked, names)}
        known = self._statistics
        if MAXIMISED in found:
            known.setdefault(MAXIMISED, found[MAXIMISED])
        if LAST_REVISIT in found:
            known[LAST_REVISIT] = max(revived(float, found[LAST_REVISIT]), known.get(LAST_REVISIT, 0.0))
        if REVISITING in found:
            known[REVISITING] = _joined(known.get(REVISITING), revived(RevisitPlan, found[REVISITING]))
        if WALKED in found:
            known[WALKED] = list(dict.fromkeys([*known.get(WALKED, []), *revived(list[str], found[WALKED])]))
        if JUDGE_STATE in found:  # of the model that all pages make, which is another than each shard's
            _, version = revived(tuple[int, ...], found[JUDGE_STATE])
            known[JUDGE_STATE] = [0, max(version + 1, known.get(JUDGE_STATE, [0, 0])[1])]
        held = known.setdefault(LOOP_HELD, {}) if LOOP_HELD in found else {}
        for place, (times, longest_s) in found.get(LOOP_HELD, {}).items():
            before = held.get(place, (0, 0.0))
            held[place] = (before[0] + revived(int, times), max(before[1], revived(float, longest_s)))

    def keep_found(self, records: sqlite3.Connection) -> None:
        """Seeds that were put into what was gathered before (attached as ``before``) stay."""
        self._see_found(records.execute(f"SELECT {', '.join(FOUND.names)} FROM before.found ORDER BY id"))

    def write(self, records: sqlite3.Connection) -> None:
        """Once all pages are in, and have the verdicts that count."""
        run = records.execute
        many = records.executemany
        many("INSERT INTO main.settings VALUES (?, ?)",
             ((name, rows.to_json(value)) for name, value in self._settings.items()))  # fmt: skip
        names = ", ".join(FOUND.names)
        many(f"INSERT INTO main.found ({names}) VALUES ({', '.join('?' * len(FOUND.names))})",
             ((place, *row[1:]) for place, row in enumerate(self._found.values())))  # fmt: skip
        many(f"INSERT INTO main.runs ({', '.join(_OF_RUN)}) VALUES ({', '.join('?' * len(_OF_RUN))})",
             joined_runs(self._runs, self._shards == 1))  # fmt: skip
        run(
            "UPDATE main.totals SET (recorded, judged, relevant) ="
            " (SELECT count(*), count(score), ifnull(sum(relevant), 0) FROM main.pages),"
            " pages = ?, bytes = ?, seconds = ?, requests = ?", self._spent
        )  # fmt: skip
        if JUDGE_STATE in self._statistics:
            [(judged,)] = run("SELECT judged FROM main.totals")
            self._statistics[JUDGE_STATE][0] = judged
        many(rows.PUT_STATISTIC, (rows.statistic_row(name, value) for name, value in self._statistics.items()))


def _joined(before: dict[str, Any] | None, plan: RevisitPlan) -> dict[str, Any]:
    """The plans of a run of visits, of which each shard has its part, as one."""
    if before is None:
        return asdict(plan)
    base = {name: before["base"].get(name, 0.0) + value for name, value in plan.base.items()}
    return {**before, "due": before["due"] + plan.due, "base": base, "began_at": min(before["began_at"], plan.began_at)}


def _columns(table: Table, names: Sequence[str], version: int) -> str:
    """What to select of them; what records of this version lack is empty."""
    lacking = {column.name: column.empty for column in table.lacking(version)}
    return ", ".join(lacking.get(name, name) for name in names)


def _runs(records: sqlite3.Connection, shard: int, version: int) -> Iterator[ShardRun]:
    found = records.execute(f"SELECT {_columns(RUNS, _OF_RUN, version)} FROM shard.runs ORDER BY id").fetchall()
    following = [*(row[0] for row in found[1:]), _EVER][: len(found)]
    for (started_at, ended_at, stop_reason, *by), next_at in zip(found, following, strict=True):
        reached = started_at
        if ended_at is None:
            [(reached,)] = records.execute(_REACHED, (started_at, next_at))
        yield ShardRun(shard, started_at, ended_at, reached, stop_reason, tuple(by))
