"""A crawl whose slots move, read at any moment of a move: each URL once, none that waits is told to be refused."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from dowse.cluster.ground import moves
from dowse.model.records import CandidateState
from dowse.store.gather import gather
from dowse.store.sharded import CLUSTER_AT, SHARDS
from tests.cluster.ground.places import Place, sqlite_place
from tests.cluster.test_moves_in_any_order import HOSTS, URLS, Shard


def read(folder: Path) -> dict[str, str]:
    """Each URL of the crawl as one, with its state."""
    gather(folder)
    with closing(sqlite3.connect(folder / "dowse.sqlite")) as records:
        rows = records.execute("SELECT url, state FROM candidates").fetchall()
        assert len(rows) == len({url for url, _ in rows})
        hosts = [host for (host,) in records.execute("SELECT host FROM sites")]
        assert len(hosts) == len(set(hosts)) == HOSTS
    return {url: CandidateState(state).shown for url, state in rows}


@pytest.fixture
def _hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(moves, "_FEW", 0)


@pytest.mark.usefixtures("_hasty")
def test_it_is_read_right_at_each_step(tmp_path: Path) -> None:
    (tmp_path / CLUSTER_AT).write_text("{}")
    (tmp_path / SHARDS).mkdir()
    with sqlite_place(tmp_path / "ground.db") as place:
        _step_by_step(tmp_path, place)


def _step_by_step(folder: Path, place: Place) -> None:
    place.create(2, moving=True)
    giver, taker = (Shard(n, folder / SHARDS / f"{n:02d}", place, "best-first") for n in range(2))
    for shard in (giver, taker):
        shard.start()
    for _ in range(3):
        giver.ask()
        giver.end()
    giver.commit()
    before = read(folder)
    assert set(before) <= set(URLS)
    assert sorted(before.values()).count("fetched") == 3
    assert set(before.values()) == {"fetched", "waiting"}
    taker.beat(0.0)
    giver.beat(100.0)
    assert giver.others.leaving
    giver.give()
    assert giver.made.life.waiting < len(before) - 3
    assert read(folder) == before, "what goes waits"
    giver.post(1000)
    taker.receive(3, committed=True)
    assert read(folder) == before, "some of it is there"
    for _ in range(len(URLS)):
        taker.receive(3, committed=True)
        taker.note()
    assert taker.made.life.waiting > 0
    giver.hear_what_arrived()
    assert read(folder) == before
    taker.ask()
    taker.end()
    taker.commit()
    assert sorted(read(folder).values()).count("fetched") == 4
    for shard in (giver, taker):
        shard.die()
