"""The hostile web in a thread, and crawls of it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from dowse.engine.assembly.assemble import assemble
from dowse.engine.loop.engine import Stop
from dowse.fetch.http import HttpTransport
from dowse.loopback import together
from dowse.loopback.hostile import HostileNames, HostileServer, Trial, topic_text
from dowse.model.http import Transport
from dowse.model.topic import Seeds, Topic
from dowse.model.topicfile import parse_topic

PATIENT_S = 60.0  # for trials that end by a cap, however busy the machine
IMPATIENT_S = 1.0  # for those that only the clock ends


class Forgetful:
    """A clock that jumps a day at each look: whatever goes by it remembers nothing."""

    def __init__(self) -> None:
        self._now = 0.0

    def now(self) -> float:
        self._now += 86_400.0
        return self._now

    def wall(self) -> float:
        return self.now()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


@contextmanager
def serving() -> Iterator[HostileServer]:
    """The hostile web, from a thread of its own."""
    server = HostileServer()
    with together([server]):
        yield server


def topic_for(server: HostileServer, trials: Iterable[Trial], timeout_s: float) -> Topic:
    """The topic a user would crawl these trials with, in this process."""
    text = topic_text(server.host, server.doors, trials, timeout_s=timeout_s)
    return replace(parse_topic(text, "hostile.toml"), workers=0)


async def crawl(topic: Topic, folder: Path, transport: Transport | None = None) -> Stop:
    """A crawl to its end."""
    assembly = await assemble(topic, folder, transport=transport)
    try:
        return await assembly.run()
    finally:
        await assembly.close()


async def crawl_trial(server: HostileServer, trial: Trial, folder: Path) -> Stop:
    """A crawl of one trial alone."""
    topic = topic_for(server, [trial], IMPATIENT_S if trial.by_clock else PATIENT_S)
    if not trial.names:
        return await crawl(topic, folder)
    # its DNS answers in place of the topic's own addresses, and nothing it said before is remembered
    network = replace(topic.network, resolve={})
    topic = replace(topic, seeds=Seeds(urls=(trial.url,)), network=network)
    return await crawl(topic, folder, HttpTransport(network, topic.limits, Forgetful(), HostileNames()))
