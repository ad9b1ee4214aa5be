"""Pages read again from the archive of their crawl, and judged: by worker processes, nothing is downloaded."""

from __future__ import annotations

import pickle
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from dowse.engine.page.step import PageStep
from dowse.engine.workers.calls import Processes, processes
from dowse.engine.workers.job import Job
from dowse.engine.workers.port import default_workers
from dowse.frontier.scope import StaticScope
from dowse.judge import TopicJudge
from dowse.model.block_rule import BlockRule
from dowse.model.errors import StoreError
from dowse.model.page import USUAL_TERMS, Bag, Verdict
from dowse.model.statistic_names import REPEATS
from dowse.model.topic import Topic
from dowse.parse import Repeats, Unreadable
from dowse.predict import block_rule
from dowse.store import CrawlStore
from dowse.store.final_verdicts import StoredPage
from dowse.store.warc import read_back

__all__ = ["Reread", "reread"]

_AT_ONCE = 64  # pages a worker is given at a time
_AHEAD = 3  # such lots a worker, at most
_DIED = "a process died over a page of the archive: nothing was changed"


_Job = tuple[int, str, int, bytes]  # page, file of the archive, offset, the lines that its site repeats


class Reread(NamedTuple):
    """A page that was read again: its verdict by the judge in question, and its terms."""

    id: int
    verdict: Verdict
    bag: Bag | None


def reread(
    store: CrawlStore, topic: Topic, judge: TopicJudge, pages: Sequence[StoredPage], told: Callable[[int], None]
) -> Iterator[Reread]:
    """Judge pages by what the archive has of them, in order. One that is not there, or damaged, is left out. ``told``
    how many are done, now and then."""
    folder, repeats = store.folder, _repeats(store)
    jobs = [(page.id, page.file, page.offset, repeats.known(page.site)) for page in pages if page.file is not None]
    lots = deque(jobs[start : start + _AT_ONCE] for start in range(0, len(jobs), _AT_ONCE))
    rule = block_rule(topic.strategy)  # what a site repeats is told block by block
    settings = judge, StaticScope(topic.scope, ()), topic.limits.max_links, rule
    if not judge.judge.can_be_sent:
        step = _step(*settings)
        for done, lot in enumerate(lots):
            yield from _read(step, folder, lot)
            told(done * _AT_ONCE + len(lot))
        return
    packed = pickle.dumps(settings)
    with processes(default_workers(), died=_DIED) as pool:
        yield from _by_workers(pool, packed, folder, lots, told)


def _by_workers(
    pool: Processes, packed: bytes, folder: Path, lots: deque[list[_Job]], told: Callable[[int], None]
) -> Iterator[Reread]:
    waiting: deque[Future[list[Reread]]] = deque()
    done = 0
    while lots or waiting:
        while lots and len(waiting) < _AHEAD * default_workers():
            waiting.append(pool.submit(_in_worker, packed, folder, lots.popleft()))
        found = waiting.popleft().result()
        done += _AT_ONCE
        told(done)
        yield from found


def _in_worker(packed: bytes, folder: Path, jobs: list[_Job]) -> list[Reread]:
    return list(_read(_sent_step(packed), folder, jobs))


@lru_cache(1)
def _sent_step(packed: bytes) -> PageStep:
    return _step(*pickle.loads(packed))


def _step(judge: TopicJudge, scope: StaticScope, max_links: int, rule: BlockRule) -> PageStep:
    return PageStep(judge, scope, max_links, rule=rule)


def _read(step: PageStep, folder: Path, jobs: Sequence[_Job]) -> Iterator[Reread]:
    for id_, file, offset, repeats in jobs:
        try:
            digest = step.digest(Job(read_back(folder, file, offset), 0.0, terms=USUAL_TERMS, repeats=repeats))
        except (StoreError, OSError, Unreadable):
            continue
        yield Reread(id_, digest.verdict, digest.bag)


def _repeats(store: CrawlStore) -> Repeats:
    """The lines that sites repeat, as the crawl knew them last."""
    found = Repeats()
    states = {name: state for name, state in store.statistics().items() if name.startswith(REPEATS)}
    found.load_all({int(name.removeprefix(REPEATS)): state for name, state in states.items()})
    return found
