"""What a common ground keeps of a crawl beside its state: whoever goes on with it, or adds a shard, finds it there."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from dowse.cluster.slots import Spread
from dowse.engine.workers.port import default_workers
from dowse.model.common_ground import CommonGround
from dowse.model.topic import Topic
from dowse.model.topicfile import topic_from_json, topic_to_json

__all__ = ["Kept", "kept_in", "settings_of"]


@dataclass(frozen=True, slots=True)
class Kept:
    """A crawl of several shards."""

    topic: Topic
    shards: int
    by: Spread

    def sharing(self, here: int) -> Topic:
        """The topic for a shard of this machine, where ``here`` of them run: each has its part of the processes for
        pages that one engine would have."""
        given = self.topic.workers
        return replace(self.topic, workers=max(1, default_workers() // here) if given is None else given)


def settings_of(kept: Kept) -> dict[str, Any]:
    """Plain JSON values, without what is secret."""
    return {"topic": topic_to_json(kept.topic), "shards": kept.shards, "by": kept.by}


def kept_in(ground: CommonGround) -> Kept:
    """What :func:`settings_of` gave."""
    settings = ground.settings()
    return Kept(topic_from_json(settings["topic"]), settings["shards"], settings["by"])
