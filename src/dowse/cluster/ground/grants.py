"""Who may spend what: a budget is handed out in parts, and counted when it is granted.

What a shard was granted is all that it may spend, since the crawl began. At each beat it tells what it has spent and
what it *holds* (that, and what requests under way may still take), and until it hears the orders it spends no more than
that. So its grant can be cut to what it holds, and what it is to get is added: first what is free (the budget, less
what the others were granted, less what it holds), and of that a share.

**The share.** All living shards tell what their best waiting URLs are expected to be worth. These are put together, and
the best of them, as many as the *window* has room for, are what a single engine would ask for next. Each shard's share
is how many of them are its own (of equal ones across the edge, evenly many each). A shard that has more waiting than it
told of is taken to have them at the value of the last it told.

**The window** is what all shards together could fetch in ``_WINDOW_S``. One shard may have all of it, if it promises
more than the others: then these wait, as the lesser URLs of one engine do. But its share is at most what it could fetch
in 32 times that, so that one whose best URLs wait for a slow site does not hold up others that are quick. (In the lab,
at twice that four shards had an eighth less of the area that one engine has.) What a shard could fetch is how quickly
it went when it was not short of grants. Towards the end the window is half of what is left, so that nobody sits on the
last pages while others could fetch them.

**The part.** One engine does not ask for whatever a site that is free has to offer: it chooses among the best of its
URLs, a sixteenth of what it may still fetch but a few at least, and waits for their sites. Each shard is told how much
of that choice, over all shards, is its own (:func:`part_of`). Were all to choose among as many, the poorer ones would
spend what the others need. (In the lab, that cost eight shards a tenth of the area that one engine has.)

**Pages, requests and bytes** are granted together. The share is in pages; requests and bytes follow by what a page of
this shard takes of them, with something to spare. Where even that is short for a body that is coming in, ``more_bytes``
is asked at once. Seconds are not handed out: they pass for all alike.

What a shard is to get is reckoned by what others told last, with nothing locked. It is given while the crawl's row is
locked, as far as what all the others were granted by then leaves it: every grant that grows does so under this lock.
One that does not grow is written without it.

What it is then granted is sure for one beat more, since its report may have been made before.

**What comes back.** A shard that is idle with nothing waiting keeps what it holds. Of a shard that is dead nobody knows
what it spent after its last report; it may be all that it was granted. So that stays counted until it comes again and
tells, and nothing is spent twice. Since windows are short, this is little.

Guarantees: what is granted, over all shards, is at most the budget; a grant is at least what its shard holds; what a
shard spends is at most its grant. So the budget holds at every instant, whoever dies.

``evenly`` is for comparison: the window is dealt to all who have anything waiting, whatever it promises.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dowse.cluster.ground.members import Shard
from dowse.model.budget import Budget, Spent
from dowse.model.common_ground import Report, Values

__all__ = [
    "DIVISIBLE", "best_of", "cut_to_held", "dealt", "free", "free_of", "given", "granted_to", "is_within", "more_bytes",
    "note_pace", "part_of", "regrant", "together", "wanted",
]  # fmt: skip

DIVISIBLE = ("pages", "requests", "bytes")

_WINDOW_S = 2.0  # more than one beat, so that one that comes late stops nobody, and shards can become quicker
_MOST_OF_ONE = 32.0  # windows of its own that a shard's share is at most
_START = 2  # pages a shard in the window, while nobody knows how quickly it goes: more would be spent blindly
_PACE_S = 1.0  # the least time over which it is measured how quickly a shard goes
_HALF_S = 10.0  # a shard that is slower than it was is taken for half as quick after so long
_CHOICE = 16  # an engine chooses among the best URLs, so many times fewer than what it may still fetch
_STEPS = 100  # from nothing to the greatest promise: those on one step are alike
_FIRST = 2  # pages for a shard that is at work and has nothing to tell of yet
_USUAL = {"pages": 1.0, "requests": 2.0, "bytes": 100_000.0}  # that a page takes, until there are some
_USUAL_WEIGHT = 5.0  # pages
_SPARE = {"pages": 1.0, "requests": 1.5, "bytes": 2.0}  # that much more than a page usually takes


@dataclass(frozen=True, slots=True)
class _Means:
    """What a page takes."""

    requests: float
    bytes: float
    pages: float = 1.0


def _of(budget: Budget, name: str) -> int | None:
    limit: int | None = getattr(budget, name)
    return limit


def _get(spent: Spent, name: str) -> int:
    amount: int = getattr(spent, name)
    return amount


def free(budget: Budget, shards: Sequence[Shard]) -> Spent:
    """What is granted to nobody; of what has no limit, nothing."""
    return free_of(budget, granted_to(shards))


def free_of(budget: Budget, granted: Spent) -> Spent:
    """The same, of what is granted to all together."""
    left = {name: max(0, limit - _get(granted, name)) for name in DIVISIBLE if (limit := _of(budget, name)) is not None}
    return Spent(**left)


def granted_to(shards: Iterable[Shard]) -> Spent:
    """What these were granted, together."""
    some = [shard.granted for shard in shards]
    return Spent(**{name: sum(_get(one, name) for one in some) for name in DIVISIBLE})


def together(one: Spent, other: Spent) -> Spent:
    """Both, of what is handed out."""
    return Spent(**{name: _get(one, name) + _get(other, name) for name in DIVISIBLE})


def regrant(
    own: Shard, shards: Sequence[Shard], told: Mapping[int, Values], budget: Budget, now: float, *, evenly: bool
) -> Spent:
    """The new grant of a shard that has just reported."""
    others = granted_to(shard for shard in shards if shard is not own)
    return given(own, wanted(own, shards, told, budget, now, evenly=evenly), budget, others)


def wanted(
    own: Shard, shards: Sequence[Shard], told: Mapping[int, Values], budget: Budget, now: float, *, evenly: bool
) -> Spent:
    """What a shard that has just reported is to get beside what it holds, as far as there is so much."""
    limits = {name: limit for name in DIVISIBLE if (limit := _of(budget, name)) is not None}
    others = granted_to(shard for shard in shards if shard is not own)
    if not limits or min(_room(own, budget, others).values()) <= 0:
        return Spent()
    alive = [shard for shard in shards if shard.is_alive(now)]
    pages = _share(own, alive, told, _window(alive, _left(shards, limits, now)), evenly=evenly)
    means = _means([own], _means(shards))
    return Spent(**{name: math.ceil(pages * getattr(means, name) * _SPARE[name]) for name in limits})


def given(own: Shard, more: Spent, budget: Budget, others: Spent) -> Spent:
    """The new grant: what it holds and so much more, as far as what the others were granted leaves it."""
    room = _room(own, budget, others)
    least = min(room.values(), default=0)
    return Spent(**{
        name: _get(own.held, name) + (min(left, _get(more, name)) if least > 0 else 0) for name, left in room.items()
    })  # fmt: skip


def is_within(own: Shard, more: Spent, budget: Budget) -> bool:
    """Would it have no more, with so much beside what it holds, than it was granted before?"""
    limited = [name for name in DIVISIBLE if _of(budget, name) is not None]
    return all(_get(own.held, name) + _get(more, name) <= _get(own.granted, name) for name in limited)


def _room(own: Shard, budget: Budget, others: Spent) -> dict[str, int]:
    """What is left for a shard beside what it holds and the others were granted, of what has a limit."""
    return {
        name: limit - _get(own.held, name) - _get(others, name)
        for name in DIVISIBLE
        if (limit := _of(budget, name)) is not None
    }


def more_bytes(own: Shard, budget: Budget, granted: Spent, total: int) -> int:
    """How many bytes a shard may spend in all that needs so many, where all together were granted so much."""
    if budget.bytes is None:
        return total
    lacking = max(0, total - own.granted.bytes)
    return own.granted.bytes + min(lacking, free_of(budget, granted).bytes)


def note_pace(own: Shard, report: Report, budget: Budget, now: float) -> None:
    """How quickly a shard could go, by a new report: as quickly as it went, if it was not short of grants."""
    own.short = own.short or any(
        _of(budget, name) is not None and _get(own.granted, name) <= _get(report.held, name) for name in DIVISIBLE
    )
    if own.paced_at is not None:
        past = now - own.paced_at
        if past < _PACE_S:
            return
        pace = max(0, report.spent.pages - own.paced_pages) / past
        own.pages_per_s = max(pace, own.pages_per_s if own.short else own.pages_per_s * 0.5 ** (past / _HALF_S))
    own.paced_at, own.paced_pages, own.short = now, report.spent.pages, False


def part_of(
    own: Shard, shards: Sequence[Shard], told: Mapping[int, Values], budget: Budget, now: float, *, evenly: bool
) -> float:
    """How much of the best waiting URLs of all is this shard's."""
    limits = {name: limit for name in DIVISIBLE if (limit := _of(budget, name)) is not None}
    if not limits:
        return 1.0
    at_work = [shard for shard in shards if shard is own or (shard.is_alive(now) and _has_work(shard))]
    most = max(1, math.floor(_left(shards, limits, now) / _CHOICE))
    values = [np.empty(0) if evenly else told.get(shard.shard, np.empty(0)) for shard in at_work]
    shares = best_of(alike(values), [shard.waiting for shard in at_work], most)
    return shares[at_work.index(own)] / sum(shares) if any(shares) else 1 / len(at_work)


