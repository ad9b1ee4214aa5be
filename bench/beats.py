"""How many beats one PostgreSQL carries: ``python -m bench.beats [--shards 64] [--seconds 10] [--json FILE]``.

Shards of one crawl beat as fast as they are answered, from a few processes beside the server: each tells of a page
more than at its last beat, and of 512 waiting URLs, and is granted some of the budget; before, it asks for letters, and
behind, for what the others have learned, as a shard does each second. Told are what all that takes of
CPU time (the server's processes, and the shard's own), and how long it waits for and keeps the row of the crawl, which
all share. A machine that does something else at the same time makes all of it slower, CPU time by up to three times.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from tests.servers import DatabaseServer, postgresql

from dowse.cluster.ground import create_ground, open_ground
from dowse.cluster.ground import postgres as at_postgres
from dowse.model.budget import Budget, Spent
from dowse.model.common_ground import PROMISED, Report

PROCESSES = 2
_TICK_S = 1.0 / os.sysconf("SC_CLK_TCK")


class _Held:
    """Counts the seconds in which this process keeps the row of the crawl."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._since: float | None = None

    def install(self) -> None:
        session, database = at_postgres._Session, at_postgres.PostgresDatabase
        run, at_once, transaction = session.run, session.at_once, database.transaction

        def seen_run(own: Any, statement: str, values: Any = ()) -> Any:
            self._asked(statement)
            return run(own, statement, values)

        def seen_at_once(own: Any, first: Any, *others: Any) -> Any:
            self._asked(first[0])
            return at_once(own, first, *others)

        @contextmanager
        def seen_transaction(own: Any) -> Iterator[Any]:
            try:
                with transaction(own) as it:
                    yield it
            finally:
                if self._since is not None:
                    self.seconds += time.perf_counter() - self._since
                self._since = None

        for of, name, seen in (
            (session, "run", seen_run), (session, "at_once", seen_at_once), (database, "transaction", seen_transaction)
        ):  # fmt: skip
            setattr(of, name, seen)

    def _asked(self, statement: str) -> None:
        """From when it is asked for: what it is waited for, where others have it, is counted with it."""
        if "FROM crawl " in statement and statement.endswith("FOR UPDATE"):
            self._since = time.perf_counter()


def beat_on(url: str, shards: range, seconds: float, told: Any) -> None:
    """Some shards of the crawl, in turn, by one connection each."""
    held = _Held()
    held.install()
    grounds = [open_ground(url, "beats", wall=time.time) for _ in range(min(4, len(shards)))]
    members = [grounds[shard % len(grounds)].join(shard).member for shard in shards]
    promises = np.sort(np.random.default_rng(shards.start).random(PROMISED))[::-1].copy()
    beats, pages = 0, dict.fromkeys(shards, 0)
    held.seconds = 0.0
    cpu, end = time.process_time(), time.monotonic() + seconds
    while time.monotonic() < end:
        member = members[beats % len(members)]
        spent = Spent(pages=pages[member.shard], requests=2 * pages[member.shard], bytes=0)
        held_now = Spent(pages=spent.pages + 1, requests=spent.requests + 2, bytes=0)
        report = Report(spent, held_now, 0, 0.0, 5_000, promises - 1e-6 * beats)
        ground = grounds[member.shard % len(grounds)]
        ground.receive(member, {}, 1)
        orders = ground.beat(member, report)
        ground.published(member, {})
        pages[member.shard] = min(pages[member.shard] + 1, orders.granted.pages or 0)
        beats += 1
    told.put((beats, time.process_time() - cpu, held.seconds))


def cpu_s(server: DatabaseServer) -> float:
    """CPU seconds of all the server's processes, those that ended among them."""
    assert server._process is not None
    main = server._process.pid
    children = Path(f"/proc/{main}/task/{main}/children").read_text().split()
    stats = [Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split() for pid in (str(main), *children)]
    own = sum(float(one[11]) + float(one[12]) for one in stats)
    return _TICK_S * (own + float(stats[0][13]) + float(stats[0][14]))


def measure(shards: int, seconds: float, kind: str, budget: Budget) -> dict[str, Any]:
    server = postgresql()
    try:
        create_ground(server.url, "beats", shards=shards, budget=budget, settings={}, wall=time.time).close()
        told: Any = multiprocessing.Queue()
        each = shards // PROCESSES
        before, started = cpu_s(server), time.perf_counter()
        processes = [
            multiprocessing.Process(target=beat_on, args=(server.url, range(at, at + each), seconds, told))
            for at in range(0, each * PROCESSES, each)
        ]
        for process in processes:
            process.start()
        found = [told.get(timeout=seconds + 60) for _ in processes]
        for process in processes:
            process.join()
        after, past = cpu_s(server), time.perf_counter() - started
    finally:
        server.remove()
    beats, cpu, held = (sum(column) for column in zip(*found, strict=True))
    server_ms, own_ms, held_ms = (1e3 * value / beats for value in (after - before, cpu, held))
    print(
        f"{kind}: {beats / past:,.0f} beats a second; CPU a beat: server {server_ms:.2f} ms, shard {own_ms:.2f} ms;"
        f" the crawl's row is kept {held_ms:.2f} ms a beat"
    )
    return {"kind": kind, "beats_per_s": beats / past, "server_ms": server_ms, "shard_ms": own_ms, "held_ms": held_ms}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shards", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--json", type=Path, help="write the figures")
    given = parser.parse_args()
    kinds = {"a budget in pages": Budget(pages=10**9), "no budget": Budget()}
    rows = [measure(given.shards, given.seconds, kind, budget) for kind, budget in kinds.items()]
    if given.json is not None:
        given.json.write_text(json.dumps({"shards": given.shards, "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
