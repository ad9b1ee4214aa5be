"""One crawl of a frozen web: the engine of a live crawl, with a recorded transport and a virtual clock."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from dowse.engine.assembly.join import Parts, join, way_out
from dowse.engine.assembly.learned import traces_for
from dowse.engine.loop.engine import Stop
from dowse.engine.workers.port import Workers
from dowse.frontier.scope import StaticScope
from dowse.judge import learned_judge, subject_of
from dowse.lab.replay.recorded_transport import Exchange, FrozenWeb, NetworkModel, ReplayTransport
from dowse.lab.replay.virtual_time import VirtualClock, VirtualLoop, run
from dowse.model.batch import Batch, Records
from dowse.model.budget import Purse, Spent
from dowse.model.records import CandidateBlock, SiteRow
from dowse.model.strategy import Strategy
from dowse.model.topic import Topic
from dowse.model.url import split
from dowse.predict import build_strategy

__all__ = ["Forgetful", "Replayed", "replay"]


class Forgetful:
    """Records that keep nothing: a replay is measured at its transport, and can be run again. Implements
    :class:`dowse.model.batch.Records`."""

    def commit(self, batch: Batch) -> None:
        """Nothing is written."""

    def note_spent(self, spent: Spent) -> None:
        """Nothing outlives a replay."""

    def candidates(self) -> Iterator[CandidateBlock]:
        return iter(())

    def sites(self) -> Iterator[SiteRow]:
        return iter(())

    def statistics(self) -> dict[str, Any]:
        return {}

    def spent(self) -> Spent:
        return Spent()


@dataclass(frozen=True, slots=True)
class Replayed:
    """What a replay did: every request in the order they left, and why it ended."""

    exchanges: list[Exchange]
    stop: Stop


def replay(
    web: FrozenWeb,
    workers: Workers,
    topic: Topic,
    scope: StaticScope,
    *,
    model: NetworkModel | None = None,
    strategy: Strategy | None = None,
    records: Records | None = None,
    joined: Callable[[Parts], None] | None = None,
) -> Replayed:
    """Crawl ``web`` for ``topic`` from its seed URLs (canonical ones) until its budget is spent or nothing is left.

    ``workers`` give the digest of each page; ``records`` may keep what happened. The same arguments give the same
    requests in the same order, anywhere. ``joined`` is shown the parts before the crawl begins, so that more of it can
    be watched than its requests.
    """
    loop = VirtualLoop()
    clock = VirtualClock(loop)
    transport = ReplayTransport(web, clock, model or NetworkModel())
    seeds = list(topic.seeds.urls)

    async def crawl() -> Stop:
        exchange = way_out(topic, transport, Purse(topic.budget), clock)
        order = strategy or build_strategy(
            topic.strategy, seed_number=topic.seed_number, subject=subject_of(topic), traces=traces_for(topic.strategy)
        )
        parts = join(
            topic, exchange, order, scope, workers, records or Forgetful(), clock,
            seed_origins={split(url).origin for url in seeds}, learned=learned_judge(topic),
        )  # fmt: skip
        if joined is not None:
            joined(parts)
        parts.life.admit_seeds(seeds)
        stop = await parts.engine.run()
        if parts.engine.failure is not None:
            raise parts.engine.failure
        return stop

    stop = run(crawl(), loop)
    return Replayed(transport.log, stop)
