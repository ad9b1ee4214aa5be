from __future__ import annotations

import asyncio
import itertools
from dataclasses import replace
from pathlib import Path

import pytest

from dowse.engine.assembly.assemble import assemble
from dowse.engine.loop.progress import Progress
from dowse.loopback import LoopbackServer, Site, Web
from dowse.model.budget import Budget
from dowse.model.forecast import Forecast
from dowse.store import CrawlReader, CrawlStore
from tests.engine.servers import page, topic_for


def tree(count: int) -> Web:
    """Pages /0, /1, ...: each links to three of its own, and two in three are on the topic."""
    pages = {
        f"/{n}": page(f"p{n}", "solar" if n % 3 else "bread", [f"/{child}" for child in range(3 * n + 1, 3 * n + 4)])
        for n in range(count)
    }
    return Web.of(Site("a.test", pages))


def run(folder: Path, pages: int, *, resume: bool = False) -> tuple[Progress, list[Forecast]]:
    """A crawl up to so many pages: how it stood at its end, and all forecasts of this run."""
    made: list[Forecast] = []

    async def main() -> Progress:
        async with LoopbackServer(tree(1000)) as server:
            topic = replace(topic_for(server.address, ["http://a.test/0"]), budget=Budget(pages=pages))
            assembly = await assemble(topic, folder, resume=resume)
            assembly.life.forecasts.on_look = made.append
            try:
                await assembly.run()
                return assembly.engine.progress()
            finally:
                await assembly.close()

    return asyncio.run(main()), made


def kept(folder: Path) -> Forecast | None:
    with CrawlReader(folder) as crawl:
        return crawl.forecast()


def test_a_crawl_forecasts_as_it_goes_and_keeps_the_last(tmp_path: Path) -> None:
    progress, made = run(tmp_path, 260)
    assert [one.fetches for one in made] == [50, 100, 150, 200, 250, 260]
    assert progress.forecast == made[-1] == kept(tmp_path)
    last = made[-1]
    assert (last.relevant, last.value, last.judged) == (progress.relevant, progress.value, 260)
    assert last.waiting == progress.waiting
    [hundred, *_] = last.horizons
    assert hundred.reachable == 100
    assert hundred.relevant.low <= 67 <= hundred.relevant.high
    assert abs(hundred.relevant.expected - 67) < 12


def test_a_crawl_too_short_to_tell_says_so(tmp_path: Path) -> None:
    progress, _ = run(tmp_path, 20)
    assert progress.forecast is not None
    assert progress.forecast.horizons == ()


def test_a_resumed_crawl_forecasts_as_if_it_had_not_stopped(tmp_path: Path) -> None:
    whole, _ = run(tmp_path / "whole", 300)
    first, _ = run(tmp_path / "parts", 250)
    second, made = run(tmp_path / "parts", 300, resume=True)
    assert made[-1].fetches == 300
    assert made[-1].judged == 300
    assert first.value < second.value == whole.value
    assert second.forecast is not None
    assert whole.forecast is not None
    for resumed, unbroken in zip(second.forecast.horizons, whole.forecast.horizons, strict=True):
        # the stop itself was a further look, so the last digits may differ
        assert abs(resumed.relevant.expected - unbroken.relevant.expected) < 1
        assert abs(resumed.relevant.high - unbroken.relevant.high) <= 2


def test_what_is_kept_for_a_resume_is_small(tmp_path: Path) -> None:
    run(tmp_path, 300)
    with CrawlStore.open(tmp_path) as store:
        state = store.statistics()["forecast.state"]
    assert len(str(state)) < 10_000


def test_looks_are_rarer_the_more_urls_are_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dowse.engine.life.forecasts._KNOWN_A_FETCH", 5)
    _, made = run(tmp_path, 325)
    looks = [0, *(one.fetches for one in made[:-1])]  # the last is that of the stop
    gaps = [later - earlier for earlier, later in itertools.pairwise(looks)]
    assert len(gaps) == 3
    assert gaps == sorted(set(gaps))
