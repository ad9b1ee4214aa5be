"""What earlier crawls have learned, for one to start from. A copy is kept in the crawl's folder: a resume does not
depend on where it came from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from pathlib import Path

from dowse.engine.assembly.apart import check_apart
from dowse.judge import subject_of
from dowse.model.errors import TopicError
from dowse.model.files import check_plain, write_whole
from dowse.model.page import Bag
from dowse.model.strategy import Strategy
from dowse.model.topic import StrategyChoice, Topic
from dowse.model.topicfile import topic_from_json, topic_name
from dowse.model.traces import Traces
from dowse.predict import NEED_TRACES, build_strategy
from dowse.predict.learning import (
    KIND,
    KIND_OF_RATIOS,
    Crawled,
    KeepsStatistics,
    Statistics,
    read_statistics,
    statistics_bytes,
)
from dowse.predict.traces import KIND_OF_BOTH, KIND_OF_PEOPLE
from dowse.store import CrawlReader, damage_told
from dowse.store.read_learned import evidence_kind, evidence_of_pages, hosts, learned
from dowse.store.read_visits import first_uuid
from dowse.store.sharded import holds_crawl, is_sharded, shard_folders
from dowse.traces import load_traces

__all__ = [
    "LEARNED", "absolute_sources", "keep_learned", "kept_learned", "learned_from", "recall", "statistics_of_crawl",
    "traces_for", "unrecognised", "write_statistics",
]  # fmt: skip

LEARNED = "learned.json"
"""The file in a crawl's folder that says what it started from."""

_LEARNING = "learning"
_KEEP = frozenset((_LEARNING, *NEED_TRACES))  # strategies that keep statistics
_KINDS = (KIND, KIND_OF_RATIOS, KIND_OF_PEOPLE, KIND_OF_BOTH)
_LONGEST_NAME = 200  # of a crawl, in a file of statistics
_LATEST = 8192  # pages: enough to tell which words speak for a topic


def absolute_sources(topic: Topic) -> Topic:
    """The topic with what it learns from named so that it is found from anywhere."""
    choice = topic.strategy
    sources = tuple(str(Path(source).expanduser().absolute()) for source in choice.learn_from)
    traces = str(Path(choice.traces).expanduser().absolute()) if choice.traces else ""
    return replace(topic, strategy=replace(choice, learn_from=sources, traces=traces)) if sources or traces else topic


def traces_for(choice: StrategyChoice) -> Traces | None:
    """The traces that a strategy goes by. UserError when they cannot be read; TopicError when it needs some."""
    if choice.traces:
        return load_traces(Path(choice.traces))
    if choice.name in NEED_TRACES:
        raise TopicError(
            f"strategy {choice.name} goes by access logs: name some with --traces (see dowse traces import)"
        )
    return None


def unrecognised(before: Statistics | None, traces: Traces | None) -> str | None:
    """What to tell of statistics whose people nobody can find in these traces; None where there is nothing to tell."""
    if before is None or traces is None or traces.key in before.people:
        return None
    if not before.people:
        return "nobody in the traces is known from before: what the crawl starts from says nothing of people"
    return "nobody in the traces is known from before: what the crawl starts from has people under another key"


def learned_from(sources: Sequence[str | Path]) -> Statistics | None:
    """The statistics of all these folders and files together; None of no source. Raises TopicError, also when the same
    pages would count twice."""
    found = [(Path(source), _read(Path(source))) for source in sources]
    check_apart(found)
    return reduce(Statistics.merged, (own for _, own in found)) if found else None


def _read(place: Path) -> Statistics:
    if place.is_dir():
        with CrawlReader(place) as crawl:
            return statistics_of_crawl(crawl)
    return read_statistics(place)


