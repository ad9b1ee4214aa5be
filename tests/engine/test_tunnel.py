"""A crawl with the learned mix over many sites: it is resumed, and what waits is explained."""

from __future__ import annotations

import asyncio
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from dowse.cli.why import explain
from dowse.loopback import Resource, Site, Web, in_thread
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


PORTAL = b"""<title>Portal</title><body><div>
<div><ul><li>solar cells of perovskite <li><a href=/cells>solar cells</a></ul></div>
<div><ul><li>bread and soup for a rainy week <li><a href=/bread>five loaves</a></ul></div>
</div>"""


@pytest.mark.parametrize(("params", "apart"), [({}, True), ({"alpha": 1.0}, False), ({"k": 2}, False)])
@pytest.mark.parametrize("form", ["paper", "robust"])
def test_how_pages_are_cut_is_told_to_the_workers(
    tmp_path: Path, form: str, params: dict[str, float], apart: bool
) -> None:
    """Either each list is a block, or the page is one: then both links are worth the same by their block."""
    with in_thread(Web.of(Site("front.test", {"/": Resource(PORTAL)}))) as server:
        choice = StrategyChoice("tunnel", {"form": form, **params})
        topic = topic_for(server.address, ["http://front.test/"], strategy=choice, budget=Budget(pages=1), workers=1)
        asyncio.run(crawl_all(topic, tmp_path / "c"))
    found = dict(rows(tmp_path / "c", "SELECT url, priority FROM candidates WHERE state = 0"))
    cells, bread = found["http://front.test/cells"], found["http://front.test/bread"]
    assert cells > bread if form == "robust" or apart else cells == bread
    told = explain(tmp_path / "c", "http://front.test/bread")
    assert f"in block {2 if apart else 1} of {2 if apart else 1} " in told  # by the same rule
