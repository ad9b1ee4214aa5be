"""The objects that the pages of a crawl state, read from its archive by worker processes. Nothing is downloaded."""

from __future__ import annotations

import pickle
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from dowse.engine.assembly.object_readers import ObjectReaders
from dowse.engine.workers.calls import Processes, WorkerDied, processes
from dowse.engine.workers.port import default_workers
from dowse.engine.workers.time_limit import TooLong, time_limit
from dowse.model.errors import StoreError, UserError
from dowse.model.objects import FoundObject
from dowse.store.export import PagePlace
from dowse.store.warc import read_back

__all__ = ["PageObjects", "stored_objects"]

_AT_ONCE = 32  # pages a worker is given at a time
_AHEAD = 3  # such lots a worker, at most
_TIME_S = 10.0  # of CPU that a page may take
_DIED = "a process died over a page of the archive"
_TOO_LONG = f"it took more than {_TIME_S:g} s"


@dataclass(frozen=True, slots=True)
class PageObjects:
    """What a page states."""

    url: str
    objects: list[FoundObject] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)  # of readers from outside
    is_missing: bool = False  # the archive has no readable record of it


def stored_objects(
    folder: Path, places: Sequence[PagePlace], readers: ObjectReaders, told: Callable[[int], None],
    limit_s: float = _TIME_S,
) -> Iterator[PageObjects]:  # fmt: skip
    """What each page states, in order. A page that takes too long has that for its fault. ``told`` how many are done,
    now and then."""
    packed = pickle.dumps(readers)
    lots = deque(list(places[start : start + _AT_ONCE]) for start in range(0, len(places), _AT_ONCE))
    waiting: deque[tuple[list[PagePlace], Future[list[PageObjects]]]] = deque()
    done = 0
    with processes(default_workers(), died=_DIED) as pool:
        while lots or waiting:
            while lots and len(waiting) < _AHEAD * default_workers():
                lot = lots.popleft()
                waiting.append((lot, pool.submit(_in_worker, packed, folder, lot, limit_s)))
            lot, answer = waiting.popleft()
            try:
                yield from answer.result()
            except WorkerDied:
                yield from _one_by_one(pool, packed, folder, lot, limit_s)
            done += len(lot)
            told(done)


def _one_by_one(
    pool: Processes, packed: bytes, folder: Path, lot: Sequence[PagePlace], limit_s: float
) -> Iterator[PageObjects]:
    """The pages of a lot over which a process died: all but one harm nobody."""
    for place in lot:
        try:
            yield from pool.submit(_in_worker, packed, folder, [place], limit_s).result()
        except WorkerDied:
            yield PageObjects(_url(place), faults=[_TOO_LONG])


@lru_cache(1)
def _sent(packed: bytes) -> ObjectReaders:
    return pickle.loads(packed)  # type: ignore[no-any-return]


def _in_worker(packed: bytes, folder: Path, lot: Sequence[PagePlace], limit_s: float) -> list[PageObjects]:
    readers = _sent(packed)
    return [_read(readers, folder, place, limit_s) for place in lot]


def _read(readers: ObjectReaders, folder: Path, place: PagePlace, limit_s: float) -> PageObjects:
    found = PageObjects(_url(place))
    try:
        response = read_back(folder, place.warc_file or "", place.warc_offset or 0)
    except (StoreError, UserError, OSError):
        return PageObjects(_url(place), is_missing=True)
    try:
        with time_limit(limit_s):
            found.objects.extend(readers.read(response, _url(place), found.faults.append))
    except TooLong:
        found.faults.append(_TOO_LONG)
    return found


def _url(place: PagePlace) -> str:
    return place.final_url or place.url
