"""How long it takes to plan a run of visits: ``dowse crawl --resume DIR --revisit auto --budget 500p``, before it asks.

A folder is filled with so many pages of a hundred sites, each visited ten times at intervals of about a day; a share of
the visits found a change. Told are the seconds until the plan is written down, CPU time and memory of a process of its
own.

    python -m bench.revisit [--pages 100000 --pages 1000000] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from dowse.engine.assembly.revisit import Revisit, revisit_run
from dowse.model.budget import Budget
from dowse.model.topic import Topic
from dowse.store import CrawlStore
from dowse.store.times import iso

PAGES = (100_000, 1_000_000)
_SITES, _VISITS = 100, 10
_DAY_S = 86_400.0
_START = 1.7e9
_NOW = _START + (_VISITS + 1) * _DAY_S


def filled(folder: Path, pages: int) -> None:
    """The records of a crawl whose pages were visited again and again, as far as plans look at them."""
    dice = random.Random(7)
    with CrawlStore.create(folder, {}, _START) as store:
        urls = [(page, f"http://s{page % _SITES}.test/{page}") for page in range(pages)]
        _insert(store, "candidates", ("id", "url", "site", "state"), ((*one, one[0] % _SITES, 2) for one in urls))
        _insert(
            store, "pages", ("id", "url", "outcome", "ordinal", "fetched_at", "visited_at", "score"),
            ((*one, "fetched", one[0], iso(_START), iso(_NOW - _DAY_S), dice.random()) for one in urls),
        )  # fmt: skip
        for number in range(_VISITS + 1):
            _insert(store, "visits", ("page", "at", "status", "reason", "changed"), _visits(pages, number, dice))
        store._connection.commit()


def _insert(store: CrawlStore, table: str, names: Sequence[str], rows: Iterator[tuple[Any, ...]]) -> None:
    """Rows of a few columns; of the others, those that may not be empty have nothing in them."""
    empty = {"TEXT": "''", "BLOB": "x''"}
    rest = {
        name: empty.get(kind, "0")
        for _, name, kind, is_needed, default, is_key in store._connection.execute(f"PRAGMA table_info({table})")
        if is_needed and default is None and not is_key and name not in names
    }
    columns, values = ", ".join((*names, *rest)), ", ".join((*"?" * len(names), *rest.values()))
    store._connection.executemany(f"INSERT INTO {table} ({columns}) VALUES ({values})", rows)


def _visits(pages: int, number: int, dice: random.Random) -> Iterator[tuple[int, str, int, str, int | None]]:
    for page in range(pages):
        changed = None if number == 0 else int(dice.random() < page % 10 / 12)
        yield page, iso(_START + number * _DAY_S + dice.random() * 3600), 200, "", changed


def planned(folder: Path) -> dict[str, Any]:
    """Plan a run of visits in this process."""
    started, cpu = time.perf_counter(), time.process_time()
    with CrawlStore.open(folder) as store:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        _, due = revisit_run(store, Topic(query="x"), Revisit("auto", Budget(pages=500)), _NOW, lambda line: None)
    assert due is not None
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {
        "due": len(due.places), "seconds": time.perf_counter() - started, "cpu_s": time.process_time() - cpu,
        "mb": (most - before) / 1024,
    }  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.revisit", description=__doc__)
    parser.add_argument("--pages", type=int, action="append")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--plan", type=Path, metavar="DIR", help=argparse.SUPPRESS)
    chosen = parser.parse_args(arguments)
    if chosen.plan is not None:
        sys.stdout.write(json.dumps(planned(chosen.plan)))
        return 0
    rows = []
    for pages in chosen.pages or PAGES:
        with tempfile.TemporaryDirectory(prefix="dowse-bench-") as place:
            folder = Path(place) / "crawl"
            filled(folder, pages)
            command = [sys.executable, "-m", "bench.revisit", "--plan", str(folder)]
            rows.append({"pages": pages, "visits": pages * _VISITS, **json.loads(subprocess.check_output(command))})
        sys.stderr.write(f"{rows[-1]}\n")
    if chosen.json is not None:
        chosen.json.write_text(json.dumps({"rows": rows}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