def _has_work(shard: Shard) -> bool:
    return shard.idle not in ("empty", "stalled")


def _could(shard: Shard) -> int:
    """Pages that a shard could fetch in a window."""
    return max(_START, math.ceil(_WINDOW_S * shard.pages_per_s))


def _most(shard: Shard) -> int:
    """Pages that a shard's share is at most: one whose best URLs wait for a slow site must not hold up the others."""
    return max(2 * _START, math.ceil(_MOST_OF_ONE * _WINDOW_S * shard.pages_per_s))


def _window(alive: Sequence[Shard], left: float) -> int:
    return max(1, math.floor(min(sum(map(_could, alive)), max(len(alive), left / 2), left)))


def _left(shards: Sequence[Shard], limits: Mapping[str, int], now: float) -> float:
    """For how many pages, about, the budget will do that nobody has spent, or can have."""
    means = _means(shards)
    taken = {
        name: sum(_get(shard.held if shard.is_alive(now) else shard.granted, name) for shard in shards)
        for name in limits
    }
    return float(min((limit - taken[name]) / getattr(means, name) for name, limit in limits.items()))


def _means(shards: Sequence[Shard], usual: _Means | None = None) -> _Means:
    """What a page of these takes, shrunk towards what is usual."""
    usual = usual or _Means(_USUAL["requests"], _USUAL["bytes"])
    pages = _USUAL_WEIGHT + sum(shard.spent.pages for shard in shards)
    requests = _USUAL_WEIGHT * usual.requests + sum(shard.spent.requests for shard in shards)
    size = _USUAL_WEIGHT * usual.bytes + sum(shard.spent.bytes for shard in shards)
    return _Means(max(1.0, requests / pages), max(1.0, size / pages))


