"""What an engine that has a share of a crawl is told, and one that crawls alone finds out by itself."""

from __future__ import annotations

from dataclasses import dataclass

from dowse.model.found import FoundRow
from dowse.model.strategy import Answer

__all__ = ["Share"]


@dataclass(frozen=True, slots=True)
class Share:
    """A shard's, or that of all shards before it is said which: what the crawl is called, and where it starts."""

    crawl: str  # the name by which shared databases know the whole
    shard: int = 0
    seeds: tuple[str, ...] = ()  # canonical: those that were given, and those that were found
    found: tuple[FoundRow, ...] = ()  # who found them
    answers: tuple[Answer, ...] = ()  # about pages of all shards, whatever numbers these have there
