"""How far it goes, on paper: ``python -m bench.scale [--json FILE]``.

What crawls of 10^8 and 10^9 URLs take, and what is to be expected on 8 and 32 cores, from what was measured on two: the
figures of ``bench.figures`` named in :data:`MEASURED`, which must have been made before. What a waiting URL takes in a
shard's records is measured here, with ``--records``.

The model is plain. Memory, records and CPU time grow with URLs and pages; letters with the share of links that leave a
shard, ``(shards - 1) / shards``; a shard tells what it learned whenever it has a quarter more pages, and takes up each
of the others' as often. PostgreSQL has a beat of every shard each second, and the letters. Cores are taken to be like
those measured, and to have memory fast enough for all of them: so rates are the most there can be, where sites and the
line give as much.
"""

from __future__ import annotations

import argparse
import json
import math
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.figures.results import RESULTS
from bench.frontier import store

MEASURED = (
    "speed", "frontier-scale", "cost-learning", "shards-engines", "shards-exchange", "shards-mail", "shards-beats",
    "shards-records",
)  # fmt: skip
URLS = (10**8, 10**9)
CORES = (2, 8, 32)
FETCHED = 0.1  # of the URLs that are known
URLS_A_HOST = 100
SHARD_GB = 16.0  # of memory for an engine's URLs
QUARTER = math.log(5 / 4)
STORED = 200_000  # URLs, to see what one takes in the records
GB = 1e9


@dataclass(frozen=True, slots=True)
class Constants:
    """What was measured."""

    engine_ms: float  # of CPU a page
    worker_ms: float
    shards_ms: float  # of CPU a page, where two shards parse by themselves
    engine_bytes: float  # of memory, with few URLs
    worker_bytes: float
    url_bytes: float  # of memory: in the frontier, and what is learned of it
    host_bytes: float
    record_bytes: float  # of a waiting URL on disk
    page_bytes: float  # of a page's own records, its links among them
    warc_bytes: float
    letters_a_page: float  # where every site is another shard's
    letter_bytes: float
    letter_us: float  # of CPU of the two shards
    letter_server_us: float
    tells: float  # of a shard
    tells_at: float  # pages that it had
    tell_ms: float
    take_ms: float
    second_server_ms: float  # of the server's CPU for a second of a shard: its beat, and what it asks for besides

    @classmethod
    def of(cls, found: Mapping[str, Any]) -> Constants:
        """From the results of :data:`MEASURED`."""
        profile = found["speed"]["profiles"]["dowse-learning"]
        engine = sum(value for name, value in profile["engine"].items() if not name.startswith("start-up"))
        usage = found["speed"]["memory"]["dowse-learning"][0]["usage"]
        ways = {row["way"]: row for row in found["shards-engines"]["ways"]}
        one, two = ways["1 engine, 2 workers"], ways["2 shards that parse by themselves"]
        frontier = max(found["frontier-scale"], key=lambda row: (row["waiting"], row["shape"] == "zipf"))
        learning = max(found["cost-learning"], key=lambda row: row["waiting"])
        exchange = found["shards-exchange"]
        mail = next(row for row in found["shards-mail"]["databases"] if row["database"] == "PostgreSQL")
        beats = next(row for row in found["shards-beats"]["rows"] if row["kind"].startswith("a budget"))
        return cls(
            engine_ms=1e3 * engine / profile["pages"],
            worker_ms=1e3 * sum(profile["workers"].values()) / profile["pages"], shards_ms=two["cpu_ms"],
            engine_bytes=usage["main_memory_bytes"],
            worker_bytes=(usage["proportional_bytes"] - usage["main_memory_bytes"]) / 2,
            url_bytes=frontier["ram_a_url"] + learning["learner_bytes"], host_bytes=frontier["ram_a_host"],
            record_bytes=found["shards-records"]["record_bytes"], page_bytes=one["sqlite_bytes"],
            warc_bytes=one["warc_bytes"],
            letters_a_page=exchange["letters_a_page"],
            letter_bytes=exchange["letter_bytes"], letter_us=mail["cpu_us"], letter_server_us=mail["server_us"],
            tells=exchange["tells"] / exchange["shards"], tells_at=exchange["pages"] / exchange["shards"],
            tell_ms=exchange["tell_ms"], take_ms=exchange["take_ms"], second_server_ms=beats["server_ms"],
        )  # fmt: skip

    def exchange_ms(self, shards: int, pages: float) -> float:
        """CPU a page that a shard of so many, with so many pages, takes to learn from the others."""
        if shards < 2:
            return 0.0
        tells = self.tells + math.log(pages / self.tells_at) / QUARTER
        return tells * (self.tell_ms + (shards - 1) * self.take_ms) / pages

    def letters(self, shards: int) -> float:
        """Letters a page."""
        return self.letters_a_page * (1 - 1 / shards)


