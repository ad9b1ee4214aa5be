"""Shards in processes of their own, at work on one ground at the same time, one of them killed in the middle."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from dowse.cluster.ground import create_ground, open_ground
from dowse.model.budget import Budget
from tests.servers import POSTGRESQL, DatabaseServer

LETTERS, ADDRESSES = 300, 5


def wall() -> float:
    return 1.7e9


def start(where: str, shard: int, folder: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-m", "tests.cluster.ground.one_shard", where, str(shard), str(folder)])


def check(where: str, folder: Path) -> None:
    place = where if where.startswith("postgresql") else Path(where)
    create_ground(place, "many", shards=3, budget=Budget(pages=500), settings={}, wall=wall).close()
    shards = [start(where, shard, folder) for shard in range(3)]
    record = folder / "1"
    while not record.exists() or record.stat().st_size < 400:
        assert all(shard.poll() is None for shard in shards)
    shards[1].kill()
    shards[1].wait()
    shards[1] = start(where, 1, folder)
    assert [shard.wait(60) for shard in shards] == [0, 0, 0]
    for shard in range(3):
        lines = (folder / str(shard)).read_text().splitlines()
        taken = [tuple(map(int, line.split())) for line in lines if line.count(" ") == 1]
        expected = sorted((sender, n) for sender in range(3) if sender != shard
                          for n in range(1, LETTERS + 1) if (sender + 1 + n % 2) % 3 == shard)  # fmt: skip
        assert sorted(taken) == expected
    ground = open_ground(place, "many", wall=wall)
    standings = ground.standings()
    assert [standing.unread for standing in standings] == [0, 0, 0]
    assert [standing.epoch for standing in standings] == [1, 2, 1]
    assert sum(standing.granted.pages or 0 for standing in standings) <= 500
    ground.close()


def test_on_one_file(tmp_path: Path) -> None:
    (tmp_path / "shards").mkdir()
    check(str(tmp_path / "ground.db"), tmp_path / "shards")


@POSTGRESQL
def test_in_one_database(tmp_path: Path, postgres_server: DatabaseServer) -> None:
    import psycopg

    try:
        check(postgres_server.url, tmp_path)
    finally:
        with psycopg.connect(postgres_server.url, autocommit=True) as by_hand:
            by_hand.execute("DROP SCHEMA IF EXISTS dowse_many CASCADE")
