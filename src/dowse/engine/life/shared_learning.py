"""What a shard learns, told to the others, and what they tell taken up (METHODS, section 6).

Whoever carries it asks for :meth:`SharedLearning.own` about once a second, publishes what that is in place of what was
published before, and hands what the others have published to :meth:`SharedLearning.take`. A shard tells something when
it has a quarter more pages than when it last did (half more, later on), or its judge thinks otherwise of them: so a
crawl of any length tells a few dozen times, and the first pages, which teach most, are told at once. What is told goes
in pieces, and who takes it up reads only those that are new.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping

import xxhash

from dowse.engine.life.journal import Journal
from dowse.model.sharing import SharesLearning, packed, unpacked_pieces

__all__ = ["SharedLearning"]

_FRAME = struct.Struct("<16s8sI")
_REFUSED = "another shard's learning not taken up"


class SharedLearning:
    """The parts of a shard that learn, as one. To be called where the engine's loop runs."""

    def __init__(self, parts: Mapping[str, object], journal: Journal) -> None:
        """Those of the ``parts`` that do not share what they learn are left out."""
        self._parts = {name: part for name, part in parts.items() if isinstance(part, SharesLearning)}
        self._journal = journal
        self._own: dict[str, dict[str, bytes]] = {}  # part -> piece -> as it was packed
        self._taken: dict[
            tuple[int, str], dict[str, int]
        ] = {}  # shard and part -> the hashes of what was taken up last
        self._refused: set[int] = set()  # shards of which something could not be taken up

    def own(self) -> bytes | None:
        """All that was learned from our own pages, when enough of it is new; else None. What could not be published
        must be tried again by whoever asked: it is not told again before there is more."""
        is_new = False
        for name, part in self._parts.items():
            told = part.own_part()
            if told is None:
                continue
            is_new, before = True, self._own.get(name, {})
            self._own[name] = {
                piece: before[piece] if arrays is None else packed(arrays) for piece, arrays in told.items()
            }
        return _framed(self._own) if is_new else None

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
            before = self._taken.get((shard, name), {})
            marks = {piece: xxhash.xxh3_64_intdigest(data) for piece, data in own.items()}
            if marks == before:
                continue
            new = {piece: None if before.get(piece) == marks[piece] else data for piece, data in own.items()}
            try:
                part.take_part(shard, unpacked_pieces(new))
            except ValueError as fault:
                self._refuse(shard, fault)
            else:
                self._taken[shard, name] = marks

    def _refuse(self, shard: int, fault: ValueError) -> None:
        if shard not in self._refused:
            self._refused.add(shard)
            self._journal.event(_REFUSED, f"shard {shard}: {fault}")


def _framed(parts: Mapping[str, Mapping[str, bytes]]) -> bytes:
    """Each piece with the name of its part, its own, and its length before it."""
    return b"".join(
        _FRAME.pack(name.encode(), piece.encode(), len(data)) + data
        for name, pieces in parts.items()
        for piece, data in pieces.items()
    )


def _parted(data: bytes) -> dict[str, dict[str, bytes]]:
    found: dict[str, dict[str, bytes]] = {}
    at = 0
    while at < len(data):
        if at + _FRAME.size > len(data):
            raise ValueError("it is cut short")
        name, piece, size = _FRAME.unpack_from(data, at)
        at += _FRAME.size + size
        if at > len(data):
            raise ValueError("it is cut short")
        found.setdefault(_name(name), {})[_name(piece)] = data[at - size : at]
    return found


def _name(padded: bytes) -> str:
    return padded.rstrip(b"\0").decode("ascii", "replace")
