"""Opens a common ground: in a file, in memory, or in a PostgreSQL database."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from dowse.cluster.ground.ground import Crawl, Ground
from dowse.cluster.ground.sqlite import SqliteDatabase
from dowse.model.budget import Budget
from dowse.model.common_ground import SLOTS
from dowse.model.errors import NotACrawl, UserError

if TYPE_CHECKING:
    from dowse.cluster.ground.database import Database, Session

__all__ = ["create_ground", "open_ground"]

_name = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}")

Wall = Callable[[], float]


def create_ground(
    where: Path | str, name: str = "crawl", *, shards: int, budget: Budget, target_relevant: int | None = None,
    target_value: float | None = None, settings: Mapping[str, Any], wall: Wall, evenly: bool = False,
    moving: bool = False,
) -> Ground:  # fmt: skip
    """Begin a crawl of so many shards. UserError where there is one of this name already.

    ``where`` is a file (``IN_MEMORY``: none), which holds one crawl, or a ``postgresql://`` URL of a database that may
    hold many. ``wall`` is the clock of a file; PostgreSQL has its own. ``evenly``: who promises more gets no more.
    ``moving``: slots go from shards that have much to do to those that have little.
    """
    _check_name(name)
    if not 1 <= shards <= SLOTS:
        raise UserError(f"a crawl has 1 to {SLOTS} shards, not {shards}")
    crawl = Crawl(name, settings, shards, budget, target_relevant, target_value, evenly, moving)

    def fill(session: Session) -> None:
        Ground.begin(session, crawl)

    database: Database
    if isinstance(where, Path):
        database = SqliteDatabase.create(where, wall, fill)
    else:
        from dowse.cluster.ground.postgres import PostgresDatabase  # only here and below: its driver is an extra

        database = PostgresDatabase.create(where, name, fill)
    return _kept(database, Ground)


def open_ground(where: Path | str, name: str = "crawl", *, wall: Wall) -> Ground:
    """Take up a crawl that is there; NotACrawl where it is not."""
    _check_name(name)
    database: Database
    if isinstance(where, Path):
        database = SqliteDatabase.open(where, wall)
    else:
        from dowse.cluster.ground.postgres import PostgresDatabase

        database = PostgresDatabase.open(where, name)
    ground = _kept(database, Ground)
    found = _kept(ground, Ground.crawl)
    if found.name != name:
        ground.close()
        raise NotACrawl(f"{where} holds the crawl {found.name!r}, not {name!r}")
    return ground


class _Closes(Protocol):
    def close(self) -> None: ...


C = TypeVar("C", bound=_Closes)
T = TypeVar("T")


def _kept(opened: C, use: Callable[[C], T]) -> T:
    """What comes of it; where that fails, it is closed."""
    try:
        return use(opened)
    except BaseException:
        opened.close()
        raise


def _check_name(name: str) -> None:
    if not _name.fullmatch(name):
        raise UserError(f"{name!r} is no name for a crawl: it has up to 40 of a-z, 0-9, - and _")
