"""How many letters a second go from shard to shard over the common ground: PostgreSQL and SQLite, each for this alone.

``python -m bench.mail [--letters N] [--json FILE]``. One shard posts letters in batches, as many as it would find in a
second at the wanted speed (in PostgreSQL by COPY), and another receives, takes up and notes them; both in one thread,
so what it takes is what the two together need of one core, with the database on the same machine. The best of several
rounds, by the wall clock; and by CPU time, which is the shards' own part of it.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.servers import HAS_POSTGRESQL, DatabaseServer, postgresql

from bench.beats import cpu_s
from dowse.cluster.ground import create_ground
from dowse.cluster.ground.packing import pack
from dowse.model.budget import Budget
from dowse.model.common_ground import CommonGround
from dowse.model.others import Letter

LETTERS, ROUNDS = 500_000, 3
_BATCH = 50_000
_ROW = 5_000  # letters a row
_MENTION = b'{"anchor": "perovskite solar cells", "block": "Research", "page": %d}'


@contextmanager
def grounds(kind: str) -> Iterator[tuple[CommonGround, DatabaseServer | None]]:
    """A common ground of two shards that nobody else uses, and its server."""
    with tempfile.TemporaryDirectory() as place:
        server = postgresql() if kind == "PostgreSQL" else None
        try:
            where = Path(place) / "ground.sqlite" if server is None else server.url
            ground = create_ground(where, shards=2, budget=Budget(), settings={}, wall=time.time)
            yield ground, server
            ground.close()
        finally:
            if server is not None:
                server.remove()


def batch(first: int) -> list[Letter]:
    """Links as pages have them: neighbours lead to the same sites."""
    return [
        Letter(
            n, 1, f"https://site{n // 40 % 5000}.example.org/2026/{n % 97}/page-{n}", n % 9, 1 / n, _MENTION % (n // 40)
        )
        for n in range(first, first + _BATCH)
    ]


def timed(ground: CommonGround, server: DatabaseServer | None, batches: list[list[Letter]]) -> dict[str, float]:
    """Seconds for each of the two shards, and of CPU."""
    of_server = 0.0 if server is None else -cpu_s(server)
    sender, receiver = ground.join(0).member, ground.join(1).member
    spent = {"post": 0.0, "receive": 0.0, "cpu": -time.process_time()}
    noted = 0
    for letters in batches:
        start = time.perf_counter()
        ground.post(sender, letters)
        posted = time.perf_counter()
        while received := ground.receive(receiver, {0: noted}, _BATCH):
            noted = received[0].last
            ground.noted(receiver, {0: noted})
        spent["receive"] += time.perf_counter() - posted
        spent["post"] += posted - start
    assert noted == batches[-1][-1].number
    spent["cpu"] += time.process_time()
    return spent | {"server": 0.0 if server is None else of_server + cpu_s(server)}


def measured(kind: str, letters: int) -> dict[str, float | str]:
    batches = [batch(first) for first in range(1, letters, _BATCH)]
    rounds = []
    for _ in range(ROUNDS):
        with grounds(kind) as (ground, server):
            rounds.append(timed(ground, server, batches))
    count = sum(map(len, batches))
    post, receive = (count / min(one[name] for one in rounds) for name in ("post", "receive"))
    cpu, of_server = (1e6 * min(one[name] for one in rounds) / count for name in ("cpu", "server"))
    size = len(pack(batches[0][:_ROW])) / _ROW
    print(
        f"{kind}: {post:,.0f} letters a second are posted, {receive:,.0f} received and noted; "
        f"a letter takes {cpu:.1f} us of the shards' CPU, {of_server:.1f} us of the server's, and {size:.0f} bytes"
    )
    return {
        "database": kind, "posted_per_s": post, "received_per_s": receive, "cpu_us": cpu, "server_us": of_server,
        "letter_bytes": size,
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--letters", type=int, default=LETTERS)
    parser.add_argument("--json", type=Path, help="write the figures")
    options = parser.parse_args()
    found = []
    for kind, there in (("PostgreSQL", HAS_POSTGRESQL), ("SQLite", True)):
        if there:
            found.append(measured(kind, options.letters))
        else:
            print(f"left out: {kind} is not installed")
    if options.json:
        options.json.write_text(json.dumps({"letters": options.letters, "databases": found}, indent=1) + "\n")


if __name__ == "__main__":
    main()
