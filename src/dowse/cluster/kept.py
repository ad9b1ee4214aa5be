"""What a common ground keeps of a crawl beside its state: whoever goes on with it, or adds a shard, finds it there."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from dataclasses import dataclass, replace
from typing import Any

from dowse.cluster.slots import Sites, Spread
from dowse.engine.assembly.answered import ELSEWHERE
from dowse.engine.workers.port import default_workers
from dowse.model.common_ground import CommonGround
from dowse.model.errors import NotACrawl
from dowse.model.page import Bag
from dowse.model.share import Share
from dowse.model.strategy import Answer, Sample
from dowse.model.topic import Topic
from dowse.model.topicfile import topic_from_json, topic_to_json
from dowse.store import rows

__all__ = ["Kept", "keep", "kept_in", "settings_of"]

_SHARE = "share"


@dataclass(frozen=True, slots=True)
class Kept:
    """A crawl of several shards."""

    topic: Topic
    shards: int
    by: Spread
    share: Share | None = None  # None: shards look for their seeds themselves
    sites: Sites = "stay"

    def sharing(self, here: int) -> Topic:
        """The topic for a shard of this machine, where ``here`` of them run: each has its part of the processes for
        pages that one engine would have."""
        given = self.topic.workers
        return replace(self.topic, workers=max(1, default_workers() // here) if given is None else given)

    def share_of(self, shard: int) -> Share | None:
        """What one of them is told."""
        return None if self.share is None else replace(self.share, shard=shard)


def settings_of(kept: Kept) -> dict[str, Any]:
    """Plain JSON values, without what is secret, and without what may be long: see :func:`keep`."""
    return {"topic": topic_to_json(kept.topic), "shards": kept.shards, "by": kept.by, "sites": kept.sites}


def keep(ground: CommonGround, kept: Kept) -> None:
    """Let whoever takes part find what may be long."""
    if kept.share is not None:
        share = kept.share
        found = [list(rows.found_values(row)) for row in share.found]
        answers = [
            [one.sample.url, one.positive, one.by_lot, b64encode(one.sample.bag.packed()).decode()]
            for one in share.answers
        ]
        told = {"crawl": share.crawl, "seeds": share.seeds, "found": found, "answers": answers}
        ground.keep(_SHARE, json.dumps(told).encode())


def kept_in(ground: CommonGround) -> Kept:
    """What :func:`settings_of` and :func:`keep` gave. NotACrawl where it is damaged."""
    settings, told = ground.settings(), ground.kept(_SHARE)
    try:
        share = None if told is None else _share(json.loads(told))
        return Kept(topic_from_json(settings["topic"]), settings["shards"], settings["by"], share, settings["sites"])
    except (KeyError, TypeError, ValueError) as fault:
        raise NotACrawl(f"what the shards share is damaged: {fault}") from None


def _share(told: dict[str, Any]) -> Share:
    return Share(
        str(told["crawl"]), seeds=tuple(map(str, told["seeds"])), found=tuple(map(rows.found, told["found"])),
        answers=tuple(
            Answer(ELSEWHERE, bool(positive), Sample(Bag.unpacked(b64decode(bag)), str(url)), bool(by_lot))
            for url, positive, by_lot, bag in told["answers"]
        ),
    )  # fmt: skip
