"""Places for a common ground, with a clock that the test moves: PostgreSQL's is a table that stands for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import psycopg

from dowse.cluster.ground.database import Database, Session
from dowse.cluster.ground.ground import Crawl, Ground
from dowse.cluster.ground.postgres import PostgresDatabase
from dowse.cluster.ground.sqlite import SqliteDatabase
from dowse.model.budget import Budget, Spent
from dowse.model.common_ground import Report
from dowse.model.others import Letter

__all__ = ["START", "Place", "letters", "postgres_place", "report", "sqlite_place"]

START = 1.7e9
_HAND = "SELECT at FROM public.hand_clock"

Fill = Callable[[Session], None]


@dataclass
class Place:
    """Where a crawl's ground may be made, and opened as often as one likes."""

    create_database: Callable[[Fill], Database]
    open_database: Callable[[], Database]
    set_clock: Callable[[float], None]
    kind: str
    now: float = START
    _open: list[Ground] = field(default_factory=list)

    def create(
        self, shards: int = 2, *, budget: Budget | None = None, target_relevant: int | None = None,
        target_value: float | None = None, evenly: bool = False, settings: dict[str, Any] | None = None,
        moving: bool = False,
    ) -> Ground:  # fmt: skip
        crawl = Crawl(
            "crawl", settings or {}, shards, budget or Budget(), target_relevant, target_value, evenly, moving
        )
        return self._kept(Ground(self.create_database(lambda session: Ground.begin(session, crawl))))

    def open(self) -> Ground:
        """The same ground, by a connection of its own."""
        return self._kept(Ground(self.open_database()))

    def pass_s(self, seconds: float) -> None:
        """Let time pass."""
        self.now += seconds
        self.set_clock(self.now)

    def close(self) -> None:
        for ground in self._open:
            ground.close()
        self._open.clear()

    def _kept(self, ground: Ground) -> Ground:
        self._open.append(ground)
        return ground


@contextmanager
def sqlite_place(path: Path) -> Iterator[Place]:
    clock = [START]

    def set_clock(now: float) -> None:
        clock[0] = now

    place = Place(
        lambda fill: SqliteDatabase.create(path, lambda: clock[0], fill),
        lambda: SqliteDatabase.open(path, lambda: clock[0]), set_clock, "sqlite",
    )  # fmt: skip
    try:
        yield place
    finally:
        place.close()


@contextmanager
def postgres_place(url: str, name: str = "crawl") -> Iterator[Place]:
    with psycopg.connect(url, autocommit=True) as by_hand:
        by_hand.execute("CREATE TABLE public.hand_clock (at double precision NOT NULL)")
        by_hand.execute("INSERT INTO public.hand_clock VALUES (%s)", (START,))

        def set_clock(now: float) -> None:
            by_hand.execute("UPDATE public.hand_clock SET at = %s", (now,))

        place = Place(
            lambda fill: PostgresDatabase.create(url, name, fill, _HAND),
            lambda: PostgresDatabase.open(url, name, _HAND), set_clock, "postgres",
        )  # fmt: skip
        try:
            yield place
        finally:
            place.close()
            by_hand.execute(f'DROP SCHEMA IF EXISTS "dowse_{name}" CASCADE'.encode())
            by_hand.execute("DROP TABLE public.hand_clock")


def report(
    spent: Spent | None = None, held: Spent | None = None, *, promises: list[float] | None = None,
    waiting: int | None = None, idle: str = "", relevant: int = 0, value: float = 0.0,
) -> Report:  # fmt: skip
    """What a shard may tell at a beat."""
    told = promises or []
    spent = spent or Spent()
    held = held or spent
    return Report(spent, held, relevant, value, len(told) if waiting is None else waiting, np.array(told), idle)


def letters(first: int, last: int, shard: int) -> list[Letter]:
    """Letters of these numbers."""
    return [Letter(n, shard, f"http://h{n % 7}.test/ä/{n}", n % 5, n / 7) for n in range(first, last + 1)]
