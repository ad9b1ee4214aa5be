"""How quickly a crawl's pages go into a shared database: PostgreSQL, MariaDB and SQLite, each started for this alone.

``python -m bench.publish [--pages N] [--json FILE]``. The servers are those of the tests; one that is not installed is
left out. Each takes up a folder of made-up pages from nothing, then all of them again with other verdicts; the best of
several rounds, by the wall clock, with the server on the same machine.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.servers import HAS_MARIADB, HAS_POSTGRESQL, mariadb, postgresql

from bench.store import everything
from dowse.store import CrawlStore
from dowse.store.final_verdicts import NewVerdict, write_verdicts
from dowse.store.shared.connect import open_server
from dowse.store.shared.publication import Publication

PAGES, ROUNDS = 20_000, 3
_BATCH = 100


def made(folder: Path, pages: int) -> None:
    with CrawlStore.create(folder, {}, 1.7e9) as store:
        for first in range(0, pages, _BATCH):
            store.commit(everything(first, [[]]))


def judged_again(folder: Path, pages: int) -> None:
    told = [("a word", 0.25, 0.5)] * 8
    with CrawlStore.open(folder) as store:
        write_verdicts(store, (NewVerdict(n, n % 100 / 100, n % 2 == 0, told) for n in range(pages)), 1, {})


@contextmanager
def databases(kind: str, place: Path) -> Iterator[str]:
    """The URL of a database that nobody else uses."""
    if kind == "SQLite":
        yield f"sqlite:///{place / 'shared.db'}"
        return
    server = {"PostgreSQL": postgresql, "MariaDB": mariadb}[kind]()
    try:
        yield server.url
    finally:
        server.remove()


def timed(folder: Path, url: str) -> float:
    publication = Publication(folder, open_server(url), time.time)
    start = time.perf_counter()
    while publication.step():
        pass
    took = time.perf_counter() - start
    publication.close()
    return took


def measured(kind: str, pages: int) -> dict[str, float | str]:
    first, again = [], []
    for _ in range(ROUNDS):
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place) / "crawl"
            made(folder, pages)
            with databases(kind, Path(place)) as url:
                first.append(timed(folder, url))
                judged_again(folder, pages)
                again.append(timed(folder, url))
    new_per_s, again_per_s = pages / min(first), pages / min(again)
    print(f"{kind}: {new_per_s:,.0f} new pages a second, {again_per_s:,.0f} that were judged again")
    return {"database": kind, "new_per_s": new_per_s, "again_per_s": again_per_s}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=PAGES)
    parser.add_argument("--json", type=Path, help="write the figures")
    options = parser.parse_args()
    found = []
    for kind, there in (("PostgreSQL", HAS_POSTGRESQL), ("MariaDB", HAS_MARIADB), ("SQLite", True)):
        if there:
            found.append(measured(kind, options.pages))
        else:
            print(f"left out: {kind} is not installed")
    if options.json:
        options.json.write_text(json.dumps({"pages": options.pages, "databases": found}, indent=1) + "\n")


if __name__ == "__main__":
    main()
