"""One engine and its workers, or two engines that parse by themselves? ``python -m bench.engines [--json FILE]``.

The web of ``bench.speed``, each package of documentation at an address of its own, so that it may have an engine of its
own; its addresses are chosen so that two shards have equally many. Each way to crawl gets the same seeds and the same
budget of pages, and they take turns. Told are pages a second, CPU time a page of all processes but nginx's, how many of
the pages were relevant, and what a page takes on disk. It needs what ``bench.speed`` needs.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.speed.corpus import PACKAGES, Missing, documentation
from bench.speed.measure import Failed, run
from bench.speed.server import serve
from dowse.cluster.slots import slot_of

SITES = 7  # packages: 6,000 pages
_TOPIC = """\
query = "relational database replication"

[seeds]
urls = {urls}

[scope]
reach = "host"

[politeness]
delay = 0
connections_per_host = 8

[network]
allow_private = true
"""


@dataclass(frozen=True, slots=True)
class Way:
    """How to crawl."""

    name: str
    options: tuple[str, ...]


WAYS = (
    Way("1 engine, 2 workers", ("--workers", "2")),
    Way("2 shards that parse by themselves", ("--shards", "2", "--shard-by", "host", "--workers", "0")),
    Way("1 engine, 1 worker", ("--workers", "1")),
    Way("1 engine that parses by itself", ("--workers", "0")),
)


def hosts(count: int) -> list[str]:
    """Loopback addresses, of which two shards have every other one."""
    found: list[str] = []
    for last in range(2, 255):
        if len(found) < count and slot_of(f"http://127.0.0.{last}/", "host") % 2 == len(found) % 2:
            found.append(f"127.0.0.{last}")
    return found


def crawl(way: Way, seeds: list[str], pages: int, work: Path) -> dict[str, Any]:
    out, topic = work / "engines", work / "engines.toml"
    shutil.rmtree(out, ignore_errors=True)
    topic.write_text(_TOPIC.format(urls=json.dumps(seeds)))
    told = work / "engines.out"
    command = [sys.executable, "-m", "dowse", "crawl", str(topic), "--out", str(out), "--json", "--budget", f"{pages}p"]
    usage = run([*command, *way.options], told)
    events = [json.loads(line) for line in told.read_text().splitlines() if line.startswith("{")]
    summary = next(event for event in reversed(events) if event.get("event") == "summary")
    size = {ending: sum(one.stat().st_size for one in out.rglob(f"*.{ending}*")) for ending in ("warc", "sqlite")}
    fetched = summary["pages"]
    done = {
        "way": way.name, "pages": fetched, "pages_per_s": fetched / usage.wall_s, "cpu_ms": 1e3 * usage.cpu_s / fetched,
        "harvest": summary["harvest"], "seconds": usage.wall_s, "memory_bytes": usage.proportional_bytes,
        "warc_bytes": size["warc"] / fetched, "sqlite_bytes": size["sqlite"] / fetched,
    }  # fmt: skip
    print("{way:34} {pages:6,} pages, {pages_per_s:6.0f} a second, {cpu_ms:.2f} ms of CPU each, harvest {harvest:.4f}"
          .format(**done), flush=True)  # fmt: skip
    return done


def measure(pages: int, rounds: int, work: Path) -> dict[str, Any]:
    sites = [documentation(pattern, work) for pattern in list(PACKAGES)[:SITES]]
    rows: dict[str, list[dict[str, Any]]] = {way.name: [] for way in WAYS}
    names = hosts(SITES)
    for _ in range(rounds):
        for way in WAYS:
            with serve(work / "web", work / "nginx-engines", hosts=names) as server:
                seeds = [
                    f"http://{host}:{server.port}/{entry.relative_to(work / 'web').as_posix()}"
                    for host, site in zip(names, sites, strict=True) for entry in site.entries[:1]
                ]  # fmt: skip
                rows[way.name].append(crawl(way, seeds, pages, work))
    best = [min(found, key=lambda one: one["cpu_ms"]) | {"pages_per_s": max(one["pages_per_s"] for one in found)}
            for found in rows.values()]  # fmt: skip
    return {"rounds": rounds, "pages": pages, "ways": best}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=4_000)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--work", type=Path, default=Path("/tmp/dowse-bench"), help="see bench.speed")
    parser.add_argument("--json", type=Path, help="write the figures")
    given = parser.parse_args()
    try:
        told = measure(given.pages, given.rounds, given.work.resolve())
    except (Missing, Failed) as problem:
        sys.exit(f"bench.engines: {problem}")
    if given.json is not None:
        given.json.write_text(json.dumps(told, indent=1) + "\n")


if __name__ == "__main__":
    main()
