"""What a shard's process is told to do. It goes to its standard input, since a topic may hold passwords."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from dowse.cluster.slots import Spread
from dowse.model.topic import Topic

__all__ = ["Errand"]


@dataclass(frozen=True, slots=True)
class Errand:
    """One shard of a crawl, on one machine."""

    topic: Topic  # the whole crawl's, with its seeds found and its examples read
    ground: Path | str  # the file or the address of the database that is the common ground
    crawl: str  # the crawl's name there
    shard: int
    folder: Path
    by: Spread
