"""What moving sites brings where one shard has them all: ``python -m bench.moving [--shards 8]``.

A web of 48 hosts that fall to one shard at the beginning, crawled in virtual time until 2,000 pages are there: with
sites that stay, and with sites that move. Each engine has at most six requests open, which stands for one that is busy.
Told are the pages of the shard that has most over the mean, and how long it took.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path
from typing import Any

from tests.lab.replay.frozen import Frozen, Host, Reader

from dowse.cluster.slots import slot_of
from dowse.frontier.scope import StaticScope
from dowse.lab.replay.shared_replay import Sharing, replay_shared
from dowse.model.budget import Budget
from dowse.model.topic import Network, Politeness, Seeds, Topic

HOSTS, PAGES, OPEN, LATENCY_S = 48, 90, 6, 0.4


def measure(shards: int, pages: int) -> dict[str, Any]:
    names = (f"h{number}.test" for number in range(1_000_000))
    hosts = (name for name in names if slot_of(f"http://{name}/", "host") % shards == 0)
    web = Frozen({next(hosts): Host(latency_s=LATENCY_S) for _ in range(HOSTS)}, pages=PAGES)
    seeds = tuple(f"http://{name}/{page}" for page in range(0, PAGES, 10) for name in web.hosts)
    topic = Topic(
        query="solar", seeds=Seeds(urls=seeds), budget=Budget(pages=pages), politeness=Politeness(delay_s=1.0),
        network=Network(concurrency=OPEN),
    )  # fmt: skip
    rows = []
    for moving in (False, True):
        with tempfile.TemporaryDirectory() as folder:
            sharing = Sharing(shards, moving=moving, every_s=1.0)
            done = replay_shared(web, Reader(web), topic, StaticScope(topic.scope), sharing, Path(folder))
        rows.append({
            "sites": "move" if moving else "stay", "pages": sum(done.pages), "requests": len(done.exchanges),
            "load": max(done.pages) * shards / sum(done.pages),
            "seconds": max(exchange.ended_s for exchange in done.exchanges),
        })  # fmt: skip
    return {"shards": shards, "hosts": HOSTS, "rows": rows}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shards", type=int, default=8)
    parser.add_argument("--pages", type=int, default=2000)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    told = measure(given.shards, given.pages)
    for row in told["rows"]:
        print(f"sites {row['sites']}: {row['pages']} pages, {row['requests']} requests, load {row['load']:.2f},"
              f" {row['seconds']:.0f} s")  # fmt: skip
    if given.json is not None:
        given.json.write_text(json.dumps(told), encoding="utf-8")


if __name__ == "__main__":
    main()