def crawl(constants: Constants, urls: int) -> dict[str, float]:
    """What a crawl takes that knows so many URLs in the end."""
    pages, memory = urls * FETCHED, urls * (constants.url_bytes + constants.host_bytes / URLS_A_HOST)
    shards = max(1, math.ceil(memory / GB / SHARD_GB))
    letters = pages * constants.letters(shards)
    exchange = constants.exchange_ms(shards, pages / shards)
    page_ms = (
        constants.engine_ms + constants.worker_ms + exchange + constants.letters(shards) * constants.letter_us / 1e3
    )
    seconds = pages / shards * page_ms / 1e3 / 2  # an engine and a worker, each with a core
    beats, mail = shards * constants.second_server_ms / 1e3, letters * constants.letter_server_us / 1e6 / seconds
    return {
        "urls": urls, "pages": pages, "shards": shards,
        "memory_gb": (memory + shards * (constants.engine_bytes + constants.worker_bytes)) / GB,
        "records_gb": (urls * constants.record_bytes + pages * constants.page_bytes) / GB,
        "warc_gb": pages * constants.warc_bytes / GB, "cpu_h": pages * page_ms / 3.6e6,
        "exchange": exchange / page_ms, "hours": seconds / 3600, "pages_per_s": pages / seconds,
        "letters": letters, "letters_gb": letters * constants.letter_bytes / GB,
        "letters_per_s": letters / seconds / shards, "postgresql_beats": beats, "postgresql_mail": mail,
    }  # fmt: skip


def cores(constants: Constants, count: int) -> dict[str, float]:
    """Pages a second on so many cores: one engine and workers, and a shard for each core or two."""
    together = constants.engine_ms + constants.worker_ms
    one = min(1e3 / constants.engine_ms, count * 1e3 / together)
    shards = count // 2
    pages = 1e6  # a shard
    beside = (
        constants.exchange_ms(shards, pages) + constants.letters(max(2, shards)) * constants.letter_us / 1e3
        if shards > 1 else 0.0
    )  # fmt: skip
    return {
        "cores": count, "one": one, "one_uses": one * together / 1e3, "shards": shards,
        "with_workers": count * 1e3 / (together + beside), "beside": beside / (together + beside),
        "by_themselves": count * 1e3 / constants.shards_ms,
    }  # fmt: skip


def record_bytes() -> float:
    """What a waiting URL takes in a shard's records."""
    sizes = []
    for count in (STORED // 10, STORED):
        with tempfile.TemporaryDirectory() as name:
            store(Path(name) / "crawl", count, 1_000, "zipf")
            sizes.append(sum(one.stat().st_size for one in (Path(name) / "crawl").iterdir()))
    return (sizes[1] - sizes[0]) / (STORED - STORED // 10)


def found_in(folder: Path) -> dict[str, Any]:
    """What was measured; SystemExit where something is missing."""
    if missing := [name for name in MEASURED if not (folder / f"{name}.json").exists()]:
        raise SystemExit(f"bench.scale: measure first: python -m bench.figures {' '.join(missing)}")
    return {name: json.loads((folder / f"{name}.json").read_text())["found"] for name in MEASURED}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", action="store_true", help="measure what a URL takes in records")
    parser.add_argument("--json", type=Path, help="write the figures")
    given = parser.parse_args()
    if given.records:
        told: dict[str, Any] = {"record_bytes": record_bytes()}
        print(f"a waiting URL takes {told['record_bytes']:.0f} bytes of records")
    else:
        constants = Constants.of(found_in(RESULTS))
        told = {
            "crawls": [crawl(constants, urls) for urls in URLS], "cores": [cores(constants, count) for count in CORES]
        }  # fmt: skip
        for row in (*told["crawls"], *told["cores"]):
            print({name: float(f"{value:.3g}") for name, value in row.items()})
    if given.json is not None:
        given.json.write_text(json.dumps(told, indent=1) + "\n")


if __name__ == "__main__":
    main()
