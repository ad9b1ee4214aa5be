"""What a shard learns, told to the others, and what they tell taken up (METHODS, section 6).

Whoever carries it asks for :meth:`SharedLearning.own` about once a second, publishes what that is in place of what was
published before, and hands what the others have published to :meth:`SharedLearning.take`. A shard tells something when
it has a quarter more pages than when it last did, or its judge thinks otherwise of them: so a crawl of any length tells
a few dozen times, and the first pages, which teach most, are told at once.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping

import xxhash

from dowse.engine.life.journal import Journal
from dowse.model.sharing import SharesLearning, packed, unpacked

__all__ = ["SharedLearning"]

_FRAME = struct.Struct("<16sI")
_REFUSED = "another shard's learning not taken up"


class SharedLearning:
    """The parts of a shard that learn, as one. To be called where the engine's loop runs."""

    def __init__(self, parts: Mapping[str, object], journal: Journal) -> None:
        """Those of the ``parts`` that do not share what they learn are left out."""
        self._parts = {name: part for name, part in parts.items() if isinstance(part, SharesLearning)}
        self._journal = journal
        self._own: dict[str, bytes] = {}
        self._taken: dict[tuple[int, str], int] = {}  # shard and part -> the hash of what was taken up last
        self._refused: set[int] = set()  # shards of which something could not be taken up

    def own(self) -> bytes | None:
        """All that was learned from our own pages, when enough of it is new; else None. What could not be published
        must be tried again by whoever asked: it is not told again before there is more."""
        new = {name: packed(told) for name, part in self._parts.items() if (told := part.own_part()) is not None}
        if not new:
            return None
        self._own.update(new)
        return _framed(self._own)

    def take(self, shard: int, data: bytes) -> None:
        """Take up what another shard has published. What is not as it must be is left out, which is told once a
        shard: what was taken up before stays. So does a part that is told again as it was."""
        try:
            told = _parted(data)
        except ValueError as fault:
            self._refuse(shard, fault)
            return
        for name, part in self._parts.items():
            own = told.get(name)
            if own is None:
                continue
            mark = xxhash.xxh3_64_intdigest(own)
            if self._taken.get((shard, name)) == mark:
                continue
            try:
                part.take_part(shard, unpacked(own))
            except ValueError as fault:
                self._refuse(shard, fault)
            else:
                self._taken[shard, name] = mark

    def _refuse(self, shard: int, fault: ValueError) -> None:
        if shard not in self._refused:
            self._refused.add(shard)
            self._journal.event(_REFUSED, f"shard {shard}: {fault}")


def _framed(parts: Mapping[str, bytes]) -> bytes:
    """Each part with its name and length before it."""
    return b"".join(_FRAME.pack(name.encode(), len(part)) + part for name, part in parts.items())


def _parted(data: bytes) -> dict[str, bytes]:
    found, at = {}, 0
    while at < len(data):
        if at + _FRAME.size > len(data):
            raise ValueError("it is cut short")
        name, size = _FRAME.unpack_from(data, at)
        at += _FRAME.size + size
        if at > len(data):
            raise ValueError("it is cut short")
        found[name.rstrip(b"\0").decode("ascii", "replace")] = data[at - size : at]
    return found
