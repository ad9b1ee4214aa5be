"""Who may reach a common ground in PostgreSQL, and how far it is known to be the right one."""

from __future__ import annotations

import asyncio
import re
import ssl
from pathlib import Path

import psycopg
import pytest
import trustme

from dowse.cluster.ground import create_ground, open_ground
from dowse.model.budget import Budget
from dowse.model.common_ground import GroundAway
from dowse.model.errors import UserError
from tests.cluster.ground.places import letters, report
from tests.cluster.relay import relay_to
from tests.servers import POSTGRESQL, DatabaseServer

pytestmark = POSTGRESQL
DOCS = Path(__file__).parents[3] / "docs" / "cluster.md"


def tried(url: str) -> int:
    """The epoch of a shard that joins there."""
    ground = open_ground(url, "tls", wall=lambda: 0.0)
    try:
        return ground.join(0).member.epoch
    finally:
        ground.close()


def test_a_database_that_cannot_prove_who_it_is_gets_nothing(postgres_server: DatabaseServer, tmp_path: Path) -> None:
    ours, theirs = trustme.CA(), trustme.CA()
    for name, authority in (("ours.pem", ours), ("theirs.pem", theirs)):
        authority.cert_pem.write_to_path(str(tmp_path / name))
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    ours.issue_cert("127.0.0.1").configure_cert(server)

    async def main() -> None:
        async with relay_to(postgres_server.url, server) as relay:
            whole = f"{relay.url}?sslmode=verify-full&sslrootcert={tmp_path}/ours.pem"
            assert await asyncio.to_thread(tried, whole) == 1
            with pytest.raises(GroundAway, match="certificate verify failed"):
                await asyncio.to_thread(tried, whole.replace("ours.pem", "theirs.pem"))
            elsewhere = whole.replace("@127.0.0.1", "@localhost")
            with pytest.raises(GroundAway, match="does not match host name"):
                await asyncio.to_thread(tried, elsewhere)

    create_ground(postgres_server.url, "tls", shards=1, budget=Budget(), settings={}, wall=lambda: 0.0).close()
    try:
        asyncio.run(main())
    finally:
        with psycopg.connect(postgres_server.url, autocommit=True) as by_hand:
            by_hand.execute("DROP SCHEMA dowse_tls CASCADE")


def statements() -> list[str]:
    """What docs/cluster.md has an administrator type."""
    [block] = re.findall(r"```sql\n(.*?)```", DOCS.read_text(encoding="utf-8"), re.DOTALL)
    return [line.strip() for line in block.split(";") if line.strip()]


def test_the_users_that_the_docs_make_can_do_what_they_must_and_no_more(postgres_server: DatabaseServer) -> None:
    url = postgres_server.url
    beginner, runner = (url.replace("dowse:", f"{name}:", 1) for name in ("solar_begin", "solar_run"))
    with psycopg.connect(url, autocommit=True) as by_hand:
        by_hand.execute("DROP SCHEMA IF EXISTS dowse_solar CASCADE")  # of another test
        try:
            for statement in statements():
                by_hand.execute(statement.encode())
            create_ground(beginner, "solar", shards=2, budget=Budget(pages=9), settings={}, wall=lambda: 0.0).close()
            ground = open_ground(runner, "solar", wall=lambda: 0.0)
            sender, receiver = ground.join(0).member, ground.join(1).member
            ground.post(sender, letters(1, 2, 1))
            ground.noted(receiver, {0: 1})
            ground.want(receiver, {"10.0.0.1": 0.5})
            ground.free(receiver, {"10.0.0.1": 1.0})
            ground.publish(sender, b"sums")
            ground.keep("seeds", b"")
            ground.beat(sender, report(promises=[1.0] * 20))
            ground.leave(sender, report())
            ground.stop("interrupted", "by hand")
            ground.close()
            for where, name in ((runner, "more"), (beginner, "more")):
                with pytest.raises(UserError, match="permission denied"):
                    create_ground(where, name, shards=2, budget=Budget(), settings={}, wall=lambda: 0.0)
            with psycopg.connect(runner, autocommit=True) as as_runner:
                for forbidden in (
                    "DROP TABLE dowse_solar.mail",
                    "ALTER TABLE dowse_solar.mail ADD own int",
                    "TRUNCATE dowse_solar.crawl",
                    "CREATE TABLE dowse_solar.own (a int)",
                ):
                    with pytest.raises(psycopg.errors.InsufficientPrivilege):
                        as_runner.execute(forbidden.encode())
        finally:
            by_hand.execute("DROP SCHEMA IF EXISTS dowse_solar CASCADE")
            for role in ("solar_begin", "solar_run"):
                by_hand.execute(f"DROP OWNED BY {role}; DROP ROLE {role}".encode())
