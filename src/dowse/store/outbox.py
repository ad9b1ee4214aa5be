"""Letters to other shards, for the shard that wrote them. They are written with the pages that have the links."""

from __future__ import annotations

from dowse.model.others import OUTBOX, Letter
from dowse.store import rows
from dowse.store.crawl_store import CrawlStore
from dowse.store.damage import damage_told

__all__ = ["Outbox"]


class Outbox:
    """The letters of a crawl, for its one writer."""

    def __init__(self, store: CrawlStore) -> None:
        self._store = store
        # what others have heard of must be here after a power cut, too: a commit waits for the disk
        store._connection.execute("PRAGMA synchronous = FULL")

    def last(self) -> int:
        """The number of the last letter that was ever written."""
        with damage_told(self._store.folder):
            [(number,)] = self._store._connection.execute("SELECT ifnull(max(number), 0) FROM outbox")
        return int(number)

    def after(self, number: int, most: int) -> list[Letter]:
        """The letters after that number, in order; at most so many."""
        with damage_told(self._store.folder):
            found = self._store._connection.execute(
                f"{rows.select(OUTBOX)} WHERE number > ? ORDER BY number LIMIT ?", (number, most)
            )
            return list(map(rows.letter, found))

    def arrived(self, shard: int, number: int) -> None:
        """A shard has recorded what its letters up to that number say: they are needed no more. The last of all stays,
        so that no number is given twice."""
        self._store.transact(
            lambda records: records.execute(
                "DELETE FROM outbox WHERE shard = ? AND number <= ? AND number < (SELECT max(number) FROM outbox)",
                (shard, number),
            )
        )
