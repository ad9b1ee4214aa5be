"""Letters are written with what made them, read in order, and gone when they have arrived."""

from __future__ import annotations

from pathlib import Path

from dowse.model.batch import Batch
from dowse.model.others import Letter
from dowse.store import CrawlStore
from dowse.store.outbox import Outbox


def letter(shard: int, url: str, value: float = 0.5) -> Letter:
    return Letter(0, shard, url, 1, value)


def told(letters: list[Letter]) -> list[tuple[int, int, str]]:
    return [(one.number, one.shard, one.url) for one in letters]


def test_letters_are_numbered_in_the_order_they_were_written(tmp_path: Path) -> None:
    with CrawlStore.create(tmp_path, {}, 0.0) as store:
        store.commit(Batch(letters={(3, -1): letter(1, "http://b.test/"), (4, -1): letter(2, "http://c.test/", 0.25)}))
        store.commit(Batch(letters={(3, -1): letter(1, "http://b.test/", 0.75)}))
        outbox = Outbox(store)
        assert outbox.after(0, 2) == [Letter(1, 1, "http://b.test/", 1, 0.5), Letter(2, 2, "http://c.test/", 1, 0.25)]
        assert told(outbox.after(2, 9)) == [(3, 1, "http://b.test/")]


def test_what_has_arrived_is_gone_and_no_number_is_given_twice(tmp_path: Path) -> None:
    with CrawlStore.create(tmp_path, {}, 0.0) as store:
        store.commit(Batch(letters={(0, -1): letter(1, "http://b.test/1"), (1, -1): letter(2, "http://c.test/")}))
        store.commit(Batch(letters={(2, -1): letter(1, "http://b.test/2")}))
        outbox = Outbox(store)
        outbox.arrived(1, 1)
        assert told(outbox.after(0, 9)) == [(2, 2, "http://c.test/"), (3, 1, "http://b.test/2")]
        outbox.arrived(2, 3)
        outbox.arrived(1, 3)
    with CrawlStore.open(tmp_path) as store:
        store.commit(Batch(letters={(4, -1): letter(2, "http://c.test/2")}))
        assert told(Outbox(store).after(3, 9)) == [(4, 2, "http://c.test/2")]
