"""What each shard has learned by itself, for the others.

A shard puts its own sums in place of what it published before, and takes those of the others as they are: so nothing
counts twice, and what a dead shard learned stays. A version only says whether they are others than those last seen.
"""

from __future__ import annotations

from collections.abc import Mapping

from dowse.cluster.ground.database import Session
from dowse.model.common_ground import Published

__all__ = ["publish", "published"]


def publish(session: Session, own: int, data: bytes) -> None:
    """In place of what was there."""
    session.run(
        "INSERT INTO published (shard, version, data) VALUES (?, 1, ?)"
        " ON CONFLICT (shard) DO UPDATE SET version = published.version + 1, data = excluded.data",
        (own, data),
    )


def published(session: Session, own: int, seen: Mapping[int, int]) -> list[Published]:
    """What the others have that is new."""
    versions = session.run("SELECT shard, version FROM published WHERE shard <> ? ORDER BY shard", (own,))
    changed = [shard for shard, version in versions if version != seen.get(shard, 0)]
    return [
        Published(shard, version, bytes(data))
        for shard in changed
        for version, data in session.run("SELECT version, data FROM published WHERE shard = ?", (shard,))
    ]
