"""A crawl that dies: ``python -m tests.store.writer FOLDER WHERE`` commits batches until it is killed.

WHERE is the instant of its third commit at which it kills itself (SIGKILL), or ``never``: it then tells each commit on
standard output and goes on until somebody else does it.
"""

from __future__ import annotations

import os
import signal
import sqlite3
import sys
from pathlib import Path

from dowse.model.budget import Spent
from dowse.store import CrawlStore
from dowse.store.schema import DATABASE
from tests.store.made import WALL, batch

A_BATCH = 5


def die(*_: object) -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return 0


def arm(store: CrawlStore, where: str) -> None:
    """Make the next commit deadly at one instant, from the outside of the store's code where that is possible."""
    archive = store._archive
    if where == "half-written":
        pwrite = os.pwrite
        os.pwrite = lambda fd, data, at: pwrite(fd, bytes(data)[:1000], at) and die()
    elif where == "written":
        setattr(os, "fsync", die)  # noqa: B010
    elif where == "synced":
        sync = archive.sync
        archive.sync = lambda: (sync(), die())[0]  # type: ignore[method-assign]
    elif where == "in-transaction":
        store._connection.set_authorizer(
            lambda action, table, *_: die() if table == "statistics" else sqlite3.SQLITE_OK
        )
    elif where == "before-commit":
        store._connection.set_trace_callback(lambda sql: die() if sql == "COMMIT" else None)
    elif where == "committed":
        store._transact = lambda *args, **kw: (CrawlStore._transact(store, *args, **kw), die())[0]  # type: ignore


def main() -> None:
    folder, where = Path(sys.argv[1]), sys.argv[2]
    fresh = not (folder / DATABASE).exists()
    size = 4000
    make = CrawlStore.create
    store = make(folder, {}, WALL, archive_bytes=size) if fresh else CrawlStore.open(folder, archive_bytes=size)
    first = store.counters().recorded
    for number in range(10_000):
        if number == 2 and where != "never":
            arm(store, where)
        done = first + number * A_BATCH
        store.note_spent(Spent(requests=done + A_BATCH + 1))
        store.commit(batch(done, A_BATCH))
        sys.stdout.write(f"{done + A_BATCH}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