def statistics_of_crawl(crawl: CrawlReader) -> Statistics:
    """Worked out from the crawl's records. TopicError when its strategy keeps none. Those of a sharded crawl are what
    its shards have learned, added up; what all of them started from counts once."""
    shards = [place for place in shard_folders(crawl.folder) if holds_crawl(place)] if is_sharded(crawl.folder) else []
    found: Statistics | None = None
    for shard in shards:
        with CrawlReader(shard) as own:
            if evidence_kind(own) is None:
                continue  # it has learned nothing yet
            found = _statistics(own, own.folder) if found is None else found.merged(_statistics(own, None))
    if found is None:
        found = _statistics(crawl, crawl.folder)
    with damage_told(crawl.folder):
        known = first_uuid(crawl)
    if known is None:
        return found
    name = topic_name(topic_from_json(crawl.topic()))[:_LONGEST_NAME] or "without a name"
    own_pages = Crawled(float(crawl.summary().judged), name)
    return replace(found, crawls={**found.crawls, known[:_LONGEST_NAME]: own_pages})


def _statistics(crawl: CrawlReader, started_from: Path | None) -> Statistics:
    """What one engine has learned, with what it ``started_from``, which a folder keeps; None: without that."""
    topic = topic_from_json(crawl.topic())
    kind = evidence_kind(crawl)
    if not (kind or "").startswith(_KINDS):
        if kind is not None and kind.startswith(_LEARNING):
            raise TopicError(
                "an earlier Dowse made it, whose statistics this one cannot read", source=str(crawl.folder)
            )
        used = topic.strategy.name if topic.strategy.name not in _KEEP else kind or "none so far"
        raise TopicError(
            f"its strategy was {used}: statistics are kept by crawls with --strategy {_LEARNING}",
            source=str(crawl.folder),
        )
    choice = topic.strategy if topic.strategy.name in _KEEP else StrategyChoice(_LEARNING)
    before = kept_learned(started_from) if choice.learn_from and started_from is not None else None
    traces = traces_for(choice)
    learner = build_strategy(
        choice, seed_number=topic.seed_number, subject=subject_of(topic), before=before, traces=traces
    )  # fmt: skip
    if traces is not None and learner.memory is not None and learner.memory.kind != kind:
        raise TopicError(f"it did not go by the traces that are in {choice.traces} now", source=str(crawl.folder))
    if not isinstance(learner, KeepsStatistics) or learner.memory is None or learner.memory.kind != kind:
        raise TopicError("its records are of another form of learning than its settings", source=str(crawl.folder))
    with damage_told(crawl.folder):
        recall(learner, crawl)
        found = learner.statistics(hosts(crawl), latest_terms(crawl))
    crawls = {} if before is None else before.crawls
    # the sums of a mix have those in them that it started from
    mixes = {} if choice.learn_from and started_from is None else found.mixes
    return replace(found, crawls=crawls, mixes=mixes)


def latest_terms(crawl: CrawlReader) -> dict[int, Bag]:
    """The terms of the latest judged pages."""
    latest = [page.id for page in crawl.judged()[-_LATEST:]]
    return {id_: Bag.unpacked(data) for id_, data in crawl.details(latest)}


def recall(strategy: Strategy, crawl: CrawlReader) -> None:
    """Let a strategy know what it knew at the end of a crawl that had it: of what was fetched, which is what it learned
    from. What else it is to know must be loaded before."""
    memory = strategy.memory
    if memory is not None:
        for id_, row in evidence_of_pages(crawl):
            memory.load(id_, [row])
    strategy.restore(learned(crawl, strategy.name))


def keep_learned(before: Statistics | None, folder: Path) -> None:
    """Write what a crawl starts from into its folder, unless it is there."""
    if before is not None and not check_plain(folder / LEARNED, writes=False):
        write_statistics(before, folder / LEARNED, private=True)


def kept_learned(folder: Path) -> Statistics | None:
    """What the crawl in a folder started from; None when it started from nothing."""
    return read_statistics(folder / LEARNED, plain=True) if check_plain(folder / LEARNED, writes=False) else None


def write_statistics(statistics: Statistics, path: Path, *, private: bool = False) -> None:
    """A file of statistics, compressed when its name ends in .gz; whole or not at all. Raises UserError."""
    data = statistics_bytes(statistics, compressed=path.suffix == ".gz")
    write_whole(path, lambda place: place.write_bytes(data), private=private)
