"""Letters from shard to shard: each is taken up once.

The life of a letter: its sender records it with the page that has the link, and counts it (numbers of one sender only
grow; those for one receiver are some of them). It is *posted*: it lies here. It is *received*: the receiver has seen
it, perhaps several times. It is *noted*: the receiver has recorded what it says, and with it, in one transaction of its
own, its number; here it is dropped. It has *arrived*: the sender has heard that it was noted, and drops it too.

Either side may die between any two of these steps, and does the step again:

* ``post`` skips what is not above the last number that was posted, which is written in the same transaction;
* ``receive`` changes nothing; the receiver names what it has recorded, and gets what comes after;
* ``noted`` only moves forwards, and clears the reason why the receiver is idle: else its last word would still be that
  it has nothing to do, while no letter waits any more, and the crawl would be ended over its head.

Guarantees: a letter is never dropped before its receiver has it in its records, and none that it has is given again;
letters of one sender come in order.

Letters are kept by the batch, many in a row, compressed. A batch that was noted in part is packed again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from dowse.cluster.ground.database import Session
from dowse.cluster.ground.packing import pack, unpack
from dowse.model.common_ground import Received
from dowse.model.errors import UserError
from dowse.model.others import Letter

__all__ = ["Rows", "any_waits", "arrived", "mark_noted", "put", "receive", "rows_of", "unread"]

Rows = list[tuple[Any, ...]]

_COLUMNS = ("sender", "receiver", "first", "last", "letters", "body")
_BATCH = 5_000  # letters a row, at most
_LOOK = 500  # rows at a time


def rows_of(sender: int, letters: Sequence[Letter], shards: int) -> Rows:
    """Letters as rows: made before the transaction begins, since it takes longer than to write them."""
    if any(first.number >= second.number for first, second in pairwise(letters)):
        raise ValueError("letters come in the order of their numbers, each once")
    by_receiver: dict[int, list[Letter]] = {}
    for letter in letters:
        by_receiver.setdefault(letter.shard, []).append(letter)
    if strange := [number for number in by_receiver if not 0 <= number < shards or number == sender]:
        raise UserError(f"shard {sender} wrote to shard {strange[0]}, of a crawl of {shards}")
    return [
        (sender, receiver, batch[0].number, batch[-1].number, len(batch), pack(batch))
        for receiver, own in sorted(by_receiver.items())
        for batch in (own[at : at + _BATCH] for at in range(0, len(own), _BATCH))
    ]


def put(session: Session, rows: Rows) -> None:
    """Leave batches for their receivers."""
    session.bring("mail", _COLUMNS, rows)


def receive(session: Session, receiver: int, noted: Mapping[int, int], most: int) -> list[Received]:
    """The oldest letters first, whoever wrote them."""
    found: dict[int, list[Letter]] = {}
    after, room = 0, most
    while room > 0:
        rows = session.run(
            "SELECT id, sender, first, last, letters FROM mail WHERE receiver = ? AND id > ? ORDER BY id LIMIT ?",
            (receiver, after, _LOOK),
        )
        for number, sender, first, last, letters in rows:
            after = number
            if last <= noted.get(sender, 0):
                continue
            if letters > room and found:
                return _received(found)
            [(body,)] = session.run("SELECT body FROM mail WHERE id = ?", (number,))
            batch = [
                letter for letter in unpack(body, first, letters, receiver) if letter.number > noted.get(sender, 0)
            ]
            found.setdefault(sender, []).extend(batch[:room])
            room -= len(batch)
            if room <= 0:
                break
        if len(rows) < _LOOK:
            break
    return _received(found)


def _received(found: Mapping[int, list[Letter]]) -> list[Received]:
    return [Received(sender, letters) for sender, letters in sorted(found.items())]


def mark_noted(session: Session, receiver: int, noted: Mapping[int, int]) -> bool:
    """Drop what the receiver has. Was there anything new in it?"""
    known = dict(session.run("SELECT sender, number FROM noted WHERE receiver = ?", (receiver,)))
    news = sorted((sender, number) for sender, number in noted.items() if number > known.get(sender, 0))
    for sender, number in news:
        session.run(
            "INSERT INTO noted (receiver, sender, number) VALUES (?, ?, ?)"
            " ON CONFLICT (receiver, sender) DO UPDATE SET number = excluded.number",
            (receiver, sender, number),
        )
        pair = (receiver, sender, number)
        session.run("DELETE FROM mail WHERE receiver = ? AND sender = ? AND last <= ?", pair)
        for row, first, letters, body in session.run(
            "SELECT id, first, letters, body FROM mail WHERE receiver = ? AND sender = ? AND first <= ?", pair
        ):
            rest = [letter for letter in unpack(body, first, letters, receiver) if letter.number > number]
            session.run(
                "UPDATE mail SET first = ?, letters = ?, body = ? WHERE id = ?",
                (rest[0].number, len(rest), pack(rest), row),
            )
    return bool(news)


def arrived(session: Session, sender: int) -> dict[int, int]:
    """For each receiver, the last number that it noted."""
    return dict(session.run("SELECT receiver, number FROM noted WHERE sender = ?", (sender,)))


def any_waits(session: Session) -> bool:
    """Is there a letter that nobody has noted?"""
    return bool(session.run("SELECT 1 FROM mail LIMIT 1"))


def unread(session: Session) -> dict[int, int]:
    """How many letters wait for each shard."""
    found = session.run("SELECT receiver, sum(letters) FROM mail GROUP BY receiver")
    return {receiver: int(letters) for receiver, letters in found}
