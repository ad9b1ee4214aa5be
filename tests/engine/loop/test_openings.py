"""The last requests of a budget, when a host does not answer: they go to whoever does, and the crawl ends."""

from __future__ import annotations

import asyncio
import socket
from pathlib import Path

import pytest

from dowse.loopback import Web, in_thread
from dowse.model.budget import Budget
from dowse.model.topic import Network, Scope
from tests.engine.servers import chain, crawl_all, topic_for
from tests.engine.test_engine import rows


@pytest.mark.parametrize("requests", [3, 4, 5, 6, 8])
def test_a_host_that_does_not_answer_keeps_no_requests_from_others(tmp_path: Path, requests: int) -> None:
    with socket.socket() as nobody, in_thread(Web.of(chain("a.test", 12))) as server:
        nobody.bind(("127.0.0.1", 0))  # bound, and nobody listens: a connection is refused
        dead = f"127.0.0.1:{nobody.getsockname()[1]}"
        topic = topic_for(
            server.address, ["http://a.test/0", "http://dead.test/"], budget=Budget(requests=requests),
            scope=Scope(reach="host"),
            network=Network(allow_private=True, resolve={"a.test": server.address, "dead.test": dead}),
        )  # fmt: skip
        stop = asyncio.run(asyncio.wait_for(crawl_all(topic, tmp_path / "c"), 30))
    assert stop.kind == "budget"
    assert rows(tmp_path / "c", "SELECT count(*) FROM pages WHERE outcome = 'fetched'")[0][0] >= (requests - 1) // 2
