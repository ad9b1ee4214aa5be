"""PostgreSQL is killed and comes again, or says nothing; a connection is cut: whoever calls again goes on."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest

from dowse.cluster.ground import create_ground, open_ground
from dowse.cluster.ground import postgres as postgres_module
from dowse.model.budget import Budget, Spent
from dowse.model.common_ground import Fenced, GroundAway
from dowse.model.errors import NotACrawl, UserError
from tests.cluster.ground.places import START, letters, postgres_place, report
from tests.servers import POSTGRESQL, DatabaseServer, postgresql

pytestmark = POSTGRESQL


@pytest.fixture
def server() -> Iterator[DatabaseServer]:
    """One that a test may kill."""
    server = postgresql()
    yield server
    server.remove()


def create(url: str, name: str = "crawl", shards: int = 2, budget: Budget | None = None) -> None:
    create_ground(url, name, shards=shards, budget=budget or Budget(), settings={}, wall=lambda: 0.0).close()


def live_on(url: str) -> None:
    """However long this machine takes, leases last."""
    with psycopg.connect(url, autocommit=True) as by_hand:
        by_hand.execute("UPDATE dowse_crawl.shards SET lease_until = lease_until + 3600")


def test_after_a_kill_everything_goes_on_and_nothing_is_there_twice(server: DatabaseServer) -> None:
    create(server.url, budget=Budget(pages=100))
    ground = open_ground(server.url, wall=lambda: 0.0)
    sender, receiver = ground.join(0).member, ground.join(1).member
    ground.post(sender, letters(1, 10, 1))
    ground.noted(receiver, {0: 4})
    granted = ground.beat(sender, report(promises=[1.0] * 50)).granted
    live_on(server.url)
    server.kill()
    for _ in range(2):
        with pytest.raises(GroundAway) as caught:
            ground.post(sender, letters(1, 12, 1))
        assert "only-for-tests" not in str(caught.value)
    server.start()
    ground.post(sender, letters(1, 12, 1))
    [received] = ground.receive(receiver, {0: 4}, 100)
    assert received.letters == letters(5, 12, 1)
    assert ground.beat(sender, report(Spent(pages=2), promises=[1.0] * 50)).granted.pages in range(2, 101)
    assert granted.pages
    ground.close()


def test_a_connection_that_is_cut_is_made_again(postgres_server: DatabaseServer) -> None:
    with postgres_place(postgres_server.url) as place:
        ground = place.create()
        member = ground.join(0).member
        with psycopg.connect(postgres_server.url, autocommit=True) as by_hand:
            by_hand.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE application_name = 'dowse' AND pid <> pg_backend_pid()"
            )
        with pytest.raises(GroundAway):
            ground.beat(member, report())
        ground.beat(member, report())


def test_a_server_that_says_nothing_holds_nobody_for_ever(
    server: DatabaseServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    create(server.url)
    ground = open_ground(server.url, wall=lambda: 0.0)
    member = ground.join(0).member
    live_on(server.url)
    monkeypatch.setattr(postgres_module, "_SILENT_S", 0.2)
    server.hold()
    with pytest.raises(GroundAway):
        ground.beat(member, report())
    server.go_on()
    monkeypatch.undo()
    ground.beat(member, report())
    ground.close()


def test_a_lock_that_somebody_keeps_is_told_as_an_outage(
    postgres_server: DatabaseServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres_module, "_STATEMENT_S", 1)
    with postgres_place(postgres_server.url) as place:
        ground = place.create()
        member = ground.join(0).member
        with psycopg.connect(postgres_server.url) as by_hand:
            by_hand.execute("SELECT shard FROM dowse_crawl.shards FOR UPDATE")
            with pytest.raises(GroundAway):
                ground.beat(member, report())
        ground.beat(member, report())


def test_two_crawls_share_a_database_and_one_may_be_dropped(postgres_server: DatabaseServer) -> None:
    url = postgres_server.url
    with psycopg.connect(url, autocommit=True) as by_hand:
        try:
            create(url, "one")
            create(url, "two", shards=3)
            with pytest.raises(UserError, match="already holds a crawl of this name"):
                create(url, "two")
            with pytest.raises(NotACrawl, match="'three'"):
                open_ground(url, "three", wall=lambda: 0.0)
            one, two = open_ground(url, "one", wall=lambda: 0.0), open_ground(url, "two", wall=lambda: 0.0)
            one.stop("interrupted", "by hand")
            assert [two.crawl().stop, two.crawl().shards, one.crawl().shards] == [None, 3, 2]
            assert two.join(2).member.epoch == 1
            by_hand.execute("DROP SCHEMA dowse_two CASCADE")
            with pytest.raises(NotACrawl, match="no more"):
                two.join(2)
            one.join(0)
            one.close()
            two.close()
        finally:
            by_hand.execute("DROP SCHEMA IF EXISTS dowse_one CASCADE")
            by_hand.execute("DROP SCHEMA IF EXISTS dowse_two CASCADE")


def test_a_lease_runs_by_the_servers_own_clock(postgres_server: DatabaseServer) -> None:
    with psycopg.connect(postgres_server.url, autocommit=True) as by_hand:
        try:
            create(postgres_server.url, "clock")
            ground = open_ground(postgres_server.url, "clock", wall=lambda: START)
            member = ground.join(0).member
            ground.beat(member, report())
            by_hand.execute("UPDATE dowse_clock.shards SET lease_until = lease_until - 15")
            with pytest.raises(Fenced, match="taken for dead"):
                ground.beat(member, report())
            ground.close()
        finally:
            by_hand.execute("DROP SCHEMA IF EXISTS dowse_clock CASCADE")
