"""A crawl that is shared by several engines, its *shards*, as one of them sees the others.

Each URL has one owner, told by its site alone. A link to a URL of another's becomes a letter, which is recorded with
the page that has the link and stays there until its receiver has recorded it: so none is lost, and none counts twice.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Protocol, runtime_checkable

from dowse.model.columns import Stored, Table, columns_of

__all__ = ["MAIL_FROM", "OUTBOX", "SLOT_AT", "Letter", "MovingSlots", "Others"]

_SINCE = 10

MAIL_FROM = "mail."
"""In the names of statistics: in front of the number of a shard, whose letters up to a number were taken up."""
SLOT_AT = "slot."
"""In the names of statistics: in front of the number of a slot that this shard has given or taken, with whose it was
from then on, and how often it had moved."""


@dataclass(slots=True)
class Letter:
    """A URL for another shard, with what this one thinks of it."""

    number: Annotated[int, Stored("Counted from 1; none is given twice.", since=_SINCE, key=True)]
    shard: Annotated[int, Stored("The shard it is for.", since=_SINCE)]
    url: Annotated[str, Stored("In canonical form.", since=_SINCE)]
    depth: Annotated[int, Stored("Links from a seed.", since=_SINCE)]
    value: Annotated[float, Stored("What the strategy of the sender thinks it is worth.", since=_SINCE)]
    mention: Annotated[
        bytes | None, Stored("The link, and the page that has it; or what moves to that shard.", since=_SINCE)
    ] = None


OUTBOX = Table("outbox", columns_of(Letter), since=_SINCE)


class Others(Protocol):
    """The other shards. Everything is answered at once: who they are, and what they hold, is exchanged beside."""

    def owner(self, url: str) -> int | None:
        """Whose a canonical URL is; None: it is ours."""
        ...

    def may_ask(self, address: str) -> bool:
        """May sites at an address be asked? If not, the address is asked for, and ``Sites.let_in`` is told later."""
        ...

    def is_current(self) -> bool:
        """Do the others still take this shard for alive? If not, it may ask nobody for anything."""
        ...


@runtime_checkable
class MovingSlots(Others, Protocol):
    """Other shards whose URLs may become ours, and ours theirs, a slot at a time."""

    @property
    def shard(self) -> int:
        """Which we are."""
        ...

    @property
    def changes(self) -> int:
        """How often the owner of any URL has changed."""
        ...

    def slot(self, url: str) -> int:
        """The slot of a canonical URL: all URLs of a slot have one owner."""
        ...

    def stays(self, url: str) -> bool:
        """Is it ours, and nobody else's soon?"""
        ...

    def gave(self, slot: int, heir: int) -> int:
        """A slot of ours is another shard's from now on. The number of the move."""
        ...

    def took(self, slot: int, move: int) -> None:
        """A slot is ours from now on, by the move of this number."""
        ...

    def recall(self, learned: Mapping[str, Any]) -> None:
        """What our own records say of slots that were given and taken: they may know more than others do."""
        ...
