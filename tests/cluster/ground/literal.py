"""The common ground, literally from its prose: no rows, no batches, every letter and every place in line by itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from dowse.model.budget import Spent
from dowse.model.common_ground import LEASE_S, Member, Report
from dowse.model.others import Letter

__all__ = ["LiteralGround"]

_LONGEST_UNKNOWN_S = 60.0


@dataclass
class _Shard:
    epoch: int = 0
    here: bool = False
    lease_until: float = 0.0
    posted: int = 0
    idle: str = ""
    spent: Spent = field(default_factory=Spent)
    waiting: int = 0
    longest_delay_s: float = 0.0
    others_at: float = 0.0  # others may not ask at its addresses before, whatever it says


@dataclass
class _Address:
    holder: int | None = None
    epoch: int = 0  # of the holder, when it wanted it last
    open_at: float = 0.0
    told_at: float = float("-inf")  # its holder came to hold it then, or last asked for it
    line: dict[int, float] = field(default_factory=dict)  # what each promises there, in the order in which they came

    def in_line(self) -> list[int]:
        """Who promises most, and of equal ones who has waited longest."""
        return sorted(self.line, key=lambda shard: -self.line[shard])


class LiteralGround:
    """Says what each call must answer. Grants are not decided here, only what must hold of them."""

    def __init__(self, shards: int, pages: int, now: float) -> None:
        self.now = now
        self.pages = pages
        self.shards = [_Shard() for _ in range(shards)]
        self.mail: list[tuple[int, Letter]] = []  # sender and letter, in the order in which they came
        self.noted: dict[tuple[int, int], int] = {}  # receiver, sender
        self.addresses: dict[str, _Address] = {}
        self.published: dict[int, tuple[int, bytes]] = {}
        self.stop: tuple[str, str] | None = None

    def is_alive(self, shard: int) -> bool:
        return self.shards[shard].here and self.now < self.shards[shard].lease_until

    def is_heard(self, member: Member) -> bool:
        return member.epoch == self.shards[member.shard].epoch and self.is_alive(member.shard)

    def join(self, shard: int) -> Member:
        own = self.shards[shard]
        if own.epoch:
            own.others_at = max(own.others_at, min(self.now, own.lease_until) + self._longest(own))
        own.epoch += 1
        own.here, own.idle, own.lease_until = True, "", self.now + LEASE_S
        self._leave_lines(shard)
        return Member(shard, own.epoch)

    def tell(self, shard: int, report: Report) -> None:
        own = self.shards[shard]
        own.idle, own.spent, own.waiting, own.lease_until = (
            report.idle,
            report.spent,
            report.waiting,
            self.now + LEASE_S,
        )

    def find_end(self) -> None:
        if self.stop is not None:
            return
        if sum(shard.spent.pages for shard in self.shards) >= self.pages:
            self.stop = "budget", f"pages ({self.pages}p)"
        elif all(self.is_alive(n) and own.idle in ("empty", "stalled") for n, own in enumerate(self.shards)):
            if self.mail:
                return
            if all(own.idle == "empty" for own in self.shards):
                self.stop = "empty", "no URL is left to fetch"
            else:
                waiting = sum(own.waiting for own in self.shards)
                self.stop = "stalled", f"{waiting} URLs wait for nothing that could come"

    def leave(self, shard: int, report: Report) -> None:
        self.tell(shard, report)
        own = self.shards[shard]
        own.here, own.idle, own.lease_until = False, "", self.now
        self._leave_lines(shard)
        self.find_end()

    def go_on(self) -> None:
        if self.stop is not None:
            self.stop = None
            for own in self.shards:
                own.here, own.idle, own.lease_until = False, "", min(own.lease_until, self.now)

    # -- mail ------------------------------------------------------------------------------------------------------

    def post(self, shard: int, letters: Sequence[Letter]) -> None:
        own = self.shards[shard]
        new = [letter for letter in letters if letter.number > own.posted]
        if new:
            self.mail += [(shard, letter) for letter in new]
            own.posted, own.idle = new[-1].number, ""

    def waiting_for(self, shard: int, noted: Mapping[int, int]) -> dict[int, list[Letter]]:
        found: dict[int, list[Letter]] = {}
        for sender, letter in self.mail:
            if letter.shard == shard and letter.number > noted.get(sender, 0):
                found.setdefault(sender, []).append(letter)
        return found

    def note(self, shard: int, noted: Mapping[int, int]) -> None:
        for sender, number in noted.items():
            if number > self.noted.get((shard, sender), 0):
                self.noted[shard, sender] = number
                self.shards[shard].idle = ""
                self.mail = [
                    (who, letter) for who, letter in self.mail
                    if not (who == sender and letter.shard == shard and letter.number <= number)
                ]  # fmt: skip

    def arrived(self, shard: int) -> dict[int, int]:
        return {receiver: number for (receiver, sender), number in self.noted.items() if sender == shard}

    # -- addresses -------------------------------------------------------------------------------------------------

    def want(self, shard: int, name: str, promise: float) -> None:
        address = self.addresses.setdefault(name, _Address())
        if address.holder in (None, shard):
            address.holder, address.told_at = shard, self.now
            address.epoch = self.shards[shard].epoch
        else:
            address.line[shard] = promise

    def free(self, shard: int, name: str, seconds: float) -> None:
        own, address = self.shards[shard], self.addresses.setdefault(name, _Address())
        own.longest_delay_s = max(own.longest_delay_s, seconds)
        address.line.pop(shard, None)
        if address.holder == shard:
            self._hand_on(address, max(self.now + seconds, own.others_at))

    def give_on(self, shard: int) -> None:
        """Of what this shard wants, what dead ones hold, or held in an earlier life, goes to the first in line."""
        for address in self.addresses.values():
            if shard in address.line and address.holder is not None:
                holder = self.shards[address.holder]
                if not self.is_alive(address.holder):
                    self._hand_on(address, holder.lease_until + self._longest(holder))
                elif holder.epoch != address.epoch:
                    self._hand_on(address, holder.others_at)

    def keep_off(self, shard: int) -> dict[str, int]:
        return {
            name: address.in_line().index(shard) + 1
            for name, address in self.addresses.items()
            if shard in address.line
        }

    def let_in(self, shard: int) -> dict[str, float]:
        return {
            name: max(0.0, address.open_at - self.now) for name, address in self.addresses.items()
            if address.holder == shard and self.now < address.told_at + LEASE_S
            and address.epoch == self.shards[shard].epoch
        }  # fmt: skip

    def give_up(self, shard: int) -> dict[str, float]:
        return {
            name: max(address.line.values()) for name, address in self.addresses.items()
            if address.holder == shard and address.line
        }  # fmt: skip

    def _hand_on(self, address: _Address, open_at: float) -> None:
        address.line = {shard: promise for shard, promise in address.line.items() if self.is_alive(shard)}
        address.holder = address.in_line()[0] if address.line else None
        address.line.pop(-1 if address.holder is None else address.holder, None)
        address.epoch = 0 if address.holder is None else self.shards[address.holder].epoch
        address.open_at, address.told_at = max(address.open_at, open_at), self.now

    def _leave_lines(self, shard: int) -> None:
        for address in self.addresses.values():
            address.line.pop(shard, None)

    @staticmethod
    def _longest(shard: _Shard) -> float:
        return max(shard.longest_delay_s, _LONGEST_UNKNOWN_S)
