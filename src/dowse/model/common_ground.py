"""The common ground of a crawl that is shared by several engines, its *shards*: all that they must agree on.

Who owns which slot, letters from shard to shard, what each may spend, who asks at which address, what each has learned,
and how the crawl ends, are kept in one database that all of them reach. A shard speaks to it as a :class:`Member`: its
number, and an epoch, which grows whenever the shard is started. Whoever comes with an old epoch, or after its lease has
run out, is :class:`Fenced`: another may be at its place by now, so it must ask nobody for anything any more.

A shard calls it from a thread beside its loop, about once a second; every call is one transaction. Where the database
does not answer, :class:`GroundAway` is raised, and the call may be made again: none does anything twice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from dowse.model.budget import Budget, Spent
from dowse.model.errors import UserError
from dowse.model.others import Letter

__all__ = [
    "LEASE_S", "PROMISED", "SLOTS", "CommonGround", "Fenced", "GroundAway", "Joined", "Member", "Orders", "Published",
    "Received", "RecordsElsewhere", "Replaced", "Report", "Slot", "Standing",
]  # fmt: skip

SLOTS = 1024
"""Registered domains are spread over so many slots, each of which a shard owns."""
LEASE_S = 15.0
"""Without a beat for so long, a shard is taken for dead. It stops asking before, by its own clock."""
PROMISED = 512
"""A shard tells what so many of its best waiting URLs promise."""

Values = NDArray[np.float64]


class Fenced(UserError):
    """Another epoch of this shard has begun, or its lease has run out: it must stop."""


class Replaced(Fenced):
    """Another start of this shard takes part: whoever began that one is responsible for it now."""


class RecordsElsewhere(UserError):
    """The shard has told of pages before, and comes with an empty folder: the other one must be brought here."""


class GroundAway(UserError):
    """The database does not answer now. The same call may be made again."""


@dataclass(frozen=True, slots=True)
class Member:
    """One start of one shard."""

    shard: int
    epoch: int


@dataclass(frozen=True, slots=True)
class Slot:
    """Where a slot is that has moved, or is to move."""

    slot: int
    owner: int
    move: int  # how often it has moved
    heir: int | None = None  # its owner is to give it to this one


@dataclass(frozen=True, slots=True)
class Joined:
    """What a shard is told when it starts."""

    member: Member
    owners: bytes  # of each slot, its first shard: SLOTS little-endian 16-bit numbers
    granted: Budget  # all that it was granted so far and did not give back; no limit where the crawl has none
    posted: int  # its letters up to this number are on the ground, or were noted
    elapsed_s: float  # since the crawl began, all its runs together: of a budget in seconds, so much is gone
    slots: Sequence[Slot] = ()  # those that have moved, or are to
    slots_version: int = 0
    moving: bool = False  # slots may move: shards are to tell what theirs are worth


@dataclass(frozen=True, slots=True)
class Report:
    """What a shard tells at a beat."""

    spent: Spent  # all that it has spent so far: it only grows
    held: Spent
    """That, what is reserved for requests under way, and what else it may spend before it hears the orders: its grants
    are never cut below, and until then it spends no more."""
    relevant: int
    value: float  # the scores of all its pages together
    waiting: int  # URLs
    promises: Values  # what its best waiting URLs are expected to be worth, best first, at most PROMISED
    idle: str = ""
    """Why it has nothing to do, nothing under way, and no letter that is not posted: "empty", "stalled" or
    "budget: pages" ...; "" while there is. It is looked up after the last letters were noted, not before."""
    delay_s: float = 60.0  # nobody else may ask at an address for so long after this shard did
    slots_seen: int = 0  # the version of what it knows of slots
    taken: Mapping[int, int] = field(default_factory=dict)
    """Slots that came to it, with the number of the move, as far as the ground has not said so yet."""
    loads: Mapping[int, float] | None = None
    """What its slots may bring in the next minute, where it is more than nothing; None: that was not looked up now."""


@dataclass(frozen=True, slots=True)
class Orders:
    """What a shard is told at a beat."""

    granted: Budget  # what it may spend in all, its earlier grants included
    to_come: Spent  # what is granted to nobody yet: it may get of it later
    part: float  # of the best URLs that wait anywhere, as many as one engine would choose among, how much it has
    keep_off: Mapping[str, int] = field(default_factory=dict)
    """Addresses that another shard asks, of those it wants, with its place in line: 1 is the next."""
    let_in: Mapping[str, float] = field(default_factory=dict)
    """Addresses it holds, with seconds until it may ask: told for as long as a lease since it came to hold them, or
    last asked for them."""
    give_up: Mapping[str, float] = field(default_factory=dict)
    """Addresses it holds and others want, with the most that one of these promises there: it is to free them when its
    term is over, or when it has nothing better to ask there."""
    stop: tuple[str, str] | None = None  # the crawl is over: the kind and the detail of its one reason
    slots: Sequence[Slot] = ()  # of what has changed since the version it has seen
    slots_version: int = 0


@dataclass(frozen=True, slots=True)
class Received:
    """Letters from one shard, in order."""

    sender: int
    letters: Sequence[Letter]

    @property
    def last(self) -> int:
        """The number of the last of them."""
        return self.letters[-1].number


@dataclass(frozen=True, slots=True)
class Published:
    """What another shard has learned by itself."""

    shard: int
    version: int
    data: bytes


@dataclass(frozen=True, slots=True)
class Standing:
    """A shard, as the ground knows it: for those who watch."""

    shard: int
    epoch: int
    alive: bool  # its lease has not run out
    seen_s: float | None  # seconds since its last beat; None: it never came
    report: Report | None
    granted: Budget
    slots: int
    unread: int  # letters that wait for it
    load: float = 0.0  # what its slots may bring in a minute, as it told last
    leaving: int = 0  # slots that it is to give to others
    came: int = 0  # slots that have moved, and are here


class CommonGround(Protocol):
    """See the module's docstring."""

    def join(self, shard: int, *, empty: bool = False) -> Joined:
        """Begin a new epoch of a shard. Whatever an older one still says is refused. With an ``empty`` folder nobody
        takes the place of one that has records, or may be about to: RecordsElsewhere, or GroundAway for as long as the
        other is alive and has told nothing."""
        ...

    def beat(self, member: Member, report: Report) -> Orders:
        """Report, keep the lease, and hear what to do. In one transaction grants are made by promise, and the end of
        the crawl is found: its target is met, its budget is spent, or nobody has anything to do and no letter waits."""
        ...

    def more_bytes(self, member: Member, total: int) -> int:
        """Ask at once, so that it may spend so many bytes in all: how many it may by now, until the next orders."""
        ...

    def post(self, member: Member, letters: Sequence[Letter]) -> None:
        """Leave letters for others. Those with a number that was posted before are there already."""
        ...

    def receive(self, member: Member, noted: Mapping[int, int], most: int) -> Sequence[Received]:
        """The letters for a shard after the number it has ``noted`` for each sender (none: 0), at most so many."""
        ...

    def noted(self, member: Member, noted: Mapping[int, int]) -> None:
        """Letters from each sender up to that number are in the shard's own records: they are dropped here, and it is
        no longer idle, since they may have brought something to do."""
        ...

    def arrived(self, member: Member) -> Mapping[int, int]:
        """For each shard it has written to, the last number that is in that one's own records."""
        ...

    def want(self, member: Member, addresses: Mapping[str, float]) -> None:
        """Ask for addresses, each with what its best URL there promises, or once more, with what it promises by now:
        the next beats tell who asks there. A shard that was started again asks anew."""
        ...

    def let_in(self, member: Member) -> Mapping[str, float]:
        """Between two beats, what the next would tell of addresses that it holds."""
        ...

    def free(self, member: Member, addresses: Mapping[str, float]) -> None:
        """Nobody here asks at these addresses any more, or wants to; others may, after so many seconds."""
        ...

    def publish(self, member: Member, data: bytes) -> None:
        """Put what this shard has learned by itself in place of what it published before."""
        ...

    def published(self, member: Member, seen: Mapping[int, int]) -> Sequence[Published]:
        """What the others have published, where its version is another than the one ``seen``."""
        ...

    def leave(self, member: Member, report: Report) -> None:
        """A last report: the shard ends, and its lease with it. What it did not spend is given back."""
        ...

    def stop(self, kind: str, detail: str) -> tuple[str, str]:
        """End the crawl for all, unless it has ended: the reason it ends for. Anybody may call it."""
        ...

    def go_on(
        self, settings: Mapping[str, Any] | None = None, *, budget: Budget | None = None,
        target_relevant: int | None = None, target_value: float | None = None,
    ) -> None:  # fmt: skip
        """Another run of a crawl that has ended: no shard is idle or takes part yet. What is not given is as it was."""
        ...

    def settings(self) -> Mapping[str, Any]:
        """What whoever began the crawl wants to find again: plain JSON values."""
        ...

    def keep(self, name: str, data: bytes) -> None:
        """Keep what is long and seldom asked for, in place of what has this name."""
        ...

    def kept(self, name: str) -> bytes | None:
        """What has this name; None: nothing."""
        ...

    def ended(self) -> tuple[str, str] | None:
        """The one reason why the crawl is over; None: it goes on."""
        ...

    def standings(self) -> Sequence[Standing]:
        """All shards, for those who watch."""
        ...

    def close(self) -> None:
        """Let go of the database."""
        ...