def _share(own: Shard, alive: Sequence[Shard], told: Mapping[int, Values], window: int, *, evenly: bool) -> int:
    """How many of the next pages are to be this shard's."""
    if not _has_work(own):
        return 0
    at_work = list(filter(_has_work, alive))
    wanted = [min(shard.waiting, _most(shard)) for shard in at_work]
    if evenly:
        shares = dealt(window, wanted)
    else:
        shares = best_of(alike([told.get(shard.shard, np.empty(0)) for shard in at_work]), wanted, window)
    share = next(share for shard, share in zip(at_work, shares, strict=True) if shard is own)
    told_nothing = not len(told.get(own.shard, ()))
    if not share and told_nothing and (not any(shares) or window >= _START * len(alive)):
        return min(_FIRST, window)
    return share


def alike(told: Sequence[Values]) -> list[NDArray[np.float64]]:
    """Promises on a scale of steps. No promise is exact; and if a shard whose best are worth a hair more had all, the
    others would stand still until it has spent that.

    >>> alike([np.array([0.9, 0.301]), np.array([0.299])])
    [array([100.,  33.]), array([33.])]
    """
    greatest = max((float(values.max(initial=0.0, where=np.isfinite(values))) for values in told), default=0.0)
    step = greatest / _STEPS if greatest > 0 else 1.0
    return [np.round(values.astype(np.float64) / step) for values in told]


def best_of(told: Sequence[Values], wanted: Sequence[int], most: int) -> list[int]:
    """How many of the best ``most`` URLs each has, who tells what its best are worth, and how many of its best count;
    those it does not tell of are worth as much as the last."""
    some = [
        (owner, own[:count], count) for owner, (own, count) in enumerate(zip(told, wanted, strict=True)) if count > 0
    ]
    some = [(owner, own, count) for owner, own, count in some if len(own)]
    if not some:
        return [0] * len(told)
    owners, sizes, counts = (np.array(each) for each in zip(*((o, len(v), c) for o, v, c in some), strict=True))
    known = np.concatenate([own for _, own, _ in some], dtype=np.float64)
    known[np.isnan(known)] = -np.inf
    value = np.concatenate((known, known[np.cumsum(sizes) - 1]))
    owner_of = np.concatenate((np.repeat(owners, sizes), owners))
    count_of = np.concatenate((np.ones(len(known), dtype=np.int64), counts - sizes))
    order = np.argsort(-value)
    edge = int(np.searchsorted(np.cumsum(count_of[order]), most))
    at = value[order[edge]] if edge < len(order) else np.nan  # nan: there is room for all
    sure, tied = (
        np.bincount(owner_of[own], weights=count_of[own], minlength=len(told)).astype(np.int64).tolist()
        for own in (~(value <= at), value == at)
    )
    return [own + more for own, more in zip(sure, dealt(most - sum(sure), tied), strict=True)]


def dealt(most: int, wanted: Sequence[int]) -> list[int]:
    """So many, dealt one by one to all who still want some.

    >>> dealt(10, [1, 20, 3])
    [1, 6, 3]
    """
    shares = [0] * len(wanted)
    left = min(most, sum(wanted))
    while left > 0:
        open_ = [n for n, own in enumerate(wanted) if shares[n] < own]
        each = left // len(open_)
        for n in open_ if each else open_[:left]:
            more = min(max(1, each), wanted[n] - shares[n])
            shares[n] += more
            left -= more
    return shares


def cut_to_held(shard: Shard) -> None:
    """What it did not spend is given back."""
    shard.granted = replace(shard.held, seconds=0.0)
