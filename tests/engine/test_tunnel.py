"""A crawl with the learned mix over many sites: it is resumed, and what waits is explained."""

from __future__ import annotations

import asyncio
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from dowse.cli.why import explain
from dowse.loopback import Site, Web, in_thread
from dowse.model.budget import Budget
from dowse.model.topic import Scope, StrategyChoice
from tests.engine.servers import crawl_all, page, topic_for
from tests.engine.test_engine import rows

SITES = 120


def web() -> Web:
    hosts = [f"h{n}.test" for n in range(SITES)]
    front = Site("front.test", {"/": page("front", "solar", [f"http://{host}/0" for host in hosts])})
    sites = [
        Site(host, {"/0": page(f"p{n}", "solar" if n % 3 else "bread", [f"http://{host}/1"]),
                    "/1": page(f"q{n}", "solar" if n % 3 else "bread", [])})
        for n, host in enumerate(hosts)
    ]  # fmt: skip
    return Web.of(front, *sites)


def test_waiting_sites_are_known_after_a_stop_and_why_adds_up(tmp_path: Path) -> None:
    with in_thread(web()) as server:
        topic = topic_for(
            server.address, ["http://front.test/"], strategy=StrategyChoice("tunnel"), scope=Scope(reach="any")
        )
        asyncio.run(crawl_all(replace(topic, budget=Budget(pages=10)), tmp_path / "c"))
        [(url, priority)] = rows(
            tmp_path / "c", "SELECT url, priority FROM candidates WHERE state = 0 ORDER BY id DESC LIMIT 1"
        )
        told = explain(tmp_path / "c", url)
        stop = asyncio.run(crawl_all(replace(topic, budget=Budget(pages=60)), tmp_path / "c", resume=True))
    parts = re.findall(r" = (-?[\d.e-]+), weight (-?[\d.e-]+)", told)
    assert sum(float(value) * float(weight) for value, weight in parts) == pytest.approx(priority, abs=2e-3)
    assert stop.kind == "budget"
    decided = [json.loads(features) for (features,) in rows(
        tmp_path / "c", "SELECT features FROM decisions WHERE priority < 1e11")]  # fmt: skip
    assert len(decided) >= 50
